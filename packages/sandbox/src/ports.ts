import { createServer } from 'node:net';
import { hasCode } from './files.js';
import { UserError } from './user-error.js';

/**
 * Makes sure that a port can be listened on, before anything slow is started. Throws a `UserError` that names the port
 * and the option to change.
 */
export async function requireFreePort(host: string, port: number, option: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw portError(error, host, port, option);
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** Returns the error of a failed `listen` in words; anything else as it is. */
export function portError(error: unknown, host: string, port: number, option: string): unknown {
  if (hasCode(error, 'EADDRINUSE')) {
    return new UserError(
      `Port ${port} is in use; stop what listens there or choose another port with ${option}`,
    );
  }
  if (hasCode(error, 'EACCES')) {
    return new UserError(`Port ${port} needs more rights than you have; choose another port with ${option}`);
  }
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND') || hasCode(error, 'EAI_AGAIN')) {
    return new UserError(`${host} is not an address of this machine; choose another with --host`);
  }
  return error;
}

/** Returns the URL that a client on this machine uses for a server that listens on `host`. */
export function localUrl(host: string, port: number, protocol = 'http'): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${protocol}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Returns the URL by which others reach what this machine reaches by `url`; the same without a name for them. */
export function advertisedUrl(url: string, host: string | undefined): string {
  if (host === undefined) return url;
  const { protocol, port } = new URL(url);
  return localUrl(host, Number(port), protocol.slice(0, -1));
}

/** Returns the address of a page that makes passkeys: browsers bind them to a name, and refuse them at `127.0.0.1`. */
export function passkeyUrl(url: string): string {
  return url.replace('//127.0.0.1:', '//localhost:');
}

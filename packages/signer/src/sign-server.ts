import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { Keys } from './keys.js';
import { PolicyRefusal } from './policy.js';
import type { KeyName } from './settings.js';
import type { Signer } from './signer.js';

/** What is returned for one message. */
export type SocketResult = { signature: string } | { refused: string; detail: string } | { failed: true };

/** Is called with a key that does not sign, and why: the response does not say. */
type OnFailure = (signer: Signer, error: unknown) => void;

/** A batch of 256 transactions in base64 has 420 kB. */
const maxBytes = 1_048_576;

/**
 * Signs with keys for everybody who may open a Unix socket: this user and its group. `GET /keys` returns the addresses,
 * `POST /sign` a result for each message. Throws if something listens at the path already.
 */
export async function serveKeys(
  path: string,
  keys: Keys,
  onFailure: OnFailure,
): Promise<{ stop(): Promise<void> }> {
  if (await responds(path)) throw new Error(`another process listens at ${path}`);
  rmSync(path, { force: true });
  const server = createServer(async (incoming, response) => {
    const [status, body] = await respond(incoming, keys, onFailure);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await listen(server, path);
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function respond(
  incoming: IncomingMessage,
  keys: Keys,
  onFailure: OnFailure,
): Promise<[number, unknown]> {
  if (incoming.url === '/keys' && incoming.method === 'GET') {
    return [200, Object.fromEntries(Object.entries(keys).map(([name, { address }]) => [name, address]))];
  }
  if (incoming.url !== '/sign' || incoming.method !== 'POST') return [404, { error: 'not_found' }];
  try {
    const { key, messages } = JSON.parse(await textOf(incoming)) as { key: KeyName; messages: unknown };
    const signer = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (!signer || !Array.isArray(messages)) return [400, { error: 'invalid_request' }];
    const results = await Promise.all(
      messages.map((each) => sign(signer, Buffer.from(String(each), 'base64'), onFailure)),
    );
    return [200, { results }];
  } catch {
    return [400, { error: 'invalid_request' }];
  }
}

async function sign(signer: Signer, message: Uint8Array, onFailure: OnFailure): Promise<SocketResult> {
  try {
    return { signature: Buffer.from(await signer.sign(message)).toString('base64') };
  } catch (error) {
    if (error instanceof PolicyRefusal) return { refused: error.rule, detail: error.detail };
    onFailure(signer, error);
    return { failed: true };
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new Error('too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A socket that a killed process left behind does not respond. */
function responds(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: '/keys' }, (response) => {
      response.resume();
      resolve(true);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}

/** Listens with the socket open to user and group alone, from the first moment on. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o117);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    chmodSync(path, 0o660);
  } finally {
    process.umask(mask);
  }
}

import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Config } from '../config.js';
import { toInteger } from '../domain/integer.js';

const withinMs = 3_000;
/** What a client sends PostgreSQL to have the connection encrypted; the response is one byte, `S` or `N`. */
const sslRequest = Buffer.from('0000000804d2162f', 'hex');

/** A server that is reached over TLS. */
export interface SecuredEndpoint {
  kind: 'database' | 'node' | 'configuration';
  /** The setting that names it. */
  variable: string;
  url: URL;
}

/** Returns what the settings name to be reached over TLS, by Karat or, at the address of the portal, by browsers. */
export function securedEndpoints(values: Partial<Config>): SecuredEndpoint[] {
  const databases = {
    DATABASE_URL: values.databaseUrl,
    KARAT_DATABASE_DIRECT_URL: values.databaseDirectUrl,
    KARAT_DATABASE_REPLICA_URL: values.databaseReplicaUrl,
  };
  const others = {
    KARAT_RPC_URL: values.rpcUrls ?? [],
    KARAT_WS_URL: values.wsUrls ?? [],
    KARAT_PORTAL_URL: values.portalUrl ? [values.portalUrl] : [],
  };
  return [
    ...Object.entries(databases).flatMap(([variable, secret]): SecuredEndpoint[] => {
      const url = secret && new URL(secret.reveal());
      const isSecured = url?.searchParams.get('sslmode') === 'verify-full';
      return url && isSecured ? [{ kind: 'database', variable, url }] : [];
    }),
    ...Object.entries(others).flatMap(([variable, urls]) =>
      urls
        .map((url) => new URL(url))
        .filter(({ protocol }) => ['https:', 'wss:'].includes(protocol))
        .map(
          (url): SecuredEndpoint => ({
            kind: variable === 'KARAT_PORTAL_URL' ? 'configuration' : 'node',
            variable,
            url,
          }),
        ),
    ),
  ];
}

/**
 * Returns until when the certificate of a server is valid, whatever authority signed it; undefined where there is none to see within
 * a few seconds. Nothing is sent over the connection.
 */
export async function findCertificateEnd({ kind, url }: SecuredEndpoint): Promise<Date | undefined> {
  try {
    const socket = await (kind === 'database' ? secureDatabase(url) : secureServer(url));
    const { valid_to: end } = socket.getPeerCertificate();
    socket.destroy();
    const date = new Date(end);
    return Number.isNaN(date.getTime()) ? undefined : date;
  } catch {
    return undefined;
  }
}

function secureServer({ hostname, port }: URL): Promise<TLSSocket> {
  return secured(connectPlain(toInteger(port || '443'), hostname), hostname);
}

/** Opens TLS to PostgreSQL as its clients do. */
async function secureDatabase({ hostname, port, searchParams }: URL): Promise<TLSSocket> {
  const socket = connectPlain(toInteger(port || '5432'), hostname);
  const response = once<Buffer>(socket, 'data');
  socket.write(sslRequest);
  if ((await response).toString() !== 'S') {
    socket.destroy();
    throw new Error('the server has no TLS');
  }
  const root = searchParams.get('sslrootcert');
  return secured(socket, hostname, root === null ? undefined : readFileSync(root));
}

function secured(socket: Socket, hostname: string, ca?: Buffer): Promise<TLSSocket> {
  const name = isIP(hostname) === 0 ? { servername: hostname } : {};
  const tls = connect({ socket, rejectUnauthorized: false, ...name, ...(ca && { ca }) });
  // It reports the errors of what it is made of.
  socket.on('error', () => {});
  return once(tls, 'secureConnect').then(() => tls);
}

/** Waits for one event of a connection. Rejects when it fails or stays silent, and ends it then. */
function once<T>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('silent')), withinMs);
    const fail = (error?: unknown) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', fail);
    socket.once('close', fail);
    socket.once(event, (value: T) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

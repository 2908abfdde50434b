import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Config } from '../config.js';
import { toInteger } from '../domain/integer.js';
import { type Check, type Finding, findingsOf } from './finding.js';

const withinMs = 3_000;
/** Long enough for whoever renews certificates by hand. */
const warnBeforeDays = 30;
const dayMs = 86_400_000;
/** What a client sends PostgreSQL to have the connection encrypted; the response is one byte, `S` or `N`. */
const sslRequest = Buffer.from('0000000804d2162f', 'hex');

/** The errors of TLS that are met in practice, as what is said of the server at an address. */
const faults: Record<string, [says: string, remedy: string]> = {
  CERT_HAS_EXPIRED: ['has a certificate that has expired', 'Renew the certificate of the server.'],
  CERT_NOT_YET_VALID: ['has a certificate that is not valid yet', 'Correct the clock of this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another name than the one in the address',
    'Use a name in the address that the certificate has, or have it issued for this one.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'has a certificate that it signed itself',
    'Name that certificate as the authority: sslrootcert in an address of PostgreSQL, else NODE_EXTRA_CA_CERTS.',
  ],
};
const unknownAuthority: [string, string] = [
  'has a certificate of an authority that is not known here',
  'Name its CA: sslrootcert in an address of PostgreSQL, else NODE_EXTRA_CA_CERTS; and have the server send the whole chain.',
];
for (const code of [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]) {
  faults[code] = unknownAuthority;
}

/** Returns in words why TLS to a server failed, by the codes of an error and its causes; undefined for any other error. */
export function tlsFaultOf(codes: readonly string[]): { says: string; remedy: string } | undefined {
  for (const code of codes) {
    const [says, remedy] = faults[code] ?? [];
    if (says !== undefined && remedy !== undefined) return { says: `${says} (${code})`, remedy };
  }
  return undefined;
}

interface Endpoint {
  variable: string;
  url: URL;
}

/** Warns of the certificates of databases and nodes that are about to expire. Servers that fail are reported by their own checks. */
export async function checkCertificates(values: Partial<Config>): Promise<Finding[]> {
  const databases = [
    ['DATABASE_URL', values.databaseUrl],
    ['KARAT_DATABASE_DIRECT_URL', values.databaseDirectUrl],
    ['KARAT_DATABASE_REPLICA_URL', values.databaseReplicaUrl],
  ] as const;
  const ofDatabases = databases.flatMap(([variable, secret]) => {
    if (!secret) return [];
    const url = new URL(secret.reveal());
    return url.searchParams.get('sslmode') === 'verify-full' ? [{ variable, url }] : [];
  });
  const ofNodes = Object.entries({ KARAT_RPC_URL: values.rpcUrls, KARAT_WS_URL: values.wsUrls })
    .flatMap(([variable, urls = []]) => urls.map((url) => ({ variable, url: new URL(url) })))
    .filter(({ url }) => ['https:', 'wss:'].includes(url.protocol));
  const found = await Promise.all([
    ...ofDatabases.map((endpoint) => look('database', endpoint, secureDatabase)),
    ...ofNodes.map((endpoint) => look('node', endpoint, secureNode)),
  ]);
  return found.flat();
}

async function look(
  check: Check,
  { variable, url }: Endpoint,
  open: (url: URL) => Promise<TLSSocket>,
): Promise<Finding[]> {
  const certificate = await open(url).then(
    (socket) => {
      const seen = socket.getPeerCertificate();
      socket.destroy();
      return seen;
    },
    () => undefined,
  );
  const days = certificate && daysLeft(certificate);
  if (days === undefined || days < 0 || days > warnBeforeDays) return [];
  return [
    findingsOf(check).warning(
      `The certificate of ${url.hostname} (${variable}) expires in ${days} days.`,
      'Renew it, and have the server load the new one.',
    ),
  ];
}

function daysLeft({ valid_to: validTo }: PeerCertificate): number | undefined {
  const endMs = Date.parse(validTo);
  return Number.isNaN(endMs) ? undefined : Math.floor((endMs - Date.now()) / dayMs);
}

/** Opens TLS to a node. It is looked at whoever has signed it: nothing is sent to it. */
function secureNode({ hostname, port }: URL): Promise<TLSSocket> {
  return secured(connectPlain(toInteger(port || '443'), hostname), hostname);
}

/** Opens TLS to PostgreSQL as its clients do. */
async function secureDatabase({ hostname, port, searchParams }: URL): Promise<TLSSocket> {
  const socket = connectPlain(toInteger(port || '5432'), hostname);
  const response = once<Buffer>(socket, 'data');
  socket.write(sslRequest);
  if ((await response).toString() !== 'S') throw new Error('the server has no TLS');
  const root = searchParams.get('sslrootcert');
  return secured(socket, hostname, root === null ? undefined : readFileSync(root));
}

function secured(socket: Socket, hostname: string, ca?: Buffer): Promise<TLSSocket> {
  const name = isIP(hostname) === 0 ? { servername: hostname } : {};
  const tls = connect({ socket, rejectUnauthorized: false, ...name, ...(ca && { ca }) });
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

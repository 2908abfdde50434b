import { setMaxListeners } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
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
 * `GET /keys/NAME/proof` a result for `proofText`, `POST /sign` one for each message. What still waits when the caller hangs
 * up is not signed. Throws if something listens at the path already, or is there and is not a socket.
 */
export async function serveKeys(
  path: string,
  keys: Keys,
  onFailure: OnFailure,
): Promise<{ stop(): Promise<void> }> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isSocket()) throw new Error(`${path} is not a socket`);
  if (await responds(path)) throw new Error(`another process listens at ${path}`);
  rmSync(path, { force: true });
  const server = createServer(async (incoming, response) => {
    const gone = new AbortController();
    // Each message of a batch listens.
    setMaxListeners(0, gone.signal);
    response.on('close', () => gone.abort());
    const [status, body] = await respond(incoming, { keys, onFailure, signal: gone.signal });
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

interface Serving {
  keys: Keys;
  onFailure: OnFailure;
  /** Aborts once the caller is gone. */
  signal: AbortSignal;
}

async function respond(incoming: IncomingMessage, serving: Serving): Promise<[number, unknown]> {
  const { keys, signal } = serving;
  const { method, url = '' } = incoming;
  if (url === '/keys' && method === 'GET') {
    return [200, Object.fromEntries(Object.entries(keys).map(([name, { address }]) => [name, address]))];
  }
  const [, proven] = /^\/keys\/(\w+)\/proof$/.exec(url) ?? [];
  const proving = method === 'GET' && proven ? findKey(keys, proven) : undefined;
  if (proving) return [200, await toResult(proving, () => proving.prove(signal), serving)];
  if (url !== '/sign' || method !== 'POST') return [404, { error: 'not_found' }];
  try {
    const { key, messages } = JSON.parse(await textOf(incoming)) as { key: string; messages: unknown };
    const signer = findKey(keys, key);
    if (!signer || !Array.isArray(messages)) return [400, { error: 'invalid_request' }];
    const sign = (message: unknown) =>
      toResult(signer, () => signer.sign(Buffer.from(String(message), 'base64'), signal), serving);
    return [200, { results: await Promise.all(messages.map(sign)) }];
  } catch {
    return [400, { error: 'invalid_request' }];
  }
}

const findKey = (keys: Keys, name: string) => (Object.hasOwn(keys, name) ? keys[name as KeyName] : undefined);

async function toResult(
  signer: Signer,
  sign: () => Promise<Uint8Array>,
  { onFailure, signal }: Serving,
): Promise<SocketResult> {
  try {
    return { signature: Buffer.from(await sign()).toString('base64') };
  } catch (error) {
    if (error instanceof PolicyRefusal) return { refused: error.rule, detail: error.detail };
    // Of what a caller gives up, it is the caller that knows why.
    if (!signal.aborted) onFailure(signer, error);
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

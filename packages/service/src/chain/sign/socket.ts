import { Agent, type IncomingMessage, request } from 'node:http';
import {
  type KeyName,
  PolicyRefusal,
  policyRules,
  proofText,
  type SocketResult,
  signWithinMs,
} from '@karat/signer';
import { type Address, getAddressEncoder, isAddress, type SignatureBytes } from '@solana/kit';
import { withDeadline } from '../../runtime/time.js';
import { coalesce } from './coalesce.js';
import { type Signer, SignerError, type SigningBackend, verifySignature } from './signer.js';

/** `karat-signer` gives up what takes longer than a signature may, and responds: what takes longer still hangs. */
const hangsAfterMs = (name: KeyName) => signWithinMs(name) + 500;
const opensWithinMs = 10_000;

/**
 * Opens a key that a process of `karat-signer` holds, which listens at a Unix socket: `socket:/run/karat/sign.sock`.
 * Throws a `SignerError` when nothing listens there, or it does not hold that key.
 */
export async function openSocket(url: string, name: KeyName): Promise<Signer> {
  const agent = new Agent({ keepAlive: true });
  const endpoint: Endpoint = { socketPath: socketPathOf(url), agent };
  let keys: Record<string, unknown>;
  try {
    keys = (await withDeadline(opensWithinMs, undefined, (signal) =>
      call(endpoint, '/keys', { signal }),
    )) as Record<string, unknown>;
  } catch {
    agent.destroy();
    throw new SignerError('does not respond: run karat-signer with --socket and that path first');
  }
  const address = keys[name];
  if (typeof address !== 'string' || !isAddress(address)) {
    agent.destroy();
    throw new SignerError('is of a process that does not hold this key');
  }
  const backend: SigningBackend = {
    address,
    async signBatch(messages, signal) {
      const body = { key: name, messages: messages.map((each) => Buffer.from(each).toString('base64')) };
      const { results } = (await call(endpoint, '/sign', { body, signal })) as { results: SocketResult[] };
      return results.map(resultOf);
    },
    close: async () => agent.destroy(),
  };
  return coalesce(backend, hangsAfterMs(name));
}

const socketPathOf = (url: string) => url.replace(/^socket:(\/\/)?/i, '');

/**
 * Has the key behind a socket sign a text that is no transaction. Throws a `SignerError` unless the signature is that of
 * `address`.
 */
export async function proveSocket(url: string, name: KeyName, address: Address): Promise<void> {
  const endpoint: Endpoint = { socketPath: socketPathOf(url), agent: false };
  const result = await withDeadline(hangsAfterMs(name), undefined, (signal) =>
    call(endpoint, `/keys/${name}/proof`, { signal }),
  ).then(
    (response) => resultOf(response as SocketResult),
    (error: Error) => error,
  );
  if (result instanceof PolicyRefusal) {
    throw new SignerError(`is of a process that refuses to sign (${result.rule}: ${result.detail})`);
  }
  if (result instanceof Error) throw new SignerError(`does not sign (${result.message})`);
  const publicKey = Uint8Array.from(getAddressEncoder().encode(address));
  if (!verifySignature(publicKey, proofText, result)) throw new SignerError('signs with another key');
}

function resultOf(result: SocketResult): SignatureBytes | Error {
  if ('signature' in result)
    return Uint8Array.from(Buffer.from(result.signature, 'base64')) as SignatureBytes;
  if ('failed' in result) return new Error('the process that signs cannot use its key');
  const rule = policyRules.find((each) => each === result.refused) ?? 'malformed';
  return new PolicyRefusal(rule, result.detail);
}

interface Endpoint {
  socketPath: string;
  /** Whose connection is used; false: one for this call alone. */
  agent: Agent | false;
}

async function call(
  endpoint: Endpoint,
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
): Promise<unknown> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const method = body ? 'POST' : 'GET';
    const sent = request({ ...endpoint, path, method, headers, signal }, resolve);
    // What aborted it says why.
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    sent.end(body ? JSON.stringify(body) : undefined);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (response.statusCode !== 200) throw new Error(`the process that signs responded ${response.statusCode}`);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

import { Agent, type IncomingMessage, request } from 'node:http';
import { type KeyName, PolicyRefusal, policyRules, type SocketResult } from '@karat/signer';
import { isAddress, type SignatureBytes } from '@solana/kit';
import { coalesce } from './coalesce.js';
import { type Signer, SignerError, type SigningBackend } from './signer.js';

/**
 * Opens a key that a process of `karat-signer` holds, which listens at a Unix socket: `socket:/run/karat/sign.sock`.
 * Throws a `SignerError` when nothing listens there, or it does not hold that key.
 */
export async function openSocket(url: string, name: KeyName): Promise<Signer> {
  const socketPath = url.replace(/^socket:(\/\/)?/i, '');
  const agent = new Agent({ keepAlive: true });
  let keys: Record<string, unknown>;
  try {
    keys = (await call(socketPath, agent, '/keys', undefined)) as Record<string, unknown>;
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
    async signBatch(messages) {
      const body = { key: name, messages: messages.map((each) => Buffer.from(each).toString('base64')) };
      const { results } = (await call(socketPath, agent, '/sign', body)) as { results: SocketResult[] };
      return results.map(resultOf);
    },
    close: async () => agent.destroy(),
  };
  return coalesce(backend, isOfQuotes(name) ? quoteWithinMs : othersWithinMs);
}

/** Quotes that wait for a signature need a response; a place of other keys may wait for a person. */
const quoteWithinMs = 3_000;
const othersWithinMs = 30_000;

const isOfQuotes = (name: KeyName) => name === 'service' || name === 'otherService';

function resultOf(result: SocketResult): SignatureBytes | Error {
  if ('signature' in result)
    return Uint8Array.from(Buffer.from(result.signature, 'base64')) as SignatureBytes;
  if ('failed' in result) return new Error('the process that signs cannot use its key');
  const rule = policyRules.find((each) => each === result.refused) ?? 'malformed';
  return new PolicyRefusal(rule, result.detail);
}

async function call(socketPath: string, agent: Agent, path: string, body: unknown): Promise<unknown> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ socketPath, agent, path, method: body ? 'POST' : 'GET', headers }, resolve);
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (response.statusCode !== 200) throw new Error(`the process that signs responded ${response.statusCode}`);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

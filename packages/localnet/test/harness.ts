import { Localnet, type LocalnetOptions } from '@karat/localnet';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const SOL = 1_000_000_000n;
/** Reads what a transaction has done at once; by default it shows once it is final. */
export const now = { commitment: 'processed' };

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses, field by field
export type Json = any;

/** A node of its own for a test file, without a ledger, stopped at the end. */
export async function startNode(options: LocalnetOptions = {}): Promise<Localnet> {
  const node = await Localnet.start({ rpcPort: 0, ...options });
  started.push(node);
  return node;
}

const started: Localnet[] = [];

/** Stops what a test file has started. */
export async function stopNodes(): Promise<void> {
  await Promise.all(started.splice(0).map((node) => node.stop()));
}

/** Posts a text and gives the whole HTTP response. */
export async function post(
  node: Localnet,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(node.rpcUrl, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Calls a method; gives the JSON-RPC response, error or result. */
export async function call(node: Localnet, method: string, ...params: unknown[]): Promise<Json> {
  const response = await post(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** Calls a method; gives its result, throws when it is an error. */
export async function result(node: Localnet, method: string, ...params: unknown[]): Promise<Json> {
  const response = await call(node, method, ...params);
  if (response.error) throw new Error(`${method}: ${JSON.stringify(response.error)}`);
  return response.result;
}

/** Calls a method that must fail; gives the error. */
export async function failure(node: Localnet, method: string, ...params: unknown[]): Promise<Json> {
  const response = await call(node, method, ...params);
  if (!response.error) throw new Error(`${method} did not fail: ${JSON.stringify(response.result)}`);
  return response.error;
}

/** Calls `probe` until it gives something, for at most twenty seconds or as long as is said. */
export async function until<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  milliseconds = 20_000,
): Promise<T> {
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline; ) {
    const found = await probe();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Waited in vain for: ${probe}`);
}

export async function fundedSigner(node: Localnet, lamports = 10n * SOL): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  node.airdrop(signer.address, lamports);
  return signer;
}

export async function freshAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

export interface Signed {
  wire: string;
  signature: string;
}

/** Signs instructions into a base64 wire transaction with a blockhash (by default a confirmed one). */
export async function sign(
  node: Localnet,
  payer: KeyPairSigner,
  instructions: Instruction[],
  options: { blockhash?: string; version?: 'legacy' | 0 } = {},
): Promise<Signed> {
  const latest = (await result(node, 'getLatestBlockhash', { commitment: 'confirmed' })).value;
  const blockhash = (options.blockhash ?? latest.blockhash) as Blockhash;
  const message = pipe(
    createTransactionMessage({ version: options.version ?? 0 }),
    (tx) => setTransactionMessageFeePayerSigner(payer, tx),
    (tx) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, tx),
    (tx) => appendTransactionMessageInstructions(instructions, tx),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  return {
    wire: getBase64EncodedWireTransaction(transaction),
    signature: getSignatureFromTransaction(transaction),
  };
}

export function transfer(source: KeyPairSigner, destination: string, lamports: bigint): Instruction {
  return getTransferSolInstruction({ source, destination: destination as Address, amount: lamports });
}

export const BASE64 = { encoding: 'base64', preflightCommitment: 'confirmed' };

/** Sends a signed transaction at once, with preflight. */
export async function send(node: Localnet, signed: Signed, config: object = {}): Promise<Json> {
  return await call(node, 'sendTransaction', signed.wire, { ...BASE64, ...config });
}

/** Transfers lamports and gives the signature. */
export async function sendTransfer(
  node: Localnet,
  payer: KeyPairSigner,
  to: string,
  lamports: bigint,
): Promise<string> {
  const signed = await sign(node, payer, [transfer(payer, to, lamports)]);
  const response = await send(node, signed);
  if (response.error) throw new Error(JSON.stringify(response.error));
  return signed.signature;
}

/** Makes a mint without supply; gives its address. */
export async function makeMint(node: Localnet, authority: string, decimals = 6): Promise<Address> {
  const address = await freshAddress();
  const { getMintEncoder } = await import('@solana-program/token');
  const data = getMintEncoder().encode({
    mintAuthority: authority as Address,
    supply: 0,
    decimals,
    isInitialized: true,
    freezeAuthority: null,
  });
  node.setAccount(address, {
    lamports: 1_461_600n,
    owner: TOKEN_PROGRAM,
    data: new Uint8Array(data),
    executable: false,
  });
  return address;
}

/** Flips a bit of the first signature. */
export function forged(wire: string): string {
  const bytes = Buffer.from(wire, 'base64');
  bytes[5] = (bytes[5] ?? 0) ^ 1;
  return bytes.toString('base64');
}

/** The first that a stream gives; throws when it ends before. */
export async function firstOf<T>(stream: Promise<AsyncIterable<T>>): Promise<T> {
  for await (const notification of await stream) return notification;
  throw new Error('the stream ended');
}

/** How long some work is on the processor, in milliseconds: how busy the machine is otherwise must not decide. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

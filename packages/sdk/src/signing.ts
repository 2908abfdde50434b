import { fromBase64, toBase58, toBase64 } from './bytes.js';
import { KaratError } from './errors.js';

/** A transaction as signers of @solana/kit take it. */
interface SignableTransaction {
  readonly messageBytes: Uint8Array;
  readonly signatures: Readonly<Record<string, Uint8Array | null>>;
}

/** A signer of @solana/kit that adds its signature: a key pair, a hardware wallet, a remote signer. */
export interface PartialSigner {
  readonly address: string;
  // biome-ignore lint/suspicious/noExplicitAny: the branded types of @solana/kit, which is no dependency
  signTransactions(transactions: readonly any[]): Promise<readonly Readonly<Record<string, any>>[]>;
}

/** A signer of @solana/kit that returns a whole transaction; one that it has changed is refused. */
export interface ModifyingSigner {
  readonly address: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  modifyAndSignTransactions(transactions: readonly any[]): Promise<readonly any[]>;
}

/** A wallet of the Wallet Standard with `solana:signTransaction`; its first account signs unless one is named. */
export interface StandardWallet {
  readonly accounts: readonly { readonly address: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: features are open-ended
  readonly features: Readonly<Record<string, any>>;
}

/** Signs the bytes of a transaction elsewhere, such as in a customer's browser, and returns the signed ones. */
export type SignBytes = (transaction: Uint8Array) => Promise<Uint8Array> | Uint8Array;

type WalletSigner =
  | StandardWallet
  | { wallet: StandardWallet; account?: { readonly address: string }; chain?: string };

export type Signer = PartialSigner | ModifyingSigner | WalletSigner | SignBytes;

const feature = 'solana:signTransaction';

/** Returns the address that a signer signs for; undefined where only the signer knows. */
export function addressOf(signer: Signer): string | undefined {
  if (typeof signer === 'function') return undefined;
  if ('address' in signer) return signer.address;
  return accountOf(signer)?.address;
}

function accountOf(signer: WalletSigner): { readonly address: string } | undefined {
  const { wallet, account } =
    'wallet' in signer ? { account: undefined, ...signer } : { wallet: signer, account: undefined };
  return account ?? wallet.accounts[0];
}

/**
 * Returns a transaction (base64) with the signatures of all signers. Those that could change it go first, one after the
 * other. Throws `transaction_changed` when one did, before any key signs that, and `signer_unknown` for a signer that
 * cannot sign it.
 */
export async function signTransaction(transaction: string, signers: readonly Signer[]): Promise<string> {
  let bytes: Uint8Array = fromBase64(transaction);
  const { messageBytes } = read(bytes);
  const partial: PartialSigner[] = [];
  for (const signer of signers) {
    if (typeof signer === 'function') bytes = await signer(bytes);
    else if ('modifyAndSignTransactions' in signer) {
      const [signed] = await signer.modifyAndSignTransactions([read(bytes)]);
      bytes = write(signed as SignableTransaction);
    } else if ('signTransactions' in signer) {
      partial.push(signer);
      continue;
    } else bytes = await signWith(signer, bytes);
    if (!areEqual(read(bytes).messageBytes, messageBytes)) {
      const message = 'A signer returned another transaction than the one to sign.';
      throw new KaratError('transaction_changed', { message });
    }
  }
  const given = read(bytes);
  for (const { address } of partial) {
    if (given.signatures[address] !== undefined) continue;
    throw unfit(`This transaction needs no signature of ${address}.`);
  }
  const made = await Promise.all(partial.map((signer) => signer.signTransactions([given])));
  const signatures = Object.assign({}, given.signatures, ...made.map(([one]) => one));
  return toBase64(write({ ...given, signatures }));
}

async function signWith(signer: WalletSigner, bytes: Uint8Array): Promise<Uint8Array> {
  const named = 'wallet' in signer ? signer : { wallet: signer };
  const { wallet } = named;
  const account = accountOf(signer);
  const sign = wallet.features[feature]?.signTransaction;
  if (!account || typeof sign !== 'function')
    throw unfit(`The wallet has no account, or not the feature ${feature}.`);
  const chain = 'chain' in named && named.chain ? { chain: named.chain } : {};
  const [output] = await sign({ account, transaction: bytes, ...chain });
  if (!output?.signedTransaction) throw unfit('The wallet returned no transaction.');
  return output.signedTransaction;
}

/** Reads a wire transaction: a count of signatures, these, and the message. */
function read(bytes: Uint8Array): SignableTransaction & { messageBytes: Uint8Array } {
  const [count, start] = shortNumber(bytes, 0);
  const messageBytes = bytes.slice(start + 64 * count);
  const header = (messageBytes[0] ?? 0) & 0x80 ? 1 : 0;
  const required = messageBytes[header] ?? 0;
  const [, keys] = shortNumber(messageBytes, header + 3);
  const entries = Array.from({ length: required }, (_, at): [string, Uint8Array | null] => {
    const signature = bytes.slice(start + 64 * at, start + 64 * (at + 1));
    const address = toBase58(messageBytes.slice(keys + 32 * at, keys + 32 * (at + 1)));
    return [address, signature.some((byte) => byte !== 0) ? signature : null];
  });
  return { messageBytes, signatures: Object.fromEntries(entries) };
}

/** A transaction has at most 127 signatures, whose count is one byte; their order is that of its accounts. */
function write({ messageBytes, signatures }: SignableTransaction): Uint8Array {
  const header = (messageBytes[0] ?? 0) & 0x80 ? 1 : 0;
  const required = messageBytes[header] ?? 0;
  const [, keys] = shortNumber(messageBytes, header + 3);
  const bytes = new Uint8Array(1 + 64 * required + messageBytes.length);
  bytes[0] = required;
  for (let at = 0; at < required; at += 1) {
    const address = toBase58(messageBytes.slice(keys + 32 * at, keys + 32 * (at + 1)));
    const signature = signatures[address];
    if (signature) bytes.set(signature, 1 + 64 * at);
  }
  bytes.set(messageBytes, 1 + 64 * required);
  return bytes;
}

/** Returns a number in the short form of wire transactions, 7 bits a byte, and where it ends. */
function shortNumber(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from; ; at += 1) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << (7 * (at - from));
    if (byte < 0x80) return [value, at + 1];
  }
}

const areEqual = (left: Uint8Array, right: Uint8Array) =>
  left.length === right.length && left.every((byte, at) => byte === right[at]);

const unfit = (message: string) => new KaratError('signer_unknown', { message });

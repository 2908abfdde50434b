import { isWritable, keyBytes, readTransaction, WireError, type WireInstruction } from '@karat/wire';
import { type Address, getAddressDecoder, type Rpc, type SolanaRpcApi } from '@solana/kit';
import { verifySignature } from '../sign/signer.js';

const addressOf = getAddressDecoder();

/** Accounts that a version 0 transaction takes from a table on chain, by their places in it. */
interface Lookup {
  table: Address;
  writable: readonly number[];
  readonly: readonly number[];
}

/** A signer of a transaction, and whether it has signed this very message. */
export interface SignerView {
  address: Address;
  verdict: 'valid' | 'missing' | 'invalid';
}

/** Any transaction that a block could hold, legacy or version 0, as far as its own bytes say. */
export interface AnyTransaction {
  version: 'legacy' | 0;
  /** The first of them pays the fee. */
  signers: SignerView[];
  /** Those that stand in the message itself. */
  accounts: Address[];
  /** Those of them that are written to. */
  writable: Address[];
  blockhash: Address;
  instructions: WireInstruction[];
  lookups: Lookup[];
}

/** Reads a transaction to its last byte, with or without signatures. Throws a `WireError` for what is none. */
export function readAnyTransaction(bytes: Uint8Array): AnyTransaction {
  const {
    layout,
    signatures,
    message,
    accounts: keys,
    blockhash,
    instructions,
    lookups,
  } = readTransaction(bytes);
  const accounts = keys.map((key) => addressOf.decode(key));
  return {
    version: layout.version,
    signers: signatures.map((signature, index) => ({
      address: accounts[index] as Address,
      verdict: verdictOf(signature, keys[index], message),
    })),
    accounts,
    writable: accounts.filter((_, index) => isWritable(layout, index)),
    blockhash: addressOf.decode(blockhash),
    instructions,
    lookups: lookups.map(({ table, writable, readonly }) => ({
      table: addressOf.decode(table),
      writable: [...writable],
      readonly: [...readonly],
    })),
  };
}

function verdictOf(
  signature: Uint8Array,
  key: Uint8Array | undefined,
  message: Uint8Array,
): SignerView['verdict'] {
  if (!key || signature.every((byte) => byte === 0)) return 'missing';
  return verifySignature(key, message, signature) ? 'valid' : 'invalid';
}

/** A lookup table begins with this much that is not addresses. */
const tableHeaderBytes = 56;

/** Accounts that a transaction takes from tables: all that are written to, then the others. */
export interface LoadedAccounts {
  writable: Address[];
  readonly: Address[];
}

/** Reads what a transaction takes from tables. Throws a `WireError` for a table that does not have it. */
export async function loadAccounts(
  rpc: Rpc<SolanaRpcApi>,
  lookups: readonly Lookup[],
  signal: AbortSignal,
): Promise<LoadedAccounts> {
  if (lookups.length === 0) return { writable: [], readonly: [] };
  const tables = lookups.map(({ table }) => table);
  const { value } = await rpc
    .getMultipleAccounts(tables, { commitment: 'confirmed', encoding: 'base64' })
    .send({ abortSignal: signal });
  const taken = (kind: 'writable' | 'readonly') =>
    lookups.flatMap((lookup, at) => {
      const data = Buffer.from(value[at]?.data[0] ?? '', 'base64');
      return lookup[kind].map((place) => {
        const start = tableHeaderBytes + place * keyBytes;
        if (start + keyBytes > data.length)
          throw new WireError(`the table ${lookup.table} has no address ${place}`);
        return addressOf.decode(data.subarray(start, start + keyBytes));
      });
    });
  return { writable: taken('writable'), readonly: taken('readonly') };
}

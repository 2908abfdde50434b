import { type Address, getAddressDecoder, type Rpc, type SolanaRpcApi } from '@solana/kit';
import {
  maxTransactionBytes,
  Reader,
  signatureBytes,
  WireError,
  type WireInstruction,
} from '../build/wire.js';
import { verifySignature } from '../sign/signer.js';

const keyBytes = 32;
/** High bit of the first byte of a message: not a legacy one. */
const versionBit = 0x80;
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
  if (bytes.length > maxTransactionBytes) {
    throw new WireError(`it has ${bytes.length} bytes, at most ${maxTransactionBytes} are allowed`);
  }
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(signatureBytes));
  const message = bytes.subarray(reader.offset);
  const first = reader.byte();
  const version = first < versionBit ? 'legacy' : first - versionBit;
  if (version !== 'legacy' && version !== 0) throw new WireError(`it is of version ${version}`);
  const required = version === 'legacy' ? first : reader.byte();
  const [readonlySigned, readonlyUnsigned] = [reader.byte(), reader.byte()];
  const keys = reader.list(() => reader.take(keyBytes));
  const blockhash = addressOf.decode(reader.take(keyBytes));
  const instructions = reader.list(() => ({
    programIndex: reader.byte(),
    accountIndexes: reader.take(reader.count()),
    data: reader.take(reader.count()),
  }));
  const lookups = version === 'legacy' ? [] : reader.list(() => readLookup(reader));
  if (reader.offset !== bytes.length)
    throw new WireError(`${bytes.length - reader.offset} bytes follow its end`);
  if (signatures.length !== required) {
    throw new WireError(`it carries ${signatures.length} signatures where its message needs ${required}`);
  }
  if (required === 0 || readonlySigned >= required || required + readonlyUnsigned > keys.length) {
    throw new WireError('the header of its message contradicts its accounts');
  }
  const known =
    keys.length + lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  for (const { programIndex, accountIndexes } of instructions) {
    if (programIndex >= keys.length || accountIndexes.some((index) => index >= known)) {
      throw new WireError('an instruction names an account that does not exist');
    }
  }
  const accounts = keys.map((key) => addressOf.decode(key));
  const isWritable = (index: number) =>
    index < required ? index < required - readonlySigned : index < keys.length - readonlyUnsigned;
  return {
    version,
    signers: signatures.map((signature, index) => ({
      address: accounts[index] as Address,
      verdict: verdictOf(signature, keys[index], message),
    })),
    accounts,
    writable: accounts.filter((_, index) => isWritable(index)),
    blockhash,
    instructions,
    lookups,
  };
}

function readLookup(reader: Reader): Lookup {
  const table = addressOf.decode(reader.take(keyBytes));
  return { table, writable: [...reader.take(reader.count())], readonly: [...reader.take(reader.count())] };
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

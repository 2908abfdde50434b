import type {
  Address,
  Base64EncodedDataResponse,
  ReadonlyUint8Array,
  Signature,
  TransactionError,
} from '@solana/kit';
import { Reader, signatureBytes } from '../../chain/build/wire.js';
import { verifySignature } from '../../chain/sign/signer.js';
import { decodeBase58, decodeLongBase58, encodeBase58 } from '../../domain/base58.js';
import { toInteger } from '../../domain/integer.js';

const keyBytes = 32;

/** One instruction that was executed, or at least carried by a transaction that failed. */
export interface ChainInstruction {
  program: Address;
  accounts: readonly Address[];
  data: ReadonlyUint8Array;
  /** 1 for an instruction of the message itself, more for one that a program invoked. */
  depth: number;
}

/** A landed transaction as the indexer sees it: its bytes, nothing interpreted. */
export interface ChainTransaction {
  signature: Signature;
  slot: bigint;
  /** Why it failed; null when it succeeded. */
  error: TransactionError | null;
  /** Keys whose signatures the message requires, each of which was verified. */
  signers: ReadonlySet<Address>;
  /** In order of execution: each instruction of the message, followed by what it invoked. */
  instructions: readonly ChainInstruction[];
  /** By how much the balances of token accounts changed, base units, without zeros. */
  tokenChanges: ReadonlyMap<Address, bigint>;
  /** What token accounts held before, base units. */
  balancesBefore: ReadonlyMap<Address, bigint>;
  /** What the programs logged; empty where the node does not keep it. */
  logs: readonly string[];
}

interface CarriedBalance {
  accountIndex: number;
  uiTokenAmount: { amount: string };
}

interface CarriedInstruction {
  programIdIndex: number;
  accounts: readonly number[];
  /** Base58, or the bytes themselves. */
  data: string | Uint8Array;
  stackHeight?: number | null;
}

/** The fields that are read from a `getTransaction` response with encoding `base64`. */
export interface TransactionResponse {
  slot: bigint | number;
  transaction: Base64EncodedDataResponse;
  meta: {
    err: TransactionError | null;
    innerInstructions?:
      | readonly { index: number; instructions: readonly CarriedInstruction[] }[]
      | null
      | undefined;
    preTokenBalances?: readonly CarriedBalance[] | undefined;
    postTokenBalances?: readonly CarriedBalance[] | undefined;
    logMessages?: readonly string[] | null | undefined;
    loadedAddresses?: { writable: readonly Address[]; readonly: readonly Address[] } | undefined;
  } | null;
}

/** A `getTransaction` response that contradicts itself: the dead letter `undecodable`. */
export class UndecodableError extends Error {
  override name = 'UndecodableError';
}

/**
 * Reads a `getTransaction` response (encoding `base64`; legacy and version 0). Throws an `UndecodableError` when the
 * bytes are no transaction, are another transaction than `signature`, lack a valid signature of any signer, or name
 * accounts that are not there.
 */
export function readTransaction(signature: Signature, response: TransactionResponse): ChainTransaction {
  const { meta } = response;
  if (!meta) throw new UndecodableError('the response has no meta');
  const message = readWire(signature, response.transaction[0]);
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...message.accounts, ...writable, ...readonly];
  const inner = new Map(
    (meta.innerInstructions ?? []).map((item) => [toInteger(item.index), item.instructions]),
  );
  const instructions: ChainInstruction[] = [];
  message.instructions.forEach(({ programIndex, accountIndexes, data }, index) => {
    instructions.push(resolve(keys, programIndex, [...accountIndexes], data, 1));
    for (const invoked of inner.get(index) ?? []) {
      const bytes = typeof invoked.data === 'string' ? decodeLongBase58(invoked.data) : invoked.data;
      if (!bytes) throw new UndecodableError('the data of an instruction is not base58');
      // Nodes of old leave the height out; 2 is then the only one that a flat list can mean.
      const depth = toInteger(invoked.stackHeight ?? 2);
      instructions.push(
        resolve(keys, toInteger(invoked.programIdIndex), invoked.accounts.map(toInteger), bytes, depth),
      );
    }
  });
  return {
    signature,
    slot: BigInt(response.slot),
    error: meta.err,
    signers: new Set(message.signers),
    instructions,
    tokenChanges: changesOf(keys, meta),
    balancesBefore: balancesOf(keys, meta.preTokenBalances ?? []),
    logs: meta.logMessages ?? [],
  };
}

function balancesOf(keys: readonly Address[], balances: readonly CarriedBalance[]): Map<Address, bigint> {
  return new Map(
    balances.flatMap(({ accountIndex, uiTokenAmount }) => {
      const key = keys[accountIndex];
      return key ? [[key, BigInt(uiTokenAmount.amount)] as const] : [];
    }),
  );
}

/** Accounts that a transaction made or closed have a balance on one side only. */
function changesOf(
  keys: readonly Address[],
  meta: NonNullable<TransactionResponse['meta']>,
): Map<Address, bigint> {
  const changes = new Map<Address, bigint>();
  const add = ({ accountIndex, uiTokenAmount }: CarriedBalance, sign: bigint) => {
    const key = keys[accountIndex];
    if (!key) throw new UndecodableError(`there is no account ${accountIndex}`);
    changes.set(key, (changes.get(key) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
  };
  for (const balance of meta.preTokenBalances ?? []) add(balance, -1n);
  for (const balance of meta.postTokenBalances ?? []) add(balance, 1n);
  for (const [key, change] of changes) if (change === 0n) changes.delete(key);
  return changes;
}

interface Message {
  accounts: Address[];
  /** Those of the accounts that have signed. */
  signers: Address[];
  instructions: { programIndex: number; accountIndexes: Uint8Array; data: Uint8Array }[];
}

/** Reads the bytes of a transaction and verifies its signatures. Throws an `UndecodableError`. */
function readWire(signature: Signature, wire: string): Message {
  try {
    const bytes = Buffer.from(wire, 'base64');
    const reader = new Reader(bytes);
    const signatures = reader.list(() => reader.take(signatureBytes));
    const message = bytes.subarray(reader.offset);
    const { keys, required, ...rest } = readMessage(new Reader(message));
    const known = decodeBase58(signature, signatureBytes);
    if (!known || !signatures[0] || Buffer.compare(known, signatures[0]) !== 0) {
      throw new UndecodableError('the node returned another transaction');
    }
    const accounts = keys.map((key) => encodeBase58(key) as Address);
    if (required === 0 || required !== signatures.length || required > keys.length) {
      throw new UndecodableError('it does not carry one signature for each of its signers');
    }
    // A node can withhold transactions, but not invent one: each key that the message names as a signer has signed it.
    signatures.forEach((each, index) => {
      if (!verifySignature(keys[index] as Uint8Array, message, each)) {
        throw new UndecodableError(`the signature of ${accounts[index]} is not valid for it`);
      }
    });
    return { accounts, signers: accounts.slice(0, required), ...rest };
  } catch (error) {
    if (error instanceof UndecodableError) throw error;
    throw new UndecodableError('the bytes are not a transaction', { cause: error });
  }
}

/** Reads a message, legacy or version 0; what it takes from lookup tables is resolved by the node. */
function readMessage(reader: Reader) {
  const prefix = reader.byte();
  if (prefix > 0x80) throw new UndecodableError(`transaction version ${prefix - 0x80} is not supported`);
  const required = prefix === 0x80 ? reader.byte() : prefix;
  // How many of the accounts are not written to.
  reader.take(2);
  const keys = reader.list(() => reader.take(keyBytes));
  // The blockhash.
  reader.take(keyBytes);
  const instructions = reader.list(() => ({
    programIndex: reader.byte(),
    accountIndexes: reader.take(reader.count()),
    data: reader.take(reader.count()),
  }));
  return { keys, required, instructions };
}

function resolve(
  keys: readonly Address[],
  programIndex: number,
  accountIndices: readonly number[],
  data: ReadonlyUint8Array,
  depth: number,
): ChainInstruction {
  const at = (index: number): Address => {
    const key = keys[index];
    if (!key) throw new UndecodableError(`there is no account ${index}`);
    return key;
  };
  return { program: at(programIndex), accounts: accountIndices.map(at), data, depth };
}

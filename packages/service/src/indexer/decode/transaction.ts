import {
  decodeBase58,
  decodeLongBase58,
  keyBytes,
  locateTransaction,
  signatureBytes,
  UnknownVersionError,
} from '@karat/wire';
import type {
  Address,
  Base64EncodedDataResponse,
  ReadonlyUint8Array,
  Signature,
  TransactionError,
} from '@solana/kit';
import { toInteger } from '../../domain/integer.js';
import { addressAt } from './address-texts.js';
import { findInvalidSignature, type SignedMessage } from './signatures.js';

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
  /** By how much the balance of the fee payer, the first signer, fell; lamports. */
  paid: bigint;
  /** When its block was made, in milliseconds since the Unix epoch; undefined if the node does not say. */
  landedMs: number | undefined;
  /** What the programs logged until it failed; empty when it succeeded, and where the node does not keep it. */
  logs: readonly string[];
}

interface CarriedBalance {
  accountIndex: number;
  uiTokenAmount: { amount: string };
}

interface CarriedInstruction {
  programIdIndex: number;
  accounts: readonly number[];
  /** Base58. */
  data: string;
  stackHeight?: number | null;
}

/** The fields that are read from a `getTransaction` response with encoding `base64`. */
export interface TransactionResponse {
  slot: bigint | number;
  /** In seconds since the Unix epoch. */
  blockTime?: bigint | number | null | undefined;
  transaction: Base64EncodedDataResponse;
  meta: {
    err: TransactionError | null;
    innerInstructions?:
      | readonly { index: number; instructions: readonly CarriedInstruction[] }[]
      | null
      | undefined;
    /** Lamports of each account. */
    preBalances?: readonly (bigint | number)[] | undefined;
    postBalances?: readonly (bigint | number)[] | undefined;
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
  const signers = message.accounts.slice(0, message.signed.count);
  const place = findInvalidSignature(message.signed);
  if (place !== undefined)
    throw new UndecodableError(`the signature of ${signers[place]} is not valid for it`);
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...message.accounts, ...writable, ...readonly];
  return {
    signature,
    slot: BigInt(response.slot),
    error: meta.err,
    signers: new Set(signers),
    instructions: executed(message, keys, meta),
    ...balancesOf(keys, meta),
    paid: paidOf(meta),
    landedMs: response.blockTime == null ? undefined : toInteger(response.blockTime) * 1_000,
    logs: (meta.err !== null && meta.logMessages) || [],
  };
}

/** Returns what the fee payer has less afterwards; nothing where it has more, or the node does not say. */
function paidOf({ preBalances: [before = 0n] = [], postBalances: [after = 0n] = [] }: Meta): bigint {
  const paid = BigInt(before) - BigInt(after);
  return paid > 0n ? paid : 0n;
}

/** Returns the instructions in order of execution: each of the message, followed by what it invoked. */
function executed(
  message: Message,
  keys: readonly Address[],
  { innerInstructions }: Meta,
): ChainInstruction[] {
  const inner = new Map<number, readonly CarriedInstruction[]>();
  for (const { index, instructions } of innerInstructions ?? []) inner.set(toInteger(index), instructions);
  const instructions: ChainInstruction[] = [];
  for (const [index, { programIndex, accountIndexes, data }] of message.instructions.entries()) {
    instructions.push(resolve(keys, programIndex, accountIndexes, data, 1));
    for (const invoked of inner.get(index) ?? []) {
      const bytes = decodeLongBase58(invoked.data);
      if (!bytes) throw new UndecodableError('the data of an instruction is not base58');
      // Nodes of old leave the height out; 2 is then the only one that a flat list can mean.
      const depth = toInteger(invoked.stackHeight ?? 2);
      instructions.push(resolve(keys, invoked.programIdIndex, invoked.accounts, bytes, depth));
    }
  }
  return instructions;
}

/** Returns what token accounts held before, and how that changed. Those that it made or closed have a balance on one side only. */
function balancesOf(
  keys: readonly Address[],
  { preTokenBalances = [], postTokenBalances = [] }: Meta,
): Pick<ChainTransaction, 'tokenChanges' | 'balancesBefore'> {
  const tokenChanges = new Map<Address, bigint>();
  const balancesBefore = new Map<Address, bigint>();
  for (const { accountIndex, uiTokenAmount } of preTokenBalances) {
    const key = accountAt(keys, accountIndex);
    const amount = BigInt(uiTokenAmount.amount);
    balancesBefore.set(key, amount);
    tokenChanges.set(key, (tokenChanges.get(key) ?? 0n) - amount);
  }
  for (const { accountIndex, uiTokenAmount } of postTokenBalances) {
    const key = accountAt(keys, accountIndex);
    tokenChanges.set(key, (tokenChanges.get(key) ?? 0n) + BigInt(uiTokenAmount.amount));
  }
  for (const [key, change] of tokenChanges) if (change === 0n) tokenChanges.delete(key);
  return { tokenChanges, balancesBefore };
}

type Meta = NonNullable<TransactionResponse['meta']>;

interface Message {
  accounts: Address[];
  signed: SignedMessage;
  instructions: { programIndex: number; accountIndexes: Uint8Array; data: Uint8Array }[];
}

/**
 * Reads the bytes of a transaction, legacy or version 0; what it takes from lookup tables is resolved by the node. Throws
 * an `UndecodableError`.
 */
function readWire(signature: Signature, wire: string): Message {
  const bytes = Buffer.from(wire, 'base64');
  const { signatureCount: count, signaturesAt, messageAt, message } = locate(bytes);
  const known = decodeBase58(signature, signatureBytes);
  if (!known || count === 0 || known.compare(bytes, signaturesAt, signaturesAt + signatureBytes) !== 0) {
    throw new UndecodableError('the node returned another transaction');
  }
  const { requiredSignatures, accountsAt, accountCount } = message;
  if (requiredSignatures !== count || count > accountCount) {
    throw new UndecodableError('it does not carry one signature for each of its signers');
  }
  const accounts: Address[] = [];
  for (let index = 0; index < accountCount; index += 1) {
    accounts.push(addressAt(bytes, accountsAt + index * keyBytes));
  }
  return {
    accounts,
    signed: { bytes, count, signaturesAt, messageAt, keysAt: accountsAt },
    instructions: message.instructions.map((place) => ({
      programIndex: place.programIndex,
      accountIndexes: bytes.subarray(place.accountsAt, place.accountsAt + place.accountCount),
      data: bytes.subarray(place.dataAt, place.dataAt + place.dataLength),
    })),
  };
}

function locate(bytes: Buffer) {
  try {
    return locateTransaction(bytes);
  } catch (cause) {
    if (cause instanceof UnknownVersionError) {
      throw new UndecodableError(`transaction version ${cause.version} is not supported`);
    }
    throw new UndecodableError('the bytes are not a transaction', { cause });
  }
}

function resolve(
  keys: readonly Address[],
  programIndex: unknown,
  accountIndexes: ArrayLike<unknown>,
  data: ReadonlyUint8Array,
  depth: number,
): ChainInstruction {
  const accounts: Address[] = [];
  for (let i = 0; i < accountIndexes.length; i += 1) accounts.push(accountAt(keys, accountIndexes[i]));
  return { program: accountAt(keys, programIndex), accounts, data, depth };
}

function accountAt(keys: readonly Address[], index: unknown): Address {
  const key = keys[toInteger(index)];
  if (!key) throw new UndecodableError(`there is no account ${index}`);
  return key;
}

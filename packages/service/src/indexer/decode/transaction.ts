import {
  type Address,
  type Base64EncodedDataResponse,
  getAddressEncoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type Signature,
  type TransactionError,
} from '@solana/kit';
import { verifySignature } from '../../chain/build/signer.js';
import { toInteger } from '../../domain/integer.js';

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
}

interface CarriedBalance {
  accountIndex: number;
  uiTokenAmount: { amount: string };
}

interface CarriedInstruction {
  programIdIndex: number;
  accounts: readonly number[];
  data: string;
  stackHeight?: number | null;
}

/** The fields that are read from a `getTransaction` response with encoding `base64`. */
export interface TransactionResponse {
  slot: bigint;
  transaction: Base64EncodedDataResponse;
  meta: {
    err: TransactionError | null;
    innerInstructions?:
      | readonly { index: number; instructions: readonly CarriedInstruction[] }[]
      | null
      | undefined;
    preTokenBalances?: readonly CarriedBalance[] | undefined;
    postTokenBalances?: readonly CarriedBalance[] | undefined;
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
  const message = decodeMessage(signature, response.transaction[0]);
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...message.staticAccounts, ...writable, ...readonly];
  const inner = new Map(
    (meta.innerInstructions ?? []).map((item) => [toInteger(item.index), item.instructions]),
  );
  const instructions: ChainInstruction[] = [];
  message.instructions.forEach((carried, index) => {
    const { programAddressIndex, accountIndices = [], data = new Uint8Array() } = carried;
    instructions.push(resolve(keys, programAddressIndex, accountIndices, data, 1));
    for (const invoked of inner.get(index) ?? []) {
      const bytes = getBase58Encoder().encode(invoked.data);
      // Nodes of old leave the height out; 2 is then the only one that a flat list can mean.
      const depth = toInteger(invoked.stackHeight ?? 2);
      instructions.push(
        resolve(keys, toInteger(invoked.programIdIndex), invoked.accounts.map(toInteger), bytes, depth),
      );
    }
  });
  return {
    signature,
    slot: response.slot,
    error: meta.err,
    signers: new Set(message.staticAccounts.slice(0, message.header.numSignerAccounts)),
    instructions,
    tokenChanges: changesOf(keys, meta),
  };
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

function decodeMessage(signature: Signature, wire: string) {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
    const first = Object.values(signatures)[0];
    if (!first || !Buffer.from(first).equals(Buffer.from(getBase58Encoder().encode(signature)))) {
      throw new UndecodableError('the node returned another transaction');
    }
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (message.version !== 'legacy' && message.version !== 0) {
      throw new UndecodableError(`transaction version ${message.version} is not supported`);
    }
    const signers = message.staticAccounts.slice(0, message.header.numSignerAccounts);
    requireSignatures(signers, signatures, messageBytes);
    return message;
  } catch (error) {
    if (error instanceof UndecodableError) throw error;
    throw new UndecodableError('the bytes are not a transaction', { cause: error });
  }
}

/**
 * Throws unless each key that the message names as a signer has signed it: a node can withhold transactions, but not
 * invent one.
 */
function requireSignatures(
  signers: readonly Address[],
  signatures: Readonly<Record<Address, ReadonlyUint8Array | null>>,
  message: ReadonlyUint8Array,
): void {
  if (signers.length === 0 || signers.length !== Object.keys(signatures).length) {
    throw new UndecodableError('it does not carry one signature for each of its signers');
  }
  for (const signer of signers) {
    const signature = signatures[signer];
    const key = getAddressEncoder().encode(signer);
    if (!signature || !verifySignature(Buffer.from(key), Buffer.from(message), Buffer.from(signature))) {
      throw new UndecodableError(`the signature of ${signer} is not valid for it`);
    }
  }
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

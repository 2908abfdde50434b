import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit';
import { type KaratMemo, parseMemo } from '../domain/memo.js';
import { memoProgram } from './build-trade.js';
import { verifySignature } from './signer.js';
import { readTransaction, WireError } from './wire.js';

/** A transaction that is not the one expected; the message names the difference in words for the caller. */
export class TransactionDifference extends Error {
  override name = 'TransactionDifference';
}

export interface InstructionView {
  program: Address;
  accounts: (Address | undefined)[];
  data: Uint8Array;
}

/** A wire transaction with its addresses in words. */
export interface TransactionView {
  /** Base58 of the first signature. */
  txHash: string;
  /** Signers first, in the order of the signatures. */
  accounts: Address[];
  instructions: InstructionView[];
  /** Whether the signature at that place is the account's own over this message. */
  verdict(index: number): 'valid' | 'missing' | 'invalid';
  signatures: Uint8Array[];
}

/** Reads a transaction to its last byte. Throws a `TransactionDifference` for what is no legacy transaction. */
export function viewTransaction(bytes: Uint8Array): TransactionView {
  const { accounts, instructions, message, signatures } = read(bytes);
  const addresses = accounts.map((key) => getAddressDecoder().decode(key));
  return {
    txHash: getBase58Decoder().decode(signatures[0] ?? new Uint8Array()),
    accounts: addresses,
    instructions: instructions.map(({ programIndex, accountIndexes, data }) => ({
      program: addresses[programIndex] ?? ('' as Address),
      accounts: Array.from(accountIndexes, (index) => addresses[index]),
      data,
    })),
    verdict(index) {
      const signature = signatures[index];
      const publicKey = accounts[index];
      if (!signature || !publicKey || signature.every((byte) => byte === 0)) return 'missing';
      return verifySignature(publicKey, message, signature) ? 'valid' : 'invalid';
    },
    signatures,
  };
}

function read(bytes: Uint8Array) {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new TransactionDifference(`It is not a transaction of a quote: ${error.message}.`);
  }
}

/** The fee payer must be a key of the service. */
export function requireServiceAsFeePayer(view: TransactionView, serviceSigners: readonly Address[]): void {
  const [feePayer] = view.accounts;
  if (feePayer !== undefined && serviceSigners.includes(feePayer)) return;
  throw new TransactionDifference(`Its fee payer is ${feePayer}, not the service.`);
}

/** The first memo that the service can have written. */
export function requireMemo(view: TransactionView, id: string): KaratMemo {
  const texts = view.instructions
    .filter(({ program }) => program === memoProgram)
    .map(({ data }) => Buffer.from(data).toString('utf8'));
  if (texts.length === 0) throw new TransactionDifference('The memo of the service is missing.');
  const memo = texts.map(parseMemo).find((parsed) => parsed !== undefined);
  if (!memo) throw new TransactionDifference('Its memo is not one of the service.');
  if (memo.id === id) return memo;
  throw new TransactionDifference(`It belongs to ${memo.id}, not to ${id}.`);
}

/**
 * The first signature must be the service's own over this very message: the proof that nothing was changed. `changeOf`
 * finds words for what was changed when it is not; it decides nothing.
 */
export function requireServiceSignature(view: TransactionView, changeOf: () => string | undefined): void {
  const verdict = view.verdict(0);
  if (verdict === 'valid') return;
  const change = changeOf();
  if (change !== undefined) throw new TransactionDifference(change);
  throw new TransactionDifference(
    verdict === 'missing'
      ? 'The signature of the service is missing.'
      : 'The signature of the service does not match: the message (its accounts, amounts or blockhash) or the signature was changed.',
  );
}

/** Everybody must have signed. `roles` tells the caller whose signature is meant. */
export function requireAllSignatures(view: TransactionView, roles: Map<Address | undefined, string>): void {
  view.signatures.forEach((_, index) => {
    const verdict = view.verdict(index);
    if (verdict === 'valid') return;
    const address = view.accounts[index];
    const who = `${roles.get(address) ?? 'a further signer'} (${address})`;
    throw new TransactionDifference(
      verdict === 'missing'
        ? `The signature of ${who} is missing.`
        : `The signature of ${who} is not valid for this message.`,
    );
  });
}

/** What the instructions of a quote call, in order, in words for the caller. */
export type MessageShape = readonly (readonly [program: Address, words: string])[];

/** The first instruction that is not where a quote has it, in words; undefined when all are. */
export function shapeChange({ instructions }: TransactionView, shape: MessageShape): string | undefined {
  const at = shape.findIndex(([program], index) => instructions[index]?.program !== program);
  const position = at === -1 ? shape.length : at;
  const found = instructions[position];
  const wanted = shape[position]?.[1];
  if (instructions.length > shape.length) {
    return `Instruction ${position + 1} was added: it calls ${found?.program}.`;
  }
  if (instructions.length < shape.length) return `Instruction ${position + 1} was removed: ${wanted}.`;
  if (!found) return undefined;
  return `Instruction ${position + 1} was replaced: it calls ${found.program} instead of being ${wanted}.`;
}

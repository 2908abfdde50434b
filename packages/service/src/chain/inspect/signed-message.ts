import { memoProgram } from '@karat/signer';
import { type Address, type Blockhash, getBase58Decoder, type Signature } from '@solana/kit';
import { type KaratMemo, parseMemo } from '../../domain/memo.js';
import type { VelocityAmounts } from '../../domain/velocity.js';

import type { Lifetime } from '../node/blockhash.js';
import { takeGuardsAway } from './guards.js';
import { type InstructionView, TransactionDifference, type TransactionView } from './transaction-view.js';

/** A transaction that passed inspection. */
export interface InspectedTransaction {
  /** Base58 of the service's signature over the quote: the id of the transaction as it was quoted. */
  quoteTxHash: Signature;
  serviceSigner: Address;
  /** Base58. */
  blockhash: Blockhash;
  /** The message that the service has to sign again, because a wallet added guards; undefined when none were. */
  guardedMessage: Uint8Array | undefined;
}

export interface InspectedQuote extends InspectedTransaction {
  /** Wallet of the user whom the service signed it for. */
  user: Address;
  /** What it moves of each token at most, base units. */
  moves: VelocityAmounts;
  /** Until when it can land, as far as the quote states it. */
  stated: Partial<Lifetime>;
}

export function requireServiceAsFeePayer(view: TransactionView, serviceSigners: readonly Address[]): void {
  const [feePayer] = view.accounts;
  if (feePayer !== undefined && serviceSigners.includes(feePayer)) return;
  throw new TransactionDifference(`Its fee payer is ${feePayer}, not the service.`);
}

/** Returns the first memo that the service can have written. */
export function requireMemo(view: TransactionView, id: string): KaratMemo {
  const texts = view.instructions
    .filter(({ program }) => program === memoProgram)
    .map(({ data }) => Buffer.from(data).toString('utf8'));
  if (texts.length === 0) throw new TransactionDifference('The memo of the service is missing.');
  const memo = texts.map(parseMemo).find((parsed) => parsed !== undefined);
  if (!memo) throw new TransactionDifference('Its memo is not one of the service.');
  if (memo.id === id) return memo;
  throw new TransactionDifference(`It belongs to ${memo.id}, not to ${id}.`, 'other_quote');
}

/**
 * The first signature must be the service's own over this very message, or over what is left of it without guards: the
 * proof that nothing else was changed. `changeOf` finds words for what was changed when it is not; it decides nothing.
 */
export function requireServiceSignature(
  view: TransactionView,
  serviceSigners: readonly Address[],
  changeOf: (instructions: InstructionView[]) => string | undefined,
): InspectedTransaction {
  const { txHash: quoteTxHash, accounts } = view;
  const [serviceSigner] = accounts;
  const verdict = view.verdict(0);
  const blockhash = getBase58Decoder().decode(view.blockhash) as Blockhash;
  if (serviceSigner && verdict === 'valid') {
    return { quoteTxHash, serviceSigner, blockhash, guardedMessage: undefined };
  }
  const unguarded = takeGuardsAway(view, serviceSigners);
  if (serviceSigner && unguarded && view.verdict(0, unguarded.message) === 'valid') {
    return { quoteTxHash, serviceSigner, blockhash, guardedMessage: view.message };
  }
  const change = changeOf(unguarded?.instructions ?? view.instructions);
  if (change !== undefined) throw new TransactionDifference(change);
  if (verdict === 'missing') {
    throw new TransactionDifference('The signature of the service is missing.', 'signature_missing');
  }
  throw new TransactionDifference(
    'The signature of the service does not match: the message (its accounts, amounts or blockhash) or the signature was changed.',
  );
}

/**
 * Requires every signature of this message, except that of the service if it is to sign again. `roles` lets the message
 * name whose signature is meant.
 */
export function requireAllSignatures(
  view: TransactionView,
  { guardedMessage }: InspectedTransaction,
  roles: Map<Address | undefined, string>,
): void {
  view.signatures.forEach((_, index) => {
    if (index === 0 && guardedMessage) return;
    const verdict = view.verdict(index);
    if (verdict === 'valid') return;
    const address = view.accounts[index];
    const who = `${roles.get(address) ?? 'a further signer'} (${address})`;
    throw signatureDifference(who, verdict);
  });
}

/** Returns the difference of a transaction that a signer has not signed, or not as it is. */
export function signatureDifference(who: string, verdict: 'missing' | 'invalid'): TransactionDifference {
  return verdict === 'missing'
    ? new TransactionDifference(`The signature of ${who} is missing.`, 'signature_missing')
    : new TransactionDifference(
        `The signature of ${who} is not valid for this message.`,
        'signature_invalid',
      );
}

/** What the instructions of a quote call, in order, in words for the caller. */
export type MessageShape = readonly (readonly [program: Address, words: string])[];

/** Returns the first instruction that is not where a quote has it, in words; undefined when all are. */
export function shapeChange(instructions: InstructionView[], shape: MessageShape): string | undefined {
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

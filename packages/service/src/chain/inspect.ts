import { BUY_DISCRIMINATOR, SELL_DISCRIMINATOR } from '@karat/program-client';
import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { type KaratMemo, parseMemo } from '../domain/memo.js';
import { memoProgram, type TradeSide } from './build-trade.js';
import { verifySignature } from './signer.js';
import { readTransaction, WireError, type WireTransaction } from './wire.js';

/** What a transaction has to be. */
export interface ExpectedTrade {
  side: TradeSide;
  tradeId: string;
  programAddress: Address;
  /** Integrator account of the partner who sends it. */
  integrator: Address;
  /** Keys that sign for the service: its own and, while keys are rotated, the other one of the configuration. */
  serviceSigners: readonly Address[];
}

export interface InspectedTrade {
  /** The wire transaction, as it was given. */
  transaction: Uint8Array;
  /** Base58 of its first signature. */
  txHash: string;
}

/** A transaction that is not the one expected; the message names the difference in words for the caller. */
export class TradeDifference extends Error {
  override name = 'TradeDifference';
}

/**
 * Passes only a transaction whose message the service itself signed for this very trade, side and partner, and that
 * partner and user have signed as well. The proof that nothing was changed is the service's own signature over the
 * message; it never signs anything but what it builds. Throws a `TradeDifference`.
 */
export function inspectTrade(bytes: Uint8Array, expected: ExpectedTrade): InspectedTrade {
  const transaction = decode(bytes);
  const view = viewOf(transaction, expected);
  const [feePayer] = view.accounts;
  if (feePayer === undefined || !expected.serviceSigners.includes(feePayer)) {
    throw new TradeDifference(`Its fee payer is ${feePayer}, not the service.`);
  }
  const memo = checkMemo(view, expected);
  checkPartner(view, expected);
  checkServiceSignature(view, memo, expected);
  checkOtherSignatures(view);
  const [first] = transaction.signatures;
  return { transaction: bytes, txHash: first ? getBase58Decoder().decode(first) : '' };
}

interface InstructionView {
  program: Address;
  accounts: (Address | undefined)[];
  data: Uint8Array;
}

interface TransactionView extends Omit<WireTransaction, 'accounts' | 'instructions'> {
  accounts: Address[];
  accountBytes: Uint8Array[];
  instructions: InstructionView[];
  /** The first call of the program, when there is one. */
  trade: InstructionView | undefined;
}

function decode(bytes: Uint8Array): WireTransaction {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new TradeDifference(`It is not a transaction of a quote: ${error.message}.`);
  }
}

function viewOf(transaction: WireTransaction, expected: ExpectedTrade): TransactionView {
  const accounts = transaction.accounts.map((bytes) => getAddressDecoder().decode(bytes));
  const instructions = transaction.instructions.map(({ programIndex, accountIndexes, data }) => ({
    program: accounts[programIndex] ?? ('' as Address),
    accounts: Array.from(accountIndexes, (index) => accounts[index]),
    data,
  }));
  const trade = instructions.find(({ program }) => program === expected.programAddress);
  return { ...transaction, accounts, accountBytes: transaction.accounts, instructions, trade };
}

function checkMemo(view: TransactionView, expected: ExpectedTrade): KaratMemo {
  const texts = view.instructions
    .filter(({ program }) => program === memoProgram)
    .map(({ data }) => Buffer.from(data).toString('utf8'));
  if (texts.length === 0) throw new TradeDifference('The memo of the service is missing.');
  const memo = texts.map(parseMemo).find((parsed) => parsed !== undefined);
  if (!memo) throw new TradeDifference('Its memo is not one of the service.');
  if (memo.id !== expected.tradeId) {
    throw new TradeDifference(`It belongs to ${memo.id}, not to ${expected.tradeId}.`);
  }
  if (memo.kind !== expected.side) {
    throw new TradeDifference(`It is a ${memo.kind}, not a ${expected.side}.`);
  }
  return memo;
}

/** Position of accounts in `buy` and `sell`. */
const integratorPosition = 1;
const partnerPosition = 3;
const userPosition = 4;

function checkPartner({ trade }: TransactionView, expected: ExpectedTrade): void {
  if (!trade) throw new TradeDifference(`The ${expected.side} instruction is missing.`);
  const integrator = trade.accounts[integratorPosition];
  if (integrator !== expected.integrator) {
    throw new TradeDifference(
      `It is a trade of another partner: its integrator account is ${integrator}, yours is ${expected.integrator}.`,
    );
  }
}

function checkServiceSignature(view: TransactionView, memo: KaratMemo, expected: ExpectedTrade): void {
  const verdict = verdictOf(view, 0);
  if (verdict === 'valid') return;
  const change = changeOf(view, memo, expected);
  if (change !== undefined) throw new TradeDifference(change);
  throw new TradeDifference(
    verdict === 'missing'
      ? 'The signature of the service is missing.'
      : 'The signature of the service does not match: the message (its accounts, amounts or blockhash) or the signature was changed.',
  );
}

function checkOtherSignatures(view: TransactionView): void {
  view.signatures.forEach((_, index) => {
    const verdict = verdictOf(view, index);
    if (verdict === 'valid') return;
    const who = `${roleOf(view, index)} (${view.accounts[index]})`;
    throw new TradeDifference(
      verdict === 'missing'
        ? `The signature of ${who} is missing.`
        : `The signature of ${who} is not valid for this message.`,
    );
  });
}

function roleOf({ trade, accounts }: TransactionView, index: number): string {
  if (accounts[index] === trade?.accounts[partnerPosition]) return 'the partner wallet';
  if (accounts[index] === trade?.accounts[userPosition]) return 'the user wallet';
  return 'a further signer';
}

function verdictOf(view: TransactionView, index: number): 'valid' | 'missing' | 'invalid' {
  const signature = view.signatures[index];
  const publicKey = view.accountBytes[index];
  if (!signature || !publicKey || signature.every((byte) => byte === 0)) return 'missing';
  return verifySignature(publicKey, view.message, signature) ? 'valid' : 'invalid';
}

/** What a quote's instructions call, in order, in words for the caller. */
const shape = (programAddress: Address): [Address, string][] => [
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit limit'],
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit price'],
  [memoProgram, 'the memo'],
  [ASSOCIATED_TOKEN_PROGRAM_ADDRESS, 'the token account'],
  [programAddress, 'the trade'],
];

/**
 * The first difference from the shape of a quote, for a message that the service did not sign. Only words for the
 * refusal: it decides nothing.
 */
function changeOf(view: TransactionView, memo: KaratMemo, expected: ExpectedTrade): string | undefined {
  const wanted = shape(expected.programAddress);
  const { instructions } = view;
  const at = wanted.findIndex(([program], index) => instructions[index]?.program !== program);
  const position = at === -1 ? wanted.length : at;
  const found = instructions[position];
  if (instructions.length > wanted.length) {
    return `Instruction ${position + 1} was added: it calls ${found?.program}.`;
  }
  if (instructions.length < wanted.length) {
    return `Instruction ${position + 1} was removed: ${wanted[position]?.[1]}.`;
  }
  if (found) {
    return `Instruction ${position + 1} was replaced: it calls ${found.program} instead of being ${wanted[position]?.[1]}.`;
  }
  return amountChange(view, memo, expected);
}

/** `buy` and `sell` begin alike: discriminator u8, amount in u64. */
function amountChange(
  { trade }: TransactionView,
  memo: KaratMemo,
  expected: ExpectedTrade,
): string | undefined {
  const data = Buffer.from(trade?.data ?? []);
  const discriminator = expected.side === 'buy' ? BUY_DISCRIMINATOR : SELL_DISCRIMINATOR;
  if (data[0] !== discriminator || data.length < 9) return `The trade instruction is not a ${expected.side}.`;
  const amount = data.readBigUInt64LE(1);
  if (amount === memo.amount) return undefined;
  return `The amount was changed: the ${expected.side} instruction says ${amount} base units, the memo ${memo.amount}.`;
}

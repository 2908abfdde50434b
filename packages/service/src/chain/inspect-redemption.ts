import { type Address, getBase58Decoder } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import {
  getTransferCheckedInstructionDataDecoder,
  identifyTokenInstruction,
  TOKEN_PROGRAM_ADDRESS,
  TokenInstruction,
} from '@solana-program/token';
import type { RedemptionId } from '../domain/ids.js';
import { parseMemo } from '../domain/memo.js';
import { redemptionTransferPosition } from './build-redemption.js';
import { memoProgram } from './build-trade.js';
import { TransactionDifference, type TransactionView, viewTransaction } from './signed-message.js';

/** What a transaction has to be. */
export interface ExpectedRedemption {
  redemptionId: RedemptionId;
  /** GOLD, base units. */
  amount: bigint;
  user: Address;
  escrowGold: Address;
  /** Keys that sign for the service: its own and, while keys are rotated, the other one of the configuration. */
  serviceSigners: readonly Address[];
}

/**
 * Passes only a transaction whose message the service itself signed for this very redemption, and that the user has
 * signed as well; gives its id, the base58 of the first signature. The proof that nothing was changed is the service's
 * own signature: it never signs anything but what it builds, and the memo in it names the redemption. Throws a
 * `TransactionDifference`.
 */
export function inspectRedemption(bytes: Uint8Array, expected: ExpectedRedemption): string {
  const view = viewTransaction(bytes);
  const [feePayer] = view.accounts;
  if (feePayer === undefined || !expected.serviceSigners.includes(feePayer)) {
    throw new TransactionDifference(`Its fee payer is ${feePayer}, not the service.`);
  }
  checkMemo(view, expected);
  checkServiceSignature(view, expected);
  checkOtherSignatures(view, expected);
  const [first] = view.signatures;
  return first ? getBase58Decoder().decode(first) : '';
}

function checkMemo(view: TransactionView, expected: ExpectedRedemption): void {
  const texts = view.instructions
    .filter(({ program }) => program === memoProgram)
    .map(({ data }) => Buffer.from(data).toString('utf8'));
  if (texts.length === 0) throw new TransactionDifference('The memo of the service is missing.');
  const memo = texts.map(parseMemo).find((parsed) => parsed !== undefined);
  if (!memo) throw new TransactionDifference('Its memo is not one of the service.');
  if (memo.id === expected.redemptionId) return;
  throw new TransactionDifference(`It belongs to ${memo.id}, not to ${expected.redemptionId}.`);
}

function checkServiceSignature(view: TransactionView, expected: ExpectedRedemption): void {
  const verdict = view.verdict(0);
  if (verdict === 'valid') return;
  const change = changeOf(view, expected);
  if (change !== undefined) throw new TransactionDifference(change);
  throw new TransactionDifference(
    verdict === 'missing'
      ? 'The signature of the service is missing.'
      : 'The signature of the service does not match: the message (its accounts, amounts or blockhash) or the signature was changed.',
  );
}

function checkOtherSignatures(view: TransactionView, expected: ExpectedRedemption): void {
  view.signatures.forEach((_, index) => {
    const verdict = view.verdict(index);
    if (verdict === 'valid') return;
    const address = view.accounts[index];
    const who = address === expected.user ? `the user wallet (${address})` : `a further signer (${address})`;
    throw new TransactionDifference(
      verdict === 'missing'
        ? `The signature of ${who} is missing.`
        : `The signature of ${who} is not valid for this message.`,
    );
  });
}

/** What a quote's instructions call, in order, in words for the caller. */
const shape: [Address, string][] = [
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit limit'],
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit price'],
  [memoProgram, 'the memo'],
  [TOKEN_PROGRAM_ADDRESS, 'the transfer'],
];

/**
 * The first difference from the quote, for a message that the service did not sign. Only words for the refusal: it
 * decides nothing.
 */
function changeOf(view: TransactionView, expected: ExpectedRedemption): string | undefined {
  const { instructions } = view;
  const at = shape.findIndex(([program], index) => instructions[index]?.program !== program);
  const position = at === -1 ? shape.length : at;
  const found = instructions[position];
  if (instructions.length > shape.length) {
    return `Instruction ${position + 1} was added: it calls ${found?.program}.`;
  }
  if (instructions.length < shape.length) {
    return `Instruction ${position + 1} was removed: ${shape[position]?.[1]}.`;
  }
  if (found) {
    return `Instruction ${position + 1} was replaced: it calls ${found.program} instead of being ${shape[position]?.[1]}.`;
  }
  return transferChange(view, expected);
}

function transferChange(view: TransactionView, expected: ExpectedRedemption): string | undefined {
  const { accounts = [], data = new Uint8Array() } = view.instructions[redemptionTransferPosition] ?? {};
  const size = getTransferCheckedInstructionDataDecoder().fixedSize;
  if (data.length !== size || identifyTokenInstruction({ data }) !== TokenInstruction.TransferChecked) {
    return 'The transfer is not a TransferChecked of the token program.';
  }
  const { amount } = getTransferCheckedInstructionDataDecoder().decode(data);
  if (amount !== expected.amount) {
    return `The amount was changed: the transfer says ${amount} base units, the quote ${expected.amount}.`;
  }
  const [, , destination, authority] = accounts;
  if (destination !== expected.escrowGold) {
    return `The destination was changed: it is ${destination}, not ${expected.escrowGold}.`;
  }
  if (authority !== expected.user) return `The payer was changed: it is ${authority}, not ${expected.user}.`;
  return undefined;
}

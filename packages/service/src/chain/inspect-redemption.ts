import type { Address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import {
  getTransferCheckedInstructionDataDecoder,
  TOKEN_PROGRAM_ADDRESS,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import type { RedemptionId } from '../domain/ids.js';
import { redemptionTransferPosition } from './build-redemption.js';
import { memoProgram } from './build-trade.js';
import {
  type InspectedQuote,
  type MessageShape,
  requireAllSignatures,
  requireMemo,
  requireServiceAsFeePayer,
  requireServiceSignature,
  shapeChange,
} from './signed-message.js';
import { type InstructionView, viewTransaction } from './transaction-view.js';

/** What a transaction has to be. */
export interface ExpectedRedemption {
  redemptionId: RedemptionId;
  /** GOLD, base units. */
  amount: bigint;
  user: Address;
  escrowGold: Address;
  /** Keys that sign for the service: its own and, while keys are rotated, the other one of the configuration. */
  serviceSigners: readonly Address[];
  /** Numbers of the guard program's instructions that wallets may add. */
  guards: readonly number[];
}

/**
 * Passes only a transaction whose message the service itself signed for this very redemption, but for guards, and that
 * the user has signed as it is. The proof that nothing else was changed is the service's own signature: it never signs
 * anything but what it builds, or what passes here, and the memo in it names the redemption. Throws a
 * `TransactionDifference`.
 */
export function inspectRedemption(bytes: Uint8Array, expected: ExpectedRedemption): InspectedQuote {
  const view = viewTransaction(bytes);
  requireServiceAsFeePayer(view, expected.serviceSigners);
  requireMemo(view, expected.redemptionId);
  const rules = { allowed: expected.guards, serviceSigners: expected.serviceSigners };
  const changeOf = (own: InstructionView[]) => shapeChange(own, shape) ?? transferChange(own, expected);
  const inspected = requireServiceSignature(view, rules, changeOf);
  requireAllSignatures(view, inspected, new Map([[expected.user, 'the user wallet']]));
  return { ...inspected, user: expected.user };
}

const shape: MessageShape = [
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit limit'],
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit price'],
  [memoProgram, 'the memo'],
  [TOKEN_PROGRAM_ADDRESS, 'the transfer'],
];

function transferChange(instructions: InstructionView[], expected: ExpectedRedemption): string | undefined {
  const { accounts = [], data = new Uint8Array() } = instructions[redemptionTransferPosition] ?? {};
  const size = getTransferCheckedInstructionDataDecoder().fixedSize;
  if (data.length !== size || data[0] !== TRANSFER_CHECKED_DISCRIMINATOR) {
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

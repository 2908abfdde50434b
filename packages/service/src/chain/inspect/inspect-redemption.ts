import { getRedeemInstructionDataDecoder, REDEEM_DISCRIMINATOR } from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import type { Address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { type RedemptionId, redemptionFromBytes } from '../../domain/ids.js';
import type { Gold } from '../../domain/money.js';
import { redeemPosition } from '../build/build-redemption.js';

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
  programAddress: Address;
  /** GOLD, base units. */
  amount: Gold;
  user: Address;
  /** As its record has it. */
  lastValidBlockHeight: bigint;
  escrowGold: Address;
  /** Keys that sign for the service: its own and, while keys are rotated, the other one of the configuration. */
  serviceSigners: readonly Address[];
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
  const changeOf = (own: InstructionView[]) =>
    shapeChange(own, shapeOf(expected.programAddress)) ?? redeemChange(own, expected);
  const inspected = requireServiceSignature(view, expected.serviceSigners, changeOf);
  requireAllSignatures(view, inspected, new Map([[expected.user, 'the user wallet']]));
  const { user, amount, lastValidBlockHeight } = expected;
  return { ...inspected, user, moves: { usdc: 0n, gold: amount }, stated: { lastValidBlockHeight } };
}

const shapeOf = (programAddress: Address): MessageShape => [
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit limit'],
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit price'],
  [memoProgram, 'the memo'],
  [programAddress, 'the redemption'],
];

/** Positions of accounts in `redeem`. */
const userPosition = 3;
const escrowPosition = 5;

function redeemChange(instructions: InstructionView[], expected: ExpectedRedemption): string | undefined {
  const { accounts = [], data = new Uint8Array() } = instructions[redeemPosition] ?? {};
  const decoder = getRedeemInstructionDataDecoder();
  if (data.length !== decoder.fixedSize || data[0] !== REDEEM_DISCRIMINATOR) {
    return 'The call of the program is not a redemption.';
  }
  const { id, amount } = decoder.decode(data);
  const redemptionId = redemptionFromBytes(id);
  if (redemptionId !== expected.redemptionId) {
    return `The redemption was changed: it is ${redemptionId}, not ${expected.redemptionId}.`;
  }
  if (amount !== expected.amount) {
    return `The amount was changed: the redemption has ${amount} base units, the quote ${expected.amount}.`;
  }
  const [user, escrow] = [accounts[userPosition], accounts[escrowPosition]];
  if (escrow !== expected.escrowGold) {
    return `The destination was changed: it is ${escrow}, not ${expected.escrowGold}.`;
  }
  if (user !== expected.user) return `The payer was changed: it is ${user}, not ${expected.user}.`;
  return undefined;
}

import type { Tx } from '../../db/client.js';
import type { Failure } from '../../db/failure.js';
import {
  type DeadLetter,
  type DeadLetterReason,
  resolveDeadLetters,
} from '../../db/indexing/dead-letters.js';
import type { LandedCost } from '../../db/limits/fee-spending.js';
import { findRedemption, moveRedemption, type Redemption } from '../../db/redemptions/redemptions.js';
import type { RedemptionId, Uuid } from '../../domain/ids.js';
import type { Gold } from '../../domain/money.js';
import { findNextStatus, isVisible } from '../../domain/redemption.js';
import type { Address, TxSignature, WalletAddress } from '../../domain/solana.js';
import { redemptionEvent } from '../../events/partner-events.js';
import type { Recording } from '../recording.js';

/** A payment of a redemption as the chain has it. */
export interface RedemptionFacts extends Failure {
  id: RedemptionId;
  partnerId: Uuid;
  /** GOLD that the call moves, or would have moved; base units. */
  amount: Gold;
  /** Who pays, and signed it. */
  userWallet: WalletAddress;
  /** The token account that it pays into. */
  escrowAccount: Address;
  /** When its user can take the tokens back; null when it failed. */
  reclaimableAt: Date | null;
}

/** Dead letters that are moot once the redemption of their transaction is settled. */
const resolvedByLanding: DeadLetterReason[] = [
  'transaction_unavailable',
  'unsupported_version',
  'undecodable',
  'redemption_unknown',
  'record_refused',
  'conflicting_record',
  'vanished',
];

/**
 * Moves a quoted redemption to where its landed transaction leads: `submitted`, or `failed`; its partner gets an event.
 * Doing it again changes nothing. A payment that is not exactly the quoted one, or that comes when the redemption has had
 * its transaction or has ended, is never taken: it comes back as a dead letter for the operators.
 */
export async function recordLandedRedemption(
  tx: Tx,
  landed: { signature: TxSignature; slot: bigint; cost: LandedCost | undefined },
  facts: RedemptionFacts,
  { at, events, moved, spent }: Recording,
): Promise<DeadLetter[]> {
  const { signature, slot, cost } = landed;
  const deadLetter = (reason: DeadLetterReason, detail: Record<string, unknown> = {}): DeadLetter[] => [
    { signature, slot, reason, detail: { ...shown(facts), ...detail } },
  ];
  for (;;) {
    const redemption = await findRedemption(tx, facts.id);
    if (!redemption) return deadLetter('redemption_unknown');
    const { status, txSignature } = redemption;
    const event = facts.failureReason === null ? 'land' : 'revert';
    const isKnown = txSignature === signature;
    if (isKnown && isAsRecorded(redemption, facts)) return [];
    if (isKnown && event === 'revert') return deadLetter('conflicting_record', { status });
    const wrong = differences(redemption, facts);
    if (wrong.length > 0) return deadLetter('redemption_mismatch', { wrong });
    const to = findNextStatus(status, event);
    if (to === undefined) {
      // A failed transaction moved nothing: it is irrelevant to a redemption that is settled otherwise.
      if (facts.failureReason !== null) return [];
      const isUnpaid = status === 'failed' || status === 'lapsed';
      return deadLetter(isUnpaid ? 'redemption_closed' : 'redemption_paid_twice', {
        status,
        settled_by: txSignature,
      });
    }
    const step = { from: status, to, at, actor: 'indexer', note: null } as const;
    const { reclaimableAt, failureReason, reason, programErrorName } = facts;
    const news = { txSignature: signature, slot, reclaimableAt, failureReason, reason, programErrorName };
    if (await moveRedemption(tx, facts.id, step, news)) {
      await resolveDeadLetters(tx, signature, resolvedByLanding, at);
      const { userId, partnerId, tokensRequired } = redemption;
      const gold = event === 'land' ? tokensRequired : 0n;
      moved.push({ quoteId: facts.id, userId, partnerId, usdc: 0n, gold });
      // Its fee is GOLD in escrow, which goes back to the user if it is cancelled.
      if (cost) spent.push({ ...cost, partnerId, feeUsdc: 0n });
      if (isVisible(to))
        events.push(redemptionEvent({ ...redemption, ...news, status: to, updatedAt: at }, null));
      return [];
    }
  }
}

/** Returns what of a payment is not as it was quoted. */
function differences(redemption: Redemption, facts: RedemptionFacts): string[] {
  const same: Record<string, boolean> = {
    partner: facts.partnerId === redemption.partnerId,
    amount: facts.amount === redemption.tokensRequired,
    user: facts.userWallet === redemption.userWallet,
    escrow: facts.escrowAccount === redemption.escrowAccount,
  };
  return Object.keys(same).filter((name) => !same[name]);
}

function isAsRecorded(redemption: Redemption, facts: RedemptionFacts): boolean {
  return (redemption.status === 'failed') === (facts.failureReason !== null);
}

function shown({ id, amount, userWallet, escrowAccount }: RedemptionFacts): Record<string, unknown> {
  return { redemption_id: id, amount: amount.toString(), user: userWallet, escrow: escrowAccount };
}

import {
  confirmOperatorTransaction,
  failOperatorTransaction,
  findUnsignedOperatorTransactions,
  insertLandedForRedemption,
  lockOperatorTransactionsOf,
  type OperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Tx } from '../../db/client.js';
import {
  type DeadLetter,
  type DeadLetterReason,
  resolveDeadLetters,
} from '../../db/indexing/dead-letters.js';
import { deletePickupCode } from '../../db/redemptions/pickup-codes.js';
import { findRedemption, moveRedemption } from '../../db/redemptions/redemptions.js';
import { findSettlement } from '../../db/redemptions/settlements.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { RedemptionId, Uuid } from '../../domain/ids.js';
import type { Gold } from '../../domain/money.js';
import { hasEnded } from '../../domain/operator-transaction.js';
import {
  findNextStatus,
  isVisible,
  reclaimedReason,
  type SettlementKind,
  settlementOf,
} from '../../domain/redemption.js';
import type { TxSignature } from '../../domain/solana.js';
import { redemptionEvent } from '../../events/partner-events.js';
import { recordChanges } from '../audit.js';
import { moveBarOf } from '../bars/bar-of-redemption.js';
import type { Recording } from '../recording.js';

/**
 * Who moves the rows of `operator_transactions` as `domain/operator-transaction.ts` allows. The sender of a transaction
 * writes its row first; the indexer moves it: `confirmOperation` to `confirmed`, `failOperation` to `failed`,
 * `sweepExpiredOperatorTransactions` to `expired`. `takeBack` moves it from `confirmed` to `expired` when
 * all nodes deny it; with one node, a person decides.
 */

/** Tokens that left escrow. */
interface SettlementFacts {
  kind: 'settle_redemption';
  mode: SettlementKind;
  redemptionId: RedemptionId;
  /** GOLD in base units. */
  amount: Gold;
  /** Whether the user took them back, without the service. */
  isReclaimed: boolean;
}

/** A burn that is announced, or is so no more. */
interface BurnFacts {
  kind: 'announce_burn' | 'cancel_burn';
  redemptionId: RedemptionId;
  /** Number of the event. */
  seq: bigint;
  /** Null where it is cancelled. */
  dueAt: Date | null;
}

/** What an operator did by a call of the program that succeeded, or a user who reclaimed. */
export type OperationFacts =
  | SettlementFacts
  | BurnFacts
  | {
      kind:
        | 'create_integrator'
        | 'update_integrator'
        | 'update_executives'
        | 'propose_authority'
        | 'cancel_authority'
        | 'apply_authority'
        | 'pause'
        | 'resume'
        | 'set_market'
        | 'suspend_integrator'
        | 'propose_settings'
        | 'apply_settings'
        | 'cancel_settings';
      /** Undefined for what concerns no partner. */
      partnerId: Uuid | undefined;
    };

type Landed = { signature: TxSignature; slot: bigint };

/** Dead letters that are moot once the settlement of their transaction is recorded. */
const resolvedByLanding: DeadLetterReason[] = [
  'transaction_unavailable',
  'undecodable',
  'vanished',
  'settlement_mismatch',
];

/**
 * Notes that an operator transaction is on chain. A settlement is matched by its redemption, whichever transaction carried
 * it, and recorded even if no request for it is known: the program has settled that redemption, once. Where
 * the state of the redemption does not allow it, there is a dead letter, too. Changes of partners are matched by the signature, and one
 * that was handed out unsigned by its kind and partner, as long as it is the only one. A change whose row has failed or
 * expired may have been made a second time since: that is the dead letter `conflicting_record`, and the row stays. Doing
 * it again changes nothing.
 */
export async function confirmOperation(
  tx: Tx,
  landed: Landed,
  facts: OperationFacts,
  recording: Recording,
): Promise<DeadLetter[]> {
  const { at } = recording;
  if (facts.kind === 'settle_redemption') return settleRedemption(tx, landed, facts, recording);
  if (facts.kind === 'announce_burn' || facts.kind === 'cancel_burn')
    return recordBurn(tx, landed, facts, at);
  const { signature: txSignature, slot } = landed;
  const isSameKind = ({ kind }: OperatorTransaction) => kind === facts.kind;
  const own = (await lockOperatorTransactionsOf(tx, txSignature)).filter(isSameKind);
  const [row, ...others] = own.length > 0 ? own : await findUnsignedOperatorTransactions(tx, facts);
  if (!row || others.length > 0) return [];
  const { id, kind, status, partnerId } = row;
  if (hasEnded(status)) {
    const detail = { operator_transaction_id: id, kind, status, partner_id: partnerId };
    return [{ ...landed, reason: 'conflicting_record', detail }];
  }
  await confirmOperatorTransaction(tx, id, { txSignature, slot }, at);
  return [];
}

async function settleRedemption(
  tx: Tx,
  landed: Landed,
  facts: SettlementFacts,
  { at, events }: Recording,
): Promise<DeadLetter[]> {
  const { signature: txSignature, slot } = landed;
  const { mode, redemptionId, amount } = facts;
  const found = await findRedemption(tx, redemptionId);
  const settlement = await findSettlement(tx, redemptionId);
  if (settlement?.status === 'confirmed' && settlement.txSignature === txSignature) {
    if (facts.isReclaimed) await cancelReclaimed(tx, redemptionId, at);
    return [];
  }
  const same: Record<string, boolean> = {
    redemption: found !== undefined,
    mode: settlement?.status !== 'pending' || settlement.kind === mode,
    amount: found?.tokensRequired === amount,
    settled_before: settlement?.status !== 'confirmed',
  };
  const wrong = Object.keys(same).filter((name) => !same[name]);
  const deadLetter = (wrong: string[], status: string | null): DeadLetter => {
    const detail = { redemption_id: redemptionId, mode, amount: amount.toString(), wrong };
    return { ...landed, reason: 'settlement_mismatch', detail: { ...detail, status } };
  };
  if (!found || wrong.length > 0) return [deadLetter(wrong, found?.status ?? null)];
  if (facts.isReclaimed) await cancelReclaimed(tx, redemptionId, at);
  const redemption = (await findRedemption(tx, redemptionId)) ?? found;
  const confirmed =
    settlement?.kind === mode &&
    (await confirmOperatorTransaction(tx, settlement.id, { txSignature, slot }, at));
  if (!confirmed) {
    const { partnerId } = redemption;
    const row = { kind: mode, redemptionId, partnerId, amount, txSignature, slot };
    await insertLandedForRedemption(tx, row, at);
  }
  await resolveDeadLetters(tx, txSignature, resolvedByLanding, at);
  if (isVisible(redemption.status))
    events.push(redemptionEvent({ ...redemption, status: redemption.status }, null, mode));
  return settlementOf(redemption.status) === mode ? [] : [deadLetter(['status'], redemption.status)];
}

/**
 * Cancels a redemption whose user has its tokens back, wherever it is before the hand-over of the bar, which is in stock again.
 * Of one that ended otherwise nothing changes: a bar that was handed over stays so, and the settlement leaves a dead letter.
 */
async function cancelReclaimed(tx: Tx, id: RedemptionId, at: Date): Promise<void> {
  const redemption = await findRedemption(tx, id);
  const to = redemption && findNextStatus(redemption.status, 'reclaim');
  if (!redemption || !to) return;
  const step = { from: redemption.status, to, at, actor: 'indexer', note: reclaimedReason } as const;
  if (!(await moveRedemption(tx, id, step, { cancellationReason: reclaimedReason })))
    return cancelReclaimed(tx, id, at);
  await deletePickupCode(tx, id);
  await recordChanges(tx, indexer, await moveBarOf({ tx, at }, redemption, 'in_stock'), at);
}

/** No operator: the chain did it. */
const indexer: ChangedBy = { personId: null, requestId: null };

/**
 * Notes a burn that was announced or cancelled, whoever sent it: by the redemption, and by the number of the event, so that it does
 * not matter in which order they are recorded.
 */
async function recordBurn(
  tx: Tx,
  landed: Landed,
  { kind, redemptionId, seq: eventSeq, dueAt: burnDueAt }: BurnFacts,
  at: Date,
): Promise<DeadLetter[]> {
  const { signature: txSignature, slot } = landed;
  const redemption = await findRedemption(tx, redemptionId);
  if (!redemption) {
    const detail = { redemption_id: redemptionId, kind, wrong: ['redemption'], status: null };
    return [{ ...landed, reason: 'settlement_mismatch', detail }];
  }
  const isOf = (row: OperatorTransaction) => row.kind === kind && row.redemptionId === redemptionId;
  const own = (await lockOperatorTransactionsOf(tx, txSignature)).filter(isOf);
  if (own.some((row) => row.status === 'confirmed' && row.eventSeq === eventSeq)) return [];
  const pending =
    own.find(({ status }) => status === 'pending') ??
    (await findUnsignedOperatorTransactions(tx, { kind, redemptionId }))[0];
  const facts = { txSignature, slot, eventSeq, burnDueAt };
  if (pending && (await confirmOperatorTransaction(tx, pending.id, facts, at))) return [];
  const { partnerId } = redemption;
  await insertLandedForRedemption(tx, { kind, redemptionId, partnerId, ...facts }, at);
  return [];
}

/** Notes that the chain refused an operator transaction; nothing for a signature that is none of theirs. */
export async function failOperation(
  tx: Tx,
  { signature, slot }: Landed,
  failureReason: string,
  at: Date,
): Promise<void> {
  for (const { id } of await lockOperatorTransactionsOf(tx, signature))
    await failOperatorTransaction(tx, id, { slot, failureReason }, at);
}

import {
  confirmOperatorTransaction,
  failOperatorTransaction,
  findUnsignedOperatorTransactions,
  insertLandedSettlement,
  lockOperatorTransactionsOf,
  type OperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Tx } from '../../db/client.js';
import {
  type DeadLetter,
  type DeadLetterReason,
  resolveDeadLetters,
} from '../../db/indexing/dead-letters.js';
import { findRedemption } from '../../db/redemptions/redemptions.js';
import { findSettlement } from '../../db/redemptions/settlements.js';
import type { RedemptionId, Uuid } from '../../domain/ids.js';
import type { Gold } from '../../domain/money.js';
import { hasEnded } from '../../domain/operator-transaction.js';
import { isVisible, type SettlementKind, settlementOf } from '../../domain/redemption.js';
import type { TxSignature } from '../../domain/solana.js';
import { redemptionEvent } from '../../events/partner-events.js';
import type { Recording } from '../recording.js';

/**
 * Who moves the rows of `operator_transactions` as `domain/operator-transaction.ts` allows. The sender of a transaction
 * writes its row first; the indexer moves it: `confirmOperation` to `confirmed`, `failOperation` to `failed`,
 * `sweepExpiredOperatorTransactions` to `expired`. `takeBack` moves it from `confirmed` to `expired` when
 * all nodes deny it; with one node, a person decides.
 */

/** What an operator did by a call of the program that succeeded. */
export type OperationFacts =
  | {
      kind: 'settle_redemption';
      mode: SettlementKind;
      redemptionId: RedemptionId;
      /** GOLD in base units. */
      amount: Gold;
    }
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
        | 'set_market';
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
  facts: Extract<OperationFacts, { kind: 'settle_redemption' }>,
  { at, events }: Recording,
): Promise<DeadLetter[]> {
  const { signature: txSignature, slot } = landed;
  const { mode, redemptionId, amount } = facts;
  const redemption = await findRedemption(tx, redemptionId);
  const settlement = await findSettlement(tx, redemptionId);
  if (settlement?.status === 'confirmed' && settlement.txSignature === txSignature) return [];
  const same: Record<string, boolean> = {
    redemption: redemption !== undefined,
    mode: settlement?.status !== 'pending' || settlement.kind === mode,
    amount: redemption?.tokensRequired === amount,
    settled_before: settlement?.status !== 'confirmed',
  };
  const wrong = Object.keys(same).filter((name) => !same[name]);
  const deadLetter = (wrong: string[]): DeadLetter => {
    const detail = { redemption_id: redemptionId, mode, amount: amount.toString(), wrong };
    const status = redemption?.status ?? null;
    return { ...landed, reason: 'settlement_mismatch', detail: { ...detail, status } };
  };
  if (!redemption || wrong.length > 0) return [deadLetter(wrong)];
  const confirmed =
    settlement?.kind === mode &&
    (await confirmOperatorTransaction(tx, settlement.id, { txSignature, slot }, at));
  if (!confirmed) {
    const { partnerId } = redemption;
    await insertLandedSettlement(tx, { kind: mode, redemptionId, partnerId, amount, txSignature, slot }, at);
  }
  await resolveDeadLetters(tx, txSignature, resolvedByLanding, at);
  if (isVisible(redemption.status))
    events.push(redemptionEvent({ ...redemption, status: redemption.status }, null, mode));
  return settlementOf(redemption.status) === mode ? [] : [deadLetter(['status'])];
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

import { agreedBounds, agreedStatuses, type Verdict } from '../../chain/node/agreed.js';
import type { Context } from '../../context.js';
import {
  findLandedOperatorTransaction,
  takeBackOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Tx } from '../../db/client.js';
import { appendEvents, type NewEvent } from '../../db/events/events.js';
import { insertDeadLetter } from '../../db/indexing/dead-letters.js';
import { findUnfinalizedOf, type Unfinalized } from '../../db/indexing/finality.js';
import { forgetProgramEvent, forgetTreasuryMovements } from '../../db/indexing/keep-effects.js';
import { lockProgramEvents } from '../../db/indexing/program-events.js';
import { uncountVelocity } from '../../db/limits/velocity.js';
import { findRecordedOrder, takeBackOrder } from '../../db/orders/landed-orders.js';
import { findRedemption } from '../../db/redemptions/redemptions.js';
import { deleteTrade, findTrade } from '../../db/trades/trades.js';
import { prefixedId, type Uuid } from '../../domain/ids.js';
import { lifetimeBlocks } from '../../domain/lifetime.js';
import type { TxSignature } from '../../domain/solana.js';
import { notAllowed } from '../../errors.js';
import { keepTradeEvents, tradeEvent } from '../../events/partner-events.js';
import { movedBy } from '../trades/write-trades.js';

/**
 * Returns whether a transaction is certainly not what was recorded of it: all nodes say that it failed for good, or none has a trace
 * of it and it can land no more, because a blockhash lives no longer than since its slot. `historyFrom`: the first slot that all of
 * them still have.
 */
export function isGone(
  { slot }: Pick<Unfinalized, 'slot'>,
  verdict: Verdict | undefined,
  { finalSlot, historyFrom }: { finalSlot: bigint; historyFrom: bigint },
): boolean {
  if (verdict?.kind === 'landed') return verdict.finalized && verdict.err !== null;
  return verdict?.kind === 'unknown' && finalSlot >= slot + lifetimeBlocks && slot >= historyFrom;
}

/**
 * Takes back what a transaction made of a record, because the chain does not have it after all, and leaves a dead letter
 * `vanished` with what was in the record. A redemption stays as it is, and so does every record with `report`: what becomes of
 * it is for people to decide. Does nothing for a record that is final or was taken back already.
 */
export async function takeBack(
  ctx: Pick<Context, 'db' | 'clock'>,
  record: Unfinalized,
  decide: 'take back' | 'report',
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await lockProgramEvents(tx);
    const events: NewEvent[] = [];
    const detail = await (decide === 'take back' ? undo(tx, record, events, at) : describe(tx, record));
    if (!detail) return;
    const { txSignature: signature, slot } = record;
    await insertDeadLetter(tx, { signature, slot, reason: 'vanished', detail }, at);
    await appendEvents(tx, events, at);
  });
}

/**
 * Returns the records of a transaction that the chain does not have, for a person to take back. Throws
 * `transition_not_allowed` unless all nodes that respond say so of the finalized chain, and `service_unavailable`
 * when too few do.
 */
export async function findDropped(
  ctx: Pick<Context, 'db' | 'chain'>,
  signature: TxSignature,
  signal: AbortSignal,
): Promise<Unfinalized[]> {
  const records = await findUnfinalizedOf(ctx.db, signature);
  if (records.length === 0) return [];
  const bounds = await agreedBounds(ctx.chain, signal);
  const [verdict] = await agreedStatuses(ctx.chain, [signature], bounds.finalSlot, signal);
  if (verdict?.kind === 'landed' && verdict.err === null)
    throw notAllowed(`The nodes have the transaction ${signature} after all; check again once it is final.`);
  if (records.some((record) => !isGone(record, verdict, bounds)))
    throw notAllowed(
      `It is not certain yet that the transaction ${signature} can no longer land; try again in a few minutes.`,
    );
  return records;
}

/** Takes back what a transaction made of a record; what was in it, or undefined when there is nothing to take back. */
export async function undo(
  tx: Tx,
  record: Unfinalized,
  events: NewEvent[],
  at: Date,
): Promise<Record<string, unknown> | undefined> {
  const detail = await describe(tx, record);
  if (!detail) return undefined;
  const { kind, id, txSignature } = record;
  if (kind === 'trade') {
    const trade = await findTrade(tx, prefixedId('trd', id));
    if (!trade || !(await deleteTrade(tx, trade))) return undefined;
    await keepTradeEvents(tx, trade);
    await uncountVelocity(tx, movedBy(trade), trade.createdAt);
    await forgetEffects(tx, trade);
    events.push(tradeEvent('trade.reverted', trade));
  } else if (kind === 'order') {
    const order = await findRecordedOrder(tx, id);
    if (!order || !(await takeBackOrder(tx, order, at))) return undefined;
    await forgetEffects(tx, order);
  } else if (kind === 'operator_transaction') {
    if (!(await takeBackOperatorTransaction(tx, record, at))) return undefined;
    await forgetTreasuryMovements(tx, txSignature);
  } else {
    await forgetTreasuryMovements(tx, txSignature);
  }
  return detail;
}

async function forgetEffects(
  tx: Tx,
  row: { partnerId: Uuid; eventSeq: bigint | null; txSignature: TxSignature },
): Promise<void> {
  const { partnerId, eventSeq, txSignature } = row;
  await forgetTreasuryMovements(tx, txSignature);
  if (eventSeq !== null) await forgetProgramEvent(tx, { partnerId, seq: eventSeq, txSignature });
}

/** Returns what is in a record, for people; undefined when it is gone or is another transaction's by now. */
async function describe(
  tx: Tx,
  { kind, id, txSignature }: Unfinalized,
): Promise<Record<string, unknown> | undefined> {
  if (kind === 'trade') {
    const trade = await findTrade(tx, prefixedId('trd', id));
    if (trade?.txSignature !== txSignature) return undefined;
    const { side, status, usdcAmount, goldAmount, partnerId, userId } = trade;
    const amounts = { usdc: usdcAmount.toString(), gold: goldAmount.toString() };
    return { trade_id: trade.id, side, status, ...amounts, partner_id: partnerId, user_id: userId };
  }
  if (kind === 'order') {
    const order = await findRecordedOrder(tx, id);
    if (order?.txSignature !== txSignature) return undefined;
    const { status, partnerId, executedGold, executedUsdc } = order;
    const amounts = { gold: executedGold?.toString() ?? null, usdc: executedUsdc?.toString() ?? null };
    return { order_id: id, kind: order.kind, status, partner_id: partnerId, ...amounts };
  }
  if (kind === 'redemption') {
    const redemption = await findRedemption(tx, prefixedId('red', id));
    if (redemption?.txSignature !== txSignature) return undefined;
    const { status, tokensRequired } = redemption;
    return { redemption_id: redemption.id, status, tokens: tokensRequired.toString() };
  }
  const row = await findLandedOperatorTransaction(tx, id);
  if (row?.txSignature !== txSignature) return undefined;
  const { status, redemptionId, partnerId, amount } = row;
  return {
    operator_transaction_id: id,
    kind: row.kind,
    status,
    redemption_id: redemptionId,
    partner_id: partnerId,
    amount: amount?.toString() ?? null,
  };
}

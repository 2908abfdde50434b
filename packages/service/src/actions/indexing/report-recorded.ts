import type { Context } from '../../context.js';
import type { NewEvent } from '../../db/events/events.js';
import { findSubmitters } from '../../db/trades/submissions.js';
import type { EventObjectType } from '../../domain/event.js';
import { type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { TxSignature } from '../../domain/solana.js';
import { addToTrace, isRecorded } from '../../tracing/spans.js';

/** A transaction, and what it carries. */
interface Recorded {
  signature: TxSignature;
  slot: bigint;
  trade: { id: TradeId } | undefined;
  redemption: { id: RedemptionId } | undefined;
  orders: { order: { orderId?: Uuid | undefined }; movementId: Uuid }[];
}

/** The field of the log that names an object, as in the lines of requests. */
const idFields: Partial<Record<EventObjectType, string>> = {
  trade: 'trade_id',
  redemption: 'redemption_id',
  purchase: 'order_id',
  sale: 'order_id',
  withdrawal: 'order_id',
};

/**
 * Logs one line for each trade, redemption and order whose transaction was recorded now, with the id of the request that
 * submitted it, and adds the recording to the trace of that request. Never rejects: all is written by then.
 * @param events what the recording made, which is nothing for what was recorded before.
 * @param startMs when the recording began, of `performance.now`.
 */
export async function reportRecorded(
  { db, log }: Context,
  records: readonly Recorded[],
  events: readonly NewEvent[],
  startMs: number,
): Promise<void> {
  const traced = isRecorded();
  if (events.length === 0 && !traced) return;
  const transactions = transactionsOf(records);
  const quotes = records.flatMap(({ trade, redemption }) => [trade?.id ?? [], redemption?.id ?? []].flat());
  const submitters = await findSubmitters(db, quotes.map(uuidOf)).catch(() => new Map<string, never>());
  for (const { objectType, objectId, type, partnerId } of events) {
    const field = idFields[objectType];
    const found = transactions.get(objectId);
    if (!field || !found) continue;
    const { signature: tx, slot } = found;
    const by = submitters.get(objectId)?.requestId;
    log.info(
      { [field]: objectId, type, partner_id: partnerId, tx, slot: toInteger(slot), request_id: by },
      'recorded',
    );
  }
  if (!traced) return;
  for (const [id, { traceparent }] of submitters) {
    if (traceparent === null) continue;
    addToTrace(traceparent, 'record transaction', { startMs, attributes: { 'karat.operation_id': id } });
  }
}

/** Returns the transaction of each object that these records are about, by the id that callers see. */
function transactionsOf(records: readonly Recorded[]): Map<string, Recorded> {
  const found = new Map<string, Recorded>();
  for (const record of records) {
    const { trade, redemption, orders } = record;
    for (const quote of [trade, redemption]) if (quote) found.set(quote.id, record);
    for (const { order, movementId } of orders) {
      for (const id of [order.orderId, movementId]) if (id) found.set(id, record);
    }
  }
  return found;
}

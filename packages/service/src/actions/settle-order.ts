import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { insertDeadLetter } from '../db/dead-letters.js';
import { forgetHouseMovements } from '../db/house-movements.js';
import {
  markOrdersFinalized,
  restoreOrderCreation,
  type SettledOrder,
  takeBackOrder,
} from '../db/landed-orders.js';
import { deleteProgramEvent, lockProgramEvents } from '../db/program-events.js';
import type { Uuid } from '../domain/ids.js';
import { type ChainRecord, writeRecord } from './record-trade.js';

/** Notes that the transactions of these orders can no longer be undone by the chain. */
export async function finalizeOrders(ctx: Context, ids: Uuid[]): Promise<void> {
  if (ids.length > 0) await ctx.db.transaction((tx) => markOrdersFinalized(tx, ids));
}

/**
 * Takes back what a transaction made of an order, because the chain dropped it after having confirmed it, and leaves a
 * dead letter with what the row said. Nothing when the row is final or taken back already.
 */
export async function takeBackVanishedOrder(ctx: Context, order: SettledOrder): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    if (!(await takeBack(tx, order, at))) return;
    const { id, kind, status, partnerId, executedGold, executedUsdc } = order;
    const detail = {
      order_id: id,
      kind,
      status,
      partner_id: partnerId,
      gold: executedGold?.toString() ?? null,
      usdc: executedUsdc?.toString() ?? null,
    };
    const letter = { signature: order.txSignature, slot: order.slot, reason: 'vanished', detail } as const;
    await insertDeadLetter(tx, letter, at);
  });
}

/**
 * Writes an order anew whose transaction ended in another block than the one that was recorded, or ended otherwise there.
 * It stays where it is in lists.
 */
export async function replaceOrder(ctx: Context, order: SettledOrder, record: ChainRecord): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await lockProgramEvents(tx);
    if (!(await takeBack(tx, order, at))) return;
    await writeRecord(ctx, tx, record, at);
    await restoreOrderCreation(tx, order.id, order.createdAt);
    await markOrdersFinalized(tx, [order.id], order.txSignature);
  });
}

async function takeBack(tx: Tx, order: SettledOrder, at: Date): Promise<boolean> {
  if (!(await takeBackOrder(tx, order, at))) return false;
  const { partnerId, eventSeq, txSignature } = order;
  await forgetHouseMovements(tx, txSignature);
  if (eventSeq !== null) await deleteProgramEvent(tx, { partnerId, seq: eventSeq, txSignature });
  return true;
}

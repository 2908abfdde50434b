import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { insertDeadLetter } from '../db/dead-letters.js';
import { forgetHouseMovements } from '../db/house-movements.js';
import { deleteProgramEvent, lockProgramEvents } from '../db/program-events.js';
import { deleteTrade, markTradesFinalized, restoreTradeCreation, type Trade } from '../db/trades.js';
import type { TradeId } from '../domain/ids.js';
import { type ChainRecord, writeRecord } from './record-trade.js';

/** Notes that the transactions of these trades can no longer be undone by the chain. */
export async function finalizeTrades(ctx: Context, ids: TradeId[]): Promise<void> {
  await ctx.db.transaction((tx) => markTradesFinalized(tx, ids));
}

/**
 * Takes back a trade whose transaction the chain dropped after having confirmed it, and leaves a dead letter with what
 * the row said. Nothing when the row is final or gone already.
 */
export async function removeVanishedTrade(ctx: Context, trade: Trade): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await takeBack(tx, trade))) return;
    const { id, side, status, usdcAmount, goldAmount, partnerId, userId } = trade;
    const detail = {
      trade_id: id,
      side,
      status,
      usdc: usdcAmount.toString(),
      gold: goldAmount.toString(),
      partner_id: partnerId,
      user_id: userId,
    };
    const letter = { signature: trade.txSignature, slot: trade.slot, reason: 'vanished', detail } as const;
    await insertDeadLetter(tx, letter, new Date(ctx.clock.now()));
  });
}

/**
 * Writes a trade again whose transaction ended in another block than the one that was recorded. It stays where it is in
 * lists: a caller who pages through them must neither miss it nor see it twice. A transaction that does not hold the trade
 * any more changes nothing and leaves a dead letter.
 */
export async function replaceTrade(ctx: Context, trade: Trade, record: ChainRecord): Promise<void> {
  const { id, txSignature: signature, slot } = trade;
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    if (record.trade?.id !== id) {
      const detail = { trade_id: id, status: trade.status, found: record.trade?.id ?? null };
      return insertDeadLetter(tx, { signature, slot, reason: 'conflicting_record', detail }, at);
    }
    await lockProgramEvents(tx);
    if (!(await takeBack(tx, trade))) return;
    await writeRecord(ctx, tx, record, at);
    await restoreTradeCreation(tx, id, trade.createdAt);
    await markTradesFinalized(tx, [id]);
  });
}

async function takeBack(tx: Tx, trade: Trade): Promise<boolean> {
  if (!(await deleteTrade(tx, trade.id))) return false;
  const { partnerId, eventSeq, txSignature } = trade;
  await forgetHouseMovements(tx, txSignature);
  if (eventSeq !== null) await deleteProgramEvent(tx, { partnerId, seq: eventSeq, txSignature });
  return true;
}

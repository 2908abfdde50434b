import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { setMarketOverride } from '../../db/market/market-overrides.js';
import type { Uuid } from '../../domain/ids.js';
import { type MarketOverride, type MarketState, overrideOf } from '../../domain/market-calendar.js';

/**
 * Keeps an operator's word about the market for the keeper, in the transaction of whatever else the operator does.
 * `closed` stands until it is taken back; `open` against a closure of the calendar until the calendar opens by itself;
 * `auto` leaves it to the calendar. What stands from now on; undefined: the calendar decides.
 */
export async function overrideMarket(
  ctx: Context,
  tx: Tx,
  desired: MarketState | 'auto',
  operatorId: Uuid | null,
): Promise<MarketOverride | undefined> {
  const nowMs = ctx.clock.now();
  const override = overrideOf(desired, nowMs, ctx.calendar);
  await setMarketOverride(tx, override, { operatorId, at: new Date(nowMs) });
  return override;
}

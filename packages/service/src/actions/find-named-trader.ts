import type { Context } from '../context.js';
import { findTrader, type Trader } from '../db/traders.js';
import type { UserId } from '../domain/ids.js';
import type { Principal } from '../domain/principal.js';

/** A principal, and the user whom the request names where that user was looked up together with the key. */
export interface Caller extends Principal {
  named?: { id: UserId; trader: Trader | undefined };
}

/** The user with that id as a party of trades: the one found together with the key, else by a query. */
export async function findNamedTrader(
  ctx: Context,
  { named }: Caller,
  id: UserId,
): Promise<Trader | undefined> {
  return named?.id === id ? named.trader : findTrader(ctx.db, id);
}

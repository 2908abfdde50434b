import { sql } from 'drizzle-orm';
import type { Db, Tx } from './client.js';

/**
 * GOLD in base units that escrow owes: to every redemption whose tokens it took and which were neither burned nor given
 * back. What is just being burned or given back counts as gone already. With `slot`, payments that landed later and are not
 * final are left out: what escrow held at that slot cannot show them.
 */
export async function findEscrowNeed(db: Db | Tx, slot?: bigint): Promise<bigint> {
  const landed = slot === undefined ? sql`true` : sql`(finalized or slot <= ${slot})`;
  const [row] = await db.execute<{ need: string }>(sql`
    select coalesce(sum(tokens_required), 0)::text as need from redemptions
    where status in ('submitted', 'preparing', 'ready', 'collected', 'cancellation_requested', 'cancelled')
      and ${landed}
      and not exists (
        select from operator_transactions settlement
        where settlement.redemption_id = redemptions.id and settlement.status in ('pending', 'confirmed')
      )`);
  return BigInt(row?.need ?? 0);
}

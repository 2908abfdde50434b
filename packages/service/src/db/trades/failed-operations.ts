import { sql } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import { slotMs } from '../../domain/lifetime.js';
import { failedOperations } from '../../domain/limits.js';
import type { Db, Tx } from '../client.js';
import { prepare } from '../prepared.js';
import { redemptions } from '../redemptions/redemptions.js';
import { trades } from './trades.js';

const windowSlots = failedOperations.windowMs / slotMs;

const failingPartners = prepare<{ partner_id: Uuid; at_ms: number }>(sql`
  select partner_id, (extract(epoch from created_at) * 1000)::float8 as at_ms from (
    select partner_id, created_at, row_number() over (partition by partner_id order by created_at desc) as place
    from (
      select partner_id, created_at, slot, max(slot) over (partition by partner_id) as newest from (
        select partner_id, created_at, slot from ${trades}
        where side in ('buy', 'sell') and status = 'failed' and created_at > ${sql.placeholder('since')}
        union all
        select partner_id, created_at, slot from ${redemptions}
        where status = 'failed' and created_at > ${sql.placeholder('since')}
      ) as recorded
    ) as compared where slot > newest - ${sql.raw(String(windowSlots))}
  ) as failed where place = ${sql.placeholder('count')}`);

/**
 * Returns the partners of which at least `count` trades and redemptions have failed within an hour of the chain, where the trades
 * were recorded and the redemptions quoted since then, with when the oldest of the last `count` of them was, in milliseconds: one
 * query that reads what failed in that time. What an indexer records late is compared by its slots, so that a backlog of days is
 * not taken for an hour.
 */
export async function findFailingPartners(
  db: Db | Tx,
  count: number,
  since: Date,
): Promise<{ partnerId: Uuid; atMs: number }[]> {
  const rows = await failingPartners(db, { count, since: since.toISOString() });
  return rows.map((row) => ({ partnerId: row.partner_id, atMs: row.at_ms }));
}

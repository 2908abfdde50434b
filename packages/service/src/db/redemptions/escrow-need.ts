import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.js';

/**
 * Returns GOLD in base units that escrow owed at the end of a slot, by the records: to every redemption whose tokens it
 * had taken and neither burned nor given back.
 */
export async function findEscrowNeed(db: Db | Tx, slot: bigint): Promise<bigint> {
  const upTo = sql`${slot.toString()}::bigint`;
  const [row] = await db.execute<{ need: string }>(sql`
    select coalesce(sum(tokens_required), 0)::text as need from redemptions
    where tx_signature is not null and status <> 'failed' and slot <= ${upTo}
      and not exists (
        select from operator_transactions settlement
        where settlement.redemption_id = redemptions.id and settlement.status = 'confirmed'
          and settlement.slot <= ${upTo}
      )`);
  return BigInt(row?.need ?? 0);
}

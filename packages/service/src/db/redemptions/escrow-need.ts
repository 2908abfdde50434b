import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.js';

/** GOLD in base units that escrow owed at the end of a slot, by the records. */
export interface EscrowNeed {
  /** To every redemption whose tokens it had taken and neither burned nor given back. */
  all: bigint;
  /** The part of it that waits to be burned, because the bars were handed over. */
  awaitingBurn: bigint;
}

/** Returns what escrow owed at the end of a slot. */
export async function findEscrowNeed(db: Db | Tx, slot: bigint): Promise<EscrowNeed> {
  const upTo = sql`${slot.toString()}::bigint`;
  const [row] = await db.execute<{ need: string; awaiting: string }>(sql`
    select coalesce(sum(tokens_required), 0)::text as need,
      coalesce(sum(tokens_required) filter (where status = 'collected'), 0)::text as awaiting
    from redemptions
    where tx_signature is not null and status <> 'failed' and slot <= ${upTo}
      and not exists (
        select from operator_transactions settlement
        where settlement.redemption_id = redemptions.id and settlement.status = 'confirmed'
          and settlement.kind in ('refund', 'burn') and settlement.slot <= ${upTo}
      )`);
  return { all: BigInt(row?.need ?? 0), awaitingBurn: BigInt(row?.awaiting ?? 0) };
}

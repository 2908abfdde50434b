import { and, asc, desc, eq, gte, lt, lte, max, sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Month } from '../../domain/papers/month.js';
import type { Amounts } from '../../domain/papers/statement.js';
import type { Db, Tx } from '../client.js';
import { baseUnits, hasBytes, int64, moment, txSignature } from '../columns.js';
import { chainEffects } from '../indexing/chain-effects.js';
import { partnerId } from '../partners/partners.js';
import { runPrepared } from '../prepared.js';
import { asRows } from '../rows.js';

/** What came into vaults past the program: anyone may send tokens to a vault, and only its balance shows it. */
export const vaultDeposits = pgTable(
  'vault_deposits',
  {
    partnerId: partnerId().notNull(),
    txSignature: txSignature('tx_signature').notNull(),
    slot: int64().notNull(),
    /** By the clock of the chain, where the node reports it. */
    at: moment('at').notNull(),
    gold: baseUnits('gold').notNull(),
    usdc: baseUnits('usdc').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.partnerId, t.txSignature] }),
    check('vault_deposits_signature', hasBytes(t.txSignature, 64)),
    check('vault_deposits_any', sql`${t.gold} <> 0 or ${t.usdc} <> 0`),
  ],
);

/**
 * What vaults held on chain: the last reading of each month while it lasts, and then one at a finalized slot behind its end, from
 * which the balance at its end follows.
 */
export const vaultReadings = pgTable(
  'vault_readings',
  {
    partnerId: partnerId().notNull(),
    month: text().notNull().$type<Month>(),
    slot: int64().notNull(),
    gold: baseUnits('gold').notNull(),
    usdc: baseUnits('usdc').notNull(),
  },
  (t) => [primaryKey({ columns: [t.partnerId, t.month] })],
);

/** The last slot of each month that is over. */
export const monthEnds = pgTable(
  'month_ends',
  {
    month: text().primaryKey().$type<Month>(),
    slot: int64().notNull(),
  },
  (t) => [check('month_ends_month', sql`${t.month} ~ '^20[0-9]{2}-[0-9]{2}$'`)],
);

export type VaultDeposit = typeof vaultDeposits.$inferSelect;
export type VaultReading = typeof vaultReadings.$inferSelect;

/** Writes what came into vaults, without what is written already. */
export async function insertDeposits(tx: Tx, deposits: VaultDeposit[]): Promise<void> {
  if (deposits.length === 0) return;
  const given = asRows(vaultDeposits, deposits);
  await runPrepared(
    tx,
    sql`insert into ${vaultDeposits} (${given.columns}) select * from ${given.rows} on conflict do nothing`,
  );
}

/** Returns the last slot of a month; undefined before that is known. */
export async function findMonthEnd(db: Db | Tx, month: Month): Promise<bigint | undefined> {
  const [found] = await db.select().from(monthEnds).where(eq(monthEnds.month, month));
  return found?.slot;
}

/** Returns the newest month whose last slot is known, and that slot. */
export async function findLastMonthEnd(db: Db | Tx): Promise<typeof monthEnds.$inferSelect | undefined> {
  const [found] = await db.select().from(monthEnds).orderBy(desc(monthEnds.month)).limit(1);
  return found;
}

/** Keeps the last slot of a month, unless it is known. */
export async function insertMonthEnd(tx: Tx, end: typeof monthEnds.$inferSelect): Promise<void> {
  await tx.insert(monthEnds).values(end).onConflictDoNothing();
}

/** Keeps what a vault holds; of two readings of a month the later. */
export async function saveReading(tx: Tx, reading: VaultReading): Promise<void> {
  const { slot, gold, usdc } = reading;
  await tx
    .insert(vaultReadings)
    .values(reading)
    .onConflictDoUpdate({
      target: [vaultReadings.partnerId, vaultReadings.month],
      set: { slot, gold, usdc },
      setWhere: lte(vaultReadings.slot, slot),
    });
}

/** Returns the newest reading of a partner's vault that is of a month or an earlier one; undefined where there is none. */
export async function findReading(
  db: Db | Tx,
  partner: Uuid,
  month: Month,
): Promise<VaultReading | undefined> {
  const [found] = await db
    .select()
    .from(vaultReadings)
    .where(and(eq(vaultReadings.partnerId, partner), lte(vaultReadings.month, month)))
    .orderBy(desc(vaultReadings.month))
    .limit(1);
  return found;
}

/** Returns the months of a partner that are over and whose reading is from before their end. */
export async function findMonthsToRead(db: Db | Tx, partner: Uuid): Promise<Month[]> {
  const rows = await db
    .select({ month: vaultReadings.month })
    .from(vaultReadings)
    .innerJoin(monthEnds, eq(monthEnds.month, vaultReadings.month))
    .where(and(eq(vaultReadings.partnerId, partner), lt(vaultReadings.slot, monthEnds.slot)));
  return rows.map(({ month }) => month);
}

/** Returns whether a partner's vault was read for a month from behind its end, or only for later ones. */
export async function isMonthRead(db: Db | Tx, partner: Uuid, month: Month, end: bigint): Promise<boolean> {
  const [first] = await db
    .select()
    .from(vaultReadings)
    .where(and(eq(vaultReadings.partnerId, partner), gte(vaultReadings.month, month)))
    .orderBy(asc(vaultReadings.month))
    .limit(1);
  return first !== undefined && (first.month > month || first.slot >= end);
}

/**
 * Returns the last slot that had a record by this time, for a month of which the nodes have no blocks any more; -1 before the
 * first record. Reads every record.
 */
export async function findLastSlotBefore(db: Db | Tx, moment: Date): Promise<bigint> {
  const [row] = await db
    .select({ slot: max(chainEffects.slot) })
    .from(chainEffects)
    .where(lt(chainEffects.createdAt, moment));
  return row?.slot ?? -1n;
}

/** Returns by how much the records have changed a partner's vault up to a slot, since it was made; base units. */
export async function findBook(db: Db | Tx, partner: Uuid, upTo: bigint): Promise<Amounts> {
  const [row] = await runPrepared<{ gold: string; usdc: string }>(
    db,
    sql`
    select coalesce(sum(gold), 0)::text as gold, coalesce(sum(usdc), 0)::text as usdc from (
      select
        case kind when 'purchase' then executed_gold else -coalesce(executed_gold, 0) end as gold,
        case kind when 'sale' then executed_usdc else -coalesce(executed_usdc, 0) end as usdc
      from orders
      where partner_id = ${partner} and kind in ('purchase', 'sale', 'withdrawal') and status = 'confirmed' and slot <= ${upTo}
      union all
      select gold, usdc from vault_deposits where partner_id = ${partner} and slot <= ${upTo}
    ) as moved`,
  );
  return { gold: BigInt(row?.gold ?? 0), usdc: BigInt(row?.usdc ?? 0) };
}

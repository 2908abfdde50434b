import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { boolean, index, pgEnum, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from '../client.js';
import { baseUnits, moment } from '../columns.js';

/** Token accounts of the house; what partners and users hold is theirs. */
export const houseRoles = ['treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold'] as const;
export type HouseRole = (typeof houseRoles)[number];

export const houseRole = pgEnum('house_role', houseRoles);

/**
 * By how much each transaction of the chain changed the accounts of the house, whether it is one of the service or not.
 * Added up it is what the chain says; the records of trades, orders, redemptions and settlements have to say the same.
 */
export const houseMovements = pgTable(
  'house_movements',
  {
    txSignature: text('tx_signature').notNull(),
    account: text().notNull(),
    role: houseRole().notNull(),
    slot: baseUnits().notNull(),
    /** Base units by which the balance rose, or fell when negative. */
    change: baseUnits().notNull(),
    /** The part of it that a record of the service must account for; the rest came or went without the service. */
    due: baseUnits().notNull(),
    /** The part of it that the admin had the program mint, withdraw or sweep: the program's event accounts for it. */
    byAdmin: baseUnits('by_admin').notNull().default(sql`0`),
    /** A deposit past the service so small that the dead letter of its sender and day accounts for it. */
    dust: boolean().notNull().default(false),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.txSignature, t.account] }),
    index('house_movements_account').on(t.account, t.slot),
    index('house_movements_slot').on(t.slot),
  ],
);

/**
 * What an account of the house held without a transaction that the indexer has seen: written once, when it is first looked
 * at. With it goes a sum that spares adding up all movements every time: it is added up anew whenever it does not fit.
 */
export const houseBaselines = pgTable('house_baselines', {
  account: text().primaryKey(),
  role: houseRole().notNull(),
  /** Base units. */
  balance: baseUnits().notNull(),
  /** The first slot from which every transaction of the account is known. */
  slot: baseUnits().notNull(),
  /** The sum of all movements up to a slot. */
  summedSlot: baseUnits('summed_slot').notNull(),
  summed: baseUnits().notNull(),
  createdAt: moment('created_at').notNull(),
});

/** What one transaction moved of one account of the house; base units. */
export type HouseMovementFacts = Pick<
  typeof houseMovements.$inferSelect,
  'account' | 'role' | 'change' | 'due'
> & { dust?: boolean; byAdmin?: bigint };

/**
 * Keeps what a transaction moved. What was kept of it before is replaced: it may have ended in another block. Returns
 * whether nothing was kept of it before.
 */
export async function keepHouseMovements(
  tx: Tx,
  { signature: txSignature, slot }: { signature: string; slot: bigint },
  movements: HouseMovementFacts[],
  at: Date,
): Promise<boolean> {
  const kept = await tx
    .insert(houseMovements)
    .values(movements.map((movement) => ({ ...movement, txSignature, slot, createdAt: at })))
    .onConflictDoUpdate({
      target: [houseMovements.txSignature, houseMovements.account],
      set: {
        role: sql`excluded.role`,
        slot: sql`excluded.slot`,
        change: sql`excluded.change`,
        due: sql`excluded.due`,
        byAdmin: sql`excluded.by_admin`,
        dust: sql`excluded.dust`,
      },
    })
    .returning({ inserted: sql<boolean>`xmax = 0` });
  return kept.every(({ inserted }) => inserted);
}

/** Forgets what a transaction moved that the chain does not carry after all. */
export async function forgetHouseMovements(tx: Tx, txSignature: string): Promise<void> {
  await tx.delete(houseMovements).where(eq(houseMovements.txSignature, txSignature));
}

export type HouseBaseline = Omit<typeof houseBaselines.$inferSelect, 'createdAt'>;

/** What the accounts of the house held to begin with, those that were looked at. */
export async function findHouseBaselines(db: Db | Tx): Promise<HouseBaseline[]> {
  const { account, role, balance, slot, summedSlot, summed } = houseBaselines;
  return db.select({ account, role, balance, slot, summedSlot, summed }).from(houseBaselines);
}

/** Keeps what an account held to begin with, or, when that is kept, a newer sum of its movements. */
export async function keepHouseBaseline(tx: Tx, baseline: HouseBaseline, at: Date): Promise<void> {
  const { summedSlot, summed } = baseline;
  await tx
    .insert(houseBaselines)
    .values({ ...baseline, createdAt: at })
    .onConflictDoUpdate({ target: houseBaselines.account, set: { summedSlot, summed } });
}

/** The sum of an account's movements in slots above `after`, up to `slot`; base units. */
export async function sumHouseMovements(
  db: Db | Tx,
  account: string,
  { after, slot }: { after: bigint; slot: bigint },
): Promise<bigint> {
  const [row] = await db
    .select({ sum: sql<string>`coalesce(sum(${houseMovements.change}), 0)::text` })
    .from(houseMovements)
    .where(between(account, after, slot));
  return BigInt(row?.sum ?? 0);
}

/** The changes of an account in slots above `after`, up to `slot`, as they came. */
export async function findHouseChanges(
  db: Db | Tx,
  account: string,
  { after, slot }: { after: bigint; slot: bigint },
): Promise<bigint[]> {
  const rows = await db
    .select({ change: houseMovements.change })
    .from(houseMovements)
    .where(between(account, after, slot))
    .orderBy(asc(houseMovements.slot), asc(houseMovements.createdAt));
  return rows.map(({ change }) => change);
}

function between(account: string, after: bigint, slot: bigint) {
  return and(
    eq(houseMovements.account, account),
    gt(houseMovements.slot, after),
    lte(houseMovements.slot, slot),
  );
}

/** The slot of the first movement that is known of any account of the house; undefined when there is none. */
export async function findFirstHouseMovement(db: Db | Tx): Promise<bigint | undefined> {
  const [row] = await db
    .select({ slot: houseMovements.slot })
    .from(houseMovements)
    .orderBy(asc(houseMovements.slot))
    .limit(1);
  return row?.slot;
}

import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { boolean, check, index, pgEnum, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { type Address, type TxSignature, txSignatureOf } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { address, baseUnits, hasBytes, int64, moment, txSignature } from '../columns.js';
import { asRows } from '../rows.js';

/** Token treasury accounts; what partners and users hold is theirs. */
export const treasuryRoles = ['treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold'] as const;
export type TreasuryRole = (typeof treasuryRoles)[number];

export const treasuryRole = pgEnum('treasury_role', treasuryRoles);

/**
 * By how much each transaction of the chain changed the treasury accounts, whether it is one of the service or not.
 * Their sum is the balance on chain; the records of trades, orders, redemptions and settlements must add up to the
 * same.
 */
export const treasuryMovements = pgTable(
  'treasury_movements',
  {
    txSignature: txSignature('tx_signature').notNull(),
    account: address().notNull(),
    role: treasuryRole().notNull(),
    slot: int64().notNull(),
    /** Base units by which the balance rose, or fell when negative. */
    change: baseUnits().notNull(),
    /** The part of it that a record of the service must account for; the rest came or went without the service. */
    due: baseUnits().notNull(),
    /** The part of it that the admin had the program mint, withdraw or sweep: the program's event accounts for it. */
    byAdmin: baseUnits('by_admin').notNull().default(sql`0`),
    /** A deposit not made through the service, so small that the dead letter of its sender and day accounts for it. */
    dust: boolean().notNull().default(false),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.txSignature, t.account] }),
    index('treasury_movements_account').on(t.account, t.slot),
    index('treasury_movements_slot').on(t.slot),
    check('treasury_movements_lengths', sql`${hasBytes(t.txSignature, 64)} and ${hasBytes(t.account, 32)}`),
  ],
);

/**
 * What a treasury account held without a transaction that the indexer has seen: written once, when it is first looked
 * at. With it goes a sum that spares adding up all movements every time: it is added up again whenever it does not fit.
 */
export const treasuryBaselines = pgTable('treasury_baselines', {
  account: address().primaryKey(),
  role: treasuryRole().notNull(),
  /** Base units. */
  balance: baseUnits().notNull(),
  /** The first slot from which every transaction of the account is known. */
  slot: int64().notNull(),
  /** The sum of all movements up to a slot. */
  summedSlot: int64('summed_slot').notNull(),
  summed: baseUnits().notNull(),
  createdAt: moment('created_at').notNull(),
});

/** What one transaction moved of one treasury account; base units. */
export type TreasuryMovementFacts = Pick<
  typeof treasuryMovements.$inferSelect,
  'account' | 'role' | 'change' | 'due'
> & { dust?: boolean; byAdmin?: bigint };

/** What one transaction moved of the treasury accounts. */
export interface TreasuryMoves {
  signature: TxSignature;
  slot: bigint;
  movements: TreasuryMovementFacts[];
}

/**
 * Keeps what transactions moved, each of which is given once. What was kept of one before is replaced: it may have ended
 * in another block. Returns those of which something was kept before.
 */
export async function keepTreasuryMovements(
  tx: Tx,
  transactions: readonly TreasuryMoves[],
  at: Date,
): Promise<Set<TxSignature>> {
  const rows = transactions.flatMap(({ signature: txSignature, slot, movements }) =>
    movements.map(({ account, role, change, due, byAdmin = 0n, dust = false }) => ({
      ...{ txSignature, account, role, slot, change, due, byAdmin, dust },
      createdAt: at,
    })),
  );
  if (rows.length === 0) return new Set();
  const given = asRows(treasuryMovements, rows);
  const kept = await tx.execute<{ signature: Uint8Array; inserted: boolean }>(sql`
    insert into ${treasuryMovements} (${given.columns}) select * from ${given.rows}
    on conflict (tx_signature, account) do update set
      role = excluded.role, slot = excluded.slot, change = excluded.change, due = excluded.due,
      by_admin = excluded.by_admin, dust = excluded.dust
    returning tx_signature as signature, xmax = 0 as inserted`);
  return new Set(kept.flatMap(({ signature, inserted }) => (inserted ? [] : [txSignatureOf(signature)])));
}

/** Forgets what a transaction moved that the chain does not carry after all. */
export async function forgetTreasuryMovements(tx: Tx, txSignature: TxSignature): Promise<void> {
  await tx.delete(treasuryMovements).where(eq(treasuryMovements.txSignature, txSignature));
}

export type TreasuryBaseline = Omit<typeof treasuryBaselines.$inferSelect, 'createdAt'>;

/** Returns what the treasury accounts held to begin with, those that were looked at. */
export async function findTreasuryBaselines(db: Db | Tx): Promise<TreasuryBaseline[]> {
  const { account, role, balance, slot, summedSlot, summed } = treasuryBaselines;
  return db.select({ account, role, balance, slot, summedSlot, summed }).from(treasuryBaselines);
}

/** Keeps what an account held to begin with, or, when that is kept, a newer sum of its movements. */
export async function keepTreasuryBaseline(tx: Tx, baseline: TreasuryBaseline, at: Date): Promise<void> {
  const { summedSlot, summed } = baseline;
  await tx
    .insert(treasuryBaselines)
    .values({ ...baseline, createdAt: at })
    .onConflictDoUpdate({ target: treasuryBaselines.account, set: { summedSlot, summed } });
}

/** Returns the sum of an account's movements in slots above `after`, up to `slot`; base units. */
export async function sumTreasuryMovements(
  db: Db | Tx,
  account: Address,
  { after, slot }: { after: bigint; slot: bigint },
): Promise<bigint> {
  const [row] = await db
    .select({ sum: sql<string>`coalesce(sum(${treasuryMovements.change}), 0)::text` })
    .from(treasuryMovements)
    .where(between(account, after, slot));
  return BigInt(row?.sum ?? 0);
}

/** Returns the changes of an account in slots above `after`, up to `slot`, as they came. */
export async function findTreasuryChanges(
  db: Db | Tx,
  account: Address,
  { after, slot }: { after: bigint; slot: bigint },
): Promise<bigint[]> {
  const rows = await db
    .select({ change: treasuryMovements.change })
    .from(treasuryMovements)
    .where(between(account, after, slot))
    .orderBy(asc(treasuryMovements.slot), asc(treasuryMovements.createdAt));
  return rows.map(({ change }) => change);
}

function between(account: Address, after: bigint, slot: bigint) {
  return and(
    eq(treasuryMovements.account, account),
    gt(treasuryMovements.slot, after),
    lte(treasuryMovements.slot, slot),
  );
}

/** Returns the slot of the first movement that is known of any treasury account; undefined when there is none. */
export async function findFirstTreasuryMovement(db: Db | Tx): Promise<bigint | undefined> {
  const [row] = await db
    .select({ slot: treasuryMovements.slot })
    .from(treasuryMovements)
    .orderBy(asc(treasuryMovements.slot))
    .limit(1);
  return row?.slot;
}

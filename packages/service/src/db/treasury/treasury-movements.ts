import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm';
import { boolean, check, pgEnum, pgTable, pgView, smallint, unique } from 'drizzle-orm/pg-core';
import type { Address } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { address, baseUnits, hasBytes, int64, moment, txSignature } from '../columns.js';
import { chainEffects } from '../indexing/chain-effects.js';

/** Token treasury accounts; what partners and users hold is theirs. */
export const treasuryRoles = ['treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold'] as const;
export type TreasuryRole = (typeof treasuryRoles)[number];

export const treasuryRole = pgEnum('treasury_role', treasuryRoles);

/** Every account that ever moved, by the number that is its subscript in arrays of movements. */
export const treasuryAccounts = pgTable(
  'treasury_accounts',
  {
    id: smallint().primaryKey().generatedAlwaysAsIdentity(),
    account: address().notNull(),
    role: treasuryRole().notNull(),
  },
  (t) => [
    unique('treasury_accounts_account_role').on(t.account, t.role),
    check('treasury_accounts_length', hasBytes(t.account, 32)),
  ],
);

/**
 * What each transaction moved of each treasury account. The sum of an account is its balance on chain; the records of
 * trades, orders, redemptions and settlements must add up to the same.
 */
export const treasuryMovements = pgView('treasury_movements', {
  txSignature: txSignature('tx_signature').notNull(),
  account: address().notNull(),
  role: treasuryRole().notNull(),
  slot: int64().notNull(),
  /** Base units by which the balance rose, or fell when negative. */
  change: baseUnits().notNull(),
  /** The part of it that a record of the service must account for; the rest came or went without the service. */
  due: baseUnits().notNull(),
  /** The part of it that the admin had the program mint, withdraw or sweep: the program's event accounts for it. */
  byAdmin: baseUnits('by_admin').notNull(),
  /** A deposit not made through the service, so small that the dead letter of its sender and day accounts for it. */
  dust: boolean().notNull(),
  createdAt: moment('created_at').notNull(),
}).existing();

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
export interface TreasuryMovementFacts {
  account: Address;
  role: TreasuryRole;
  change: bigint;
  due: bigint;
  dust?: boolean;
  byAdmin?: bigint;
}

type TreasuryAccount = Pick<TreasuryMovementFacts, 'account' | 'role'>;

/** Returns what gives accounts their numbers; those that move for the first time get one. */
export async function numberTreasuryAccounts(
  tx: Tx,
  moved: readonly TreasuryAccount[],
): Promise<(account: TreasuryAccount) => number> {
  const keyOf = ({ account, role }: TreasuryAccount) => `${account} ${role}`;
  const read = async () =>
    new Map((await tx.select().from(treasuryAccounts)).map((row) => [keyOf(row), row.id]));
  let known = await read();
  const news = new Map(
    moved.flatMap(({ account, role }) => {
      const key = keyOf({ account, role });
      return known.has(key) ? [] : [[key, { account, role }] as const];
    }),
  );
  if (news.size > 0) {
    await tx
      .insert(treasuryAccounts)
      .values([...news.values()])
      .onConflictDoNothing();
    known = await read();
  }
  return (account) => {
    const id = known.get(keyOf(account));
    if (id === undefined) throw new Error(`the treasury account ${account.account} has no number`);
    return id;
  };
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
  const { changes, slot: movedIn } = chainEffects;
  // Not by the view, which would make a row of every movement of every account.
  const change = sql`${changes}[${treasuryAccounts.id}]`;
  const [row] = await db
    .select({ sum: sql<string>`coalesce(sum(${change}), 0)::text` })
    .from(chainEffects)
    .innerJoin(treasuryAccounts, eq(treasuryAccounts.account, account))
    .where(and(gt(movedIn, after), lte(movedIn, slot)));
  return BigInt(row?.sum ?? 0);
}

/** Returns the slot of the first movement that is known of any treasury account; undefined when there is none. */
export async function findFirstTreasuryMovement(db: Db | Tx): Promise<bigint | undefined> {
  const [row] = await db
    .select({ slot: chainEffects.slot })
    .from(chainEffects)
    .where(isNotNull(chainEffects.changes))
    .orderBy(asc(chainEffects.slot))
    .limit(1);
  return row?.slot;
}

import { and, asc, eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import { boolean, check, index, pgEnum, pgTable, pgView, smallint, unique } from 'drizzle-orm/pg-core';
import { type Address, signatureToBytes, type TxSignature, txSignatureOf } from '../../domain/solana.js';
import { arrayOf, linesOf } from '../arrays.js';
import type { Db, Tx } from '../client.js';
import { address, baseUnits, hasBytes, int64, moment, txSignature } from '../columns.js';
import { runPrepared } from '../prepared.js';

/** Token treasury accounts; what partners and users hold is theirs. */
export const treasuryRoles = ['treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold'] as const;
export type TreasuryRole = (typeof treasuryRoles)[number];

export const treasuryRole = pgEnum('treasury_role', treasuryRoles);

/** Every account that ever moved, by a number that a row of movements has room for. */
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
 * By how much each transaction of the chain changed the treasury accounts, whether it is one of the service or not: a row
 * a transaction, its accounts in arrays, which takes a fifth of the room of a row an account. Read as the view
 * `treasury_movements`. `rules.sql` has the constraint that a transaction has one row.
 */
export const treasuryTransactions = pgTable(
  'treasury_transactions',
  {
    slot: int64().notNull(),
    createdAt: moment('created_at').notNull(),
    txSignature: txSignature('tx_signature').notNull(),
    accounts: smallint().array().notNull(),
    changes: int64().array().notNull(),
    /** Null where each is the whole change. */
    dues: int64().array(),
    /** Null where the admin moved nothing. */
    byAdmin: int64('by_admin').array(),
    /** Null where nothing is dust. */
    dust: boolean().array(),
  },
  (t) => [
    index('treasury_transactions_slot').on(t.slot),
    check('treasury_transactions_signature_length', hasBytes(t.txSignature, 64)),
    check(
      'treasury_transactions_arrays',
      sql`cardinality(${t.accounts}) > 0 and cardinality(${t.accounts}) = all (array[cardinality(${t.changes}),
        coalesce(cardinality(${t.dues}), cardinality(${t.accounts})),
        coalesce(cardinality(${t.byAdmin}), cardinality(${t.accounts})),
        coalesce(cardinality(${t.dust}), cardinality(${t.accounts}))])`,
    ),
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
  const moving = transactions.filter(({ movements }) => movements.length > 0);
  if (moving.length === 0) return new Set();
  const numberOf = await numberTreasuryAccounts(
    tx,
    moving.flatMap(({ movements }) => movements),
  );
  const rows = moving.map(({ signature, slot, movements }) => ({
    txSignature: signature,
    slot,
    accounts: listOf(movements.map(numberOf)),
    changes: listOf(movements.map(({ change }) => change)),
    dues: movements.some(({ due, change }) => due !== change)
      ? listOf(movements.map(({ due }) => due))
      : null,
    byAdmin: movements.some(({ byAdmin }) => byAdmin)
      ? listOf(movements.map(({ byAdmin = 0n }) => byAdmin))
      : null,
    dust: movements.some(({ dust }) => dust) ? listOf(movements.map(({ dust = false }) => dust)) : null,
  }));
  // Added in one order, so that of two writers of the same transactions none waits for the other in turn.
  const kept = await runPrepared<{ signature: Uint8Array }>(
    tx,
    sql`
    with moves as materialized (select * from ${movesOf(rows)}), added as (
      insert into ${treasuryTransactions} (created_at, tx_signature, slot, accounts, changes, dues, by_admin, dust)
      select ${at.toISOString()}::timestamptz, ${columnsOfMoves} from moves order by tx_signature
      on conflict do nothing returning tx_signature
    )
    select tx_signature as signature from moves where tx_signature not in (select tx_signature from added)`,
  );
  const known = new Set(kept.map(({ signature }) => txSignatureOf(signature)));
  const again = rows.filter(({ txSignature: signature }) => known.has(signature));
  if (again.length > 0)
    await tx.execute(sql`
      update ${treasuryTransactions} kept
      set slot = moves.slot, accounts = moves.accounts, changes = moves.changes, dues = moves.dues,
        by_admin = moves.by_admin, dust = moves.dust
      from (select ${columnsOfMoves} from ${movesOf(again)}) as moves where kept.tx_signature = moves.tx_signature`);
  return known;
}

/** What a transaction moved, its arrays as text. */
interface MovesRow {
  txSignature: TxSignature;
  slot: bigint;
  accounts: string;
  changes: string;
  dues: string | null;
  byAdmin: string | null;
  dust: string | null;
}

const listOf = (values: readonly unknown[]) => `{${values.join(',')}}`;

/** Returns rows as a table of SQL: arrays in arrays have no form in which many rows are written at once. */
function movesOf(rows: readonly MovesRow[]): SQL {
  const { txSignature: signature, slot } = treasuryTransactions;
  const signatures = rows.map((row) => signatureToBytes(row.txSignature));
  const slots = rows.map((row) => row.slot.toString());
  const lists = (['accounts', 'changes', 'dues', 'byAdmin', 'dust'] as const).map((name) =>
    linesOf(rows.map((row) => row[name])),
  );
  return sql`unnest(${arrayOf(signature, signatures)}, ${arrayOf(slot, slots)}, ${sql.join(lists, sql`, `)})
    as moves (tx_signature, slot, accounts, changes, dues, by_admin, dust)`;
}

const columnsOfMoves = sql`tx_signature, slot, accounts::smallint[] as accounts, changes::bigint[] as changes,
  dues::bigint[] as dues, by_admin::bigint[] as by_admin, dust::boolean[] as dust`;

type TreasuryAccount = Pick<TreasuryMovementFacts, 'account' | 'role'>;

/** Returns what gives accounts their numbers; those that move for the first time get one. */
async function numberTreasuryAccounts(
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

/** Forgets what a transaction moved that the chain does not carry after all. */
export async function forgetTreasuryMovements(tx: Tx, signature: TxSignature): Promise<void> {
  await tx.delete(treasuryTransactions).where(eq(treasuryTransactions.txSignature, signature));
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
  const { accounts, changes, slot: movedIn } = treasuryTransactions;
  // Not by the view, which would make a row of every movement of every account.
  const change = sql`${changes}[array_position(${accounts}, ${treasuryAccounts.id})]`;
  const [row] = await db
    .select({ sum: sql<string>`coalesce(sum(${change}), 0)::text` })
    .from(treasuryTransactions)
    .innerJoin(treasuryAccounts, eq(treasuryAccounts.account, account))
    .where(and(gt(movedIn, after), lte(movedIn, slot)));
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
    .select({ slot: treasuryTransactions.slot })
    .from(treasuryTransactions)
    .orderBy(asc(treasuryTransactions.slot))
    .limit(1);
  return row?.slot;
}

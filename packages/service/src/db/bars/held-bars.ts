import { and, count, eq, gt, gte, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { parseDecimal } from '../../domain/money.js';
import { goldOfFine, heldStatuses } from '../../domain/reserves/statement.js';
import { finenessDecimals, weightDecimals } from '../../domain/weight.js';
import type { Db, Tx } from '../client.js';
import { bars } from './bars.js';

/** The bars in the vaults. */
export interface HeldBars {
  count: number;
  /** Fine gold in base units of GOLD, rounded down. */
  gold: bigint;
}

/** Weighs the bars in the vaults, exactly, as a statement of the reserves does. */
export async function weighHeldBars(db: Db | Tx): Promise<HeldBars> {
  const { weightG, fineness, status } = bars;
  const [row] = await db
    .select({ count: count(), fine: sql<string>`coalesce(sum(${weightG} * ${fineness}), 0)::text` })
    .from(bars)
    .where(inArray(status, [...heldStatuses]));
  // Grams by parts per thousand: three decimals fewer than fine grams have.
  const fine = parseDecimal(row?.fine ?? '0', weightDecimals + finenessDecimals);
  if (fine === undefined) throw new Error('the bars in the vaults have no weight');
  return { count: row?.count ?? 0, gold: goldOfFine(fine) };
}

/** Returns how many bars were withdrawn since a time: a bar that is withdrawn never changes again. */
export const countWithdrawnBars = (db: Db | Tx, since: Date) =>
  countBars(db, and(eq(bars.status, 'withdrawn'), gte(bars.updatedAt, since)));

/** Returns how many bars were entered after one time and until another. */
export const countNewBars = (db: Db | Tx, { after, until }: { after: Date; until: Date }) =>
  countBars(db, and(gt(bars.createdAt, after), lte(bars.createdAt, until)));

async function countBars(db: Db | Tx, condition: SQL | undefined): Promise<number> {
  const [row] = await db.select({ count: count() }).from(bars).where(condition);
  return row?.count ?? 0;
}

/** Returns whether a bar was ever entered. */
export async function hasBars(db: Db | Tx): Promise<boolean> {
  return (await db.select({ id: bars.id }).from(bars).limit(1)).length > 0;
}

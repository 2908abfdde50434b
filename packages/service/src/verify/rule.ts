import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../db/client.js';
import { type Broken, counted, type Invariant, maxNamed, type Verdict, verdictOf } from './verdict.js';

/** What must hold of the rows of the database alone. */
export interface Rule {
  invariant: Invariant;
  /** What holds, in a sentence without its end. */
  holds: string;
  /** Selects one number: of how many rows it is said. */
  count: SQL;
  /** What is counted. */
  noun: [one: string, many: string];
  /** Selects the rows that break it, each as `row` and `fault`. */
  broken: SQL;
}

/** Looks for rows that break a rule. */
export async function follow(tx: Tx, { invariant, holds, count, noun, broken }: Rule): Promise<Verdict> {
  const [row] = await tx.execute<{ count: string }>(sql`select (${count})::text as count`);
  const found = await findBroken(tx, broken);
  const detail = `${holds}: ${counted(BigInt(row?.count ?? 0), ...noun)}.`;
  return verdictOf(invariant, detail, found.broken, found.total);
}

/** Returns the first rows that a statement selects, and how many there are. */
export async function findBroken(tx: Tx, query: SQL): Promise<{ broken: Broken[]; total: number }> {
  const rows = await tx.execute<{ row: string; fault: string; total: number }>(sql`
    select row, fault, (count(*) over ())::int as total from (${query}) as broken (row, fault) order by row limit ${maxNamed}`);
  const broken = rows.map(({ row, fault }) => ({ row, fault }));
  return { broken, total: rows[0]?.total ?? 0 };
}

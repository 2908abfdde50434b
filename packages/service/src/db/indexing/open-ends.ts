import { and, eq, not, or, type SQL, sql } from 'drizzle-orm';
import { operatorTransactions } from '../approvals/operator-transactions.js';
import type { Db, Tx } from '../client.js';
import { mayHaveEnded } from '../ended.js';
import { orders } from '../orders/orders.js';
import { redemptions } from '../redemptions/redemptions.js';
import { hasFinalRecord, isRecordedTrade, openTrade, submissions } from '../trades/submissions.js';

/**
 * Returns whether anything waits that may have ended by now (`ends`: an order, a trade that was sent, a quote of a redemption, or
 * a transaction of an operator), and whether a trade that was sent can be closed, since its record is final (`closes`).
 */
export async function findOpenEnds(db: Db | Tx, now: Date): Promise<{ ends: boolean; closes: boolean }> {
  const waiting: [
    typeof orders | typeof redemptions | typeof operatorTransactions | typeof submissions,
    SQL | undefined,
  ][] = [
    [orders, and(eq(orders.status, 'pending_signature'), mayHaveEnded(orders.createdAt, now))],
    [redemptions, and(eq(redemptions.status, 'quoted'), mayHaveEnded(redemptions.createdAt, now))],
    [
      operatorTransactions,
      and(eq(operatorTransactions.status, 'pending'), mayHaveEnded(operatorTransactions.createdAt, now)),
    ],
    [
      submissions,
      and(openTrade(submissions), not(isRecordedTrade), mayHaveEnded(submissions.createdAt, now)),
    ],
  ];
  const exists = waiting.map(([table, waits]) => sql`exists (select from ${table} where ${waits})`);
  const closes = sql`exists (select from ${submissions} where ${and(openTrade(submissions), hasFinalRecord)})`;
  const [row] = await db.execute<{ ends: boolean; closes: boolean }>(
    sql`select ${or(...exists)} as ends, ${closes} as closes`,
  );
  return { ends: row?.ends === true, closes: row?.closes === true };
}

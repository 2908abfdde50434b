import { and, eq, not, or, type SQL, sql } from 'drizzle-orm';
import { operatorTransactions } from '../approvals/operator-transactions.js';
import type { Db, Tx } from '../client.js';
import { mayHaveEnded } from '../ended.js';
import { orders } from '../orders/orders.js';
import { redemptions } from '../redemptions/redemptions.js';
import { isRecordedTrade, openTrade, submissions } from '../trades/submissions.js';

/** Returns whether anything waits that may have ended by now: an order, a trade that was sent, a quote of a redemption, or a transaction of an operator. */
export async function mayAnythingEnd(db: Db | Tx, now: Date): Promise<boolean> {
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
  const [row] = await db.execute<{ any: boolean }>(sql`select ${or(...exists)} as any`);
  return row?.any === true;
}

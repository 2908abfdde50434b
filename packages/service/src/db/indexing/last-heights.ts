import { and, eq, gt, sql } from 'drizzle-orm';
import { openOperatorTransaction, operatorTransactions } from '../approvals/operator-transactions.js';
import type { Db } from '../client.js';
import { openOrder, orders } from '../orders/orders.js';
import { redemptions } from '../redemptions/redemptions.js';
import { openTrade, submissions } from '../trades/submissions.js';

/** What waits until it has landed or can land no longer, with the condition for a row that does. */
const waiting = [
  { table: operatorTransactions, waits: openOperatorTransaction(operatorTransactions) },
  { table: orders, waits: openOrder(orders) },
  { table: redemptions, waits: eq(redemptions.status, 'quoted') },
  { table: submissions, waits: openTrade(submissions) },
] as const;

/** Lowers the last block height of everything that waits and is said to land above `most`, and returns how many rows that were. */
export async function lowerLastHeights(db: Db, most: bigint): Promise<number> {
  let lowered = 0;
  for (const { table, waits } of waiting) {
    const { count } = await db.transaction((tx) =>
      tx
        .update(table)
        .set({ lastValidBlockHeight: sql`${most}` })
        .where(and(waits, gt(table.lastValidBlockHeight, most))),
    );
    lowered += count;
  }
  return lowered;
}

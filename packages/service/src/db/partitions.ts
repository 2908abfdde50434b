import { sql } from 'drizzle-orm';
import type { Tx } from './client.js';

/** Tables in parts by time: events by month, requests by day. */
export type PartitionedLog = 'events' | 'request_log';

/**
 * Makes the part of a log for now and the next two, and drops those with nothing that was written since `keptSince`. The
 * processes may not make tables: a function of the tables' owner does it for them.
 */
export async function keepPartitions(tx: Tx, log: PartitionedLog, at: Date, keptSince: Date): Promise<void> {
  await tx.execute(
    sql`select keep_partitions(${log}, ${at.toISOString()}::timestamptz, ${keptSince.toISOString()}::timestamptz)`,
  );
}

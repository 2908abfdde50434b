import type { Context } from '../../context.js';
import { slowTransaction } from '../../db/client.js';
import { keepPartitions } from '../../db/partitions.js';
import { requestCounts } from '../../db/requests/request-log.js';
import { deleteSomeBefore } from '../../db/rows.js';
import { requestsKeptMs } from '../../domain/request-log.js';

/** Requests that were written outside of every day are moved to theirs, which may take a while. */
const moveWithinMs = 60_000;
/** Counts that one transaction deletes. */
const deletedAtOnce = 5_000;

/**
 * Makes the days ahead in which requests are logged, and drops those that are older than requests are kept, with what was
 * counted on them. Any number of processes may do it.
 */
export async function keepRequestLog(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = ctx.clock.now();
  const [at, keptSince] = [new Date(now), new Date(now - requestsKeptMs)];
  await slowTransaction(ctx.db, moveWithinMs, (tx) => keepPartitions(tx, 'request_log', at, keptSince));
  // A day that began then is not over.
  const over = new Date(keptSince.getTime() - 24 * 60 * 60_000);
  const deleteSome = () =>
    ctx.db.transaction((tx) => deleteSomeBefore(tx, requestCounts.day, over, deletedAtOnce));
  while ((await deleteSome()) === deletedAtOnce);
}

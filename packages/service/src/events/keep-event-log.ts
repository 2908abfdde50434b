import type { Context } from '../context.js';
import { slowTransaction } from '../db/client.js';
import { keepPartitions } from '../db/partitions.js';
import { deleteSomeBefore } from '../db/rows.js';
import { webhookDeliveries } from '../db/webhooks/webhook-deliveries.js';
import { eventsKeptMs } from '../domain/event.js';

/** Events that were written outside of every month are moved to theirs, which may take a while. */
const moveWithinMs = 60_000;
/** Deliveries that one transaction deletes. */
const deletedAtOnce = 5_000;

/**
 * Makes the months ahead in which events are written, and drops those that are older than events are kept, with what was
 * sent of them. Any number of processes may do it.
 */
export async function keepEventLog(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = ctx.clock.now();
  const [at, keptSince] = [new Date(now), new Date(now - eventsKeptMs)];
  await slowTransaction(ctx.db, moveWithinMs, (tx) => keepPartitions(tx, 'events', at, keptSince));
  const deleteSome = () =>
    ctx.db.transaction((tx) => deleteSomeBefore(tx, webhookDeliveries.createdAt, keptSince, deletedAtOnce));
  while ((await deleteSome()) === deletedAtOnce);
}

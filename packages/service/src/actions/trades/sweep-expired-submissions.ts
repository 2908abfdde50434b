import type { Context } from '../../context.js';
import type { Ends } from '../../db/ended.js';
import { appendEvents } from '../../db/events/events.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import {
  closeFinalSubmissions as closeFinal,
  expireSubmissions,
  findEndedSubmissions,
  type OpenSubmission,
  operationIdOf,
} from '../../db/trades/submissions.js';
import { submissionEvent } from '../../events/partner-events.js';
import { inBatches } from '../in-batches.js';
import { pagesWithoutTrace, type Traces } from '../indexing/traces.js';

/** What one page of open trades changes is one transaction. */
const submissionsPerPage = 1_000;
/** A backlog is worked off over several rounds, so that one round does not hold up what waits behind it. */
const batchesPerRound = 20;

/**
 * Ends the trades that were sent and can no longer land, with events for their partners, and returns how many: every event of
 * the partner is recorded, and the nodes know nothing of the transaction. However many trades an outage left open: no
 * statement reads or changes more than 1,000 of them, and no call ends more than 20,000. Rejects when the nodes or the
 * database fail, and when `signal` aborts between two pages; any number of processes may do it.
 */
export async function sweepExpiredSubmissions(ctx: Context, ends: Ends, by: Traces): Promise<number> {
  const readPage = (page: { limit: number; after: OpenSubmission | undefined }) =>
    findEndedSubmissions(ctx.db, ends, page);
  let expired = 0;
  let pages = 0;
  for await (const gone of pagesWithoutTrace(ctx, readPage, submissionsPerPage, by)) {
    expired += await expire(ctx, gone);
    pages += 1;
    if (pages === batchesPerRound) break;
  }
  return expired;
}

/**
 * Closes the trades that were sent and whose records are final, at most 20,000 in one call, and returns how many. Rejects when
 * the database fails, and when `signal` aborts between two batches.
 */
export async function closeFinalSubmissions(ctx: Context, signal: AbortSignal): Promise<number> {
  const closeSome = (limit: number) =>
    ctx.db.transaction(async (tx) => {
      const closed = await closeFinal(tx, limit);
      // What was moved is locked after what was sent, here and where something is sent.
      await releaseVelocity(tx, closed.map(operationIdOf));
      return closed.length;
    });
  return inBatches(closeSome, signal, batchesPerRound);
}

async function expire(ctx: Context, gone: OpenSubmission[]): Promise<number> {
  if (gone.length === 0) return 0;
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const ended = await expireSubmissions(
      tx,
      gone.map(({ quoteId }) => quoteId),
    );
    await releaseVelocity(tx, ended.map(operationIdOf));
    const news = ended.map((submission) => submissionEvent('trade.expired', submission, null));
    await appendEvents(tx, news, at);
    return ended.length;
  });
}

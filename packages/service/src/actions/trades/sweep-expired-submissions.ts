import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import {
  closeLandedSubmissions,
  deleteSubmissionsBefore,
  expireSubmissions,
  findOpenSubmissionsBelow,
  type OpenSubmission,
  operationIdOf,
} from '../../db/trades/submissions.js';
import { submissionEvent } from '../../partner-events.js';
import { inBatches } from '../in-batches.js';
import { type FinalizedChain, withoutTrace } from '../indexing/traceless.js';

/** What one page of open trades changes is one transaction. */
const submissionsPerPage = 1_000;
const keptMs = 7 * 24 * 60 * 60_000;
/** A backlog is worked off over several rounds, so that one round does not hold up what waits behind it. */
const batchesPerRound = 20;

/**
 * Ends the trades that were sent and can no longer land, with events for their partners, and returns how many. The same proofs are
 * needed as for quotes of redemptions: everything that the finalized chain carries up to `seen` is recorded, and the nodes
 * know nothing of the transaction. Closes those whose records are final. Deletes what was sent 7 days ago and has ended.
 * However many trades an outage left open: no statement reads or changes more than 1,000 of them, and no call ends, closes
 * or deletes more than 20,000. Rejects when the nodes or the database fail, and when `signal` aborts between two pages;
 * any number of processes may do it.
 */
export async function sweepExpiredSubmissions(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(ctx.clock.now() - keptMs);
  const deleteSome = (limit: number) =>
    ctx.db.transaction((tx) => deleteSubmissionsBefore(tx, before, limit));
  await inBatches(deleteSome, signal, batchesPerRound);
  let expired = 0;
  let changedPages = 0;
  let after: OpenSubmission | undefined;
  for (;;) {
    signal.throwIfAborted();
    const page = { limit: submissionsPerPage, after };
    const open = await findOpenSubmissionsBelow(ctx.db, seen.blockHeight, page);
    const closed = await close(
      ctx,
      open.filter(({ landed }) => landed),
    );
    const missing = open.filter((each) => each.missing);
    const ended = await expire(ctx, await withoutTrace(ctx, missing, seen.slot, signal));
    expired += ended;
    after = open.at(-1);
    // Pages of trades that stay open, because they are not final, do not count: those behind them must not wait for that.
    if (closed + ended > 0) changedPages += 1;
    if (open.length < submissionsPerPage || changedPages === batchesPerRound) return expired;
  }
}

async function close(ctx: Context, landed: OpenSubmission[]): Promise<number> {
  if (landed.length === 0) return 0;
  return ctx.db.transaction(async (tx) => {
    const closed = await closeLandedSubmissions(
      tx,
      landed.map(({ quoteId }) => quoteId),
    );
    // What was moved is locked after what was sent, here and where something is sent.
    await releaseVelocity(tx, closed.map(operationIdOf));
    return closed.length;
  });
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

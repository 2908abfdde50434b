import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import {
  closeLandedSubmissions,
  deleteSubmissionsBefore,
  expireSubmissions,
  findSubmissionsExpiredBelow,
  type OpenSubmission,
  operationIdOf,
} from '../../db/trades/submissions.js';
import { submissionEvent } from '../../partner-events.js';
import { type FinalizedChain, withoutTrace } from '../indexing/traceless.js';

const submissionsPerRead = 256;
const keptMs = 7 * 24 * 60 * 60_000;

/**
 * Ends the trades that were sent and can no longer land, with events for their partners, and returns how many. The same proofs are
 * needed as for quotes of redemptions: everything that the finalized chain carries up to `seen` is recorded, and the nodes
 * know nothing of the transaction. Deletes what was sent 7 days ago and has ended. Rejects when the nodes or the database
 * fail; any number of processes may do it.
 */
export async function sweepExpiredSubmissions(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  const { blockHeight } = seen;
  let expired = 0;
  let after: OpenSubmission | undefined;
  for (;;) {
    const found = await findSubmissionsExpiredBelow(ctx.db, blockHeight, {
      limit: submissionsPerRead,
      after,
    });
    const gone = await withoutTrace(ctx, found, seen.slot, signal);
    expired += await expire(ctx, gone);
    after = found.at(-1);
    if (found.length < submissionsPerRead) break;
  }
  await ctx.db.transaction(async (tx) => {
    await deleteSubmissionsBefore(tx, new Date(ctx.clock.now() - keptMs));
    const landed = await closeLandedSubmissions(tx, blockHeight);
    // What was moved is locked after what was sent, here and where something is sent.
    await releaseVelocity(tx, landed.map(operationIdOf));
  });
  return expired;
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

import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { type DeadLetterReason, noteRetry, resolveDeadLetters } from '../../db/indexing/dead-letters.js';
import { lockProgramEvents } from '../../db/indexing/program-events.js';
import type { Uuid } from '../../domain/ids.js';
import { type ChainRecord, writeRecord } from './record-chain.js';
import { reportRecorded } from './report-recorded.js';

/**
 * Records a transaction that was a dead letter because the node did not know it, now that it does, and resolves that
 * dead letter. Anything else that is wrong with the transaction gets separate dead letters.
 */
export async function retryDeadLetter(ctx: Context, record: ChainRecord): Promise<void> {
  const startMs = performance.now();
  const events = await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    await lockProgramEvents(tx);
    const written = await writeRecord(ctx, tx, record, at);
    await resolveDeadLetters(tx, record.signature, ['transaction_unavailable', 'unsupported_version'], at);
    await appendEvents(tx, written.events, at);
    return written.events;
  });
  await reportRecorded(ctx, [record], events, startMs);
}

/**
 * Reasons that writing a record reports only the first time: that they are not reported again does not resolve them.
 */
const reportedOnce: ReadonlySet<DeadLetterReason> = new Set([
  'conflicting_event',
  'order_mismatch',
  'settlement_mismatch',
  'vanished',
  'dust',
  'reconciliation_difference',
]);

/**
 * Processes the transaction of a dead letter again because an operator requested it. The dead letter is resolved if the
 * same is not wrong any more; undefined for `record` means that no node gives the transaction at the moment.
 */
export async function carryOutRetry(
  ctx: Context,
  deadLetter: { id: Uuid; reason: DeadLetterReason },
  record: ChainRecord | undefined,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  const startMs = performance.now();
  const events = await ctx.db.transaction(async (tx) => {
    if (record) await lockProgramEvents(tx);
    const written = record && (await writeRecord(ctx, tx, record, at));
    const wrong = written ? written.deadLetters.map(({ reason }) => reason) : [deadLetter.reason];
    const settles = !wrong.includes(deadLetter.reason) && !reportedOnce.has(deadLetter.reason);
    await noteRetry(tx, deadLetter.id, at, settles);
    await appendEvents(tx, written?.events ?? [], at);
    return written?.events ?? [];
  });
  if (record) await reportRecorded(ctx, [record], events, startMs);
}

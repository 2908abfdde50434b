import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents, type NewEvent } from '../../db/events/events.js';
import {
  type DeadLetterCase,
  findDeadLetter,
  lockDeadLetter,
  updateDeadLetter,
} from '../../db/indexing/dead-letters.js';
import type { Unfinalized, WatchedRecord } from '../../db/indexing/finality.js';
import { lockProgramEvents } from '../../db/indexing/program-events.js';
import type { AuditAction } from '../../domain/audit.js';
import { asUuid } from '../../domain/ids.js';
import { asTxSignature } from '../../domain/solana.js';
import { AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { findDropped, undo } from './take-back.js';

/** A response is due within 5 s. */
const readWithinMs = 4_000;

const takeBackActions = {
  trade: 'trade.take_back',
  order: 'order.take_back',
  operator_transaction: 'operator_transaction.expire',
} as const satisfies Partial<Record<WatchedRecord, AuditAction>>;

/** A record that is taken back when a person says so. */
type Dropped = Unfinalized & { kind: keyof typeof takeBackActions };

/**
 * Requests that the indexer reads and records the transaction of a dead letter again. Throws `not_found`, or
 * `transition_not_allowed` for a dead letter that is resolved or is not about a single transaction.
 */
export async function requestRetry(change: ChangeTx, { id }: { id: string }): Promise<DeadLetterCase> {
  const deadLetter = await getForChange(change.tx, id);
  if (deadLetter.reason === 'reconciliation_difference') {
    const words = 'Every comparison checks a difference again, and resolves it once it is gone.';
    throw notAllowed(words);
  }
  if (!asTxSignature(deadLetter.signature)) {
    throw notAllowed('This dead letter is about an account, so there is no transaction to read again.');
  }
  const changes = { retryRequestedAt: deadLetter.retryRequestedAt ?? change.at };
  return write(change, deadLetter, changes, { action: 'dead_letter.retry' });
}

/**
 * Resolves a dead letter that a person has handled, with the reason. What a transaction that is `vanished` made of records,
 * as `findDroppedBehind` returned it, is taken back with that: an operator's can be requested again from then on. Throws
 * `not_found`, or `transition_not_allowed` for one that is already resolved.
 */
export async function resolveDeadLetter(
  change: ChangeTx,
  { id, reason, dropped }: { id: string; reason: string; dropped: readonly Dropped[] },
): Promise<DeadLetterCase> {
  if (dropped.length > 0) await lockProgramEvents(change.tx);
  const deadLetter = await resolve(change, await getForChange(change.tx, id), reason);
  await takeBackDropped(change, dropped, reason);
  return deadLetter;
}

/** Takes back what a vanished transaction made of records, each with a row of the audit log. */
async function takeBackDropped(
  { tx, by, at }: ChangeTx,
  dropped: readonly Dropped[],
  reason: string,
): Promise<void> {
  const events: NewEvent[] = [];
  for (const record of dropped) {
    const detail = await undo(tx, record, events, at);
    if (!detail) throw notAllowed('The transaction was recorded in the meantime; check it again.');
    const before = { ...detail, tx_hash: record.txSignature };
    const change = {
      action: takeBackActions[record.kind],
      objectId: record.id,
      before,
      after: { tx_hash: null },
      reason,
    };
    await recordChange(tx, by, change, at);
  }
  await appendEvents(tx, events, at);
}

/**
 * Resolves several dead letters that a person has dealt with, each with its row of the audit log: all of them or none.
 * Throws `not_found`, or `transition_not_allowed` when one is resolved already or is `vanished`, which is resolved on
 * its own because the chain is read first.
 */
export async function resolveDeadLetters(
  change: ChangeTx,
  { ids, reason }: { ids: string[]; reason: string },
): Promise<DeadLetterCase[]> {
  const resolved = new Map<string, DeadLetterCase>();
  // In one order, so that two requests for the same dead letters cannot deadlock.
  for (const id of [...new Set(ids)].sort()) {
    const found = await getForChange(change.tx, id);
    if (found.reason === 'vanished') {
      const message = `The dead letter ${id} has the reason vanished: resolve it on its own.`;
      throw notAllowed(message);
    }
    resolved.set(id, await resolve(change, found, reason));
  }
  return ids.flatMap((id) => resolved.get(id) ?? []);
}

/**
 * Returns the records of the transaction of an open dead letter `vanished`, which may be taken back. Throws
 * `transition_not_allowed` for one of which it is not certain that it can land no more; `service_unavailable` when the nodes
 * that have to say so are silent.
 */
export async function findDroppedBehind(ctx: Context, id: string): Promise<Dropped[]> {
  const uuid = asUuid(id);
  const deadLetter = uuid && (await findDeadLetter(ctx.db, uuid));
  if (deadLetter?.reason !== 'vanished' || deadLetter.resolvedAt) return [];
  const signature = asTxSignature(deadLetter.signature);
  if (signature === undefined) return [];
  const dropped = await findDropped(ctx, signature, AbortSignal.timeout(readWithinMs));
  // What becomes of the redemption is for people to say: nothing leads back from its state.
  return dropped.filter((record): record is Dropped => record.kind !== 'redemption');
}

function resolve(change: ChangeTx, found: DeadLetterCase, reason: string): Promise<DeadLetterCase> {
  const changes = { resolvedAt: change.at, resolution: reason, retryRequestedAt: null };
  return write(change, found, changes, { action: 'dead_letter.resolve', reason });
}

/** Writes a change of an open dead letter, with its row of the audit log. */
async function write(
  { tx, by, at }: ChangeTx,
  found: DeadLetterCase,
  changes: Parameters<typeof updateDeadLetter>[2],
  facts: { action: AuditAction; reason?: string },
): Promise<DeadLetterCase> {
  if (found.resolvedAt) throw notAllowed('The dead letter is already resolved.');
  const deadLetter = { ...found, ...changes };
  await updateDeadLetter(tx, found.id, changes);
  const states = { before: toAudited(found), after: toAudited(deadLetter) };
  await recordChange(tx, by, { ...facts, objectId: found.id, ...states }, at);
  return deadLetter;
}

async function getForChange(tx: Tx, id: string): Promise<DeadLetterCase> {
  const uuid = asUuid(id);
  const deadLetter = uuid && (await lockDeadLetter(tx, uuid));
  if (!deadLetter) throw new AppError('not_found', 'There is no such dead letter.');
  return deadLetter;
}

function toAudited({ signature, reason, resolvedAt, resolution, retryRequestedAt }: DeadLetterCase) {
  return {
    signature,
    reason,
    resolved_at: resolvedAt?.toISOString() ?? null,
    resolution,
    retry_requested_at: retryRequestedAt?.toISOString() ?? null,
  };
}

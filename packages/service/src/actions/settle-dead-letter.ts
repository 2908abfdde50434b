import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import {
  type DeadLetterCase,
  findDeadLetter,
  lockDeadLetter,
  updateDeadLetter,
} from '../db/dead-letter-cases.js';
import type { LandedOperatorTransaction } from '../db/landed-operator-transactions.js';
import type { ChangedBy } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';
import { findDroppedOperatorTransactions, takeBackDropped } from './take-back-operator-transactions.js';

export interface DeadLetterStep {
  /** As it came. */
  id: string;
  reason?: string | undefined;
}

/**
 * Asks for the transaction of a dead letter to be read and taken once more, which the indexer does. Throws `not_found`, or
 * `transition_not_allowed` for a letter that is settled or is no matter of one transaction.
 */
export async function requestRetry(
  ctx: Context,
  by: ChangedBy,
  step: DeadLetterStep,
  settle: Settle<DeadLetterCase> = settleNothing,
): Promise<DeadLetterCase> {
  return changeLetter(ctx, by, step, settle, 'dead_letter.retry', (letter, at) => {
    if (letter.reason === 'reconciliation_difference') {
      const words =
        'A difference is looked at again by every comparison, and settles by itself once it is gone.';
      throw new AppError('transition_not_allowed', words);
    }
    return { retryRequestedAt: letter.retryRequestedAt ?? at };
  });
}

/**
 * Notes that a person has settled what a dead letter tells of, and how. An operator transaction that is `vanished` can be
 * asked for again from then on. Throws `not_found`, or `transition_not_allowed` for one that is settled already and for a
 * `vanished` one of which it is not certain that nothing would be done twice; `service_unavailable` when the node that has
 * to say so is silent.
 */
export async function resolveDeadLetter(
  ctx: Context,
  by: ChangedBy,
  step: DeadLetterStep & { reason: string },
  settle: Settle<DeadLetterCase> = settleNothing,
): Promise<DeadLetterCase> {
  const dropped = await droppedBehind(ctx, step.id);
  const { reason } = step;
  const change = (_: DeadLetterCase, at: Date) => ({
    resolvedAt: at,
    resolution: reason,
    retryRequestedAt: null,
  });
  const settleAll: Settle<DeadLetterCase> = async (tx, letter) => {
    await takeBackDropped(tx, by, { dropped, reason }, letter.resolvedAt ?? new Date(ctx.clock.now()));
    await settle(tx, letter);
  };
  return changeLetter(ctx, by, step, settleAll, 'dead_letter.resolve', change);
}

/**
 * Resolves several dead letters that a person has dealt with, each with its row of the audit log: all of them or none.
 * Throws `not_found`, or `transition_not_allowed` when one is resolved already or is `vanished`, which is resolved on
 * its own because the chain is read first.
 */
export async function resolveDeadLetters(
  ctx: Context,
  by: ChangedBy,
  { ids, reason }: { ids: string[]; reason: string },
  settle: Settle<DeadLetterCase[]> = settleNothing,
): Promise<DeadLetterCase[]> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const resolved = new Map<string, DeadLetterCase>();
    // In one order, so that two requests for the same dead letters cannot deadlock.
    for (const id of [...new Set(ids)].sort()) {
      const found = await getForChange(tx, id);
      if (found.reason === 'vanished') {
        throw new AppError(
          'transition_not_allowed',
          `The dead letter ${id} is vanished: resolve it on its own.`,
        );
      }
      const changes = { resolvedAt: at, resolution: reason, retryRequestedAt: null };
      resolved.set(
        id,
        await writeChange(tx, by, found, changes, { action: 'dead_letter.resolve', reason }, at),
      );
    }
    const letters = ids.flatMap((id) => resolved.get(id) ?? []);
    await settle(tx, letters);
    return letters;
  });
}

/** What was carried out by the transaction of an open letter that says `vanished`. */
async function droppedBehind(ctx: Context, id: string): Promise<LandedOperatorTransaction[]> {
  const uuid = asUuid(id);
  const letter = uuid && (await findDeadLetter(ctx.db, uuid));
  if (letter?.reason !== 'vanished' || letter.resolvedAt) return [];
  return findDroppedOperatorTransactions(ctx, letter.signature);
}

type Changes = Parameters<typeof updateDeadLetter>[2];

async function changeLetter(
  ctx: Context,
  by: ChangedBy,
  { id, reason }: DeadLetterStep,
  settle: Settle<DeadLetterCase>,
  action: string,
  changesOf: (letter: DeadLetterCase, at: Date) => Changes,
): Promise<DeadLetterCase> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const found = await getForChange(tx, id);
    const letter = await writeChange(tx, by, found, changesOf(found, at), { action, reason }, at);
    await settle(tx, letter);
    return letter;
  });
}

/** Writes a change of an open dead letter, with its row of the audit log. */
async function writeChange(
  tx: Tx,
  by: ChangedBy,
  found: DeadLetterCase,
  changes: Changes,
  { action, reason }: { action: string; reason?: string | undefined },
  at: Date,
): Promise<DeadLetterCase> {
  if (found.resolvedAt) throw new AppError('transition_not_allowed', 'The dead letter is resolved already.');
  const letter = { ...found, ...changes };
  await updateDeadLetter(tx, found.id, changes);
  const states = { before: toAudited(found), after: toAudited(letter) };
  const change = { action, objectType: 'dead_letter', objectId: found.id, reason, ...states } as const;
  await recordChange(tx, by, change, at);
  return letter;
}

async function getForChange(tx: Tx, id: string): Promise<DeadLetterCase> {
  const uuid = asUuid(id);
  const letter = uuid && (await lockDeadLetter(tx, uuid));
  if (!letter) throw new AppError('not_found', 'There is no such dead letter.');
  return letter;
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

import { and, asc, count, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { type DeadLetterReason, deadLetters } from './dead-letters.js';
import { findPage, type PageOf } from './page.js';

/** A dead letter as operators see it. */
export type DeadLetterCase = typeof deadLetters.$inferSelect;

export interface DeadLetterFilter {
  /** Whether nobody has settled it yet. */
  open?: boolean | undefined;
  reason?: string | undefined;
  signature?: string | undefined;
}

/** A page of dead letters, newest first. */
export async function findDeadLetters(
  db: Db | Tx,
  { open, reason, signature }: DeadLetterFilter,
  page: PageOf,
): Promise<DeadLetterCase[]> {
  const { resolvedAt } = deadLetters;
  const conditions = [
    open === undefined ? undefined : open ? isNull(resolvedAt) : isNotNull(resolvedAt),
    reason === undefined ? undefined : eq(deadLetters.reason, reason),
    signature === undefined ? undefined : eq(deadLetters.signature, signature),
  ];
  return findPage(db, deadLetters, conditions, page);
}

/** How many dead letters are open. */
export async function countDeadLetters(db: Db | Tx): Promise<number> {
  const [row] = await db.select({ open: count() }).from(deadLetters).where(isNull(deadLetters.resolvedAt));
  return row?.open ?? 0;
}

/** A dead letter as it is at the moment. */
export async function findDeadLetter(db: Db | Tx, id: Uuid): Promise<DeadLetterCase | undefined> {
  const [letter] = await db.select().from(deadLetters).where(eq(deadLetters.id, id));
  return letter;
}

/** A dead letter, held against everybody else until the transaction ends. */
export async function lockDeadLetter(tx: Tx, id: Uuid): Promise<DeadLetterCase | undefined> {
  const [letter] = await tx.select().from(deadLetters).where(eq(deadLetters.id, id)).for('update');
  return letter;
}

/** Writes down what an operator wants of a letter that is locked. */
export async function updateDeadLetter(
  tx: Tx,
  id: Uuid,
  changes: Partial<Pick<DeadLetterCase, 'resolvedAt' | 'resolution' | 'retryRequestedAt'>>,
): Promise<void> {
  await tx.update(deadLetters).set(changes).where(eq(deadLetters.id, id));
}

/** Letters whose transactions operators want to be taken once more, in the order in which they asked. */
export async function findRequestedRetries(
  db: Db | Tx,
  limit: number,
): Promise<{ id: Uuid; signature: string; slot: bigint; reason: DeadLetterReason }[]> {
  const { id, signature, slot, reason, retryRequestedAt } = deadLetters;
  const rows = await db
    .select({ id, signature, slot, reason })
    .from(deadLetters)
    .where(isNotNull(retryRequestedAt))
    .orderBy(asc(retryRequestedAt))
    .limit(limit);
  return rows as { id: Uuid; signature: string; slot: bigint; reason: DeadLetterReason }[];
}

/** Notes that a retry was tried, and whether it settled the letter. */
export async function noteRetry(tx: Tx, id: Uuid, at: Date, settles: boolean): Promise<void> {
  const open = and(eq(deadLetters.id, id), isNull(deadLetters.resolvedAt));
  if (settles) await tx.update(deadLetters).set({ resolvedAt: at }).where(open);
  await tx.update(deadLetters).set({ retriedAt: at, retryRequestedAt: null }).where(eq(deadLetters.id, id));
}

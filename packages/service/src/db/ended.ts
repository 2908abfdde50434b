import { and, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import { maxLifeMs, minLifeMs } from '../domain/lifetime.js';

/** By what it is known that a transaction can land no more. */
export interface Ends {
  /** A height of the finalized chain, up to which everything is recorded. */
  height: bigint;
  /** By the clock of the service. */
  now: Date;
  /** Partners of whom events are missing: nothing of theirs ends. */
  incomplete: readonly Uuid[];
}

/** Condition: a transaction that was built or sent at `createdAt` can land no more. */
export function canLandNoMore(
  { lastValidBlockHeight, createdAt }: { lastValidBlockHeight: AnyPgColumn; createdAt: AnyPgColumn },
  { height, now }: Pick<Ends, 'height' | 'now'>,
): SQL | undefined {
  const before = (ms: number) => new Date(now.getTime() - ms);
  return and(
    lte(createdAt, before(minLifeMs)),
    or(lt(lastValidBlockHeight, height), lte(createdAt, before(maxLifeMs))),
  );
}

/** Condition: a transaction that was built or sent at `createdAt` may have ended by now. */
export function mayHaveEnded(createdAt: AnyPgColumn, now: Date): SQL {
  return lte(createdAt, new Date(now.getTime() - minLifeMs));
}

/** Condition: every event of a partner is recorded. */
export function isComplete(
  partnerId: AnyPgColumn,
  { incomplete }: Pick<Ends, 'incomplete'>,
): SQL | undefined {
  return incomplete.length === 0
    ? undefined
    : sql`(${partnerId} is null or ${partnerId} <> all(${sql.param([...incomplete])}::uuid[]))`;
}

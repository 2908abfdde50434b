import { eq, sql } from 'drizzle-orm';
import { check, index, integer, pgTable } from 'drizzle-orm/pg-core';
import type { Failures } from '../../domain/sign-in-delay.js';
import type { Tx } from '../client.js';
import { bytes, moment } from '../columns.js';

/**
 * Failed attempts to sign in, in the database so that the delays hold over all processes. A counter is the SHA-256 of
 * what it counts (a network, an account, or both), because an email without an account may be a password typed into the
 * wrong field.
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    counter: bytes().primaryKey(),
    failures: integer().notNull(),
    lastAt: moment('last_at').notNull(),
    /** When the next attempt is admitted. */
    freeAt: moment('free_at').notNull(),
  },
  (t) => [
    index('sign_in_attempts_last').on(t.lastAt),
    check('sign_in_attempts_counter_length', sql`octet_length(${t.counter}) = 32`),
    check('sign_in_attempts_failures', sql`${t.failures} >= 0`),
  ],
);

/** Returns the failures of a counter, which only this transaction changes until it ends; none for a new one. */
export async function lockFailures(tx: Tx, counter: Uint8Array, now: Date): Promise<Failures> {
  const [row] = await tx
    .insert(signInAttempts)
    .values({ counter, failures: 0, lastAt: now, freeAt: now })
    .onConflictDoUpdate({ target: signInAttempts.counter, set: { counter: sql`excluded.counter` } })
    .returning();
  if (!row) throw new Error('an upsert returned no row');
  return { count: row.failures, lastMs: row.lastAt.getTime(), freeMs: row.freeAt.getTime() };
}

export async function updateFailures(tx: Tx, counter: Uint8Array, failures: Failures): Promise<void> {
  const { count, lastMs, freeMs } = failures;
  await tx
    .update(signInAttempts)
    .set({ failures: count, lastAt: new Date(lastMs), freeAt: new Date(freeMs) })
    .where(eq(signInAttempts.counter, counter));
}

export async function deleteFailures(tx: Tx, counter: Uint8Array): Promise<void> {
  await tx.delete(signInAttempts).where(eq(signInAttempts.counter, counter));
}

/** Takes the failure of `at` from a counter, and its delay unless another failure followed. */
export async function forgiveFailure(tx: Tx, counter: Uint8Array, at: Date): Promise<void> {
  const { failures, lastAt, freeAt } = signInAttempts;
  await tx
    .update(signInAttempts)
    .set({
      failures: sql`greatest(${failures} - 1, 0)`,
      freeAt: sql`case when ${lastAt} = ${at.toISOString()}::timestamptz then ${lastAt} else ${freeAt} end`,
    })
    .where(eq(signInAttempts.counter, counter));
}

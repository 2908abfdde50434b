import type { Context } from '../../context.js';
import {
  endOperatorSession,
  insertOperatorSession,
  useSession,
} from '../../db/operators/operator-sessions.js';
import { findOperatorByEmail } from '../../db/operators/operators.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import { hashSecret, newSessionSecret } from '../../domain/operator-token.js';
import { AppError } from '../../errors.js';
import { type Change, recordChange } from '../audit.js';
import { type Attempt, forgiveSignIn } from './limit-sign-in.js';
import { isPassword, nobodysHash } from './passwords.js';

/** How long a session lives, whatever is done with it. */
export const sessionLifetimeMs = 12 * 60 * 60_000;
/** How long it lives without a request. */
const sessionIdleMs = 30 * 60_000;

/**
 * Opens a session for the account of an address and a password, and ends the one that the browser brought along, so
 * that a session planted in the browser beforehand does not go on. Writes the attempt to the audit log with the
 * caller's address, whatever its outcome. Throws the same `unauthorized` for an unknown email, a wrong password and a
 * disabled account, after the same work.
 */
export async function signIn(
  ctx: Context,
  input: { attempt: Attempt; password: string; broughtSecret: string | undefined; requestId: string },
) {
  // An email that cannot even be stored belongs to no account.
  const { attempt, broughtSecret, requestId } = input;
  const { address } = attempt;
  const found = isStorable(attempt.email) ? await findOperatorByEmail(ctx.db, attempt.email) : undefined;
  const matches = await isPassword(found?.passwordHash ?? nobodysHash, input.password);
  if (found?.status !== 'active' || !matches) {
    await recordFailure(ctx, found?.id, { address, requestId });
    throw new AppError('unauthorized', 'The email or the password is wrong.');
  }
  const secret = newSessionSecret();
  const createdAt = new Date(ctx.clock.now());
  const expiresAt = new Date(createdAt.getTime() + sessionLifetimeMs);
  await ctx.db.transaction(async (tx) => {
    if (broughtSecret !== undefined) await endOperatorSession(tx, hashSecret(broughtSecret), createdAt);
    await insertOperatorSession(tx, {
      hash: hashSecret(secret),
      operatorId: found.id,
      createdAt,
      expiresAt,
      lastUsedAt: createdAt,
    });
    await forgiveSignIn(tx, found.id, attempt, createdAt);
    const by = { operatorId: found.id, requestId };
    await recordChange(tx, by, signInChange('operator.sign_in', found.id, address), createdAt);
  });
  const { id: operatorId, email, name, role } = found;
  return { operator: { operatorId, email, name, role }, secret, expiresAt };
}

/**
 * Records a failed attempt. An account that does not exist is `unknown`: what was typed may be a password in the wrong
 * field.
 */
async function recordFailure(
  ctx: Context,
  operatorId: Uuid | undefined,
  { address, requestId }: { address: string; requestId: string },
): Promise<void> {
  const at = new Date(ctx.clock.now());
  const change = signInChange('operator.sign_in_failed', operatorId ?? 'unknown', address);
  await ctx.db.transaction((tx) => recordChange(tx, { operatorId: null, requestId }, change, at));
}

/** Returns a sign-in as the audit log stores it. */
export function signInChange(action: string, operatorId: string, address: string): Change {
  return { action, objectType: 'operator', objectId: operatorId, before: null, after: { address } };
}

/** Returns the operator of an open session and notes its use; undefined when it is unknown, over, or was idle for 30 minutes. */
export async function findSignedIn(ctx: Context, secret: string): Promise<Operator | undefined> {
  return ctx.db.transaction((tx) => useSession(tx, hashSecret(secret), sessionTimes(ctx)));
}

/** Returns the times by which a session is open: it has not expired now, and was used lately. */
export function sessionTimes({ clock }: Pick<Context, 'clock'>): { now: Date; usedAfter: Date } {
  const now = clock.now();
  return { now: new Date(now), usedAfter: new Date(now - sessionIdleMs) };
}

/** Ends a session at once. */
export async function signOut(ctx: Context, secret: string): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => endOperatorSession(tx, hashSecret(secret), at));
}

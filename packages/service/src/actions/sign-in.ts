import { createHash } from 'node:crypto';
import type { Context } from '../context.js';
import { recordAttempt } from '../db/auth-attempts.js';
import { endOperatorSession, insertOperatorSession, useSession } from '../db/operator-sessions.js';
import { findOperatorByEmail } from '../db/operators.js';
import { isStorable } from '../domain/encoding.js';
import type { Operator } from '../domain/operator.js';
import { hashSecret, newSessionSecret } from '../domain/operator-token.js';
import { AppError } from '../errors.js';
import { isPassword, nobodysHash } from './passwords.js';

/** How long a session lives, whatever is done with it. */
export const sessionLifetimeMs = 12 * 60 * 60_000;
/** How long it lives without a request. */
const sessionIdleMs = 30 * 60_000;
const windowMs = 60_000;
const triesPerWindow = 10;

export interface OpenedSession {
  operator: Operator;
  /** The cookie's value: known to the browser alone. */
  secret: string;
  expiresAt: Date;
}

/** Tries to sign in that are left in this minute. */
export interface SignInBudget {
  admitted: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * Counts a try to sign in, by where it comes from and by whose account it is for, over all processes: 10 a minute each.
 * An account is counted whether it exists or not.
 */
export async function admitSignIn(ctx: Context, ip: string, email: string): Promise<SignInBudget> {
  const nowMs = ctx.clock.now();
  const account = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 40);
  const budgets: SignInBudget[] = [];
  for (const key of [`sign-in:${ip}`, `sign-in:${account}`]) {
    const { admitted, used, oldestMs } = await ctx.db.transaction((tx) =>
      recordAttempt(tx, { ip: key.slice(0, 64), nowMs, windowMs, limit: triesPerWindow }),
    );
    const resetSeconds = Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1_000));
    budgets.push({
      admitted,
      limit: triesPerWindow,
      remaining: Math.max(0, triesPerWindow - used),
      resetSeconds,
    });
    if (!admitted) break;
  }
  return budgets.reduce((a, b) => (!b.admitted || b.remaining < a.remaining ? b : a));
}

/**
 * Opens a session for the account of an address and a password, and ends the one that the browser brought along, so that
 * nobody goes on in a session that was laid for him. Throws the same `unauthorized` for an unknown address, a wrong
 * password and a disabled account, after the same work.
 */
export async function signIn(
  ctx: Context,
  input: { email: string; password: string; broughtSecret: string | undefined },
): Promise<OpenedSession> {
  // What cannot even be written down is nobody's.
  const found = isStorable(input.email) ? await findOperatorByEmail(ctx.db, input.email) : undefined;
  const matches = await isPassword(found?.passwordHash ?? nobodysHash, input.password);
  if (found?.status !== 'active' || !matches) {
    throw new AppError('unauthorized', 'The email or the password is wrong.');
  }
  const { broughtSecret } = input;
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
  });
  const { id: operatorId, email, name, role } = found;
  return { operator: { operatorId, email, name, role }, secret, expiresAt };
}

/** Returns the operator of an open session and notes its use; undefined when it is unknown, over, or was idle for 30 minutes. */
export async function findSignedIn(ctx: Context, secret: string): Promise<Operator | undefined> {
  const now = ctx.clock.now();
  const times = { now: new Date(now), usedAfter: new Date(now - sessionIdleMs) };
  return ctx.db.transaction((tx) => useSession(tx, hashSecret(secret), times));
}

/** Ends a session at once. */
export async function signOut(ctx: Context, secret: string): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => endOperatorSession(tx, hashSecret(secret), at));
}

import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  deleteFactorChallenge,
  findFactorChallenge,
  lockFactorChallenge,
} from '../../db/operators/factor-challenges.js';
import {
  endOperatorSession,
  insertOperatorSession,
  type OperatorSession,
  type SessionOperator,
  type SessionTimes,
  useSession,
} from '../../db/operators/operator-sessions.js';
import {
  findOperator,
  findOperatorByEmail,
  lockOperator,
  type OperatorRow,
} from '../../db/operators/operators.js';
import type { AuditAction } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import { hashSecret, newSessionSecret } from '../../domain/operator-token.js';
import { sessionIdleMs, sessionLifetimeMs } from '../../domain/session.js';
import { AppError } from '../../errors.js';
import { type Change, recordChange } from '../audit.js';
import { wrongFactor } from './confirm.js';
import { type Attempt, forgiveAttempt, forgiveSignIn } from './limit-sign-in.js';
import { isPassword, placeholderHash } from './passwords.js';
import {
  type FactorMethod,
  findFactors,
  hasFactor,
  type Offer,
  offerFactors,
  type Proof,
  type Shown,
  type Site,
  useFactor,
} from './second-factor.js';

/** What became of a right password: a session, or the second step of those who have a second factor. */
export type SignedIn = { operator: Operator; secret: string } | { offer: Offer };

interface SignInRequest {
  attempt: Attempt;
  /** Of the session that the browser brought along, which ends: one that was planted beforehand does not go on. */
  broughtSecret: string | undefined;
  site: Site | undefined;
  /** What the browser calls itself; null if it is not said. */
  userAgent: string | null;
  requestId: string;
}

/**
 * Opens a session for the account of an address and a password, or offers the second step when the account has a second
 * factor: there is no session before that. Writes the attempt to the audit log with the caller's address, whatever its
 * outcome. Throws the same `unauthorized` for an unknown email, a wrong password and a disabled account, after the same work.
 */
export async function signIn(ctx: Context, input: SignInRequest & { password: string }): Promise<SignedIn> {
  // An email that cannot even be stored belongs to no account.
  const { attempt, requestId } = input;
  const { address } = attempt;
  const found = isStorable(attempt.email) ? await findOperatorByEmail(ctx.db, attempt.email) : undefined;
  const matches = await isPassword(found?.passwordHash ?? placeholderHash, input.password);
  if (found?.status !== 'active' || !matches) {
    await recordFailure(ctx, found?.id, { address, requestId });
    throw new AppError('unauthorized', 'The email or the password is wrong.');
  }
  return ctx.db.transaction(async (tx) => {
    // A first second factor that is enrolled at the same time is waited for, and so is another password.
    const operator = await lockOperator(tx, found.id);
    if (operator?.status !== 'active' || operator.passwordHash !== found.passwordHash) {
      throw new AppError('unauthorized', 'The account has just changed: sign in again.');
    }
    const factors = await findFactors(tx, operator.id);
    if (!hasFactor(factors)) return openSession(ctx, tx, operator, input);
    await forgiveAttempt(tx, attempt);
    const purpose = { operatorId: operator.id, purpose: 'sign_in' } as const;
    const offer = await offerFactors(ctx, tx, purpose, { factors, site: input.site });
    const by = { operatorId: operator.id, requestId };
    const at = new Date(ctx.clock.now());
    await recordChange(tx, by, signInChange('operator.sign_in_password', operator.id, address), at);
    return { offer };
  });
}

/** Returns the email of the account that is in its second step. Throws `unauthorized` when that is unknown or too old. */
export async function findSecondStep({ db, clock }: Context, token: string): Promise<string> {
  const challenge = await findFactorChallenge(db, hashSecret(token), new Date(clock.now()));
  const operator =
    challenge?.purpose === 'sign_in' ? await findOperator(db, challenge.operatorId) : undefined;
  if (!operator) throw secondStepOver();
  return operator.email;
}

/**
 * Opens a session in the second step. Throws `unauthorized` when the step is unknown or too old, and `second_factor_wrong`,
 * after which another second factor may be tried in the same step.
 */
export async function finishSignIn(
  ctx: Context,
  input: SignInRequest & { token: string; proof: Proof },
): Promise<{ operator: Operator; secret: string }> {
  const { attempt, proof, requestId, site } = input;
  const { address } = attempt;
  const at = new Date(ctx.clock.now());
  const opened = await ctx.db.transaction(async (tx) => {
    const hash = hashSecret(input.token);
    const begun = await findFactorChallenge(tx, hash, at);
    // The account comes first, as in every change of it, which ends its challenges.
    const operator = begun && (await lockOperator(tx, begun.operatorId));
    const challenge = await lockFactorChallenge(tx, hash, at);
    if (challenge?.purpose !== 'sign_in' || operator?.status !== 'active') throw secondStepOver();
    const shown = await useFactor(ctx, tx, challenge, { proof, site, at });
    if (!shown) {
      const failed = signInChange('operator.sign_in_failed', operator.id, address, proof.method);
      await recordChange(tx, { operatorId: null, requestId }, failed, at);
      return undefined;
    }
    await deleteFactorChallenge(tx, challenge);
    return openSession(ctx, tx, operator, input, shown);
  });
  if (!opened) throw wrongFactor();
  return opened;
}

const secondStepOver = () =>
  new AppError('unauthorized', 'This sign-in was finished or took too long: start again with the password.');

async function openSession(
  ctx: Context,
  tx: Tx,
  { id: operatorId, email, name, role, openedBy }: OperatorRow,
  { attempt, broughtSecret, userAgent, requestId }: SignInRequest,
  shown?: Shown,
) {
  const createdAt = new Date(ctx.clock.now());
  if (broughtSecret !== undefined) await endOperatorSession(tx, hashSecret(broughtSecret), createdAt);
  const verifiedAt = shown ? createdAt : null;
  const { address } = attempt;
  const secret = await beginSession(tx, { operatorId, createdAt, verifiedAt, address, userAgent });
  await forgiveSignIn(tx, operatorId, attempt, createdAt);
  const change = signInChange('operator.sign_in', operatorId, address, shown?.method);
  await recordChange(tx, { operatorId, requestId }, change, createdAt);
  return { operator: { operatorId, email, name, role, openedBy }, secret };
}

/** Writes a session, and returns its secret, which is stored nowhere. */
export async function beginSession(
  tx: Tx,
  session: Pick<OperatorSession, 'operatorId' | 'createdAt' | 'verifiedAt' | 'address' | 'userAgent'>,
): Promise<string> {
  const secret = newSessionSecret();
  const { createdAt } = session;
  await insertOperatorSession(tx, {
    ...session,
    hash: hashSecret(secret),
    id: newUuid(),
    expiresAt: new Date(createdAt.getTime() + sessionLifetimeMs),
    lastUsedAt: createdAt,
  });
  return secret;
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

/** Returns a sign-in as the audit log stores it, with the second factor that was shown. */
export function signInChange(
  action: AuditAction,
  operatorId: string,
  address: string,
  method?: FactorMethod,
): Change {
  const after = { address, ...(method && { method }) };
  return { action, objectId: operatorId, after };
}

/** Returns the operator of an open session and notes its use; undefined when it is unknown, over, or was idle for `sessionIdleMs`. */
export async function findSignedIn(ctx: Context, secret: string): Promise<SessionOperator | undefined> {
  return ctx.db.transaction((tx) => useSession(tx, hashSecret(secret), sessionTimes(ctx)));
}

/** Returns the times by which a session is open: it has not expired now, and was used lately. */
export function sessionTimes({ clock }: Pick<Context, 'clock'>): SessionTimes {
  const now = clock.now();
  return { now: new Date(now), usedAfter: new Date(now - sessionIdleMs) };
}

/** Ends a session at once. */
export async function signOut(ctx: Context, secret: string): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => endOperatorSession(tx, hashSecret(secret), at));
}

import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  deleteFactorChallenge,
  findFactorChallenge,
  lockFactorChallenge,
} from '../../db/people/factor-challenges.js';
import { findPerson, findPersonByEmail, kindOf, lockPerson, type PersonRow } from '../../db/people/people.js';
import {
  endSession,
  insertSession,
  type Session,
  type SessionPerson,
  useSession,
} from '../../db/people/sessions.js';
import { type AuditAction, actionOf } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import type { PersonKind } from '../../domain/person.js';
import {
  hashSecret,
  newSessionSecret,
  type SessionTimes,
  sessionLifetimeMs,
  sessionTimesAt,
} from '../../domain/session.js';
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
  type Site,
  useFactor,
} from './second-factor.js';

/** What became of a right password: a session's secret, or the second step of those who have a second factor. */
export type SignedIn = { secret: string } | { offer: Offer };

export interface SignInRequest {
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
 * outcome. Throws the same `unauthorized` for an unknown email, a wrong password and a disabled account, after the same work: nothing shows which emails have accounts.
 */
export async function signIn(ctx: Context, input: SignInRequest & { password: string }): Promise<SignedIn> {
  // An email that cannot even be stored belongs to no account.
  const { attempt, requestId } = input;
  const { address, kind, email } = attempt;
  const found = isStorable(email) ? await findPersonByEmail(ctx.db, kind, email) : undefined;
  const matches = await isPassword(found?.passwordHash ?? placeholderHash, input.password);
  if (found?.status !== 'active' || !matches) {
    await recordFailure(ctx, found?.id, attempt, requestId);
    throw new AppError('unauthorized', 'The email or the password is wrong.');
  }
  return ctx.db.transaction(async (tx) => {
    // A first second factor that is enrolled at the same time is waited for, and so is another password.
    const person = await lockPerson(tx, found.id);
    if (person?.status !== 'active' || person.passwordHash !== found.passwordHash) {
      throw new AppError('unauthorized', 'The account has just changed: sign in again.');
    }
    const factors = await findFactors(tx, person.id);
    if (!hasFactor(factors)) {
      await forgiveSignIn(tx, person.id, attempt, new Date(ctx.clock.now()));
      return openSession(ctx, tx, person, { ...input, kind, address });
    }
    await forgiveAttempt(tx, attempt);
    const purpose = { personId: person.id, purpose: 'sign_in' } as const;
    const offer = await offerFactors(ctx, tx, purpose, { factors, site: input.site });
    const by = { personId: person.id, requestId };
    const at = new Date(ctx.clock.now());
    await recordChange(tx, by, signInChange(actionOf(kind, 'sign_in_password'), person.id, address), at);
    return { offer };
  });
}

/** Returns the email of the account that is in its second step. Throws `unauthorized` when that is unknown or too old. */
export async function findSecondStep(
  { db, clock }: Context,
  kind: PersonKind,
  token: string,
): Promise<string> {
  const challenge = await findFactorChallenge(db, hashSecret(token), new Date(clock.now()));
  const person =
    challenge?.purpose === 'sign_in' ? await findPerson(db, kind, challenge.personId) : undefined;
  if (!person?.email) throw secondStepOver();
  return person.email;
}

/**
 * Opens a session in the second step. Throws `unauthorized` when the step is unknown or too old, and `second_factor_wrong`,
 * after which another second factor may be tried in the same step.
 */
export async function finishSignIn(
  ctx: Context,
  input: SignInRequest & { token: string; proof: Proof },
): Promise<{ secret: string }> {
  const { attempt, proof, requestId, site } = input;
  const { kind, address } = attempt;
  const at = new Date(ctx.clock.now());
  const opened = await ctx.db.transaction(async (tx) => {
    const hash = hashSecret(input.token);
    const begun = await findFactorChallenge(tx, hash, at);
    // The account comes first, as in every change of it, which ends its challenges.
    const person = begun && (await lockPerson(tx, begun.personId));
    const challenge = await lockFactorChallenge(tx, hash, at);
    if (challenge?.purpose !== 'sign_in' || person?.status !== 'active' || kindOf(person) !== kind) {
      throw secondStepOver();
    }
    const shown = await useFactor(ctx, tx, challenge, { proof, site, at });
    if (!shown) {
      const failed = signInChange(actionOf(kind, 'sign_in_failed'), person.id, address, proof.method);
      await recordChange(tx, { personId: null, requestId }, failed, at);
      return undefined;
    }
    await deleteFactorChallenge(tx, challenge);
    await forgiveSignIn(tx, person.id, attempt, at);
    return openSession(ctx, tx, person, { ...input, kind, address, method: shown.method });
  });
  if (!opened) throw wrongFactor();
  return opened;
}

const secondStepOver = () =>
  new AppError('unauthorized', 'This sign-in was finished or took too long: start again.');

/** Begins a session for a person who has shown enough, in place of the one that the browser brought along. */
export async function openSession(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { id: personId }: Pick<PersonRow, 'id'>,
  from: Pick<SignInRequest, 'broughtSecret' | 'userAgent' | 'requestId'> & {
    kind: PersonKind;
    address: string;
    /** What was shown besides or in place of a password; undefined for a password alone. */
    method?: SignInMethod;
    /** Whether that is or includes a second factor; default: if there is a method. */
    isVerified?: boolean;
  },
): Promise<{ secret: string }> {
  const { kind, address, method, broughtSecret, userAgent, requestId } = from;
  const { isVerified = method !== undefined } = from;
  const createdAt = new Date(ctx.clock.now());
  if (broughtSecret !== undefined) await endSession(tx, hashSecret(broughtSecret), createdAt);
  const verifiedAt = isVerified ? createdAt : null;
  const secret = await beginSession(tx, { personId, createdAt, verifiedAt, address, userAgent });
  const change = signInChange(actionOf(kind, 'sign_in'), personId, address, method);
  await recordChange(tx, { personId, requestId }, change, createdAt);
  return { secret };
}

/** Writes a session, and returns its secret, which is stored nowhere. */
export async function beginSession(
  tx: Tx,
  session: Pick<Session, 'personId' | 'createdAt' | 'verifiedAt' | 'address' | 'userAgent'>,
): Promise<string> {
  const secret = newSessionSecret();
  const { createdAt } = session;
  await insertSession(tx, {
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
  personId: Uuid | undefined,
  { kind, address }: Pick<Attempt, 'kind' | 'address'>,
  requestId: string,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  const change = signInChange(actionOf(kind, 'sign_in_failed'), personId ?? 'unknown', address);
  await ctx.db.transaction((tx) => recordChange(tx, { personId: null, requestId }, change, at));
}

/** What people show besides or in place of a password. */
type SignInMethod = FactorMethod | 'wallet' | 'single_sign_on';

/** Returns a sign-in as the audit log stores it, with what was shown besides a password. */
export function signInChange(
  action: AuditAction,
  personId: string,
  address: string,
  method?: SignInMethod,
): Change {
  const after = { address, ...(method && { method }) };
  return { action, objectId: personId, after };
}

/** Returns the person of an open session and notes its use; undefined when it is unknown, over, was idle for `sessionIdleMs`, or is of another kind. */
export async function findSignedIn<Kind extends PersonKind>(
  ctx: Context,
  kind: Kind,
  secret: string,
): Promise<SessionPerson<Kind> | undefined> {
  return ctx.db.transaction((tx) => useSession(tx, kind, hashSecret(secret), sessionTimes(ctx)));
}

/** Returns the times by which a session is open now. */
export const sessionTimes = ({ clock }: Pick<Context, 'clock'>): SessionTimes => sessionTimesAt(clock.now());

/** Ends a session at once. */
export async function signOut(ctx: Context, secret: string): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => endSession(tx, hashSecret(secret), at));
}

import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import type { OperatorCredential } from '../../db/operators/operator-streams.js';
import {
  deleteFactorChallenge,
  type FactorChallenge,
  findFactorChallenge,
  lockFactorChallenge,
} from '../../db/people/factor-challenges.js';
import { lockPerson } from '../../db/people/people.js';
import { findSession, isConfirmed, saveConfirmation } from '../../db/people/sessions.js';
import { actionOf, type ChangedBy } from '../../domain/audit.js';
import type { Uuid } from '../../domain/ids.js';
import type { Person } from '../../domain/person.js';
import { hashSecret, newSessionSecret } from '../../domain/session.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import { type Attempt, forgiveAttempt } from './limit-sign-in.js';
import {
  findFactors,
  hasFactor,
  type Proof,
  type SessionOwner,
  type Site,
  useFactor,
} from './second-factor.js';

/** A second factor that comes with a request, and where from. */
export interface FreshProof {
  /** Names the challenge. */
  token: string;
  proof: Proof;
  site: Site | undefined;
  /** Counted as failed until the second factor is right. */
  attempt: Attempt;
}

/** What the person of a session confirms. */
export type Confirmed = { purpose: 'account' | 'confirmation' } | { purpose: 'approval'; subject: Uuid };

/**
 * Uses a fresh second factor for one thing, and writes it to the audit log, right or wrong. Throws `invalid_challenge` for a
 * challenge that was used, is too old, or was issued to another person or for something else, and `second_factor_wrong`.
 */
async function confirmWithFactor(
  ctx: Context,
  by: ChangedBy,
  { kind, personId }: Person,
  confirmed: Confirmed,
  { token, proof, site, attempt }: FreshProof,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  const shown = await ctx.db.transaction(async (tx) => {
    // The account comes first, as in every change of it, which ends its challenges.
    await lockPerson(tx, personId);
    const challenge = await lockFactorChallenge(tx, hashSecret(token), at);
    if (challenge?.personId !== personId || !isFor(challenge, confirmed)) return undefined;
    const right = await useFactor(ctx, tx, challenge, { proof, site, at });
    if (right) {
      await deleteFactorChallenge(tx, challenge);
      await forgiveAttempt(tx, attempt);
    }
    const action = actionOf(kind, right ? 'confirm' : 'confirm_failed');
    const subject = challenge.subject === null ? {} : { approval_id: challenge.subject };
    const about = { purpose: challenge.purpose, ...subject };
    const means = { method: proof.method, ...(right?.passkeyId && { passkey_id: right.passkeyId }) };
    const after = { ...about, ...means, address: attempt.address };
    await recordChange(tx, by, { action, objectId: personId, after }, at);
    return { isRight: right !== undefined };
  });
  if (!shown) throw invalidFactorChallenge();
  if (!shown.isRight) throw wrongFactor();
}

function isFor(challenge: FactorChallenge, confirmed: Confirmed): boolean {
  const subject = confirmed.purpose === 'approval' ? confirmed.subject : null;
  return challenge.purpose === confirmed.purpose && challenge.subject === subject;
}

/** Throws `invalid_challenge` for a challenge that a second factor cannot be checked for: that is no wrong one. */
export async function requireChallenge(
  { db, clock }: Context,
  { personId }: Person,
  confirmed: Confirmed,
  token: string,
): Promise<void> {
  const challenge = await findFactorChallenge(db, hashSecret(token), new Date(clock.now()));
  if (challenge?.personId !== personId || !isFor(challenge, confirmed)) throw invalidFactorChallenge();
}

/**
 * Has a person who has a second factor show it for something, and all others confirm the session where `requireConfirmation`
 * says so. Throws `second_factor_required` without it, and what `confirmWithFactor` throws.
 */
export async function requireFactor(
  ctx: Context,
  requester: Requester,
  person: Person,
  confirmed: Confirmed,
  proof: FreshProof | undefined,
): Promise<void> {
  if (proof) return confirmWithFactor(ctx, requester, person, confirmed, proof);
  if (!hasFactor(await findFactors(ctx.db, person.personId))) return requireConfirmation(ctx, requester);
  const message = 'This needs a fresh second factor: request a challenge, and send second_factor.';
  throw new AppError('second_factor_required', message, { field: 'second_factor' });
}

/** How long a confirmation of a session counts. */
const confirmationMs = 5 * 60_000;

/** The header that carries a confirmation. */
export const confirmationHeader = 'x-karat-confirmation';

/**
 * Takes a second factor as the confirmation of what a session does in the next five minutes, in place of its earlier one.
 * Returns its secret, which is stored nowhere: a page keeps it in memory, so that a stolen cookie does not come with it.
 * Throws what `confirmWithFactor` throws.
 */
export async function confirmSession(
  ctx: Context,
  by: ChangedBy,
  { person, sessionHash }: SessionOwner,
  proof: FreshProof,
): Promise<{ secret: string; expiresAt: Date }> {
  await confirmWithFactor(ctx, by, person, { purpose: 'confirmation' }, proof);
  return ctx.db.transaction((tx) => beginConfirmation(ctx, tx, sessionHash));
}

/** Notes that a session was confirmed now, and returns the secret that shows it. */
export async function beginConfirmation(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  sessionHash: Uint8Array,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSessionSecret();
  const confirmedAt = new Date(clock.now());
  await saveConfirmation(tx, sessionHash, { confirmationHash: hashSecret(secret), confirmedAt });
  return { secret, expiresAt: new Date(confirmedAt.getTime() + confirmationMs) };
}

/** A person who requests something, and by what. */
export interface Requester extends ChangedBy {
  personId: Uuid;
  credential: OperatorCredential;
  /** The secret of the session's confirmation, if the request has one. */
  confirmation: string | undefined;
}

/**
 * Throws `second_factor_required` for a session that its person has not confirmed in the last five minutes. Who has no second
 * factor confirms with what was shown in its place: a wallet signs again, and the identity provider is signed in at again.
 * Sessions by a password alone have nothing to confirm with; where a second factor is needed they are not let in. Tokens have none.
 */
export async function requireConfirmation(ctx: Context, requester: Requester): Promise<void> {
  const { personId, credential } = requester;
  if (!('sessionHash' in credential)) return;
  const isVerified = (await findSession(ctx.db, credential.sessionHash))?.verifiedAt;
  if (!isVerified && !hasFactor(await findFactors(ctx.db, personId))) return;
  await requireGivenConfirmation(ctx, requester);
}

/** Throws `second_factor_required` for a session that was not confirmed in the last five minutes, whatever opened it. */
export async function requireGivenConfirmation(
  { db, clock }: Context,
  { credential, confirmation }: Pick<Requester, 'credential' | 'confirmation'>,
): Promise<void> {
  const after = new Date(clock.now() - confirmationMs);
  const given = confirmation !== undefined && { confirmationHash: hashSecret(confirmation), after };
  if (given && 'sessionHash' in credential && (await isConfirmed(db, credential.sessionHash, given))) return;
  const message = `This needs a second factor of the last five minutes: confirm the session, or sign in again at the identity provider, and send ${confirmationHeader}.`;
  throw new AppError('second_factor_required', message, { field: confirmationHeader });
}

export function wrongFactor(): AppError {
  const message = 'The passkey or code is wrong, or the code was already used.';
  return new AppError('second_factor_wrong', message);
}

export function invalidFactorChallenge(): AppError {
  const message =
    'This challenge was used, has expired, or was issued for something else: request another one.';
  return new AppError('invalid_challenge', message);
}

import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { deleteFactorChallenge, lockFactorChallenge } from '../../db/people/factor-challenges.js';
import {
  deletePasskey,
  insertPasskey,
  lockPasskey,
  type Passkey,
  updatePasskey,
} from '../../db/people/passkeys.js';
import { lockPerson } from '../../db/people/people.js';
import { deleteRecoveryCodesOf, replaceRecoveryCodes } from '../../db/people/recovery-codes.js';
import { endSessionsOf, findSession, findSessionPerson, unverifySessions } from '../../db/people/sessions.js';
import { deleteTotpOf, deleteUnconfirmedTotp, lockTotp, saveTotp } from '../../db/people/totps.js';
import { actionOf } from '../../domain/audit.js';
import { asUuid, newUuid, type Uuid } from '../../domain/ids.js';
import type { Member } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import { maxPasskeys } from '../../domain/person.js';
import { hashRecoveryCode, newRecoveryCodes } from '../../domain/recovery-code.js';
import { hashSecret } from '../../domain/session.js';
import { matchTotp, newTotpNonce, toBase32, totpKeyOf, totpUri } from '../../domain/totp.js';
import { AppError, invalidField, notAllowed, unavailable } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { invalidFactorChallenge } from './confirm.js';
import {
  type Factors,
  findFactors,
  hasFactor,
  needsSecondFactor,
  passkeyLibrary,
  type SessionOwner,
  type Site,
  saveChallenge,
} from './second-factor.js';
import { beginSession, sessionTimes } from './sign-in.js';

/** Issues the challenge that a new passkey signs, with what the browser needs to make one. */
export async function startPasskey(ctx: Context, owner: SessionOwner, site: Site | undefined) {
  const { rpId } = requireSite(site);
  return ctx.db.transaction(async (tx) => {
    const { personId, email, name } = await lockOwner(ctx, tx, owner);
    const { passkeys } = await findFactors(tx, personId);
    const { token, challenge } = await saveChallenge(ctx, tx, { personId, purpose: 'enrol_passkey' });
    const { generateRegistrationOptions } = await passkeyLibrary();
    const options = await generateRegistrationOptions({
      rpName: 'Karat',
      rpID: rpId,
      userName: email,
      userDisplayName: name,
      userID: new Uint8Array(Buffer.from(personId)),
      challenge: Buffer.from(challenge.challenge, 'base64url'),
      attestationType: 'none',
      excludeCredentials: passkeys.map(({ credentialId: id }) => ({ id })),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    });
    return { token, expiresAt: challenge.expiresAt, options };
  });
}

/** What comes with the first second factor: recovery codes, which are shown once, and another session in place of all earlier ones. */
export interface FirstEnrolled {
  recoveryCodes: string[];
  sessionSecret: string;
}

/**
 * Adds a passkey. Throws `invalid_challenge`, `invalid_request` for a response that does not fit the challenge or the host,
 * and `already_exists` for an authenticator that was added before.
 */
export async function addPasskey(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  owner: SessionOwner,
  input: { token: string; name: string; response: RegistrationResponseJSON; site: Site | undefined },
): Promise<{ passkey: Passkey; first: FirstEnrolled | undefined }> {
  const site = requireSite(input.site);
  const { kind, personId } = await lockOwner(ctx, tx, owner);
  const challenge = await lockFactorChallenge(tx, hashSecret(input.token), at);
  if (challenge?.personId !== personId || challenge.purpose !== 'enrol_passkey')
    throw invalidFactorChallenge();
  const { verifyRegistrationResponse } = await passkeyLibrary();
  const checked = await verifyRegistrationResponse({
    response: input.response,
    expectedChallenge: challenge.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (!checked?.verified) {
    throw invalidField('passkey', 'passkey is not what an authenticator made for this challenge and host.');
  }
  const factors = await findFactors(tx, personId);
  if (factors.passkeys.length >= maxPasskeys) throw notAllowed(`You already have ${maxPasskeys} passkeys.`);
  const { id: credentialId, publicKey, counter, transports = [] } = checked.registrationInfo.credential;
  const passkey: Passkey = {
    id: newUuid(),
    personId,
    name: input.name,
    credentialId,
    rpId: site.rpId,
    origin: site.origin,
    publicKey,
    counter: BigInt(counter),
    transports,
    createdAt: at,
    lastUsedAt: null,
  };
  if (!(await insertPasskey(tx, passkey))) {
    throw new AppError('already_exists', 'This authenticator was added before.');
  }
  await deleteFactorChallenge(tx, challenge);
  await deleteUnconfirmedTotp(tx, personId);
  const first = await enrolFirst(tx, owner, { factors, at });
  const change = { action: actionOf(kind, 'add_passkey'), objectId: personId };
  await recordChange(tx, by, { ...change, after: toAuditedPasskey(passkey) }, at);
  return { passkey, first };
}

/** Renames a passkey of one's own. Throws `not_found`. */
export async function renamePasskey(
  { tx, by, at }: ChangeTx,
  { person, passkeyId, name }: Pick<SessionOwner, 'person'> & { passkeyId: string; name: string },
): Promise<Passkey> {
  const { kind, personId } = person;
  const passkey = await lockOwnPasskey(tx, personId, passkeyId);
  if (passkey.name === name) return passkey;
  const renamed = { ...passkey, name };
  await updatePasskey(tx, passkey, { name });
  const [before, after] = [toAuditedPasskey(passkey), toAuditedPasskey(renamed)];
  await recordChange(
    tx,
    by,
    { action: actionOf(kind, 'rename_passkey'), objectId: personId, before, after },
    at,
  );
  return renamed;
}

/**
 * Removes a passkey of one's own. Throws `not_found`, and `transition_not_allowed` for the last second factor of a role that
 * needs one.
 */
export async function removePasskey(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  { passkeyId, ...owner }: SessionOwner & { passkeyId: string },
): Promise<void> {
  const person = await lockOwner(ctx, tx, owner);
  const { kind, personId } = person;
  const passkey = await lockOwnPasskey(tx, personId, passkeyId);
  await deletePasskey(tx, passkey);
  await dropLast(ctx, tx, person);
  const change = { action: actionOf(kind, 'remove_passkey'), objectId: personId };
  await recordChange(tx, by, { ...change, before: toAuditedPasskey(passkey) }, at);
}

/** How long a key that was shown waits for its first code. */
const totpSetupMs = 15 * 60_000;

/**
 * Draws a new key for an authenticator app, which counts once a code of it was entered. Throws `already_exists` when there is
 * an app, and `service_unavailable` where the service has no secret for them.
 */
export async function startTotp(ctx: Context, owner: SessionOwner): Promise<{ secret: string; uri: string }> {
  const { personId } = owner.person;
  const at = new Date(ctx.clock.now());
  const secret = getTotpSecret(ctx);
  const { sessionHash } = owner;
  const nonce = newTotpNonce();
  const totp = { personId, nonce, createdAt: at, confirmedAt: null, sessionHash, lastStep: 0n };
  const { email } = await ctx.db.transaction(async (tx) => {
    const person = await lockOwner(ctx, tx, owner);
    if ((await lockTotp(tx, personId))?.confirmedAt) throw hasTotp();
    await saveTotp(tx, totp);
    return person;
  });
  const key = totpKeyOf(secret, totp);
  return { secret: toBase32(key), uri: totpUri(key, email) };
}

/**
 * Adds the authenticator app whose first code is right. Throws `second_factor_wrong`, and `transition_not_allowed` without a
 * key of this session.
 */
export async function confirmTotp(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  owner: SessionOwner,
  code: string,
): Promise<FirstEnrolled | undefined> {
  const secret = getTotpSecret(ctx);
  const { kind, personId } = await lockOwner(ctx, tx, owner);
  const totp = await lockTotp(tx, personId);
  if (totp?.confirmedAt) throw hasTotp();
  const isOwn = totp?.sessionHash && Buffer.from(totp.sessionHash).equals(owner.sessionHash);
  if (!totp || !isOwn || at.getTime() - totp.createdAt.getTime() > totpSetupMs) {
    throw notAllowed('There is no key to confirm: request another one.');
  }
  const step = matchTotp(totpKeyOf(secret, totp), code, { nowMs: at.getTime(), lastStep: 0n });
  if (step === undefined) {
    throw new AppError('second_factor_wrong', 'This is not the code that the app shows now.', {
      field: 'totp_code',
    });
  }
  const factors = await findFactors(tx, personId);
  await saveTotp(tx, { ...totp, confirmedAt: at, sessionHash: null, lastStep: step });
  const first = await enrolFirst(tx, owner, { factors, at });
  await recordChange(tx, by, { action: actionOf(kind, 'add_totp'), objectId: personId, after: {} }, at);
  return first;
}

/** Removes the authenticator app. Throws as `removePasskey` does. */
export async function removeTotp(ctx: Context, { tx, by, at }: ChangeTx, owner: SessionOwner): Promise<void> {
  const person = await lockOwner(ctx, tx, owner);
  const { kind, personId } = person;
  if (!(await lockTotp(tx, personId))?.confirmedAt) {
    throw new AppError('not_found', 'You have no authenticator app.');
  }
  await deleteTotpOf(tx, personId);
  await dropLast(ctx, tx, person);
  await recordChange(tx, by, { action: actionOf(kind, 'remove_totp'), objectId: personId, before: {} }, at);
}

/** Replaces the recovery codes. Throws `transition_not_allowed` for a person without a second factor. */
export async function renewRecoveryCodes(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  owner: SessionOwner,
): Promise<string[]> {
  const { kind, personId } = await lockOwner(ctx, tx, owner);
  const factors = await findFactors(tx, personId);
  if (!hasFactor(factors)) throw notAllowed('Recovery codes come with a second factor: add one first.');
  const codes = await issueRecoveryCodes(tx, personId, at);
  const change = { action: actionOf(kind, 'renew_recovery_codes'), objectId: personId };
  const [before, after] = [{ left: factors.recoveryCodesLeft }, { left: codes.length }];
  await recordChange(tx, by, { ...change, before, after }, at);
  return codes;
}

/**
 * With the first second factor, issues recovery codes, and begins a session with it in place of all earlier ones, which were
 * opened by the password alone.
 */
async function enrolFirst(
  tx: Tx,
  { person: { personId }, sessionHash }: SessionOwner,
  { factors, at }: { factors: Factors; at: Date },
): Promise<FirstEnrolled | undefined> {
  if (hasFactor(factors)) return undefined;
  const session = await findSession(tx, sessionHash);
  if (!session) throw new Error('the session of this request is gone');
  await endSessionsOf(tx, personId, at);
  const { address, userAgent } = session;
  const begun = { personId, createdAt: at, verifiedAt: at, address, userAgent };
  const sessionSecret = await beginSession(tx, begun);
  return { recoveryCodes: await issueRecoveryCodes(tx, personId, at), sessionSecret };
}

async function issueRecoveryCodes(tx: Tx, personId: Uuid, at: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, personId, codes.map(hashRecoveryCode), at);
  return codes;
}

/** A person who has an email, and so a password that a second factor comes after. */
type Enrolled = (Operator | Member) & { email: string };

/**
 * Locks the account of a session, and returns it as it is now. Throws `unauthorized` for a session that has ended meanwhile,
 * and `forbidden` for an owner who signs in with a wallet.
 */
async function lockOwner(ctx: Context, tx: Tx, { person, sessionHash }: SessionOwner): Promise<Enrolled> {
  await lockPerson(tx, person.personId);
  const found = await findSessionPerson(tx, person.kind, sessionHash, sessionTimes(ctx));
  if (!found) throw new AppError('unauthorized', 'The session has just ended: sign in again.');
  const { email } = found;
  if (email === null)
    throw new AppError('forbidden', 'A wallet signs each time, and takes no second factor.');
  return { ...found, email };
}

/** Ends what comes with a second factor if none is left. Throws `transition_not_allowed` for a person who needs one. */
async function dropLast(ctx: Context, tx: Tx, person: Enrolled): Promise<void> {
  const { personId, role } = person;
  if (hasFactor(await findFactors(tx, personId))) return;
  if (needsSecondFactor(ctx, person)) {
    throw notAllowed(`The role ${role} needs a second factor: add another one first.`);
  }
  await deleteRecoveryCodesOf(tx, personId);
  await unverifySessions(tx, personId);
}

async function lockOwnPasskey(tx: Tx, personId: Uuid, passkeyId: string): Promise<Passkey> {
  const id = asUuid(passkeyId);
  const passkey = id && (await lockPasskey(tx, personId, id));
  if (!passkey) throw new AppError('not_found', 'You have no passkey with this id.');
  return passkey;
}

function requireSite(site: Site | undefined): Site {
  if (site) return site;
  throw notAllowed(
    'Passkeys belong to the name of a host: open this page by a name, such as localhost, and not by an address.',
  );
}

function getTotpSecret({ config }: Context): string {
  const secret = config.totpSecret?.reveal();
  if (secret !== undefined) return secret;
  throw unavailable('This service has no KARAT_TOTP_SECRET, which authenticator apps need: add a passkey.');
}

const hasTotp = () => new AppError('already_exists', 'You have an authenticator app: remove it first.');

function toAuditedPasskey({ id, name, rpId }: Passkey) {
  return { passkey_id: id, name, host: rpId };
}

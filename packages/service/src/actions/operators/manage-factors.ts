import {
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { deleteFactorChallenge, lockFactorChallenge } from '../../db/operators/factor-challenges.js';
import {
  deletePasskey,
  deletePasskeysOf,
  insertPasskey,
  lockPasskey,
  type Passkey,
  updatePasskey,
} from '../../db/operators/operator-passkeys.js';
import { deleteRecoveryCodesOf, replaceRecoveryCodes } from '../../db/operators/operator-recovery-codes.js';
import {
  endSessionsOf,
  findOperatorSession,
  unverifySessions,
} from '../../db/operators/operator-sessions.js';
import { findRoleBehind } from '../../db/operators/operator-streams.js';
import {
  deleteTotpOf,
  deleteUnconfirmedTotp,
  lockTotp,
  saveTotp,
} from '../../db/operators/operator-totps.js';
import { lockOperator, type OperatorRow } from '../../db/operators/operators.js';
import { movesValue } from '../../domain/approval.js';
import { asUuid, newUuid, type Uuid } from '../../domain/ids.js';
import { maxPasskeys, type Operator } from '../../domain/operator.js';
import { hashSecret } from '../../domain/operator-token.js';
import { hashRecoveryCode, newRecoveryCodes } from '../../domain/recovery-code.js';
import { matchTotp, newTotpNonce, toBase32, totpKeyOf, totpUri } from '../../domain/totp.js';
import { AppError, invalidField, notAllowed, unavailable } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { lockForChange } from './change-operator.js';
import { invalidFactorChallenge } from './confirm.js';
import { type Factors, findFactors, hasFactor, type Site, saveChallenge } from './second-factor.js';
import { beginSession, sessionTimes } from './sign-in.js';

/** An operator in a session of the console. */
export interface SessionOwner {
  operator: Operator;
  sessionHash: Uint8Array;
}

/** Issues the challenge that a new passkey signs, with what the browser needs to make one. */
export async function startPasskey(ctx: Context, owner: SessionOwner, site: Site | undefined) {
  const { rpId } = requireSite(site);
  return ctx.db.transaction(async (tx) => {
    const { operatorId, email, name } = await lockOwner(ctx, tx, owner);
    const { passkeys } = await findFactors(tx, operatorId);
    const { token, challenge } = await saveChallenge(ctx, tx, { operatorId, purpose: 'enrol_passkey' });
    const options = await generateRegistrationOptions({
      rpName: 'Karat',
      rpID: rpId,
      userName: email,
      userDisplayName: name,
      userID: new Uint8Array(Buffer.from(operatorId)),
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
  const { operatorId } = await lockOwner(ctx, tx, owner);
  const challenge = await lockFactorChallenge(tx, hashSecret(input.token), at);
  if (challenge?.operatorId !== operatorId || challenge.purpose !== 'enrol_passkey')
    throw invalidFactorChallenge();
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
  const factors = await findFactors(tx, operatorId);
  if (factors.passkeys.length >= maxPasskeys) throw notAllowed(`You already have ${maxPasskeys} passkeys.`);
  const { id: credentialId, publicKey, counter, transports = [] } = checked.registrationInfo.credential;
  const passkey: Passkey = {
    id: newUuid(),
    operatorId,
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
  await deleteUnconfirmedTotp(tx, operatorId);
  const first = await enrolFirst(tx, owner, { factors, at });
  const change = { action: 'operator.add_passkey' as const, objectId: operatorId };
  await recordChange(tx, by, { ...change, after: toAuditedPasskey(passkey) }, at);
  return { passkey, first };
}

/** Renames a passkey of one's own. Throws `not_found`. */
export async function renamePasskey(
  { tx, by, at }: ChangeTx,
  { operatorId, passkeyId, name }: { operatorId: Uuid; passkeyId: string; name: string },
): Promise<Passkey> {
  const passkey = await lockOwnPasskey(tx, operatorId, passkeyId);
  if (passkey.name === name) return passkey;
  const renamed = { ...passkey, name };
  await updatePasskey(tx, passkey, { name });
  const [before, after] = [toAuditedPasskey(passkey), toAuditedPasskey(renamed)];
  await recordChange(tx, by, { action: 'operator.rename_passkey', objectId: operatorId, before, after }, at);
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
  const operator = await lockOwner(ctx, tx, owner);
  const { operatorId } = operator;
  const passkey = await lockOwnPasskey(tx, operatorId, passkeyId);
  await deletePasskey(tx, passkey);
  await dropLast(ctx, tx, operator);
  const change = { action: 'operator.remove_passkey' as const, objectId: operatorId };
  await recordChange(tx, by, { ...change, before: toAuditedPasskey(passkey) }, at);
}

/** How long a key that was shown waits for its first code. */
const totpSetupMs = 15 * 60_000;

/**
 * Draws a new key for an authenticator app, which counts once a code of it was entered. Throws `already_exists` when there is
 * an app, and `service_unavailable` where the service has no secret for them.
 */
export async function startTotp(ctx: Context, owner: SessionOwner): Promise<{ secret: string; uri: string }> {
  const { operatorId, email } = owner.operator;
  const at = new Date(ctx.clock.now());
  const secret = getTotpSecret(ctx);
  const { sessionHash } = owner;
  const nonce = newTotpNonce();
  const totp = { operatorId, nonce, createdAt: at, confirmedAt: null, sessionHash, lastStep: 0n };
  await ctx.db.transaction(async (tx) => {
    await lockOwner(ctx, tx, owner);
    if ((await lockTotp(tx, operatorId))?.confirmedAt) throw hasTotp();
    await saveTotp(tx, totp);
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
  const { operatorId } = await lockOwner(ctx, tx, owner);
  const totp = await lockTotp(tx, operatorId);
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
  const factors = await findFactors(tx, operatorId);
  await saveTotp(tx, { ...totp, confirmedAt: at, sessionHash: null, lastStep: step });
  const first = await enrolFirst(tx, owner, { factors, at });
  await recordChange(tx, by, { action: 'operator.add_totp', objectId: operatorId, after: {} }, at);
  return first;
}

/** Removes the authenticator app. Throws as `removePasskey` does. */
export async function removeTotp(ctx: Context, { tx, by, at }: ChangeTx, owner: SessionOwner): Promise<void> {
  const operator = await lockOwner(ctx, tx, owner);
  const { operatorId } = operator;
  if (!(await lockTotp(tx, operatorId))?.confirmedAt) {
    throw new AppError('not_found', 'You have no authenticator app.');
  }
  await deleteTotpOf(tx, operatorId);
  await dropLast(ctx, tx, operator);
  await recordChange(tx, by, { action: 'operator.remove_totp', objectId: operatorId, before: {} }, at);
}

/** Replaces the recovery codes. Throws `transition_not_allowed` for an operator without a second factor. */
export async function renewRecoveryCodes(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  owner: SessionOwner,
): Promise<string[]> {
  const { operatorId } = await lockOwner(ctx, tx, owner);
  const factors = await findFactors(tx, operatorId);
  if (!hasFactor(factors)) throw notAllowed('Recovery codes come with a second factor: add one first.');
  const codes = await issueRecoveryCodes(tx, operatorId, at);
  const change = { action: 'operator.renew_recovery_codes' as const, objectId: operatorId };
  const [before, after] = [{ left: factors.recoveryCodesLeft }, { left: codes.length }];
  await recordChange(tx, by, { ...change, before, after }, at);
  return codes;
}

export interface FactorReset {
  /** As it came. */
  operatorId: string;
  reason?: string | undefined;
}

/**
 * Removes every second factor of an account and ends its sessions: the password alone opens the next one. Throws
 * `not_found`, or `transition_not_allowed` for an account without a second factor.
 */
export async function resetFactors(
  { tx, by, at }: ChangeTx,
  { operatorId, reason }: FactorReset,
): Promise<OperatorRow> {
  const { found } = await lockForChange(tx, operatorId);
  const before = await describeReset(tx, found);
  await deletePasskeysOf(tx, found.id);
  await deleteTotpOf(tx, found.id);
  await deleteRecoveryCodesOf(tx, found.id);
  await endSessionsOf(tx, found.id, at);
  const change = { action: 'operator.reset_second_factor' as const, objectId: found.id, reason };
  await recordChange(tx, by, { ...change, before, after: { passkeys: 0, totp: false } }, at);
  return found;
}

/** Returns what a reset removes. Throws `transition_not_allowed` when there is nothing. */
export async function describeReset(
  tx: Tx,
  { id }: OperatorRow,
): Promise<{ passkeys: number; totp: boolean }> {
  const factors = await findFactors(tx, id);
  if (!hasFactor(factors)) throw notAllowed('The operator has no second factor.');
  return { passkeys: factors.passkeys.length, totp: factors.totp !== undefined };
}

/**
 * With the first second factor, issues recovery codes, and begins a session with it in place of all earlier ones, which were
 * opened by the password alone.
 */
async function enrolFirst(
  tx: Tx,
  { operator: { operatorId }, sessionHash }: SessionOwner,
  { factors, at }: { factors: Factors; at: Date },
): Promise<FirstEnrolled | undefined> {
  if (hasFactor(factors)) return undefined;
  const session = await findOperatorSession(tx, sessionHash);
  if (!session) throw new Error('the session of this request is gone');
  await endSessionsOf(tx, operatorId, at);
  const { address, userAgent } = session;
  const begun = { operatorId, createdAt: at, verifiedAt: at, address, userAgent };
  const sessionSecret = await beginSession(tx, begun);
  return { recoveryCodes: await issueRecoveryCodes(tx, operatorId, at), sessionSecret };
}

async function issueRecoveryCodes(tx: Tx, operatorId: Uuid, at: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, operatorId, codes.map(hashRecoveryCode), at);
  return codes;
}

/** Locks the account of a session, and returns it. Throws `unauthorized` for a session that has ended meanwhile. */
async function lockOwner(ctx: Context, tx: Tx, { operator, sessionHash }: SessionOwner): Promise<Operator> {
  const { operatorId } = operator;
  await lockOperator(tx, operatorId);
  const role = await findRoleBehind(tx, { operatorId, sessionHash }, sessionTimes(ctx));
  if (role === undefined) throw new AppError('unauthorized', 'The session has just ended: sign in again.');
  return { ...operator, role };
}

/** Ends what comes with a second factor if none is left. Throws `transition_not_allowed` for a role that needs one. */
async function dropLast({ config }: Context, tx: Tx, { operatorId, role }: Operator): Promise<void> {
  if (hasFactor(await findFactors(tx, operatorId))) return;
  if (config.secondFactor === 'required' && movesValue(role)) {
    throw notAllowed(`The role ${role} needs a second factor: add another one first.`);
  }
  await deleteRecoveryCodesOf(tx, operatorId);
  await unverifySessions(tx, operatorId);
}

async function lockOwnPasskey(tx: Tx, operatorId: Uuid, passkeyId: string): Promise<Passkey> {
  const id = asUuid(passkeyId);
  const passkey = id && (await lockPasskey(tx, operatorId, id));
  if (!passkey) throw new AppError('not_found', 'You have no passkey with this id.');
  return passkey;
}

function requireSite(site: Site | undefined): Site {
  if (site) return site;
  throw notAllowed(
    'Passkeys belong to the name of a host: open the console by a name, such as localhost, and not by an address.',
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

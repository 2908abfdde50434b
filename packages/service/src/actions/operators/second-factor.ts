import { randomBytes } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { type FactorChallenge, insertFactorChallenge } from '../../db/operators/factor-challenges.js';
import {
  findPasskeys,
  lockCredential,
  type Passkey,
  updatePasskey,
} from '../../db/operators/operator-passkeys.js';
import { countRecoveryCodes, takeRecoveryCode } from '../../db/operators/operator-recovery-codes.js';
import { findTotp, lockTotp, saveTotp, type Totp } from '../../db/operators/operator-totps.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { hashSecret, newSessionSecret } from '../../domain/operator-token.js';
import { hashRecoveryCode } from '../../domain/recovery-code.js';
import { matchTotp, totpKeyOf } from '../../domain/totp.js';

/** Where a browser is: passkeys work at the origin where they were made, and at no other port of the host. */
export interface Site {
  /** The name of the host. */
  rpId: string;
  /** With scheme and port. */
  origin: string;
}

export const factorMethods = ['passkey', 'totp', 'recovery_code'] as const;
export type FactorMethod = (typeof factorMethods)[number];

/** What an operator shows as a second factor. */
export type Proof =
  | { method: 'passkey'; response: AuthenticationResponseJSON }
  | { method: 'totp' | 'recovery_code'; code: string };

/** The second factors of an operator. An authenticator app counts once it is confirmed. */
export interface Factors {
  passkeys: Passkey[];
  totp: Totp | undefined;
  recoveryCodesLeft: number;
}

export async function findFactors(db: Db | Tx, operatorId: Uuid): Promise<Factors> {
  const passkeys = await findPasskeys(db, operatorId);
  const totp = await findTotp(db, operatorId);
  const recoveryCodesLeft = await countRecoveryCodes(db, operatorId);
  return { passkeys, totp: totp?.confirmedAt ? totp : undefined, recoveryCodesLeft };
}

export const hasFactor = ({ passkeys, totp }: Factors) => passkeys.length > 0 || totp !== undefined;

/** How long a browser has to show a second factor, in milliseconds. */
const lifetimesMs = {
  sign_in: 5 * 60_000,
  enrol_passkey: 5 * 60_000,
  account: 2 * 60_000,
  approval: 2 * 60_000,
  confirmation: 2 * 60_000,
} satisfies Record<FactorChallenge['purpose'], number>;

/** What a second factor is shown for. */
export interface Purpose {
  operatorId: Uuid;
  purpose: FactorChallenge['purpose'];
  /** Id of the approval, for that purpose. */
  subject?: Uuid | undefined;
}

/** Writes a challenge, and returns it with the token that names it, which is stored nowhere. */
export async function saveChallenge(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  { operatorId, purpose, subject = undefined }: Purpose,
): Promise<{ token: string; challenge: FactorChallenge }> {
  const token = newSessionSecret();
  const createdAt = new Date(clock.now());
  const challenge = {
    hash: hashSecret(token),
    operatorId,
    purpose,
    subject: subject ?? null,
    challenge: randomBytes(32).toString('base64url'),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetimesMs[purpose]),
  };
  await insertFactorChallenge(tx, challenge);
  return { token, challenge };
}

/** What an operator may show for a challenge, and what the browser needs for a passkey. */
export interface Offer {
  token: string;
  expiresAt: Date;
  methods: FactorMethod[];
  passkeyOptions: Awaited<ReturnType<typeof generateAuthenticationOptions>> | null;
}

/** Issues a challenge for a second factor. A page without a name of its own, such as one at an IP address, has no passkeys. */
export async function offerFactors(
  ctx: Pick<Context, 'clock' | 'config'>,
  tx: Tx,
  purpose: Purpose,
  { factors, site }: { factors: Factors; site: Site | undefined },
): Promise<Offer> {
  const { token, challenge } = await saveChallenge(ctx, tx, purpose);
  const here = factors.passkeys.filter(({ origin }) => origin === site?.origin);
  const methods = factorMethods.filter((method) => {
    if (!takes(purpose.purpose, method, factors)) return false;
    if (method === 'passkey') return here.length > 0;
    if (method === 'totp') return factors.totp !== undefined && ctx.config.totpSecret !== undefined;
    return factors.recoveryCodesLeft > 0;
  });
  const passkeyOptions =
    site && here.length > 0
      ? await generateAuthenticationOptions({
          rpID: site.rpId,
          challenge: Buffer.from(challenge.challenge, 'base64url'),
          userVerification: 'preferred',
          allowCredentials: here.map(({ credentialId: id, transports }) => ({
            id,
            transports: asTransports(transports),
          })),
        })
      : null;
  return { token, expiresAt: challenge.expiresAt, methods, passkeyOptions };
}

type Transports = NonNullable<AuthenticatorTransports>;
type AuthenticatorTransports = Parameters<typeof verifyAuthenticationResponse>[0]['credential']['transports'];
const transportNames: Transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Returns those of a browser's texts that are known ways to reach an authenticator. */
export function asTransports(texts: readonly string[]): Transports {
  return transportNames.filter((name) => texts.includes(name));
}

/**
 * Every second factor lets in. All else takes a passkey of operators who have one, and a code of the app of others: an app
 * that is lost is reset by another admin, because a recovery code on paper must not become a passkey.
 */
function takes(purpose: FactorChallenge['purpose'], method: FactorMethod, { passkeys }: Factors): boolean {
  if (purpose === 'sign_in') return true;
  return method === (passkeys.length > 0 ? 'passkey' : 'totp');
}

/** A second factor that was right. */
export interface Shown {
  method: FactorMethod;
  /** Of a passkey. */
  passkeyId: Uuid | undefined;
}

/**
 * Checks a second factor, and uses it up: a code is right once, and a passkey counts. Returns undefined for a wrong one. The
 * challenge must be locked by the transaction.
 */
export async function useFactor(
  { config }: Pick<Context, 'config'>,
  tx: Tx,
  challenge: FactorChallenge,
  { proof, site, at }: { proof: Proof; site: Site | undefined; at: Date },
): Promise<Shown | undefined> {
  const { operatorId, purpose } = challenge;
  if (!takes(purpose, proof.method, await findFactors(tx, operatorId))) return undefined;
  if (proof.method === 'passkey') {
    const passkey = await usePasskey(tx, challenge, { response: proof.response, site, at });
    return passkey && { method: 'passkey', passkeyId: passkey.id };
  }
  const { method, code } = proof;
  const isRight =
    method === 'totp'
      ? await useTotp(config.totpSecret?.reveal(), tx, { operatorId, code, at })
      : await takeRecoveryCode(tx, operatorId, hashRecoveryCode(code), at);
  return isRight ? { method, passkeyId: undefined } : undefined;
}

async function usePasskey(
  tx: Tx,
  { operatorId, challenge }: FactorChallenge,
  { response, site, at }: { response: AuthenticationResponseJSON; site: Site | undefined; at: Date },
): Promise<Passkey | undefined> {
  const { id } = response;
  if (typeof id !== 'string' || !isStorable(id) || !site) return undefined;
  const passkey = await lockCredential(tx, operatorId, id);
  if (passkey?.origin !== site.origin) return undefined;
  // The library throws for whatever is not as it should be, a malformed response included.
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: passkey.origin,
    expectedRPID: passkey.rpId,
    requireUserVerification: false,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: toInteger(passkey.counter),
    },
  }).catch(() => undefined);
  if (!checked?.verified) return undefined;
  const counter = BigInt(checked.authenticationInfo.newCounter);
  await updatePasskey(tx, passkey, { counter, lastUsedAt: at });
  return passkey;
}

async function useTotp(
  secret: string | undefined,
  tx: Tx,
  { operatorId, code, at }: { operatorId: Uuid; code: string; at: Date },
): Promise<boolean> {
  const totp = await lockTotp(tx, operatorId);
  if (secret === undefined || !totp?.confirmedAt) return false;
  const { lastStep } = totp;
  const step = matchTotp(totpKeyOf(secret, totp), code, { nowMs: at.getTime(), lastStep });
  if (step === undefined) return false;
  await saveTotp(tx, { ...totp, lastStep: step });
  return true;
}

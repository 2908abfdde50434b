import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { type FactorChallenge, insertFactorChallenge } from '../../db/people/factor-challenges.js';
import { findPasskeys, lockCredential, type Passkey, updatePasskey } from '../../db/people/passkeys.js';
import { countRecoveryCodes, takeRecoveryCode } from '../../db/people/recovery-codes.js';
import { findTotp, lockTotp, saveTotp, type Totp } from '../../db/people/totps.js';
import { movesValue } from '../../domain/approval.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { Member } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import { hashRecoveryCode } from '../../domain/recovery-code.js';
import { hashSecret, newSessionSecret } from '../../domain/session.js';
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

/** Loads the library of passkeys with the first of them: its 200 modules are a quarter of the memory of a process that serves. */
export const passkeyLibrary = () => import('@simplewebauthn/server');

/** A person in a session. */
export interface SessionOwner {
  person: Operator | Member;
  sessionHash: Uint8Array;
}

/** What a person shows as a second factor. */
export type Proof =
  | { method: 'passkey'; response: AuthenticationResponseJSON }
  | { method: 'totp' | 'recovery_code'; code: string };

/** The second factors of a person. An authenticator app counts once it is confirmed. */
export interface Factors {
  passkeys: Passkey[];
  totp: Totp | undefined;
  recoveryCodesLeft: number;
}

export async function findFactors(db: Db | Tx, personId: Uuid): Promise<Factors> {
  const passkeys = await findPasskeys(db, personId);
  const totp = await findTotp(db, personId);
  const recoveryCodesLeft = await countRecoveryCodes(db, personId);
  return { passkeys, totp: totp?.confirmedAt ? totp : undefined, recoveryCodesLeft };
}

export const hasFactor = ({ passkeys, totp }: Factors) => passkeys.length > 0 || totp !== undefined;

/**
 * Returns whether sessions of a person need a second factor: of operators whose role moves value, and of all members with a
 * password. Tokens, which scripts carry, have none, and a wallet signs each time.
 */
export function needsSecondFactor({ config }: Pick<Context, 'config'>, person: Operator | Member): boolean {
  if (config.secondFactor !== 'required') return false;
  return person.kind === 'operator' ? movesValue(person.role) : person.walletAddress === null;
}

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
  personId: Uuid;
  purpose: FactorChallenge['purpose'];
  /** Id of the approval, for that purpose. */
  subject?: Uuid | undefined;
}

/** Writes a challenge, and returns it with the token that names it, which is stored nowhere. */
export async function saveChallenge(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  { personId, purpose, subject = undefined }: Purpose,
): Promise<{ token: string; challenge: FactorChallenge }> {
  const token = newSessionSecret();
  const createdAt = new Date(clock.now());
  const challenge = {
    hash: hashSecret(token),
    personId,
    purpose,
    subject: subject ?? null,
    challenge: randomBytes(32).toString('base64url'),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetimesMs[purpose]),
  };
  await insertFactorChallenge(tx, challenge);
  return { token, challenge };
}

/** What a person may show for a challenge, and what the browser needs for a passkey. */
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
      ? await (await passkeyLibrary()).generateAuthenticationOptions({
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
 * that is lost is reset by another admin, or its member invited again, because a recovery code on paper must not become a passkey.
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
  const { personId, purpose } = challenge;
  if (!takes(purpose, proof.method, await findFactors(tx, personId))) return undefined;
  if (proof.method === 'passkey') {
    const passkey = await usePasskey(tx, challenge, { response: proof.response, site, at });
    return passkey && { method: 'passkey', passkeyId: passkey.id };
  }
  const { method, code } = proof;
  const isRight =
    method === 'totp'
      ? await useTotp(config.totpSecret?.reveal(), tx, { personId, code, at })
      : await takeRecoveryCode(tx, personId, hashRecoveryCode(code), at);
  return isRight ? { method, passkeyId: undefined } : undefined;
}

async function usePasskey(
  tx: Tx,
  { personId, challenge }: FactorChallenge,
  { response, site, at }: { response: AuthenticationResponseJSON; site: Site | undefined; at: Date },
): Promise<Passkey | undefined> {
  const { id } = response;
  if (typeof id !== 'string' || !isStorable(id) || !site) return undefined;
  const passkey = await lockCredential(tx, personId, id);
  if (passkey?.origin !== site.origin) return undefined;
  // The library throws for whatever is not as it should be, a malformed response included.
  const library = await passkeyLibrary();
  const checked = await library
    .verifyAuthenticationResponse({
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
    })
    .catch(() => undefined);
  if (!checked?.verified) return undefined;
  const counter = BigInt(checked.authenticationInfo.newCounter);
  await updatePasskey(tx, passkey, { counter, lastUsedAt: at });
  return passkey;
}

async function useTotp(
  secret: string | undefined,
  tx: Tx,
  { personId, code, at }: { personId: Uuid; code: string; at: Date },
): Promise<boolean> {
  const totp = await lockTotp(tx, personId);
  if (secret === undefined || !totp?.confirmedAt) return false;
  const { lastStep } = totp;
  const step = matchTotp(totpKeyOf(secret, totp), code, { nowMs: at.getTime(), lastStep });
  if (step === undefined) return false;
  await saveTotp(tx, { ...totp, lastStep: step });
  return true;
}

import { Type } from '@fastify/type-provider-typebox';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import {
  type Confirmed,
  type FreshProof,
  requireChallenge,
  requireFactor,
} from '../../actions/people/confirm.js';
import { type Attempt, admitSignIn, type SignInSource } from '../../actions/people/limit-sign-in.js';
import {
  factorMethods,
  needsSecondFactor,
  type Offer,
  type Proof,
} from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import { AppError, invalidField } from '../../errors.js';
import { choice, freeObject, Nullable, titled } from '../../views/schemas.js';
import { clientNetwork, clientSite } from '../server/client-network.js';
import { siteOf } from './same-origin.js';
import { type PeopleSurface, requesterIn, requireSession } from './surface.js';

const token = {
  description: 'Identifies the challenge. Keep it within the page that requested it.',
  examples: ['9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071'],
};

/** What the browser passes on between the API and `navigator.credentials`, as JSON. */
const passkeyOptions = {
  description:
    '`PublicKeyCredentialRequestOptions` as JSON, for `navigator.credentials.get`; null without a passkey for this host.',
  examples: [{ challenge: 'mKp0…', rpId: 'karat.example', allowCredentials: [], timeout: 60000 }],
};

export const FactorOfferView = titled('SecondFactorChallenge', {
  token: Type.String(token),
  methods: Type.Array(choice(factorMethods), {
    description: 'The methods that are accepted.',
    examples: [['passkey', 'recovery_code']],
  }),
  passkey_options: Nullable(freeObject(passkeyOptions), passkeyOptions),
  expires_at: Type.String({
    description: 'When the challenge expires.',
    examples: ['2026-02-14T09:35:00.000Z'],
  }),
});

export const toOfferView = ({ token, methods, passkeyOptions, expiresAt }: Offer) => ({
  token,
  methods,
  passkey_options: passkeyOptions === null ? null : { ...passkeyOptions },
  expires_at: expiresAt.toISOString(),
});

const passkey = Type.Unsafe<AuthenticationResponseJSON>({
  type: 'object',
  additionalProperties: true,
  description: 'The result of `navigator.credentials.get`, as JSON.',
  examples: [{ id: 'q2fD…', rawId: 'q2fD…', type: 'public-key', response: {}, clientExtensionResults: {} }],
});

/** A second factor: exactly one of the three, for the challenge that `token` names. */
export const proofFields = {
  token: Type.String({ ...token, minLength: 1, maxLength: 100 }),
  passkey: Type.Optional(passkey),
  totp_code: Type.Optional(
    Type.String({
      description: 'Six digits that the authenticator app shows.',
      pattern: '^[0-9]{6}$',
      examples: ['492039'],
    }),
  ),
  recovery_code: Type.Optional(
    Type.String({
      description: 'A recovery code.',
      minLength: 1,
      maxLength: 40,
      examples: ['ABCD-EFGH-2345-6723'],
    }),
  ),
};

/** One of the three. */
export const proofExample = { token: token.examples[0], totp_code: '492039' };

/** A fresh second factor in the body of a request. */
export const FreshFactor = Type.Object(proofFields, {
  title: 'FreshFactor',
  additionalProperties: false,
  description: 'A fresh second factor, for a challenge that was requested before.',
  examples: [proofExample],
});

export type FactorBody = ProofBody & { token: string };

interface ProofBody {
  passkey?: AuthenticationResponseJSON;
  totp_code?: string;
  recovery_code?: string;
}

/** Returns the second factor of a body. Throws `invalid_request` unless it names exactly one. */
export function toProof({ passkey, totp_code: totp, recovery_code: recovery }: ProofBody): Proof {
  const given: Proof[] = [
    ...(passkey ? [{ method: 'passkey', response: passkey } as const] : []),
    ...(totp === undefined ? [] : [{ method: 'totp', code: totp } as const]),
    ...(recovery === undefined ? [] : [{ method: 'recovery_code', code: recovery } as const]),
  ];
  const [proof] = given;
  if (proof && given.length === 1) return proof;
  throw invalidField('passkey', 'Send exactly one of passkey, totp_code and recovery_code.');
}

/** Counts what is about to be checked as failed until it turns out right. Throws `rate_limited`. */
export async function admitAttempt(
  ctx: Context,
  { ip: address }: FastifyRequest,
  account: Pick<SignInSource, 'kind' | 'email' | 'step'>,
): Promise<Attempt> {
  const attempt = await admitSignIn(ctx, {
    ...account,
    address,
    network: clientNetwork(address),
    site: clientSite(address),
  });
  if (!('waitSeconds' in attempt)) return attempt;
  const { waitSeconds: retryAfterSeconds } = attempt;
  const message = `Too many failed attempts to sign in; try again in ${retryAfterSeconds} s.`;
  throw new AppError('rate_limited', message, { retryAfterSeconds });
}

/**
 * Requires a fresh second factor from the person of a session who has one. A token has none: it is refused where the role
 * needs one (`forbidden`), and let through elsewhere. Throws the errors of `requireFactor`, and `rate_limited`.
 */
export async function requireFreshFactor(
  ctx: Context,
  surface: PeopleSurface,
  request: FastifyRequest,
  { confirmed, proof }: { confirmed: Confirmed; proof: FactorBody | undefined },
): Promise<void> {
  const { person, sessionHash } = surface.signedIn(request);
  if (needsSecondFactor(ctx, person)) requireSession(surface, request);
  if (!sessionHash) return;
  const fresh = proof && (await admitProof(ctx, surface, request, { confirmed, proof }));
  await requireFactor(ctx, requesterIn(request, { person, sessionHash }), person, confirmed, fresh);
}

/** Returns the second factor of a body, to be checked next. Throws `invalid_challenge`, and `rate_limited`. */
export async function admitProof(
  ctx: Context,
  surface: PeopleSurface,
  request: FastifyRequest,
  { confirmed, proof: body }: { confirmed: Confirmed; proof: FactorBody },
): Promise<FreshProof> {
  const { person } = surface.signedIn(request);
  const { token } = body;
  const proof = toProof(body);
  await requireChallenge(ctx, person, confirmed, token);
  const { kind, email } = person;
  if (email === null)
    throw new AppError('forbidden', 'A wallet signs each time, and takes no second factor.');
  const attempt = await admitAttempt(ctx, request, { kind, email, step: 'second_factor' });
  return { token, proof, site: siteOf(request), attempt };
}

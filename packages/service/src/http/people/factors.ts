import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChangeTx, inChange } from '../../actions/change.js';
import { confirmWithPassword } from '../../actions/people/change-password.js';
import { confirmSession, requireGivenConfirmation } from '../../actions/people/confirm.js';
import {
  addPasskey,
  confirmTotp,
  type FirstEnrolled,
  removePasskey,
  removeTotp,
  renamePasskey,
  renewRecoveryCodes,
  startPasskey,
  startTotp,
} from '../../actions/people/manage-factors.js';
import {
  findFactors,
  needsSecondFactor,
  offerFactors,
  type Purpose,
} from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import type { Passkey } from '../../db/people/passkeys.js';
import { hasPassword } from '../../db/people/people.js';
import { AppError, invalidField } from '../../errors.js';
import {
  choice,
  closed,
  closedOrAbsent,
  freeObject,
  Name,
  Nullable,
  reference,
  titled,
} from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import {
  admitAttempt,
  admitProof,
  type FactorBody,
  FactorOfferView,
  FreshFactor,
  proofExample,
  proofFields,
  requireFreshFactor,
  toOfferView,
} from './factor-proof.js';
import { field } from './fields.js';
import { siteOf } from './same-origin.js';
import { setSessionCookie } from './session-cookie.js';
import { changedByPerson, type PeopleSurface, requesterIn, requireSession } from './surface.js';

const PasskeyView = titled('Passkey', {
  passkey_id: Type.String(field.passkeyId),
  name: Type.String(field.passkeyName),
  host: Type.String(field.passkeyHost),
  created_at: Type.String(field.createdAt),
  last_used_at: Nullable(Type.String(), field.passkeyLastUsedAt),
});

const recoveryCodes = Type.Array(Type.String(), field.recoveryCodes);
const newRecoveryCodes = Nullable(Type.Array(Type.String()), field.newRecoveryCodes);
const factor = { second_factor: Type.Optional(FreshFactor) };
const factorOrPassword = {
  ...factor,
  current_password: Type.Optional(Type.String({ ...field.password, minLength: 1, maxLength: 1_000 })),
};
const params = Type.Object({ passkey_id: Type.String(field.passkeyId) });
const factorErrors = [
  'forbidden',
  'second_factor_required',
  'second_factor_wrong',
  'invalid_challenge',
  'rate_limited',
] as const;

const listSchema = {
  operationId: 'getSecondFactor',
  summary: 'Get your second factors',
  description:
    'Returns your passkeys, whether you have an authenticator app, and how many recovery codes you have left.',
  response: {
    200: titled('SecondFactor', {
      required: Type.Boolean(field.factorRequired),
      passkeys: Type.Array(PasskeyView),
      totp: Type.Boolean(field.hasTotp),
      totp_available: Type.Boolean(field.totpAvailable),
      password: Type.Boolean(field.hasPassword),
      recovery_codes_left: Type.Integer(field.recoveryCodesLeft),
    }),
  },
};

const challengeSchema = ({ purposes }: PeopleSurface) => ({
  operationId: 'challengeSecondFactor',
  summary: 'Request a challenge for a fresh second factor',
  description: `${purposes.includes('approval') ? 'Approving (`approval`, with its id), changing' : 'Changing'} your second factors (\`account\`) and confirming a session (\`confirmation\`) take a fresh second factor. The challenge is for that one purpose, expires after 2 minutes, and works once. It takes a passkey, or a code from the authenticator app if you have no passkey. Needs a session: 403 \`forbidden\` without one.`,
  errors: codes('forbidden', 'not_found', 'transition_not_allowed'),
  body: closed({
    purpose: choice(purposes, field.challengePurpose),
    ...(purposes.includes('approval') && {
      approval_id: Type.Optional(reference(field.challengeApprovalId)),
    }),
  }),
  response: { 201: FactorOfferView },
});

export const ConfirmationView = titled('Confirmation', {
  confirmation: Type.String(field.confirmation),
  expires_at: Type.String(field.confirmationExpiresAt),
});

export const toConfirmationView = ({ secret, expiresAt }: { secret: string; expiresAt: Date }) => ({
  confirmation: secret,
  expires_at: expiresAt.toISOString(),
});

const confirmSchema = ({ confirmedFor }: PeopleSurface) => ({
  operationId: 'confirmSession',
  summary: 'Confirm the session',
  description: `Takes a fresh second factor for a challenge with the purpose \`confirmation\`, and returns a \`confirmation\`. Send it in the header \`x-karat-confirmation\` with ${confirmedFor}: without it, a person with a second factor gets 403 \`second_factor_required\` with this \`field\`. It lasts 5 minutes, is valid for this session only, and replaces an earlier one. Keep it in memory, not in a cookie or in storage. Needs a session: 403 \`forbidden\` without one.`,
  errors: codes('forbidden', 'second_factor_wrong', 'invalid_challenge', 'rate_limited'),
  body: closed(proofFields),
  bodyExample: proofExample,
  response: { 201: ConfirmationView },
});

const startPasskeySchema = {
  operationId: 'startPasskey',
  summary: 'Begin to add a passkey',
  description:
    'Returns the options with which the browser creates a passkey for this page; the passkey works only at its origin. Takes a fresh passkey if you have one; otherwise `current_password`, and a code from the authenticator app if you have that. Needs a session, at a host name and not an IP address.',
  errors: codes('transition_not_allowed', ...factorErrors),
  body: closedOrAbsent(factorOrPassword),
  response: {
    201: Type.Object({
      token: Type.String(field.challengeToken),
      passkey_options: freeObject(field.creationOptions),
      expires_at: Type.String(field.challengeExpiresAt),
    }),
  },
};

const addPasskeySchema = {
  operationId: 'addPasskey',
  summary: 'Add a passkey',
  description:
    'With the first second factor you get recovery codes, which are never shown again, and a new session cookie; all earlier sessions end. Takes no `Idempotency-Key`, because no recovery code may be stored.',
  errors: codes('forbidden', 'invalid_challenge', 'already_exists', 'transition_not_allowed'),
  body: closed({
    token: Type.String({ ...field.challengeToken, minLength: 1, maxLength: 100 }),
    name: Name(100, field.passkeyName),
    passkey: Type.Unsafe<RegistrationResponseJSON>({
      ...field.registration,
      type: 'object',
      additionalProperties: true,
    }),
  }),
  response: { 201: Type.Object({ passkey: PasskeyView, recovery_codes: newRecoveryCodes }) },
};

const renameSchema = {
  operationId: 'renamePasskey',
  summary: 'Rename a passkey',
  description: 'Only you see the name. It distinguishes your passkeys; nothing depends on it.',
  errors: codes('forbidden', 'not_found'),
  params,
  body: closed({ name: Name(100, field.passkeyName) }),
  response: { 200: PasskeyView },
};

const removed = Type.Object({ status: Type.Literal('removed') });
const removePasskeySchema = {
  operationId: 'removePasskey',
  summary: 'Remove a passkey',
  description:
    'The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.',
  errors: codes('not_found', 'transition_not_allowed', ...factorErrors),
  params,
  body: closedOrAbsent(factor),
  response: { 200: removed },
};

const startTotpSchema = {
  operationId: 'startTotp',
  summary: 'Begin to add an authenticator app',
  description:
    'Returns the key for the app (RFC 6238: SHA-1, 6 digits, 30 seconds), which is never shown again and takes effect when it is confirmed within 15 minutes in the same session, before another second factor is added. Takes a fresh passkey if you have one, otherwise `current_password`. Takes no `Idempotency-Key`, because the key may not be stored.',
  errors: codes('already_exists', 'service_unavailable', ...factorErrors),
  body: closedOrAbsent(factorOrPassword),
  response: {
    201: Type.Object({ key: Type.String(field.totpKey), uri: Type.String(field.totpUri) }),
  },
};

const confirmTotpSchema = {
  operationId: 'confirmTotp',
  summary: 'Confirm the authenticator app',
  description:
    'Takes the code that the app shows. With the first second factor you get recovery codes, which are never shown again, and a new session cookie; all earlier sessions end.',
  errors: codes(
    'forbidden',
    'already_exists',
    'transition_not_allowed',
    'second_factor_wrong',
    'service_unavailable',
  ),
  body: closed({ totp_code: Type.String({ ...field.totpCode, pattern: '^[0-9]{6}$' }) }),
  response: { 200: Type.Object({ recovery_codes: newRecoveryCodes }) },
};

const removeTotpSchema = {
  operationId: 'removeTotp',
  summary: 'Remove the authenticator app',
  description:
    'The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.',
  errors: codes('not_found', 'transition_not_allowed', ...factorErrors),
  body: closedOrAbsent(factor),
  response: { 200: removed },
};

const renewCodesSchema = {
  operationId: 'renewRecoveryCodes',
  summary: 'Replace your recovery codes',
  description:
    'The earlier ones no longer work. The new ones are never shown again. Takes no `Idempotency-Key`, because no recovery code may be stored.',
  errors: codes('transition_not_allowed', ...factorErrors),
  body: closedOrAbsent(factor),
  response: { 201: Type.Object({ recovery_codes: recoveryCodes }) },
};

/** Returns what a challenge is requested for, by the body of the request. Throws for what the person cannot confirm now. */
type PurposeReader = (
  request: FastifyRequest,
  wanted: { purpose: Purpose['purpose']; approvalId: string | undefined },
) => Promise<Purpose>;

type AccountBody = { second_factor?: FactorBody } | null;
type AdditionBody = { second_factor?: FactorBody; current_password?: string } | null;

/** Routes of a person's own second factors. */
export function factorRoutes(
  ctx: Context,
  surface: PeopleSurface,
  purposeOf: PurposeReader,
): FastifyPluginAsyncTypebox {
  const { factors: path } = surface.paths;
  const config = surface.own;
  return async (app) => {
    tagRoutes(app, 'Second factor');

    app.get(path, { config, schema: listSchema }, async (request) => {
      const { person } = surface.signedIn(request);
      const { passkeys, totp, recoveryCodesLeft } = await findFactors(ctx.db, person.personId);
      return {
        required: needsSecondFactor(ctx, person),
        passkeys: passkeys.map(toPasskeyView),
        totp: totp !== undefined,
        totp_available: ctx.config.totpSecret !== undefined,
        password: await hasPassword(ctx.db, person.personId),
        recovery_codes_left: recoveryCodesLeft,
      };
    });

    app.post(`${path}/challenges`, { config, schema: challengeSchema(surface) }, async (request, reply) => {
      const { person } = requireSession(surface, request);
      const { purpose, approval_id: approvalId } = request.body as {
        purpose: Purpose['purpose'];
        approval_id?: string;
      };
      const wanted = await purposeOf(request, { purpose, approvalId });
      const factors = await findFactors(ctx.db, person.personId);
      const offer = await ctx.db.transaction((tx) =>
        offerFactors(ctx, tx, wanted, { factors, site: siteOf(request) }),
      );
      reply.code(201);
      return toOfferView(offer);
    });

    app.post(`${path}/confirm`, { config, schema: confirmSchema(surface) }, async (request, reply) => {
      const owner = requireSession(surface, request);
      const confirmed = { purpose: 'confirmation' } as const;
      const proof = await admitProof(ctx, surface, request, { confirmed, proof: request.body });
      const confirmation = await confirmSession(ctx, changedByPerson(surface, request), owner, proof);
      reply.code(201);
      return toConfirmationView(confirmation);
    });

    await app.register(passkeyRoutes(ctx, surface));
    await app.register(codeRoutes(ctx, surface));
  };
}

/** What changes of the own second factors take. */
function confirmationsOf(ctx: Context, surface: PeopleSurface) {
  const confirmAccount = (request: FastifyRequest, body: AccountBody) =>
    requireFreshFactor(ctx, surface, request, {
      confirmed: { purpose: 'account' },
      proof: body?.second_factor,
    });

  /**
   * Has the person show a passkey, or without one the password and any app: a cookie adds no second factor, nor does a code
   * that was typed into another site. Who has no password signs in at the identity provider again.
   */
  async function confirmAddition(request: FastifyRequest, body: AdditionBody) {
    const owner = requireSession(surface, request);
    const { person } = owner;
    const { kind, email } = person;
    const { passkeys, totp } = await findFactors(ctx.db, person.personId);
    if (passkeys.length > 0) return confirmAccount(request, body);
    if (email === null)
      throw new AppError('forbidden', 'A wallet signs each time, and takes no second factor.');
    if (!(await hasPassword(ctx.db, person.personId))) {
      await requireGivenConfirmation(ctx, requesterIn(request, owner));
      return totp || body?.second_factor ? confirmAccount(request, body) : undefined;
    }
    const currentPassword = body?.current_password;
    if (currentPassword === undefined) {
      const message = 'Without a passkey, adding a second factor takes your current_password.';
      throw invalidField('current_password', message);
    }
    const attempt = await admitAttempt(ctx, request, { kind, email, step: 'password' });
    const by = changedByPerson(surface, request);
    await confirmWithPassword(ctx, by, person, { currentPassword, attempt });
    if (totp || body?.second_factor) await confirmAccount(request, body);
  }
  return { confirmAccount, confirmAddition };
}

function passkeyRoutes(ctx: Context, surface: PeopleSurface): FastifyPluginAsyncTypebox {
  const { confirmAccount, confirmAddition } = confirmationsOf(ctx, surface);
  const path = `${surface.paths.account}/passkeys`;
  const config = surface.own;
  const change = <Result>(request: FastifyRequest, make: (change: ChangeTx) => Promise<Result>) =>
    inChange(ctx, changedByPerson(surface, request), make);

  return async (app) => {
    tagRoutes(app, 'Second factor');

    app.post(`${path}/options`, { config, schema: startPasskeySchema }, async (request, reply) => {
      const owner = requireSession(surface, request);
      await confirmAddition(request, request.body);
      const { token, expiresAt, options } = await startPasskey(ctx, owner, siteOf(request));
      reply.code(201);
      return { token, passkey_options: { ...options }, expires_at: expiresAt.toISOString() };
    });

    app.post(path, { config, schema: addPasskeySchema }, async (request, reply) => {
      const owner = requireSession(surface, request);
      const { token, name, passkey: response } = request.body;
      const input = { token, name, response, site: siteOf(request) };
      const added = await change(request, (tx) => addPasskey(ctx, tx, owner, input));
      reply.code(201);
      return { passkey: toPasskeyView(added.passkey), recovery_codes: toCodes(surface, reply, added.first) };
    });

    app.patch(`${path}/:passkey_id`, { config, schema: renameSchema }, async (request) => {
      const { person } = requireSession(surface, request);
      const input = { person, passkeyId: request.params.passkey_id, name: request.body.name };
      return toPasskeyView(await change(request, (tx) => renamePasskey(tx, input)));
    });

    app.post(`${path}/:passkey_id/remove`, { config, schema: removePasskeySchema }, async (request) => {
      const owner = requireSession(surface, request);
      await confirmAccount(request, request.body);
      const input = { ...owner, passkeyId: request.params.passkey_id };
      await change(request, (tx) => removePasskey(ctx, tx, input));
      return { status: 'removed' as const };
    });
  };
}

/** Routes of the authenticator app and the recovery codes. */
function codeRoutes(ctx: Context, surface: PeopleSurface): FastifyPluginAsyncTypebox {
  const { confirmAccount, confirmAddition } = confirmationsOf(ctx, surface);
  const { account } = surface.paths;
  const config = surface.own;
  const change = <Result>(request: FastifyRequest, make: (change: ChangeTx) => Promise<Result>) =>
    inChange(ctx, changedByPerson(surface, request), make);

  return async (app) => {
    tagRoutes(app, 'Second factor');

    app.post(`${account}/totp`, { config, schema: startTotpSchema }, async (request, reply) => {
      const owner = requireSession(surface, request);
      await confirmAddition(request, request.body);
      const { secret: key, uri } = await startTotp(ctx, owner);
      reply.code(201);
      return { key, uri };
    });

    app.post(`${account}/totp/confirm`, { config, schema: confirmTotpSchema }, async (request, reply) => {
      const owner = requireSession(surface, request);
      const { totp_code: code } = request.body;
      const first = await change(request, (tx) => confirmTotp(ctx, tx, owner, code));
      return { recovery_codes: toCodes(surface, reply, first) };
    });

    app.post(`${account}/totp/remove`, { config, schema: removeTotpSchema }, async (request) => {
      const owner = requireSession(surface, request);
      await confirmAccount(request, request.body);
      await change(request, (tx) => removeTotp(ctx, tx, owner));
      return { status: 'removed' as const };
    });

    app.post(`${account}/recovery-codes`, { config, schema: renewCodesSchema }, async (request, reply) => {
      const owner = requireSession(surface, request);
      await confirmAccount(request, request.body);
      const issued = await change(request, (tx) => renewRecoveryCodes(ctx, tx, owner));
      reply.code(201);
      return { recovery_codes: issued };
    });
  };
}

/** Returns the recovery codes of a first second factor, and sets the cookie of its session; null for a further one. */
function toCodes(
  { cookie }: PeopleSurface,
  reply: FastifyReply,
  first: FirstEnrolled | undefined,
): string[] | null {
  if (!first) return null;
  setSessionCookie(reply, cookie, first.sessionSecret);
  return first.recoveryCodes;
}

const passkeyView = viewOf(PasskeyView);

const toPasskeyView = (passkey: Passkey) =>
  passkeyView({ ...passkey, passkeyId: passkey.id, host: passkey.rpId });

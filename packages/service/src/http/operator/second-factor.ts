import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getApproval, requireApprovable } from '../../actions/approvals/decide-approval.js';
import { inChange } from '../../actions/change.js';
import { confirmWithPassword } from '../../actions/operators/change-password.js';
import { confirmSession } from '../../actions/operators/confirm.js';
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
} from '../../actions/operators/manage-factors.js';
import { findFactors, offerFactors, type Purpose } from '../../actions/operators/second-factor.js';
import type { Context } from '../../context.js';
import type { Passkey } from '../../db/operators/operator-passkeys.js';
import { sessionLifetimeMs } from '../../domain/session.js';
import { invalidField } from '../../errors.js';
import { choice, freeObject, Name, Nullable, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { changedBy, needsSecondFactor, siteOf } from './auth.js';
import { setSessionCookie } from './cookie.js';
import {
  admitAttempt,
  admitProof,
  FactorOfferView,
  FreshFactor,
  proofExample,
  proofFields,
  requireFreshFactor,
  requireSession,
  toOfferView,
} from './factor-proof.js';
import { field } from './fields.js';
import { closed, closedOrAbsent, own } from './shapes.js';

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
  current_password: Type.Optional(Type.String({ ...field.operatorPassword, minLength: 1, maxLength: 1_000 })),
};
const params = Type.Object({ passkey_id: Type.String(field.passkeyId) });
const factorErrors = [
  'forbidden',
  'second_factor_required',
  'second_factor_wrong',
  'invalid_challenge',
  'rate_limited',
] as const;

const listRoute = route(own, {
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
      recovery_codes_left: Type.Integer(field.recoveryCodesLeft),
    }),
  },
});

const challengeRoute = route(own, {
  operationId: 'challengeSecondFactor',
  summary: 'Request a challenge for a fresh second factor',
  description:
    'Approving (`approval`, with its id), changing your second factors (`account`) and confirming a session (`confirmation`) take a fresh second factor. The challenge is for that one purpose, expires after 2 minutes, and works once. It takes a passkey, or a code from the authenticator app if you have no passkey. Needs a session: 403 `forbidden` with a token.',
  errors: codes('forbidden', 'not_found', 'transition_not_allowed'),
  body: closed({
    purpose: choice(['account', 'approval', 'confirmation'], field.challengePurpose),
    approval_id: Type.Optional(reference(field.challengeApprovalId)),
  }),
  response: { 201: FactorOfferView },
});

const confirmRoute = route(own, {
  operationId: 'confirmSession',
  summary: 'Confirm the session',
  description:
    'Takes a fresh second factor for a challenge with the purpose `confirmation`, and returns a `confirmation`. Send it in the header `x-karat-confirmation` with whatever takes two people where two are required, also where one is enough: without it, an operator with a second factor gets 403 `second_factor_required` with this `field`. It lasts 5 minutes, is valid for this session only, and replaces an earlier one. Keep it in memory, not in a cookie or in storage. Needs a session: 403 `forbidden` with a token.',
  errors: codes('forbidden', 'second_factor_wrong', 'invalid_challenge', 'rate_limited'),
  body: closed(proofFields),
  bodyExample: proofExample,
  response: {
    201: titled('Confirmation', {
      confirmation: Type.String(field.confirmation),
      expires_at: Type.String(field.confirmationExpiresAt),
    }),
  },
});

const startPasskeyRoute = route(own, {
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
});

const addPasskeyRoute = route(own, {
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
});

const renameRoute = route(own, {
  operationId: 'renamePasskey',
  summary: 'Rename a passkey',
  description: 'Only you see the name. It distinguishes your passkeys; nothing depends on it.',
  errors: codes('forbidden', 'not_found'),
  params,
  body: closed({ name: Name(100, field.passkeyName) }),
  response: { 200: PasskeyView },
});

const removed = Type.Object({ status: Type.Literal('removed') });
const removePasskeyRoute = route(own, {
  operationId: 'removePasskey',
  summary: 'Remove a passkey',
  description:
    'The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.',
  errors: codes('not_found', 'transition_not_allowed', ...factorErrors),
  params,
  body: closedOrAbsent(factor),
  response: { 200: removed },
});

const startTotpRoute = route(own, {
  operationId: 'startTotp',
  summary: 'Begin to add an authenticator app',
  description:
    'Returns the key for the app (RFC 6238: SHA-1, 6 digits, 30 seconds), which is never shown again and takes effect when it is confirmed within 15 minutes in the same session, before another second factor is added. Takes a fresh passkey if you have one, otherwise `current_password`. Takes no `Idempotency-Key`, because the key may not be stored.',
  errors: codes('already_exists', 'service_unavailable', ...factorErrors),
  body: closedOrAbsent(factorOrPassword),
  response: {
    201: Type.Object({ key: Type.String(field.totpKey), uri: Type.String(field.totpUri) }),
  },
});

const confirmTotpRoute = route(own, {
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
});

const removeTotpRoute = route(own, {
  operationId: 'removeTotp',
  summary: 'Remove the authenticator app',
  description:
    'The last second factor of a role that needs one cannot be removed; otherwise your recovery codes go with it.',
  errors: codes('not_found', 'transition_not_allowed', ...factorErrors),
  body: closedOrAbsent(factor),
  response: { 200: removed },
});

const renewCodesRoute = route(own, {
  operationId: 'renewRecoveryCodes',
  summary: 'Replace your recovery codes',
  description:
    'The earlier ones no longer work. The new ones are never shown again. Takes no `Idempotency-Key`, because no recovery code may be stored.',
  errors: codes('transition_not_allowed', ...factorErrors),
  body: closedOrAbsent(factor),
  response: { 201: Type.Object({ recovery_codes: recoveryCodes }) },
});

/** Routes of an operator's own second factors. */
export function secondFactorRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const confirmAccount = (
    request: FastifyRequest,
    body: { second_factor?: Parameters<typeof requireFreshFactor>[3] } | null,
  ) => requireFreshFactor(ctx, request, { purpose: 'account' }, body?.second_factor);
  type AccountBody = NonNullable<Parameters<typeof confirmAccount>[1]>;

  /**
   * Has the operator show a passkey, or without one the password and any app: a cookie adds no second factor, nor does a code
   * that was typed into another site.
   */
  async function confirmAddition(
    request: FastifyRequest,
    body: (AccountBody & { current_password?: string }) | null,
  ) {
    const { operator } = request;
    const { passkeys, totp } = await findFactors(ctx.db, operator.operatorId);
    if (passkeys.length > 0) return confirmAccount(request, body);
    const currentPassword = body?.current_password;
    if (currentPassword === undefined) {
      const message = 'Without a passkey, adding a second factor takes your current_password.';
      throw invalidField('current_password', message);
    }
    const attempt = await admitAttempt(ctx, request, operator.email, 'password');
    await confirmWithPassword(ctx, changedBy(request), operator, { currentPassword, attempt });
    if (totp || body?.second_factor) await confirmAccount(request, body);
  }

  return async (app) => {
    tagRoutes(app, 'Second factor');

    app.get('/me/second-factor', listRoute, async ({ operator }) => {
      const { passkeys, totp, recoveryCodesLeft } = await findFactors(ctx.db, operator.operatorId);
      return {
        required: needsSecondFactor(ctx, operator),
        passkeys: passkeys.map(toPasskeyView),
        totp: totp !== undefined,
        totp_available: ctx.config.totpSecret !== undefined,
        recovery_codes_left: recoveryCodesLeft,
      };
    });

    app.post('/me/second-factor/challenges', challengeRoute, async (request, reply) => {
      const { operator } = requireSession(request);
      const purpose = await purposeOf(ctx, request, request.body);
      const factors = await findFactors(ctx.db, operator.operatorId);
      const offer = await ctx.db.transaction((tx) =>
        offerFactors(ctx, tx, purpose, { factors, site: siteOf(request) }),
      );
      reply.code(201);
      return toOfferView(offer);
    });

    app.post('/me/second-factor/confirm', confirmRoute, async (request, reply) => {
      const owner = requireSession(request);
      const proof = await admitProof(ctx, request, { purpose: 'confirmation' }, request.body);
      const { secret, expiresAt } = await confirmSession(ctx, changedBy(request), owner, proof);
      reply.code(201);
      return { confirmation: secret, expires_at: expiresAt.toISOString() };
    });

    app.post('/me/passkeys/options', startPasskeyRoute, async (request, reply) => {
      const owner = requireSession(request);
      await confirmAddition(request, request.body);
      const { token, expiresAt, options } = await startPasskey(ctx, owner, siteOf(request));
      reply.code(201);
      return { token, passkey_options: { ...options }, expires_at: expiresAt.toISOString() };
    });

    app.post('/me/passkeys', addPasskeyRoute, async (request, reply) => {
      const owner = requireSession(request);
      const { token, name, passkey: response } = request.body;
      const input = { token, name, response, site: siteOf(request) };
      const added = await inChange(ctx, changedBy(request), (change) =>
        addPasskey(ctx, change, owner, input),
      );
      reply.code(201);
      return { passkey: toPasskeyView(added.passkey), recovery_codes: toCodes(reply, added.first) };
    });

    app.patch('/me/passkeys/:passkey_id', renameRoute, async (request) => {
      const { operatorId } = requireSession(request).operator;
      const input = { operatorId, passkeyId: request.params.passkey_id, name: request.body.name };
      return toPasskeyView(await inChange(ctx, changedBy(request), (change) => renamePasskey(change, input)));
    });

    app.post('/me/passkeys/:passkey_id/remove', removePasskeyRoute, async (request) => {
      const owner = requireSession(request);
      await confirmAccount(request, request.body);
      const input = { ...owner, passkeyId: request.params.passkey_id };
      await inChange(ctx, changedBy(request), (change) => removePasskey(ctx, change, input));
      return { status: 'removed' as const };
    });

    app.post('/me/totp', startTotpRoute, async (request, reply) => {
      const owner = requireSession(request);
      await confirmAddition(request, request.body);
      const { secret: key, uri } = await startTotp(ctx, owner);
      reply.code(201);
      return { key, uri };
    });

    app.post('/me/totp/confirm', confirmTotpRoute, async (request, reply) => {
      const owner = requireSession(request);
      const { totp_code: code } = request.body;
      const first = await inChange(ctx, changedBy(request), (change) =>
        confirmTotp(ctx, change, owner, code),
      );
      return { recovery_codes: toCodes(reply, first) };
    });

    app.post('/me/totp/remove', removeTotpRoute, async (request) => {
      const owner = requireSession(request);
      await confirmAccount(request, request.body);
      await inChange(ctx, changedBy(request), (change) => removeTotp(ctx, change, owner));
      return { status: 'removed' as const };
    });

    app.post('/me/recovery-codes', renewCodesRoute, async (request, reply) => {
      const owner = requireSession(request);
      await confirmAccount(request, request.body);
      const codes = await inChange(ctx, changedBy(request), (change) =>
        renewRecoveryCodes(ctx, change, owner),
      );
      reply.code(201);
      return { recovery_codes: codes };
    });
  };
}

/** Returns the recovery codes of a first second factor, and sets the cookie of its session; null for a further one. */
function toCodes(reply: FastifyReply, first: FirstEnrolled | undefined): string[] | null {
  if (!first) return null;
  setSessionCookie(reply, first.sessionSecret, sessionLifetimeMs / 1_000);
  return first.recoveryCodes;
}

/** Returns what a challenge is requested for. Throws for an approval that the operator cannot decide now. */
async function purposeOf(
  ctx: Context,
  { operator }: FastifyRequest,
  { purpose, approval_id: approvalId }: { purpose: Purpose['purpose']; approval_id?: string },
): Promise<Purpose> {
  const { operatorId } = operator;
  if ((purpose === 'approval') !== (approvalId !== undefined)) {
    throw invalidField('approval_id', 'approval_id goes with the purpose approval.');
  }
  if (approvalId === undefined) return { operatorId, purpose };
  const approval = await getApproval(ctx, approvalId);
  await requireApprovable(ctx, operator, approval);
  return { operatorId, purpose, subject: approval.id };
}

const passkeyView = viewOf(PasskeyView);

const toPasskeyView = (passkey: Passkey) =>
  passkeyView({ ...passkey, passkeyId: passkey.id, host: passkey.rpId });

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { mintChallenge } from '../../actions/keys/mint-challenge.js';
import { confirmWithWallet, signInWithWallet } from '../../actions/members/sign-in-with-wallet.js';
import { findFactors, hasFactor, needsSecondFactor } from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import { type Member, memberPermissions, memberPermissionsOf, memberRoles } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import { invalidField } from '../../errors.js';
import { about, field } from '../../views/fields.js';
import { memberField } from '../../views/member-view.js';
import { choice, Nullable, reference, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { FactorOfferView } from '../people/factor-proof.js';
import { ConfirmationView, factorRoutes, toConfirmationView } from '../people/factors.js';
import { portalSurface } from '../people/portal.js';
import { refuseForeignSignIn } from '../people/same-origin.js';
import {
  contextOf,
  respondToPassword,
  respondWithSession,
  sessionRoutes as sharedRoutes,
  signInMeaning,
} from '../people/sessions.js';
import { route } from '../server/route.js';

const open = { auth: 'none', limit: 'auth' } as const;
const own = { auth: 'partner', permission: 'read', ownAccount: true } as const;

const SessionView = titled('PortalSession', {
  member_id: Type.String(memberField.memberId),
  email: Nullable(Type.String(), { ...memberField.email, description: 'Null for a session of a wallet.' }),
  name: Type.String({
    ...memberField.name,
    description: 'Name of the member, or the address of the wallet.',
  }),
  role: choice(memberRoles, memberField.role),
  partner_id: Type.String(field.partnerId),
  permissions: Type.Array(choice(memberPermissions), {
    description: 'What the role permits. A page leaves out what would be refused.',
    examples: [['read', 'read_requests', 'manage_keys']],
  }),
  expires_at: Type.String(about('When the session ends at the latest.', '2026-02-14T21:30:00.000Z')),
  second_factor_required: Type.Boolean(
    about('Whether sessions of the member need a second factor here.', true),
  ),
  second_factor_enrolled: Type.Boolean(
    about('Whether the member has a passkey or an authenticator app.', true),
  ),
});

const text = (meaning: object, maxLength: number) =>
  Type.Optional(Type.String({ ...meaning, minLength: 1, maxLength }));

const signInRoute = route(open, {
  operationId: 'signIn',
  summary: 'Sign in to the portal',
  description: `With \`email\` and \`password\`, or with the \`signature\` of a wallet of the partner for a challenge of \`POST /v1/session/challenge\`, which opens a session of an owner in the name of the wallet. ${signInMeaning('x-karat-portal')}`,
  errors: codes(
    'unauthorized',
    'forbidden',
    'invalid_challenge',
    'challenge_expired',
    'invalid_signature',
    'wallet_revoked',
    'wallet_not_allowed',
  ),
  body: Type.Object({
    email: text(memberField.email, 254),
    password: text(about('The password.', 'correct horse battery staple'), 1_000),
    challenge_id: text(field.challengeId, 100),
    signature: text({ ...field.signature, description: 'Signature of the message: base64 or base58.' }, 200),
  }),
  bodyExample: { email: 'sana@acme.example', password: 'correct horse battery staple' },
  response: { 200: SessionView, 202: FactorOfferView },
});

const challengeRoute = route(open, {
  operationId: 'createSessionChallenge',
  summary: 'Request a challenge to sign in with a wallet',
  description: 'The wallet signs `message`, within 2 minutes. It is another message than that for a key.',
  errors: codes('invalid_wallet', 'wallet_revoked', 'wallet_not_found'),
  body: Type.Object({
    wallet_address: reference(field.partnerWallet),
    partner_id: reference(field.partnerId),
  }),
  response: {
    200: titled('PortalChallenge', {
      challenge_id: Type.String(field.challengeId),
      message: Type.String(
        about(
          'What the wallet signs.',
          `Sign this message to open the Karat portal: ${field.challengeId.examples[0]}`,
        ),
      ),
      expires_at: Type.String(field.challengeExpiresAt),
    }),
  },
});

const getRoute = route(own, {
  operationId: 'getSession',
  summary: 'Get the session',
  description: 'Returns who is signed in, with the role and what it permits.',
  response: { 200: SessionView },
});

const confirmRoute = route(own, {
  operationId: 'confirmSessionWithWallet',
  summary: 'Confirm the session of a wallet',
  description:
    'For a session of a wallet, in place of a second factor: takes a fresh signature of the same wallet for a new challenge of `POST /v1/session/challenge`, and returns a `confirmation` for the header `x-karat-confirmation`. It lasts 5 minutes.',
  errors: codes(
    'forbidden',
    'invalid_challenge',
    'challenge_expired',
    'invalid_signature',
    'wallet_revoked',
    'wallet_not_allowed',
  ),
  body: Type.Object({
    challenge_id: reference(field.challengeId),
    signature: reference(field.signature),
  }),
  response: { 201: ConfirmationView },
});

/** Routes of the portal's sessions, and of the own account of the member who is signed in. */
export function sessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  async function toView(person: Operator | Member, { expiresAt }: { expiresAt: Date }) {
    const { personId, email, name, role, partnerId } = person as Member;
    return {
      member_id: personId,
      email,
      name,
      role,
      partner_id: partnerId,
      permissions: memberPermissionsOf(role),
      expires_at: expiresAt.toISOString(),
      second_factor_required: needsSecondFactor(ctx, person),
      second_factor_enrolled: hasFactor(await findFactors(ctx.db, personId)),
    };
  }
  const shape = { View: SessionView, toView };

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post('/v1/session', signInRoute, async (request, reply) => {
      const { email, password, challenge_id: challengeId, signature } = request.body;
      if (
        email !== undefined &&
        password !== undefined &&
        challengeId === undefined &&
        signature === undefined
      ) {
        return respondToPassword(ctx, portalSurface, { request, reply }, { email, password, shape });
      }
      if (
        challengeId === undefined ||
        signature === undefined ||
        email !== undefined ||
        password !== undefined
      ) {
        throw invalidField('email', 'Send email and password, or challenge_id and signature.');
      }
      refuseForeignSignIn(request);
      const from = { ...contextOf(portalSurface, request), address: request.ip };
      const opened = await signInWithWallet(ctx, { challengeId, signature }, from);
      return respondWithSession(ctx, portalSurface, reply, { ...opened, shape });
    });

    app.post('/v1/session/challenge', challengeRoute, async ({ body }) => {
      const wanted = { walletAddress: body.wallet_address, partnerId: body.partner_id };
      const { id, message, expiresAt } = await mintChallenge(ctx, wanted, 'portal');
      return { challenge_id: id, message, expires_at: expiresAt.toISOString() };
    });

    app.get('/v1/session', getRoute, async ({ portalSession: { member, expiresAt } }) =>
      toView(member, { expiresAt }),
    );

    app.post('/v1/session/confirm', confirmRoute, async (request, reply) => {
      const { member, sessionHash } = request.portalSession;
      const { challenge_id: challengeId, signature } = request.body;
      const owner = { member, sessionHash, requestId: request.id };
      const confirmation = await confirmWithWallet(ctx, owner, { challengeId, signature });
      reply.code(201);
      return toConfirmationView(confirmation);
    });

    await app.register(sharedRoutes(ctx, portalSurface, shape));
    const purposeOf = async (
      { portalSession: { member } }: { portalSession: { member: Member } },
      { purpose }: { purpose: 'account' | 'confirmation' | 'sign_in' | 'enrol_passkey' | 'approval' },
    ) => ({ personId: member.personId, purpose });
    await app.register(factorRoutes(ctx, portalSurface, purposeOf));
  };
}

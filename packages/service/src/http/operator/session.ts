import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { changePassword } from '../../actions/operators/change-password.js';
import { findFactors, hasFactor } from '../../actions/operators/second-factor.js';
import { findSecondStep, finishSignIn, signIn, signOut } from '../../actions/operators/sign-in.js';
import type { Context } from '../../context.js';
import { isStorable } from '../../domain/encoding.js';
import { signInDelays } from '../../domain/limits.js';
import { type Operator, operatorPermissions, operatorRoles, permissionsOf } from '../../domain/operator.js';
import { sessionIdleMs, sessionLifetimeMs } from '../../domain/session.js';
import { spanInWords } from '../../domain/words.js';
import { AppError } from '../../errors.js';
import { choice, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { changedBy, isSameOrigin, needsSecondFactor, siteOf } from './auth.js';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.js';
import {
  admitAttempt,
  FactorOfferView,
  proofExample,
  proofFields,
  toOfferView,
  toProof,
} from './factor-proof.js';
import { field } from './fields.js';
import { closed, own } from './shapes.js';

const OperatorView = titled('SignedInOperator', {
  operator_id: Type.String({ examples: ['019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'] }),
  email: Type.String({ examples: ['ops@example.com'] }),
  name: Type.String({ examples: ['Sana Malik'] }),
  role: choice(operatorRoles, { description: 'What the operator may do.', examples: ['fulfilment'] }),
  permissions: Type.Array(choice(operatorPermissions, { examples: ['fulfil'] }), {
    description: 'What the role permits. A page leaves out what would be refused.',
    examples: [['read', 'decide', 'fulfil']],
  }),
  second_factor_required: Type.Boolean({
    description: 'Whether sessions of the role need a second factor here.',
    examples: [true],
  }),
  second_factor_enrolled: Type.Boolean({
    description: 'Whether the operator has a passkey or an authenticator app.',
    examples: [true],
  }),
});

const operatorView = viewOf(OperatorView);

const open = { auth: 'none' } as const;
const signInRoute = route(open, {
  operationId: 'signIn',
  summary: 'Sign in',
  description: `Opens a session and sets its cookie. The session ends after ${spanInWords(sessionLifetimeMs)}, or after ${spanInWords(sessionIdleMs)} without a request. After ${signInDelays.pair.free + 1} wrong passwords for an account from one network, every further attempt from there must wait, from one second up to ${spanInWords(signInDelays.pair.maxMs)}. After ${signInDelays.crowd.free + 1} wrong passwords, a network as a whole and an account that is tried from other networks are slowed as well, in the end to one attempt a minute, and so is a /48 of IPv6 after ${signInDelays.site.free + 1}. \`retry-after\` gives the wait. Attempts from other networks do not delay a network that the account has signed in from. For an account with a second factor, the response is 202 with a challenge for the second step, and no session. A change made with the cookie needs \`x-karat-console: 1\` and an \`Origin\` of this host.`,
  errors: codes('unauthorized', 'forbidden', 'rate_limited'),
  body: closed({
    email: Type.String({ minLength: 1, maxLength: 254, examples: ['ops@example.com'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000, examples: ['correct horse battery staple'] }),
  }),
  response: { 200: OperatorView, 202: FactorOfferView },
});

const secondStepRoute = route(open, {
  operationId: 'finishSignIn',
  summary: 'Sign in, second step',
  description: `Opens the session with a passkey, a code of the authenticator app, or a recovery code: exactly one of them. The \`token\` of the first step lasts 5 minutes and works once; after a wrong second factor, you may try again with the same token. Each code works once. Wrong second factors delay further attempts as wrong passwords do, and are counted separately; an account that is tried from other networks is slowed after ${signInDelays.factor.free + 1} of them, in the end to one attempt in ${spanInWords(signInDelays.factor.maxMs)}.`,
  errors: codes('unauthorized', 'forbidden', 'second_factor_wrong', 'rate_limited'),
  body: closed(proofFields),
  bodyExample: proofExample,
  response: { 200: OperatorView },
});

const signOutRoute = route(own, {
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session of the cookie immediately. A token has no session and is not affected.',
  response: { 200: Type.Object({ status: Type.Literal('signed_out') }) },
});

const passwordRoute = route(own, {
  operationId: 'changePassword',
  summary: 'Change your password',
  description:
    'All of your sessions end: sign in again. Tokens stay valid. A wrong current password counts as a failed attempt to sign in. Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash.',
  errors: codes('rate_limited'),
  body: closed({
    current_password: Type.String({ ...field.operatorPassword, minLength: 1, maxLength: 1_000 }),
    new_password: Type.String({ ...field.operatorPassword, minLength: 1, maxLength: 1_000 }),
  }),
  bodyExample: {
    current_password: 'correct horse battery staple',
    new_password: 'a longer horse, a newer staple',
  },
  response: { 200: Type.Object({ status: Type.Literal('signed_out') }) },
});

const meRoute = route(own, {
  operationId: 'getMe',
  summary: 'Get the current operator',
  description: 'Returns the operator that the token or the session belongs to.',
  response: { 200: OperatorView },
});

/** Routes for signing in and out, and for the operator who is signed in. */
export function sessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const admit = (request: FastifyRequest, email: string) => admitAttempt(ctx, request, email, 'password');
  /** Returns the view of the operator who signed in or is signed in. */
  async function toOperatorView(operator: Operator) {
    return operatorView({
      ...operator,
      permissions: permissionsOf(operator.role),
      secondFactorRequired: needsSecondFactor(ctx, operator),
      secondFactorEnrolled: hasFactor(await findFactors(ctx.db, operator.operatorId)),
    });
  }

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post('/session', signInRoute, async (request, reply) => {
      refuseForeignSignIn(request);
      const { email, password } = request.body;
      const attempt = await admit(request, email);
      const signedIn = await signIn(ctx, { attempt, password, ...contextOf(request) });
      if ('offer' in signedIn) {
        reply.code(202);
        return toOfferView(signedIn.offer);
      }
      setSessionCookie(reply, signedIn.secret, sessionLifetimeMs / 1_000);
      return toOperatorView(signedIn.operator);
    });

    app.post('/session/second-factor', secondStepRoute, async (request, reply) => {
      refuseForeignSignIn(request);
      const { token } = request.body;
      const proof = toProof(request.body);
      const email = await findSecondStep(ctx, token);
      const attempt = await admitAttempt(ctx, request, email, 'second_factor');
      const { operator, secret } = await finishSignIn(ctx, { attempt, token, proof, ...contextOf(request) });
      setSessionCookie(reply, secret, sessionLifetimeMs / 1_000);
      return toOperatorView(operator);
    });

    app.delete('/session', signOutRoute, async (request, reply) => {
      const secret = request.cookies[sessionCookie];
      if (secret !== undefined) await signOut(ctx, secret);
      clearSessionCookie(reply);
      return { status: 'signed_out' as const };
    });

    app.put('/me/password', passwordRoute, async (request, reply) => {
      const { current_password: currentPassword, new_password: newPassword } = request.body;
      const attempt = await admit(request, request.operator.email);
      const passwords = { currentPassword, newPassword };
      await changePassword(ctx, changedBy(request), request.operator, { ...passwords, attempt });
      clearSessionCookie(reply);
      return { status: 'signed_out' as const };
    });

    app.get('/me', meRoute, async (request) => toOperatorView(request.operator));
  };
}

/** Throws `forbidden` for a page of another site, which would sign its visitor in to another account. */
function refuseForeignSignIn(request: FastifyRequest): void {
  if (request.headers.origin === undefined || isSameOrigin(request)) return;
  throw new AppError('forbidden', 'Signing in from another site is not allowed.');
}

/** How much of what a browser calls itself is kept. */
const maxUserAgent = 300;

function contextOf(request: FastifyRequest) {
  const named = request.headers['user-agent']?.slice(0, maxUserAgent);
  return {
    broughtSecret: request.cookies[sessionCookie],
    site: siteOf(request),
    userAgent: named !== undefined && isStorable(named) ? named : null,
    requestId: request.id,
  };
}

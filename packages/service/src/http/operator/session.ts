import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { changePassword } from '../../actions/operators/change-password.js';
import { type Attempt, admitSignIn } from '../../actions/operators/limit-sign-in.js';
import { sessionLifetimeMs, signIn, signOut } from '../../actions/operators/sign-in.js';
import type { Context } from '../../context.js';
import { operatorRoles } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { clientNetwork } from '../server/client-network.js';
import { choice, route, titled } from '../server/schemas.js';
import { viewOf } from '../server/view.js';
import { changedBy, isSameOrigin } from './auth.js';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.js';
import { field } from './fields.js';
import { closed, read } from './shapes.js';

const OperatorView = titled('SignedInOperator', {
  operator_id: Type.String({ examples: ['019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'] }),
  email: Type.String({ examples: ['ops@example.com'] }),
  name: Type.String({ examples: ['Sana Malik'] }),
  role: choice(operatorRoles, { description: 'What the operator may do.', examples: ['fulfilment'] }),
});

const toOperatorView = viewOf(OperatorView);

const open = { auth: 'none' } as const;
const signInRoute = route(open, {
  operationId: 'signIn',
  summary: 'Sign in',
  description:
    'Opens a session and sets its cookie. The session ends after 12 hours, or after 30 minutes without a request. After three wrong passwords for an account from one network, every further attempt from there must wait, from one second up to 15 minutes. After 20 wrong passwords, a network as a whole and an account that is tried from other networks are slowed as well, in the end to one attempt a minute. `retry-after` gives the wait. Attempts from other networks do not delay a network that the account has signed in from. A change made with the cookie needs `x-karat-console: 1` and an `Origin` of this host.',
  errors: codes('unauthorized', 'forbidden', 'rate_limited'),
  body: closed({
    email: Type.String({ minLength: 1, maxLength: 254, examples: ['ops@example.com'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000, examples: ['correct horse battery staple'] }),
  }),
  response: { 200: OperatorView },
});

const signOutRoute = route(read, {
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session of the cookie immediately. A token has no session and is not affected.',
  response: { 200: Type.Object({ status: Type.Literal('signed_out') }) },
});

const passwordRoute = route(read, {
  operationId: 'changePassword',
  summary: 'Change your password',
  description:
    'All of your sessions end: sign in again. Tokens stay valid. A wrong current password counts as a failed attempt to sign in. Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash.',
  errors: codes('rate_limited'),
  body: closed({
    current_password: Type.String({ ...field.operatorPassword, minLength: 1, maxLength: 1_000 }),
    new_password: Type.String({ ...field.operatorPassword, minLength: 1, maxLength: 1_000 }),
  }),
  response: { 200: Type.Object({ status: Type.Literal('signed_out') }) },
});

const meRoute = route(read, {
  operationId: 'getMe',
  summary: 'Get the current operator',
  description: 'Returns the operator that the token or the session belongs to.',
  response: { 200: OperatorView },
});

/** Routes for signing in and out, and for the operator who is signed in. */
export function sessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  /** Counts a password that is about to be checked as failed until it turns out right. Throws `rate_limited`. */
  async function admit(reply: FastifyReply, email: string): Promise<Attempt> {
    const { ip: address } = reply.request;
    const attempt = await admitSignIn(ctx, { address, network: clientNetwork(address), email });
    if (!('waitSeconds' in attempt)) return attempt;
    const { waitSeconds } = attempt;
    reply.header('retry-after', String(waitSeconds));
    throw new AppError('rate_limited', `Too many failed attempts to sign in; try again in ${waitSeconds} s.`);
  }

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post('/session', signInRoute, async (request, reply) => {
      if (request.headers.origin !== undefined && !isSameOrigin(request)) {
        throw new AppError('forbidden', 'Signing in from another site is not allowed.');
      }
      const { email, password } = request.body;
      const attempt = await admit(reply, email);
      const broughtSecret = request.cookies[sessionCookie];
      const input = { attempt, password, broughtSecret, requestId: request.id };
      const { operator, secret } = await signIn(ctx, input);
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
      const attempt = await admit(reply, request.operator.email);
      const passwords = { currentPassword, newPassword };
      await changePassword(ctx, changedBy(request), request.operator, { ...passwords, attempt });
      clearSessionCookie(reply);
      return { status: 'signed_out' as const };
    });

    app.get('/me', meRoute, async (request) => toOperatorView(request.operator));
  };
}

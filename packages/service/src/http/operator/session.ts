import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { admitSignIn, sessionLifetimeMs, signIn, signOut } from '../../actions/sign-in.js';
import type { Context } from '../../context.js';
import { type Operator, operatorRoles } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { refuseAboveLimit, showBudget } from '../key-budget.js';
import { codes } from '../openapi/conventions.js';
import { choice } from '../schemas.js';
import { isSameOrigin } from './auth.js';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.js';
import { closed } from './shapes.js';

const OperatorView = Type.Object({
  operator_id: Type.String({ examples: ['019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'] }),
  email: Type.String({ examples: ['ops@example.com'] }),
  name: Type.String({ examples: ['Sana Malik'] }),
  role: choice(operatorRoles, { description: 'What the operator may do.', examples: ['fulfilment'] }),
});

const signInSchema = {
  operationId: 'signIn',
  tags: ['Session'],
  summary: 'Sign in',
  description:
    'Opens a session of 12 hours and sets its cookie. 10 tries a minute for an IP address, and for an email. A change made with the cookie needs `x-karat-console: 1` and an `Origin` of this host.',
  errors: codes('unauthorized', 'forbidden', 'rate_limited'),
  body: closed({
    email: Type.String({ minLength: 1, maxLength: 254, examples: ['ops@example.com'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000, examples: ['correct horse battery staple'] }),
  }),
  response: { 200: OperatorView },
};

const signOutSchema = {
  operationId: 'signOut',
  tags: ['Session'],
  summary: 'Sign out',
  description: 'Ends the session of the cookie at once. A token has no session and is not touched.',
  response: { 200: Type.Object({ status: Type.Literal('signed_out') }) },
};

const meSchema = {
  operationId: 'getMe',
  tags: ['Session'],
  summary: 'Who am I',
  description: 'The operator of the token or of the session.',
  response: { 200: OperatorView },
};

/** Signing in and out, and who is signed in. */
export function sessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/session', { config: { auth: 'none' }, schema: signInSchema }, async (request, reply) => {
      if (request.headers.origin !== undefined && !isSameOrigin(request)) {
        throw new AppError('forbidden', 'Another site may not sign anybody in.');
      }
      const { email, password } = request.body;
      const { limit, ...state } = await admitSignIn(ctx, request.ip, email);
      showBudget(reply, limit, state);
      if (!state.admitted) throw refuseAboveLimit(reply, limit, state);
      const broughtSecret = request.cookies[sessionCookie];
      const { operator, secret } = await signIn(ctx, { email, password, broughtSecret });
      setSessionCookie(reply, secret, sessionLifetimeMs / 1_000);
      return toOperatorView(operator);
    });

    app.delete(
      '/session',
      { config: { auth: 'operator', permission: 'read' }, schema: signOutSchema },
      async (request, reply) => {
        const secret = request.cookies[sessionCookie];
        if (secret !== undefined) await signOut(ctx, secret);
        clearSessionCookie(reply);
        return { status: 'signed_out' as const };
      },
    );

    app.get('/me', { config: { auth: 'operator', permission: 'read' }, schema: meSchema }, async (request) =>
      toOperatorView(request.operator),
    );
  };
}

function toOperatorView({ operatorId, email, name, role }: Operator) {
  return { operator_id: operatorId, email, name, role };
}

import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox';
import type { IdentityProvider } from '../../actions/people/identity-provider.js';
import { signOn } from '../../actions/people/sign-in-by-provider.js';
import type { Context } from '../../context.js';
import { signOnMs } from '../../domain/single-sign-on.js';
import { spanInWords } from '../../domain/words.js';
import { closed, closedOrAbsent, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { admitAttempt, FactorOfferView, toOfferView } from '../people/factor-proof.js';
import { field as personField } from '../people/fields.js';
import { requireOwnOrigin } from '../people/same-origin.js';
import {
  clearSessionCookie,
  cookieOf,
  type SessionCookie,
  setSessionCookie,
} from '../people/session-cookie.js';
import { contextOf, type PersonShape, respondWithSession } from '../people/sessions.js';
import { route } from '../server/route.js';
import { consoleSurface } from './auth.js';

/** The page of the console to which the identity provider sends browsers back. */
const returnPath = '/single-sign-on';

/** Keeps the secret of a sign-in while its browser is at the identity provider. */
const signOnCookie: SessionCookie = {
  name: 'karat_sign_on',
  path: '/operator/v1/session',
  lifetimeMs: signOnMs,
};

const open = { auth: 'none' } as const;

const methodsRoute = route(open, {
  operationId: 'getSignInMethods',
  summary: 'Get the ways to sign in',
  description: 'Returns how operators can sign in here, for the page that offers it.',
  errors: codes('invalid_request'),
  response: {
    200: titled('SignInMethods', {
      password: Type.Boolean({ description: 'With email and password.', examples: [true] }),
      single_sign_on: Type.Boolean({ description: 'At the identity provider.', examples: [true] }),
    }),
  },
});

const startRoute = route(open, {
  operationId: 'startSingleSignOn',
  summary: 'Begin single sign-on',
  description: `Returns the address of the identity provider (OpenID Connect, authorization code with PKCE) to send the browser to, and sets a cookie by which only this browser can finish, within ${spanInWords(signOnMs)}. The provider sends the browser back to \`${returnPath}\` of the host that the page is at: register that address there. Needs an \`Origin\` of this host.`,
  errors: codes('forbidden', 'service_unavailable'),
  body: closedOrAbsent({
    fresh: Type.Optional(
      Type.Boolean({
        description:
          'Has the person show everything to the provider again, even one who is signed in there: for what needs a confirmation. Default false.',
        examples: [true],
      }),
    ),
  }),
  response: {
    201: Type.Object({
      authorization_url: Type.String({
        description: 'Where to send the browser.',
        examples: ['https://login.example.com/authorize?client_id=karat&response_type=code'],
      }),
    }),
  },
});

const text = (maxLength: number, meaning: { description: string; examples: string[] }) =>
  Type.String({ minLength: 1, maxLength, ...meaning });

const finishBody = {
  state: text(200, {
    description: 'The parameter `state` of the address that the provider sent the browser back to.',
    examples: ['ehzBEGmqyj6OBEWYgB5mZuTLwD6dBcZ8OdQsTL4cw4M'],
  }),
  code: Type.Optional(
    text(4_000, { description: 'Its parameter `code`.', examples: ['xsb51E_K4kXlFzi3wYVqWw'] }),
  ),
  iss: Type.Optional(
    text(1_000, { description: 'Its parameter `iss`.', examples: ['https://login.example.com'] }),
  ),
  error: Type.Optional(
    text(200, { description: 'Its parameter `error`, in place of a code.', examples: ['access_denied'] }),
  ),
};

const finishSchema = {
  operationId: 'finishSingleSignOn',
  summary: 'Finish single sign-on',
  description:
    'Takes what the identity provider sent back, and opens a session like that of a password. The operator is the one whom the provider knows by this issuer and subject, is created at the first sign-in, and has the name and the role of the provider and of `KARAT_OIDC_ROLES` from then on; without a group that has a role, and for a disabled operator, the response is 403 `forbidden`, and the sessions of the operator end. Unless the provider attests to a second factor (`KARAT_OIDC_SECOND_FACTOR`), an operator who has one here gets 202 with a challenge for the second step, `POST /session/second-factor`. 400 `invalid_challenge` means that another browser began the sign-in, or none.',
  errors: codes('unauthorized', 'forbidden', 'invalid_challenge', 'rate_limited', 'service_unavailable'),
  body: closed(finishBody),
};

/** Routes by which operators sign in at an identity provider. */
export function singleSignOnRoutes<View extends TObject>(
  ctx: Context,
  provider: IdentityProvider,
  shape: PersonShape<View>,
): FastifyPluginAsyncTypebox {
  const SignedOnView = titled('SignedInBySingleSignOn', {
    ...shape.View.properties,
    confirmation: Type.Optional(
      Type.String({
        ...personField.confirmation,
        description:
          'After a fresh sign-in: the value of `x-karat-confirmation` for the next 5 minutes. Without a password, adding the first second factor takes it too.',
      }),
    ),
  });

  return async (app) => {
    tagRoutes(app, 'Session');

    app.get('/session/methods', methodsRoute, async () => ({
      password: ctx.config.operatorPasswords === 'allowed',
      single_sign_on: provider.isSet,
    }));

    app.post('/session/single-sign-on', startRoute, async (request, reply) => {
      const redirectUri = requireOwnOrigin(request) + returnPath;
      const { url, secret } = await provider.begin({ redirectUri, fresh: request.body?.fresh === true });
      setSessionCookie(reply, signOnCookie, secret);
      reply.code(201);
      return { authorization_url: url };
    });

    app.post(
      '/session/single-sign-on/finish',
      {
        config: open,
        schema: { ...finishSchema, response: { 200: SignedOnView as TObject, 202: FactorOfferView } },
      },
      async (request, reply) => {
        const redirectUri = requireOwnOrigin(request) + returnPath;
        const begun = cookieOf(request, signOnCookie);
        clearSessionCookie(reply, signOnCookie);
        const source = { kind: 'operator', email: '', step: 'single_sign_on' } as const;
        const attempt = await admitAttempt(ctx, request, source);
        const returned = { begun, redirectUri, response: request.body as SignOnBody };
        const signedOn = await signOn(ctx, provider, returned, {
          attempt,
          ...contextOf(consoleSurface, request),
        });
        if ('offer' in signedOn) {
          reply.code(202);
          return toOfferView(signedOn.offer) as never;
        }
        const { secret, confirmation } = signedOn;
        const view = await respondWithSession(ctx, consoleSurface, reply, { secret, shape });
        return { ...view, ...(confirmation && { confirmation: confirmation.secret }) } as never;
      },
    );
  };
}

type SignOnBody = Static<ReturnType<typeof closed<typeof finishBody>>>;

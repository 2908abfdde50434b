import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { changePassword } from '../../actions/people/change-password.js';
import { findSecondStep, findSignedIn, finishSignIn, signIn, signOut } from '../../actions/people/sign-in.js';
import type { Context } from '../../context.js';
import { isStorable } from '../../domain/encoding.js';
import { signInDelays } from '../../domain/limits.js';
import type { Member } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import type { PersonKind } from '../../domain/person.js';
import { sessionIdleMs, sessionLifetimeMs } from '../../domain/session.js';
import { spanInWords } from '../../domain/words.js';
import { AppError } from '../../errors.js';
import { closed } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { admitAttempt, proofExample, proofFields, toOfferView, toProof } from './factor-proof.js';
import { field } from './fields.js';
import { refuseForeignSignIn, siteOf } from './same-origin.js';
import { clearSessionCookie, cookieOf, setSessionCookie } from './session-cookie.js';
import { changedByPerson, type PeopleSurface } from './surface.js';

/** What signing in with a password says of delays and sessions, for the reference. */
export const signInMeaning = (pageHeader: PeopleSurface['pageHeader']) =>
  `Opens a session and sets its cookie. The session ends after ${spanInWords(sessionLifetimeMs)}, or after ${spanInWords(sessionIdleMs)} without a request. After ${signInDelays.pair.free + 1} wrong passwords for an account from one network, every further attempt from there must wait, from one second up to ${spanInWords(signInDelays.pair.maxMs)}. After ${signInDelays.crowd.free + 1} wrong passwords, a network as a whole and an account that is tried from other networks are slowed as well, in the end to one attempt a minute, and so is a /48 of IPv6 after ${signInDelays.site.free + 1}. \`retry-after\` gives the wait. Attempts from other networks do not delay a network that the account has signed in from. For an account with a second factor, the response is 202 with a challenge for the second step, and no session. A change made with the cookie needs \`${pageHeader}: 1\` and an \`Origin\` of this host.`;

const secondStepSchema = {
  operationId: 'finishSignIn',
  summary: 'Sign in, second step',
  description: `Opens the session with a passkey, a code of the authenticator app, or a recovery code: exactly one of them. The \`token\` of the first step lasts 5 minutes and works once; after a wrong second factor, you may try again with the same token. Each code works once. Wrong second factors delay further attempts as wrong passwords do, and are counted separately; an account that is tried from other networks is slowed after ${signInDelays.factor.free + 1} of them, in the end to one attempt in ${spanInWords(signInDelays.factor.maxMs)}.`,
  errors: codes('unauthorized', 'forbidden', 'second_factor_wrong', 'rate_limited'),
  body: closed(proofFields),
  bodyExample: proofExample,
};

const SignedOut = Type.Object({ status: Type.Literal('signed_out') });
const SignedOutHere = Type.Object({
  ...SignedOut.properties,
  end_session_url: Type.Optional(
    Type.String({
      description: 'Where the browser signs out at the identity provider, if it can there.',
      examples: ['https://login.example.com/logout?client_id=karat'],
    }),
  ),
});

const signOutSchema = (signsOutElsewhere: boolean) => ({
  operationId: 'signOut',
  summary: 'Sign out',
  description: `Ends the session of the cookie immediately.${signsOutElsewhere ? ' Who signed in at the identity provider is sent to `end_session_url` to sign out there too.' : ''}`,
  response: { 200: signsOutElsewhere ? SignedOutHere : (SignedOut as typeof SignedOutHere) },
});

const passwordSchema = (kind: PersonKind) => ({
  operationId: 'changePassword',
  summary: 'Change your password',
  description: `All of your sessions end: sign in again.${kind === 'operator' ? ' Tokens stay valid.' : ''} A wrong current password counts as a failed attempt to sign in. Takes no \`Idempotency-Key\`, because nothing of a password may be stored except its slow hash.`,
  errors: codes('rate_limited'),
  body: closed({
    current_password: Type.String({ ...field.password, minLength: 1, maxLength: 1_000 }),
    new_password: Type.String({ ...field.password, minLength: 1, maxLength: 1_000 }),
  }),
  bodyExample: {
    current_password: 'correct horse battery staple',
    new_password: 'a longer horse, a newer staple',
  },
  response: { 200: SignedOut },
});

/** How a kind of people is shown to a person who signs in. */
export interface PersonShape<View extends TObject> {
  View: View;
  toView(person: Operator | Member, session: { expiresAt: Date; isVerified: boolean }): Promise<Static<View>>;
}

/** Opens a session by a password, or offers the second step, as the response. */
export async function respondToPassword<View extends TObject>(
  ctx: Context,
  surface: PeopleSurface,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { email, password, shape }: { email: string; password: string; shape: PersonShape<View> },
) {
  refuseForeignSignIn(request);
  const attempt = await admitAttempt(ctx, request, { kind: surface.kind, email, step: 'password' });
  const signedIn = await signIn(ctx, { attempt, password, ...contextOf(surface, request) });
  if ('secret' in signedIn) return respondWithSession(ctx, surface, reply, { ...signedIn, shape });
  reply.code(202);
  return toOfferView(signedIn.offer);
}

/** Sets the cookie of a session that was opened, and returns the view of its person. */
export async function respondWithSession<View extends TObject>(
  ctx: Context,
  surface: PeopleSurface,
  reply: FastifyReply,
  { secret, shape }: { secret: string; shape: PersonShape<View> },
) {
  const person = await findSignedIn(ctx, surface.kind, secret);
  if (!person) throw new AppError('unauthorized', 'The account has just changed: sign in again.');
  setSessionCookie(reply, surface.cookie, secret);
  return shape.toView(person, person);
}

/** Routes of the second step, for signing out, and of the own password. */
export function sessionRoutes<View extends TObject>(
  ctx: Context,
  surface: PeopleSurface,
  shape: PersonShape<View>,
  /** Returns where a person who signs out goes to sign out at the identity provider too. */
  signOutElsewhere?: (request: FastifyRequest) => Promise<string | undefined>,
): FastifyPluginAsyncTypebox {
  const { kind, cookie, open, own, paths } = surface;
  const signOutRoute = { config: own, schema: signOutSchema(signOutElsewhere !== undefined) };
  const secondStep = { ...secondStepSchema, response: { 200: shape.View as TObject } };

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post(
      `${paths.session}/second-factor`,
      { config: open, schema: secondStep },
      async (request, reply) => {
        refuseForeignSignIn(request);
        const { token } = request.body;
        const proof = toProof(request.body);
        const email = await findSecondStep(ctx, kind, token);
        const attempt = await admitAttempt(ctx, request, { kind, email, step: 'second_factor' });
        const opened = await finishSignIn(ctx, { attempt, token, proof, ...contextOf(surface, request) });
        return (await respondWithSession(ctx, surface, reply, { ...opened, shape })) as never;
      },
    );

    app.delete(paths.session, signOutRoute, async (request, reply) => {
      const secret = cookieOf(request, cookie);
      if (secret !== undefined) await signOut(ctx, secret);
      clearSessionCookie(reply, cookie);
      const url = secret === undefined ? undefined : await signOutElsewhere?.(request);
      return { status: 'signed_out' as const, ...(url !== undefined && { end_session_url: url }) };
    });

    app.put(
      `${paths.account}/password`,
      { config: own, schema: passwordSchema(kind) },
      async (request, reply) => {
        const { person } = surface.signedIn(request);
        const { email } = person;
        if (email === null) throw new AppError('forbidden', 'A wallet has no password.');
        const { current_password: currentPassword, new_password: newPassword } = request.body;
        const attempt = await admitAttempt(ctx, request, { kind, email, step: 'password' });
        const passwords = { currentPassword, newPassword };
        await changePassword(ctx, changedByPerson(surface, request), person, { ...passwords, attempt });
        clearSessionCookie(reply, cookie);
        return { status: 'signed_out' as const };
      },
    );
  };
}

/** How much of what a browser calls itself is kept. */
const maxUserAgent = 300;

/** Returns what of a request a session that it opens is made with. */
export function contextOf({ cookie }: PeopleSurface, request: FastifyRequest) {
  const named = request.headers['user-agent']?.slice(0, maxUserAgent);
  return {
    broughtSecret: cookieOf(request, cookie),
    site: siteOf(request),
    userAgent: named !== undefined && isStorable(named) ? named : null,
    requestId: request.id,
  };
}

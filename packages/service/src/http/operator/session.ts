import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { getApproval, requireApprovable } from '../../actions/approvals/decide-approval.js';
import { IdentityProvider } from '../../actions/people/identity-provider.js';
import {
  findFactors,
  hasFactor,
  needsSecondFactor,
  type Purpose,
} from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import { findOperator } from '../../db/operators/operators.js';
import { findSession } from '../../db/people/sessions.js';
import type { Member } from '../../domain/member.js';
import { type Operator, operatorPermissions, operatorRoles, permissionsOf } from '../../domain/operator.js';
import { AppError, invalidField } from '../../errors.js';
import { choice, closed, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { FactorOfferView } from '../people/factor-proof.js';
import { factorRoutes } from '../people/factors.js';
import { requireOwnOrigin } from '../people/same-origin.js';
import { respondToPassword, sessionRoutes as sharedRoutes, signInMeaning } from '../people/sessions.js';
import { route } from '../server/route.js';
import { consoleSurface } from './auth.js';
import { own } from './shapes.js';
import { singleSignOnRoutes } from './single-sign-on.js';

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
  second_factor_attested: Type.Boolean({
    description:
      'Whether the identity provider attested to a second factor of this session, for an operator who has none here.',
    examples: [false],
  }),
});

const operatorView = viewOf(OperatorView);

const signInRoute = route({ auth: 'none' } as const, {
  operationId: 'signIn',
  summary: 'Sign in',
  description: `${signInMeaning('x-karat-console')} With \`KARAT_OPERATOR_PASSWORDS=refused\`, 403 \`forbidden\`: use single sign-on.`,
  errors: codes('unauthorized', 'forbidden', 'rate_limited'),
  body: closed({
    email: Type.String({ minLength: 1, maxLength: 254, examples: ['ops@example.com'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000, examples: ['correct horse battery staple'] }),
  }),
  response: { 200: OperatorView, 202: FactorOfferView },
});

const meRoute = route(own, {
  operationId: 'getMe',
  summary: 'Get the current operator',
  description: 'Returns the operator that the token or the session belongs to.',
  response: { 200: OperatorView },
});

/** Routes for signing in and out, for the operator who is signed in, and for the operator's second factors. */
export function sessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  /** Returns the view of the operator who signed in or is signed in. */
  async function toView(person: Operator | Member, { isVerified }: { isVerified: boolean }) {
    const operator = person as Operator;
    const isEnrolled = hasFactor(await findFactors(ctx.db, operator.personId));
    return operatorView({
      ...operator,
      operatorId: operator.personId,
      permissions: permissionsOf(operator.role),
      secondFactorRequired: needsSecondFactor(ctx, operator),
      secondFactorEnrolled: isEnrolled,
      secondFactorAttested: isVerified && !isEnrolled,
    });
  }
  const shape = { View: OperatorView, toView };
  const provider = new IdentityProvider(ctx);

  async function signOutElsewhere(request: FastifyRequest): Promise<string | undefined> {
    const found = await findOperator(ctx.db, request.operator.personId);
    return found?.subject ? provider.endSessionUrl(`${requireOwnOrigin(request)}/sign-in`) : undefined;
  }

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post('/session', signInRoute, async (request, reply) => {
      if (ctx.config.operatorPasswords === 'refused') throw passwordsRefused();
      return respondToPassword(ctx, consoleSurface, { request, reply }, { ...request.body, shape });
    });
    app.get('/me', meRoute, async (request) => {
      const { operatorCredential: credential } = request;
      const session = 'sessionHash' in credential && (await findSession(ctx.db, credential.sessionHash));
      return toView(request.operator, { isVerified: session ? session.verifiedAt !== null : false });
    });
    await app.register(sharedRoutes(ctx, consoleSurface, shape, signOutElsewhere));
    await app.register(singleSignOnRoutes(ctx, provider, shape));
    await app.register(
      factorRoutes(ctx, consoleSurface, (request, wanted) => purposeOf(ctx, request, wanted)),
    );
  };
}

function passwordsRefused(): AppError {
  const message = 'Passwords are switched off here (KARAT_OPERATOR_PASSWORDS): use single sign-on.';
  return new AppError('forbidden', message);
}

/** Returns what a challenge is requested for. Throws for an approval that the operator cannot decide now. */
async function purposeOf(
  ctx: Context,
  { operator }: FastifyRequest,
  { purpose, approvalId }: { purpose: Purpose['purpose']; approvalId: string | undefined },
): Promise<Purpose> {
  const { personId } = operator;
  if ((purpose === 'approval') !== (approvalId !== undefined)) {
    throw invalidField('approval_id', 'approval_id goes with the purpose approval.');
  }
  if (approvalId === undefined) return { personId, purpose };
  const approval = await getApproval(ctx, approvalId);
  await requireApprovable(ctx, operator, approval);
  return { personId, purpose, subject: approval.id };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { getApproval, requireApprovable } from '../../actions/approvals/decide-approval.js';
import {
  findFactors,
  hasFactor,
  needsSecondFactor,
  type Purpose,
} from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import type { Member } from '../../domain/member.js';
import { type Operator, operatorPermissions, operatorRoles, permissionsOf } from '../../domain/operator.js';
import { invalidField } from '../../errors.js';
import { choice, closed, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { FactorOfferView } from '../people/factor-proof.js';
import { factorRoutes } from '../people/factors.js';
import { respondToPassword, sessionRoutes as sharedRoutes, signInMeaning } from '../people/sessions.js';
import { route } from '../server/route.js';
import { consoleSurface } from './auth.js';
import { own } from './shapes.js';

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

const signInRoute = route({ auth: 'none' } as const, {
  operationId: 'signIn',
  summary: 'Sign in',
  description: signInMeaning('x-karat-console'),
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
  async function toView(person: Operator | Member) {
    const operator = person as Operator;
    return operatorView({
      ...operator,
      operatorId: operator.personId,
      permissions: permissionsOf(operator.role),
      secondFactorRequired: needsSecondFactor(ctx, operator),
      secondFactorEnrolled: hasFactor(await findFactors(ctx.db, operator.personId)),
    });
  }
  const shape = { View: OperatorView, toView };

  return async (app) => {
    tagRoutes(app, 'Session');
    app.post('/session', signInRoute, async (request, reply) =>
      respondToPassword(ctx, consoleSurface, { request, reply }, { ...request.body, shape }),
    );
    app.get('/me', meRoute, async (request) => toView(request.operator));
    await app.register(sharedRoutes(ctx, consoleSurface, shape));
    await app.register(
      factorRoutes(ctx, consoleSurface, (request, wanted) => purposeOf(ctx, request, wanted)),
    );
  };
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

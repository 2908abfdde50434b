import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Changed } from '../../actions/approvals/plan.js';
import { operatorNotFound } from '../../actions/operators/change-operator.js';
import { createOperator } from '../../actions/operators/create-operator.js';
import {
  planFactorReset,
  planOperatorChange,
  planOperatorStatus,
} from '../../actions/operators/plan-operator-change.js';
import { requireRoleToGive } from '../../actions/operators/require-role-to-give.js';
import { revokeOperatorToken } from '../../actions/operators/revoke-operator-token.js';
import type { Context } from '../../context.js';
import { findTokenPage, type OperatorToken } from '../../db/operators/operator-tokens.js';
import { findOperator, findOperators, type OperatorRow } from '../../db/operators/operators.js';
import { type FactorSummary, findFactorSummaries } from '../../db/people/factor-summaries.js';
import { asUuid } from '../../domain/ids.js';
import { mayOperator, operatorRoles } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { choice, closed, closedOrAbsent, Label, Name, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import type { KeyUse } from '../auth/key-use.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { field as personField } from '../people/fields.js';

import { route } from '../server/route.js';
import { changedBy, requesterOf } from './auth.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { ApprovalWaitingView, actOnce, changeOnce } from './operations.js';
import { administer, Reason, read } from './shapes.js';

const statuses = ['active', 'disabled'] as const;

export const AccountView = titled('Operator', {
  operator_id: Type.String(field.operatorId),
  email: Type.String(field.operatorEmail),
  name: Type.String(field.operatorName),
  role: choice(operatorRoles, field.operatorRole),
  status: choice(statuses, field.operatorStatus),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
});

const ListedView = titled('ListedOperator', {
  ...AccountView.properties,
  opened_by: Type.Array(Type.String(), field.openedBy),
  second_factor: Nullable(
    Type.Object({
      passkeys: Type.Integer(field.passkeyCount),
      totp: Type.Boolean(field.hasTotpThere),
      since: Type.String(field.factorSince),
    }),
    field.listedFactor,
  ),
});

const TokenView = titled('Token', {
  token_id: Type.String(field.tokenId),
  operator_id: Type.String(field.operatorId),
  token_name: Type.String(field.tokenName),
  status: choice(['active', 'expired', 'revoked'], field.tokenStatus),
  expires_at: Type.String(field.tokenExpiresAt),
  last_used_at: Nullable(Type.String(), field.tokenLastUsedAt),
  created_at: Type.String(field.createdAt),
  revoked_at: Nullable(Type.String(), field.tokenRevokedAt),
});

const params = Type.Object({ operator_id: Type.String(field.operatorId) });

const listRoute = route(read, {
  operationId: 'listOperators',
  summary: 'List the operators',
  description: 'Lists all accounts, including disabled ones, newest first.',
  querystring: listQuery({
    q: searchFor('beginning of an id, or part of a name or an email', 'sana'),

    status: choice(statuses, { ...field.operatorStatus, description: 'Only accounts with this status.' }),
    role: choice(operatorRoles, { ...field.operatorRole, description: 'Only those with this role.' }),
  }),
  response: { 200: countedPageOf('operators', ListedView) },
});

const creating = { auth: 'operator', permission: 'administer' } as const;
const createRoute = route(creating, {
  operationId: 'createOperator',
  summary: 'Open an account for an operator',
  description:
    'Takes no `Idempotency-Key`, because nothing of a password may be stored except its slow hash; a repeated request is 409 `already_exists`. While moving value takes two operators (`KARAT_APPROVALS=2`), accounts that may request or approve it (roles `fulfilment`, `compliance` and `admin`) must be opened on the command line: here they are 403 `forbidden`.',
  errors: codes('already_exists', 'forbidden'),
  body: closed({
    email: Label(254, field.operatorEmail),
    name: Name(100, field.operatorName),
    role: choice(operatorRoles, field.operatorRole),
    password: Type.String({ ...personField.password, minLength: 1, maxLength: 1_000 }),
  }),
  response: { 201: AccountView },
});

const changeRoute = route(administer, {
  operationId: 'changeOperator',
  summary: 'Change the name or the role of an operator',
  description:
    'Omitted fields stay unchanged. The new role applies from the next request on, including in open sessions; pending approvals of requests that the new role does not allow become `expired`. The last active admin cannot lose the role. A change of role needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes('not_found', 'transition_not_allowed'),
  params,
  body: closed({
    name: Type.Optional(Name(100, field.operatorName)),
    role: Type.Optional(choice(operatorRoles, field.operatorRole)),
  }),
  response: { 200: AccountView, 202: ApprovalWaitingView },
});

const disableSchema = {
  operationId: 'disableOperator',
  summary: 'Disable an operator',
  description:
    'Takes effect immediately: all sessions end, all tokens are revoked, and pending approvals that the operator requested become `expired`. The last active admin can only be disabled on the command line. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`; in an emergency, use the command line, which needs no approval.',
  errors: codes('not_found', 'transition_not_allowed'),
  params,
  body: closed({ reason: Reason }),
  response: { 200: AccountView, 202: ApprovalWaitingView },
};

const enableSchema = {
  operationId: 'enableOperator',
  summary: 'Enable an operator again',
  description:
    'The password is valid again; earlier tokens and sessions are not. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes('not_found', 'transition_not_allowed'),
  params,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: AccountView, 202: ApprovalWaitingView },
};

const resetRoute = route(administer, {
  operationId: 'resetSecondFactor',
  summary: 'Reset the second factor of an operator',
  description:
    'For an operator who has lost it, including the recovery codes. Removes all passkeys, the authenticator app and the recovery codes, and ends all sessions. Until a new one is added, the password alone opens a session, so verify the identity of the operator first. Remove your own under `/me` (403 `forbidden` here). Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes('not_found', 'forbidden', 'transition_not_allowed'),
  params,
  body: closed({ reason: Reason }),
  response: { 200: AccountView, 202: ApprovalWaitingView },
});

const listTokensRoute = route(read, {
  operationId: 'listOperatorTokens',
  summary: 'List the tokens of an operator',
  description:
    'Lists active, expired and revoked tokens, newest first. Tokens are created on the command line and last 90 days unless another lifetime was given there; the tokens themselves are never shown again.',
  errors: codes('not_found'),
  params,
  querystring: listQuery({}),
  response: { 200: countedPageOf('tokens', TokenView) },
});

const revokeTokenRoute = route(administer, {
  operationId: 'revokeOperatorToken',
  summary: 'Revoke a token of an operator',
  description: 'Takes effect immediately and permanently: the next request with the token is 401.',
  errors: codes('not_found', 'already_revoked'),
  params: Type.Object({ token_id: Type.String(field.tokenId) }),
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: TokenView },
});

/** Routes for the people of the service and their tokens. */
export function operatorRoutes(ctx: Context, tokenUse: KeyUse): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operators');
    app.get('/operators', listRoute, async ({ query, operator }) => {
      const { status, role } = query;
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) => findOperators(ctx.db, { status, role }, page),
        'operators',
      );
      const ids = rows.map(({ id }) => id);
      // An account without a second factor is the one to attack.
      const factors = mayOperator(operator.role, 'administer')
        ? await findFactorSummaries(ctx.db, ids)
        : new Map<string, FactorSummary>();
      const views = rows.map((row) => ({
        ...toAccountView(row),
        opened_by: row.openedBy,
        second_factor: toFactorView(factors.get(row.id)),
      }));
      return { operators: views, ...endOf(end) };
    });

    app.post('/operators', createRoute, async (request, reply) => {
      await requireRoleToGive(ctx, requesterOf(request), request.body.role);
      const { operator: opener } = request;
      const openedBy = [opener.personId, ...opener.openedBy];
      const { personId } = await createOperator(ctx, changedBy(request), { ...request.body, openedBy });
      const made = await findOperator(ctx.db, personId);
      if (!made) throw new Error('an account that was made is not there');
      reply.code(201);
      return toAccountView(made);
    });

    app.patch('/operators/:operator_id', changeRoute, async (request, reply) => {
      const { name, role } = request.body;
      const input = { operatorId: request.params.operator_id, name, role };
      const plan = await planOperatorChange(ctx, input);
      return changeOnce(ctx, reply, plan, toChangedAccount);
    });

    for (const [act, status, schema] of [
      ['disable', 'disabled', disableSchema],
      ['enable', 'active', enableSchema],
    ] as const) {
      app.post(`/operators/:operator_id/${act}`, { config: administer, schema }, async (request, reply) => {
        const { operator_id: operatorId } = request.params;
        const plan = await planOperatorStatus(ctx, { operatorId, status, reason: request.body?.reason });
        return changeOnce(ctx, reply, plan, toChangedAccount);
      });
    }

    app.post('/operators/:operator_id/reset-second-factor', resetRoute, async (request, reply) => {
      const { operator_id: operatorId } = request.params;
      if (asUuid(operatorId) === request.operator.personId) {
        throw new AppError(
          'forbidden',
          'Another operator must reset yours; you can remove it under your own account.',
        );
      }
      const plan = await planFactorReset(ctx, { operatorId, reason: request.body.reason });
      return changeOnce(ctx, reply, plan, toChangedAccount);
    });

    app.get('/operators/:operator_id/tokens', listTokensRoute, async ({ params, query }) => {
      const { rows, ...end } = await readList(query, asUuid, async (page) => {
        const id = asUuid(params.operator_id);
        const operator = id && (await findOperator(ctx.db, id));
        if (!operator) throw operatorNotFound();
        await tokenUse.flush();
        return findTokenPage(ctx.db, operator.id, page);
      });
      return { tokens: rows.map((token) => toTokenView(token, ctx.clock.now())), ...endOf(end) };
    });

    app.post('/operator-tokens/:token_id/revoke', revokeTokenRoute, async (request, reply) => {
      const input = { tokenId: request.params.token_id, reason: request.body?.reason };
      return actOnce(ctx, reply, revokeOperatorToken, input, (token) => toTokenView(token, ctx.clock.now()));
    });
  };
}

const toChangedAccount = ({ operator }: Changed<'operator'>) => toAccountView(operator);

const accountView = viewOf(AccountView);
const tokenView = viewOf(TokenView);

export const toAccountView = (operator: OperatorRow) => accountView({ ...operator, operatorId: operator.id });

function toFactorView(factors: FactorSummary | undefined) {
  return factors ? { ...factors, since: factors.since.toISOString() } : null;
}

function toTokenView(token: OperatorToken, nowMs: number) {
  const statusInTime = token.expiresAt.getTime() > nowMs ? ('active' as const) : ('expired' as const);
  const status = token.revokedAt ? ('revoked' as const) : statusInTime;
  return tokenView({ ...token, tokenId: token.id, tokenName: token.name, status });
}

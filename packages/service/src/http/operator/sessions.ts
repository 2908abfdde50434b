import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { inChange } from '../../actions/change.js';
import { operatorNotFound } from '../../actions/operators/change-operator.js';
import { endSession, endSessions } from '../../actions/operators/end-sessions.js';
import { sessionTimes } from '../../actions/people/sign-in.js';
import type { Context } from '../../context.js';
import { findOperator } from '../../db/operators/operators.js';
import { findOpenSessions, type Session } from '../../db/people/sessions.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import { closedOrAbsent, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';

import { route } from '../server/route.js';
import { changedBy } from './auth.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList } from './lists.js';
import { actOnce } from './operations.js';
import { administer, own, Reason } from './shapes.js';

const SessionView = titled('Session', {
  session_id: Type.String(field.sessionId),
  operator_id: Type.String(field.operatorId),
  created_at: Type.String(field.sessionCreatedAt),
  last_used_at: Type.String(field.sessionLastUsedAt),
  expires_at: Type.String(field.sessionExpiresAt),
  address: Type.String(field.sessionAddress),
  user_agent: Nullable(Type.String(), field.sessionUserAgent),
  second_factor: Type.Boolean(field.sessionFactor),
  current: Type.Boolean(field.sessionCurrent),
});

const sessionParams = Type.Object({ session_id: Type.String(field.sessionId) });
const operatorParams = Type.Object({ operator_id: Type.String(field.operatorId) });
const withReason = closedOrAbsent({ reason: Type.Optional(Reason) });
const ended = Type.Object({ status: Type.Literal('ended') });
const endedCount = Type.Object({ ended: Type.Integer(field.endedSessions) });

const listOwnRoute = route(own, {
  operationId: 'listOwnSessions',
  summary: 'List your sessions',
  description: 'Lists your open sessions, newest first.',
  querystring: listQuery({}),
  response: { 200: countedPageOf('sessions', SessionView) },
});

const endOwnRoute = route(own, {
  operationId: 'endOwnSession',
  summary: 'End one of your sessions',
  description: 'Takes effect immediately: the next request with its cookie is 401.',
  errors: codes('not_found'),
  params: sessionParams,
  body: closedOrAbsent({}),
  response: { 200: ended },
});

const endOthersRoute = route(own, {
  operationId: 'endOtherSessions',
  summary: 'End your other sessions',
  description:
    'Ends all of your sessions except that of this request, and what was begun to sign in. A request with a token ends all of your sessions. Tokens stay valid.',
  body: closedOrAbsent({}),
  response: { 200: endedCount },
});

const listRoute = route(
  { auth: 'operator', permission: 'administer' },
  {
    operationId: 'listOperatorSessions',
    summary: 'List the sessions of an operator',
    description: 'Lists the open sessions, newest first.',
    errors: codes('not_found'),
    params: operatorParams,
    querystring: listQuery({}),
    response: { 200: countedPageOf('sessions', SessionView) },
  },
);

const endRoute = route(administer, {
  operationId: 'endOperatorSession',
  summary: 'End a session of an operator',
  description: 'Takes effect immediately: the next request with its cookie is 401.',
  errors: codes('not_found'),
  params: sessionParams,
  body: withReason,
  response: { 200: ended },
});

const endAllRoute = route(administer, {
  operationId: 'endOperatorSessions',
  summary: 'End all sessions of an operator',
  description:
    'Takes effect immediately, and also ends what was begun to sign in. Tokens stay valid, and the operator can sign in again; to prevent that, disable the account.',
  errors: codes('not_found'),
  params: operatorParams,
  body: withReason,
  response: { 200: endedCount },
});

export function openSessionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Session');
    const list = async (
      request: FastifyRequest & { query: Parameters<typeof readList>[0] },
      operatorId: Uuid,
    ) => {
      const { rows, ...end } = await readList(request.query, asUuid, (page) =>
        findOpenSessions(ctx.db, operatorId, sessionTimes(ctx), page),
      );
      return { sessions: rows.map((row) => toSessionView(row, request)), ...endOf(end) };
    };

    app.get('/me/sessions', listOwnRoute, async (request) => list(request, request.operator.personId));

    app.post('/me/sessions/:session_id/end', endOwnRoute, async (request) => {
      const { personId: operatorId } = request.operator;
      const input = { operatorId, sessionId: request.params.session_id };
      await inChange(ctx, changedBy(request), (change) => endSession(ctx, change, input));
      return { status: 'ended' as const };
    });

    app.post('/me/sessions/end-others', endOthersRoute, async (request) => {
      const input = { operatorId: request.operator.personId, except: sessionOf(request) };
      return { ended: await inChange(ctx, changedBy(request), (change) => endSessions(ctx, change, input)) };
    });

    app.get('/operators/:operator_id/sessions', listRoute, async (request) => {
      const id = asUuid(request.params.operator_id);
      const operator = id && (await findOperator(ctx.db, id));
      if (!operator) throw operatorNotFound();
      return list(request, operator.id);
    });

    app.post('/operator-sessions/:session_id/end', endRoute, async (request, reply) => {
      const input = { sessionId: request.params.session_id, reason: request.body?.reason };
      const view = () => ({ status: 'ended' as const });
      return actOnce(ctx, reply, (change, one: typeof input) => endSession(ctx, change, one), input, view);
    });

    app.post('/operators/:operator_id/end-sessions', endAllRoute, async (request, reply) => {
      const input = { operatorId: request.params.operator_id, reason: request.body?.reason };
      const end = (change: Parameters<typeof endSessions>[1], one: typeof input) =>
        endSessions(ctx, change, one);
      return actOnce(ctx, reply, end, input, (sessions) => ({ ended: sessions }));
    });
  };
}

/** The session of a request; undefined with a token. */
function sessionOf({ operatorCredential }: FastifyRequest): Uint8Array | undefined {
  return 'sessionHash' in operatorCredential ? operatorCredential.sessionHash : undefined;
}

const sessionView = viewOf(SessionView);

function toSessionView(session: Session, request: FastifyRequest) {
  const own = sessionOf(request);
  return sessionView({
    ...session,
    sessionId: session.id,
    operatorId: session.personId,
    secondFactor: session.verifiedAt !== null,
    current: own !== undefined && Buffer.from(own).equals(session.hash),
  });
}

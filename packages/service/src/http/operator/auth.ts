import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChangeTx } from '../../actions/change.js';
import { Budget } from '../../actions/limits/budget.js';
import type { Requester } from '../../actions/people/confirm.js';
import { needsSecondFactor } from '../../actions/people/second-factor.js';
import { findSignedIn, sessionTimes } from '../../actions/people/sign-in.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { findRoleBehind, type OperatorCredential } from '../../db/operators/operator-streams.js';
import { findTokenOperator } from '../../db/operators/operator-tokens.js';
import type { ChangedBy } from '../../domain/audit.js';
import { leasedBudget } from '../../domain/limits.js';
import { mayOperator, type Operator, type OperatorPermission } from '../../domain/operator.js';
import { readBearerToken } from '../../domain/operator-token.js';
import { hashSecret } from '../../domain/session.js';
import { AppError } from '../../errors.js';
import type { Lane } from '../../runtime/lanes.js';
import type { KeyUse } from '../auth/key-use.js';
import { refuseForeignPage } from '../people/same-origin.js';
import { cookieOf } from '../people/session-cookie.js';
import { confirmationOf, type PeopleSurface } from '../people/surface.js';
import { keepBudgets, refuseAboveLimit, showBudget } from '../server/budgets.js';
import { logOf } from '../server/request-log.js';
import { own } from './shapes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a session may use the route before its operator has the second factor that the role needs. */
    beforeSecondFactor?: true;
  }
  interface FastifyRequest {
    /** The operator who makes this request. Throws on a route without authentication. */
    operator: Operator;
    /** The session or token that let the operator in. */
    operatorCredential: OperatorCredential;
  }
}

/** The console: how operators sign in. */
export const consoleSurface: PeopleSurface = {
  kind: 'operator',
  cookie: { name: 'karat_session', path: '/operator' },
  pageHeader: 'x-karat-console',
  open: { auth: 'none' },
  own,
  paths: { session: '/session', account: '/me', factors: '/me/second-factor' },
  purposes: ['account', 'approval', 'confirmation'],
  confirmedFor: 'whatever takes two people where two are required, also where one is enough',
  signedIn({ operator, operatorCredential }) {
    const sessionHash = 'sessionHash' in operatorCredential ? operatorCredential.sessionHash : undefined;
    return { person: operator, sessionHash };
  },
};

const known = new WeakMap<FastifyRequest, Known>();

interface Known {
  operator: Operator;
  credential: OperatorCredential;
  /** Whether this is a session that was opened by a password alone. */
  byPasswordAlone: boolean;
}

/** Returns the operator to record for a change. */
export function changedBy(request: FastifyRequest): ChangedBy {
  return { personId: request.operator.personId, requestId: request.id };
}

/** Returns a transaction as that of a change by the operator of a request. */
export function changeOf({ clock }: Pick<Context, 'clock'>, request: FastifyRequest, tx: Tx): ChangeTx {
  return { tx, by: changedBy(request), at: new Date(clock.now()) };
}

/** Returns the operator who requests a change, with what confirms it. */
export function requesterOf(request: FastifyRequest): Requester {
  const { operator, operatorCredential: credential, id: requestId } = request;
  return { personId: operator.personId, requestId, credential, confirmation: confirmationOf(request) };
}

/**
 * Lets operators in: by bearer token, or by the session cookie of a browser, which for a change has to come from the
 * console's own pages (403 `forbidden`), because a browser sends cookies with requests of any page. Then their role has to
 * carry the route's permission (403 `insufficient_scope`). All before the body is looked at. Each operator has a budget of
 * requests, by whichever way in (429 `rate_limited`).
 * @param parts.lookups the lane in which credentials are looked up: not that of sign-ins, of which anybody sends many.
 */
export function requireOperator(
  ctx: Context,
  app: FastifyInstance,
  { tokenUse, lookups }: { tokenUse: KeyUse; lookups: Lane },
): void {
  const knownOf = (request: FastifyRequest): Known => {
    const found = known.get(request);
    if (!found) throw new Error(`${request.routeOptions.url} reads an operator without authentication`);
    return found;
  };
  app.decorateRequest('operator', {
    getter(this: FastifyRequest) {
      return knownOf(this).operator;
    },
  });
  app.decorateRequest('operatorCredential', {
    getter(this: FastifyRequest) {
      return knownOf(this).credential;
    },
  });
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.auth === 'operator' && !config.permission) {
      throw new Error(`${method} ${url} names no permission`);
    }
  });
  const budget = new Budget(ctx, leasedBudget('operator', ctx.config.operatorRateLimitPerMinute));
  keepBudgets(ctx, app, [budget]);
  app.addHook('onRequest', async (request, reply) => {
    const { auth, permission, beforeSecondFactor } = request.routeOptions.config;
    if (auth !== 'operator' || !permission) return;
    // Shown on every response of a limited route; an unknown caller has the whole budget left.
    showBudget(reply, budget.limit, budget.untouched());
    const found = await lookups.run(() => authenticate(ctx, request, tokenUse));
    const { operator } = found;
    logOf(request).note({ operator_id: operator.personId });
    const state = await budget.take(operator.personId);
    showBudget(reply, budget.limit, state);
    if (!state.admitted) throw refuseAboveLimit(budget.limit, state);
    if (!mayOperator(operator.role, permission as OperatorPermission)) {
      throw new AppError('insufficient_scope', `The role ${operator.role} may not do this.`);
    }
    if (found.byPasswordAlone && !beforeSecondFactor && needsSecondFactor(ctx, operator)) {
      const message = 'Your role needs a second factor: add a passkey or an authenticator app first.';
      throw new AppError('second_factor_required', message);
    }
    known.set(request, found);
  });
}

/**
 * Throws 401 `unauthorized` once the session or token that let a request in has ended, or the operator has another role:
 * for responses that take long. Does not count as a use of the session.
 */
export async function requireStillIn(ctx: Context, request: FastifyRequest): Promise<void> {
  const { personId: operatorId, role } = request.operator;
  const owner = { operatorId, ...request.operatorCredential };
  if ((await findRoleBehind(ctx.db, owner, sessionTimes(ctx))) !== role) throw unauthorized();
}

async function authenticate(ctx: Context, request: FastifyRequest, tokenUse: KeyUse): Promise<Known> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = readBearerToken(authorization);
    const now = new Date(ctx.clock.now());
    const found = token === undefined ? undefined : await findTokenOperator(ctx.db, hashSecret(token), now);
    if (!found) throw unauthorized();
    const { tokenId, ...operator } = found;
    tokenUse.note(tokenId);
    return { operator, credential: { tokenId }, byPasswordAlone: false };
  }
  const secret = cookieOf(request, consoleSurface.cookie);
  const found = secret ? await findSignedIn(ctx, 'operator', secret) : undefined;
  if (!secret || !found) throw unauthorized();
  if (request.method !== 'GET' && request.method !== 'HEAD')
    refuseForeignPage(request, consoleSurface.pageHeader);
  const { isVerified, expiresAt: _, ...operator } = found;
  return { operator, credential: { sessionHash: hashSecret(secret) }, byPasswordAlone: !isVerified };
}

function unauthorized(): AppError {
  return new AppError(
    'unauthorized',
    'Sign in, or send a valid token in the header authorization: Bearer karat_operator_….',
  );
}

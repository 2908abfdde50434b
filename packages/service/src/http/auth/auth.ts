import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../actions/trades/find-named-trader.js';
import type { Context } from '../../context.js';
import type { FoundCaller } from '../../db/keys/callers.js';
import { asUserId, type UserId } from '../../domain/ids.js';
import type { OpenBudgetName } from '../../domain/limits.js';
import { portalSurface } from '../people/portal.js';
import { cookieOf } from '../people/session-cookie.js';
import { handleError } from '../server/errors.js';
import { type AdmissionParts, KeyAdmission } from '../server/key-admission.js';
import { requireKeyMay } from './permission.js';
import { SessionAdmission, type SessionParts } from './session-admission.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call a route. Every route names it: one that does not is refused at start. */
    auth?: 'none' | 'partner' | 'tradebook' | 'operator';
    /** The budget of networks that a route without a key counts against. */
    limit?: OpenBudgetName;
    /**
     * The body names a user in `service_user_id`, who is looked up together with the key: one round trip to the database
     * instead of two. Needs `auth: 'partner'`.
     */
    namesUser?: true;
  }
  interface FastifyRequest {
    /** Who makes this request. Throws on a route without authentication. */
    principal: Caller;
  }
}

/**
 * Authenticates what comes to keyed routes, in the order of the contract: key (401), scope (403 `insufficient_scope`),
 * status of the partner (403 `partner_suspended`), then the budget of the key (429), all before the body is looked at.
 * Where the body names a user it is read first, but no error about it is returned before the key is known to be good.
 */
export function requirePrincipal(
  ctx: Context,
  app: FastifyInstance,
  parts: AdmissionParts & { sessions: SessionParts },
): void {
  const admission = new KeyAdmission(ctx, parts, { toCaller, namedUser });
  const sessions = new SessionAdmission(ctx, app, parts.sessions);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.auth === 'partner' && !config.permission)
      throw new Error(`${method} ${url} names no permission`);
  });
  app.decorateRequest('principal', {
    getter(this: FastifyRequest) {
      return admission.callerOf(this);
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { auth, namesUser } = request.routeOptions.config;
    if (auth !== 'partner') return done();
    const secret = cookieOf(request, portalSurface.cookie);
    if (secret !== undefined) {
      sessions.admit(request, reply, secret).then(() => done(), done);
      return;
    }
    admission.readKey(request, reply);
    if (namesUser) return done();
    admission.admit(request, reply).then(() => done(), done);
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (!admission.isWaiting(request)) return done();
    admission.admit(request, reply).then(() => done(), done);
  });
  // A body that cannot even be read comes here before the key was checked, whose error comes first.
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    let shown = error;
    if (admission.isWaiting(request)) {
      await admission.admit(request, reply).catch((refusal: FastifyError) => {
        shown = refusal;
      });
    }
    handleError(shown, request, reply);
    return reply;
  });
}

function namedUser(request: FastifyRequest): UserId | undefined {
  if (!request.routeOptions.config.namesUser) return undefined;
  const id = (request.body as { service_user_id?: unknown } | null | undefined)?.service_user_id;
  return typeof id === 'string' ? asUserId(id) : undefined;
}

/** Returns who a good key calls the partner API as. Throws for one that may not. */
function toCaller(
  { holder, trader }: FoundCaller,
  request: FastifyRequest,
  userId: UserId | undefined,
): Caller {
  const partnerId = requireKeyMay(request, holder);
  const { keyId } = holder;
  return userId === undefined ? { keyId, partnerId } : { keyId, partnerId, named: { id: userId, trader } };
}

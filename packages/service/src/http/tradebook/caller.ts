import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findTradebookScopes } from '../../actions/keys/find-tradebook-scopes.js';
import type { Context } from '../../context.js';
import type { FoundCaller } from '../../db/keys/callers.js';
import type { TradebookCaller, TradebookScope } from '../../domain/principal.js';
import { AppError, partnerSuspended } from '../../errors.js';
import { type AdmissionParts, KeyAdmission } from '../server/key-admission.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scopes of the tradebook API any of which a route takes; none named: a key of any. Needs `auth: 'tradebook'`. */
    scope?: readonly TradebookScope[];
  }
  interface FastifyRequest {
    /** Who makes this request. Throws on a route without `auth: 'tradebook'`. */
    tradebookCaller: TradebookCaller;
  }
}

/**
 * Authenticates what comes to keyed routes of the tradebook API, in the order of the contract: key (401), scope (403
 * `insufficient_scope`), status of the partner (403 `partner_suspended`), then the budget of the key (429), all before
 * the body is looked at. Scopes are those that the wallet has on chain now.
 */
export function requireTradebookCaller(ctx: Context, app: FastifyInstance, parts: AdmissionParts): void {
  const admission = new KeyAdmission(ctx, parts, {
    toCaller: (found, request) => toCaller(ctx, found, request.routeOptions.config.scope),
  });
  app.decorateRequest('tradebookCaller', {
    getter(this: FastifyRequest) {
      return admission.callerOf(this);
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.auth !== 'tradebook') return done();
    admission.readKey(request, reply);
    admission.admit(request, reply).then(() => done(), done);
  });
}

function toCaller(
  ctx: Context,
  { holder }: FoundCaller,
  wanted: readonly TradebookScope[] | undefined,
): TradebookCaller {
  const { surface, keyId, partnerId, partnerStatus, walletAddress } = holder;
  if (surface !== 'tradebook') {
    throw insufficient('This needs a key of the tradebook API; yours is one of the partner API.');
  }
  const minted = new Set(holder.scope.split(' '));
  const scopes = findTradebookScopes(ctx, holder).filter((scope) => minted.has(scope));
  if (scopes.length === 0) {
    throw insufficient('The wallet of this key has lost the role on chain that the key was minted for.');
  }
  if (wanted && !wanted.some((scope) => scopes.includes(scope))) {
    throw insufficient(`This needs a key of scope ${wanted.join(' or ')}; yours has ${scopes.join(', ')}.`);
  }
  if (partnerId !== null && partnerStatus !== 'active') {
    throw partnerSuspended();
  }
  return { keyId, partnerId, walletAddress, scopes };
}

function insufficient(message: string): AppError {
  return new AppError('insufficient_scope', message);
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.js';
import type { KeyUse } from '../auth/key-use.js';
import { describeApi } from '../openapi/document.js';
import { tradebookApi } from '../openapi/tradebook-api.js';
import { type ErrorView, toErrorView } from '../server/errors.js';
import type { AdmissionParts } from '../server/key-admission.js';
import { type ReferencePlaces, serveReference } from '../server/reference.js';
import { tradebookApiKeyRoutes } from './api-keys.js';
import { tradebookAuthRoutes } from './auth.js';
import { requireTradebookCaller } from './caller.js';
import { toFailureView } from './envelope.js';
import { executiveAuthorityRoutes } from './executive-authority.js';
import { ownPartnerRoutes } from './partner.js';
import { priceRoutes } from './prices.js';
import { transactionRoutes } from './transactions.js';
import { vaultTradeRoutes } from './vault-trades.js';
import { withdrawalRoutes } from './withdrawals.js';

/** Routes of the tradebook API, one plugin a resource. Their paths are whole, beginning with `/api`. */
const tradebookRoutes: ((ctx: Context, keyUse: KeyUse) => FastifyPluginAsyncTypebox)[] = [
  tradebookAuthRoutes,
  tradebookApiKeyRoutes,
  ownPartnerRoutes,
  priceRoutes,
  executiveAuthorityRoutes,
  vaultTradeRoutes,
  withdrawalRoutes,
  transactionRoutes,
];

export const tradebookReference: ReferencePlaces = {
  document: '/api/openapi.json',
  page: '/api/docs',
  title: 'Karat tradebook API',
  scheme: 'apiKey',
};

/**
 * The tradebook API: apart from the partner API in keys, errors and description, one with it in everything else. Has to
 * be registered before the partner API is described, whose document would have these routes too.
 */
export function tradebook(ctx: Context, parts: AdmissionParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    requireTradebookCaller(ctx, app, parts);
    await describeTradebook(app);
    await serveReference(app, tradebookReference);
    await registerTradebookRoutes(ctx, app, parts.keyUse);
  };
}

/** Describes what is registered after it as the tradebook API. */
export function describeTradebook(app: FastifyInstance): Promise<void> {
  return describeApi(app, tradebookApi);
}

export async function registerTradebookRoutes(
  ctx: Context,
  app: FastifyInstance,
  keyUse: KeyUse,
): Promise<void> {
  for (const routes of tradebookRoutes) await app.register(routes(ctx, keyUse));
}

/** Returns how errors at a path are written: those of the tradebook API in its envelope, wherever they come up. */
export function errorViewAt(path: string): ErrorView {
  // A router decodes what it compares, and a path that cannot be decoded has an error, too.
  const read = path.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return /^\/api(?:[/?]|$)/.test(read) ? toFailureView : toErrorView;
}

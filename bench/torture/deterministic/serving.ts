/** The routes of a process that serves, as far as runs call them: all of them take most of a second to build. */
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../../packages/service/src/context.js';
import { updateTokensLastUsed } from '../../../packages/service/src/db/operators/operator-tokens.js';
import type { Uuid } from '../../../packages/service/src/domain/index.js';
import { requirePrincipal } from '../../../packages/service/src/http/auth/auth.js';
import { CallerLookup } from '../../../packages/service/src/http/auth/caller-lookup.js';
import { KeyUse } from '../../../packages/service/src/http/auth/key-use.js';
import { approvalRoutes } from '../../../packages/service/src/http/operator/approvals.js';
import { requireOperator } from '../../../packages/service/src/http/operator/auth.js';
import { handOverRoutes } from '../../../packages/service/src/http/operator/hand-over.js';
import { redemptionRoutes as operatorRedemptions } from '../../../packages/service/src/http/operator/redemptions.js';
import { settlementRoutes } from '../../../packages/service/src/http/operator/settlements.js';
import { apiKeyRoutes } from '../../../packages/service/src/http/partner/api-keys.js';
import { quoteRoutes } from '../../../packages/service/src/http/partner/quotes.js';
import { redemptionRoutes } from '../../../packages/service/src/http/partner/redemptions.js';
import { dropAbsentFields } from '../../../packages/service/src/http/server/absent-fields.js';
import { CallerLanes, keepToLanes } from '../../../packages/service/src/http/server/caller-lanes.js';
import { handleError } from '../../../packages/service/src/http/server/errors.js';
import { replayIdempotentRequests } from '../../../packages/service/src/http/server/idempotency.js';
import { KeyBudget } from '../../../packages/service/src/http/server/key-budget.js';
import { limitOpenRoutes } from '../../../packages/service/src/http/server/network-budgets.js';
import { createServer } from '../../../packages/service/src/http/server/server.js';
import { requireTradebookCaller } from '../../../packages/service/src/http/tradebook/caller.js';
import { errorViewAt } from '../../../packages/service/src/http/tradebook/plugin.js';
import { transactionRoutes } from '../../../packages/service/src/http/tradebook/transactions.js';
import { vaultTradeRoutes } from '../../../packages/service/src/http/tradebook/vault-trades.js';
import { shareCompilers } from '../../../packages/service/test/compilers.js';

const parts = { extend: shareCompilers, maxTurnMs: 0 };

/** Builds the partner API over a context, as `buildApp` does, with the routes of trades, orders, redemptions and keys. */
export async function buildPartnerApp(ctx: Context): Promise<FastifyInstance> {
  const app = await createServer(ctx, { ...parts, errorViewAt });
  limitOpenRoutes(ctx, app);
  const keyUse = new KeyUse(ctx);
  const [reads, writes] = [new KeyBudget(ctx, 'reads'), new KeyBudget(ctx, 'writes')];
  const budgets = { reads, writes };
  const lanes = new CallerLanes(ctx, {});
  const sessions = { budgets, lookups: lanes.lookups };
  const admission = { keyUse, budgets, lookup: new CallerLookup(ctx) };
  requirePrincipal(ctx, app, { ...admission, sessions });
  const partnerOf = (request: FastifyRequest) =>
    (request.routeOptions.config.auth === 'tradebook'
      ? request.tradebookCaller.partnerId
      : request.principal.partnerId) as Uuid;
  keepToLanes(app, (request) =>
    request.routeOptions.config.auth === 'none' ? lanes.unknown : lanes.of(partnerOf(request)),
  );
  dropAbsentFields(app);
  replayIdempotentRequests(ctx, app, partnerOf);
  await app.register(async (tradebook) => {
    requireTradebookCaller(ctx, tradebook, admission);
    await tradebook.register(vaultTradeRoutes(ctx));
    await tradebook.register(transactionRoutes(ctx));
  });
  for (const routes of [quoteRoutes(ctx), redemptionRoutes(ctx), apiKeyRoutes(ctx, keyUse)])
    await app.register(routes);
  await app.ready();
  return app;
}

/** Builds the operator API over a context, as `buildOperatorApp` does, with the routes of redemptions and approvals. */
export async function buildClerksApp(ctx: Context): Promise<FastifyInstance> {
  const app = await createServer(ctx, parts);
  const tokenUse = new KeyUse(ctx, ({ db }, uses) => db.transaction((tx) => updateTokensLastUsed(tx, uses)));
  requireOperator(ctx, app, { tokenUse, lookups: new CallerLanes(ctx, {}).lookups });
  app.setErrorHandler<FastifyError>((error, request, reply) => handleError(error, request, reply));
  dropAbsentFields(app);
  replayIdempotentRequests(ctx, app, (request) => request.operator.personId);
  for (const routes of [operatorRedemptions, handOverRoutes, settlementRoutes, approvalRoutes])
    await app.register(routes(ctx), { prefix: '/operator/v1' });
  await app.ready();
  return app;
}

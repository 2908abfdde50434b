import fastifyCookie from '@fastify/cookie';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Context } from '../../context.js';
import { updateTokensLastUsed } from '../../db/operators/operator-tokens.js';
import { explorerOf } from '../../domain/network.js';
import { KeyUse } from '../auth/key-use.js';
import { describeApi, describeRoutes } from '../openapi/document.js';
import { operatorApi } from '../openapi/operator-api.js';
import { dropAbsentFields } from '../server/absent-fields.js';
import { consoleApp, serveBrowserApp } from '../server/browser-app.js';
import { CallerLanes, keepToLanes } from '../server/caller-lanes.js';
import { serveErrorPages } from '../server/error-pages.js';
import { handleError } from '../server/errors.js';
import { operatorHealth } from '../server/health.js';
import { replayIdempotentRequests } from '../server/idempotency.js';
import { metricsOfThisMachine } from '../server/metrics.js';
import { type ReferencePlaces, serveReference } from '../server/reference.js';
import { createServer, requireAuthSetting, type ServerParts } from '../server/server.js';
import { checkUnknownFields } from '../server/unknown-fields.js';
import { respondToUnknownRoutes } from '../server/unknown-routes.js';
import { apiKeyRoutes } from './api-keys.js';
import { approvalRoutes } from './approvals.js';
import { attestationRoutes } from './attestations.js';
import { auditRoutes } from './audit.js';
import { anchorAuditLog } from './audit-anchor.js';
import { requireOperator, requireStillIn } from './auth.js';
import { authorityRoutes } from './authorities.js';
import { barRoutes } from './bars.js';
import { chainSettingsRoutes } from './chain-settings.js';
import { chainStatusRoutes } from './chain-status.js';
import { countryRoutes } from './countries.js';
import { offerCsv } from './csv.js';
import { deadLetterRoutes } from './dead-letters.js';
import { denominationRoutes } from './denominations.js';
import { handOverRoutes } from './hand-over.js';
import { indexerRoutes } from './indexer.js';
import { limitRoutes } from './limits.js';
import { operationRoutes } from './operations.js';
import { operatorRoutes as accountRoutes } from './operators.js';
import { orderRoutes } from './orders.js';
import { partnerRoutes } from './partners.js';
import { priceRoutes } from './price.js';
import { redemptionRoutes } from './redemptions.js';
import { sessionRoutes } from './session.js';
import { openSessionRoutes } from './sessions.js';
import { settlementRoutes } from './settlements.js';
import { streamRoutes } from './stream.js';
import { summaryRoutes } from './summary.js';
import { tradeRoutes } from './trades.js';
import { treasuryRoutes } from './treasury.js';
import { userRoutes } from './users.js';
import { viewRoutes } from './views.js';
import { webhookEndpointRoutes } from './webhook-endpoints.js';

export const operatorPrefix = '/operator/v1';

const operatorReference: ReferencePlaces = {
  document: `${operatorPrefix}/openapi.json`,
  page: '/operator/docs',
  title: 'Karat operator API',
  scheme: 'token',
};

/** Routes of the operator API under its prefix, one plugin a resource. */
const operatorRoutes: ((ctx: Context, tokenUse: KeyUse) => FastifyPluginAsyncTypebox)[] = [
  sessionRoutes,
  openSessionRoutes,
  summaryRoutes,
  streamRoutes,
  viewRoutes,
  accountRoutes,
  countryRoutes,
  denominationRoutes,
  limitRoutes,
  partnerRoutes,
  apiKeyRoutes,
  webhookEndpointRoutes,
  userRoutes,
  redemptionRoutes,
  handOverRoutes,
  barRoutes,
  tradeRoutes,
  orderRoutes,
  auditRoutes,
  operationRoutes,
  settlementRoutes,
  authorityRoutes,
  approvalRoutes,
  chainStatusRoutes,
  chainSettingsRoutes,
  priceRoutes,
  indexerRoutes,
  deadLetterRoutes,
  treasuryRoutes,
  attestationRoutes,
];

/** What else the operator port serves. */
export interface OperatorParts extends ServerParts {
  /** Folder of the built console, which is served at `/`; without it, a page that says how to build it. */
  console?: string | undefined;
}

/** Builds the operator API over a context, ready to listen on a port of its own or to inject requests into. */
export async function buildOperatorApp(ctx: Context, parts: OperatorParts = {}): Promise<FastifyInstance> {
  const app = await createServer(ctx, parts);
  requireAuthSetting(app);
  refuseOpenBodies(app);
  await app.register(fastifyCookie, { hook: false });
  const tokenUse = new KeyUse(ctx, ({ db }, uses) => db.transaction((tx) => updateTokensLastUsed(tx, uses)));
  const { unknown, lookups } = new CallerLanes(ctx, parts);
  requireOperator(ctx, app, { tokenUse, lookups });
  keepToLanes(app, ({ routeOptions: { config } }) => (config.auth === 'none' ? unknown : undefined));
  app.setErrorHandler<FastifyError>((error, request, reply) => handleError(error, request, reply));
  offerCsv(app, (request) => requireStillIn(ctx, request));
  dropAbsentFields(app);
  checkUnknownFields(app, { closed: true });
  replayIdempotentRequests(ctx, app, (request) => request.operator.personId);
  respondToUnknownRoutes(app);
  serveErrorPages(app);
  await describeApi(app, operatorApi);
  await serveReference(app, operatorReference);
  await app.register(metricsOfThisMachine(ctx));
  await app.register(operatorHealth(ctx));
  await registerOperatorRoutes(ctx, app, tokenUse);
  await app.register(serveBrowserApp(consoleApp, parts.console, explorerOf(ctx.config.network)));
  tokenUse.attach(app);
  anchorAuditLog(ctx, app);
  await app.ready();
  return app;
}

async function registerOperatorRoutes(ctx: Context, app: FastifyInstance, tokenUse: KeyUse): Promise<void> {
  for (const routes of operatorRoutes) await app.register(routes(ctx, tokenUse), { prefix: operatorPrefix });
}

/** Returns the OpenAPI document of the operator API. Needs nothing but the routes. */
export async function describeOperatorApi(): Promise<object> {
  return describeRoutes(async (app, ctx) => {
    offerCsv(app, (request) => requireStillIn(ctx, request));
    await describeApi(app, operatorApi);
    await registerOperatorRoutes(ctx, app, new KeyUse(ctx));
  });
}

/** A route that would take fields which it does not know is a mistake of ours, found at start. */
function refuseOpenBodies(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, schema }) => {
    type Body = { type?: string; additionalProperties?: boolean; anyOf?: Body[] };
    const body = schema?.body as Body | undefined;
    if (!body) {
      if (!['POST', 'PUT', 'PATCH'].includes(String(method))) return;
      throw new Error(`${method} ${url} does not declare its request body`);
    }
    const objects = (body.anyOf ?? [body]).filter(({ type }) => type !== 'null');
    if (objects.every(({ additionalProperties }) => additionalProperties === false)) return;
    throw new Error(`${method} ${url} takes fields that it does not name`);
  });
}

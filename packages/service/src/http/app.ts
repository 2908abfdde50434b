import fastifyCookie from '@fastify/cookie';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestBudgets } from '../actions/limits/read-partner-limits.js';
import type { Context } from '../context.js';
import type { Uuid } from '../domain/ids.js';
import type { RequestKind } from '../domain/limits.js';
import { explorerOf } from '../domain/network.js';
import type { Lane } from '../runtime/lanes.js';
import { requirePrincipal } from './auth/auth.js';
import { CallerLookup } from './auth/caller-lookup.js';
import { KeyUse } from './auth/key-use.js';
import { describeApi, describeRoutes } from './openapi/document.js';
import { partnerApi } from './openapi/partner-api.js';
import { apiKeyRoutes } from './partner/api-keys.js';
import { authRoutes } from './partner/auth.js';
import { balanceRoutes } from './partner/balances.js';
import { countryRoutes } from './partner/countries.js';
import { denominationRoutes } from './partner/denominations.js';
import { eventRoutes } from './partner/events.js';
import { limitRoutes } from './partner/limits.js';
import { meRoutes } from './partner/me.js';
import { memberRoutes } from './partner/members.js';
import { networkRoutes } from './partner/network.js';
import { operationRoutes } from './partner/operations.js';
import { paperRoutes } from './partner/papers.js';
import { priceRoutes } from './partner/prices.js';
import { quoteRoutes } from './partner/quotes.js';
import { redemptionRoutes } from './partner/redemptions.js';
import { requestRoutes } from './partner/requests.js';
import { reserveReportRoutes } from './partner/reserve-reports.js';
import { reserveRoutes } from './partner/reserves.js';
import { sessionRoutes } from './partner/session.js';
import { tokenRoutes } from './partner/token.js';
import { tradeRoutes } from './partner/trades.js';
import { transactionRoutes } from './partner/transactions.js';
import { userRoutes } from './partner/users.js';
import { vaultRoutes } from './partner/vault.js';
import { webhookEndpointRoutes } from './partner/webhook-endpoints.js';
import { dropAbsentFields } from './server/absent-fields.js';
import { portalApp, serveBrowserApp } from './server/browser-app.js';
import { keepBudgets } from './server/budgets.js';
import { CallerLanes, keepToLanes } from './server/caller-lanes.js';
import { serveErrorPages } from './server/error-pages.js';
import { EventStreams } from './server/event-streams.js';
import { healthRoutes } from './server/health.js';
import { keepTidy } from './server/housekeeping.js';
import { replayIdempotentRequests } from './server/idempotency.js';
import { KeyBudget } from './server/key-budget.js';
import { limitOpenRoutes } from './server/network-budgets.js';
import { OperationWaits } from './server/operation-waits.js';
import { allowPages } from './server/pages.js';
import { type ReferencePlaces, serveReference } from './server/reference.js';
import { RequestRecorder } from './server/request-recorder.js';
import { createServer, requireAuthSetting, type ServerParts } from './server/server.js';
import { serveSite } from './server/site.js';
import { checkUnknownFields } from './server/unknown-fields.js';
import { respondToUnknownRoutes } from './server/unknown-routes.js';
import { serveVerifyPage } from './server/verify-page.js';
import { describeTradebook, errorViewAt, registerTradebookRoutes, tradebook } from './tradebook/plugin.js';

/** Routes of the partner API, one plugin a resource. */
const partnerRoutes: ((ctx: Context, keyUse: KeyUse) => FastifyPluginAsyncTypebox)[] = [
  authRoutes,
  apiKeyRoutes,
  sessionRoutes,
  memberRoutes,
  meRoutes,
  networkRoutes,
  countryRoutes,
  priceRoutes,
  userRoutes,
  balanceRoutes,
  quoteRoutes,
  tradeRoutes,
  denominationRoutes,
  redemptionRoutes,
  transactionRoutes,
  reserveRoutes,
  reserveReportRoutes,
  paperRoutes,
  tokenRoutes,
  webhookEndpointRoutes,
  vaultRoutes,
];

const partnerReference: ReferencePlaces = {
  document: '/openapi.json',
  page: '/docs',
  title: 'Karat partner API',
  scheme: 'apiKey',
};

/** What else runs in this process, as far as the application needs it. */
export interface AppParts extends ServerParts {
  /** The indexer of this process, which knows more about its health than the database does. */
  indexer?: { fault(): string | undefined };
  /** Finds the folder of a site that is served at `/`, such as the documentation; undefined while it is being built. */
  site?: (() => string | undefined) | undefined;
  /** Folder of the built portal, which is served at `/portal`; without it, a page that says how to build it. */
  portal?: string | undefined;
}

/** Builds the HTTP application over a context, ready to listen or to inject requests into. */
export async function buildApp(ctx: Context, parts: AppParts = {}): Promise<FastifyInstance> {
  const app = await createServer(ctx, { ...parts, errorViewAt });
  if (parts.site !== undefined) serveSite(app, parts.site);
  requireAuthSetting(app);
  allowPages(app);
  const recorder = new RequestRecorder(ctx, parts.maxLoggedPerDay);
  recorder.attach(app);
  limitOpenRoutes(ctx, app);
  const keyUse = new KeyUse(ctx);
  const budgets = requestBudgets(ctx);
  const admission = { keyUse, budgets: budgets.ofKeys, lookup: new CallerLookup(ctx) };
  const lanes = new CallerLanes(ctx, parts);
  await app.register(fastifyCookie, { hook: false });
  const sessions = { budgets: budgets.ofMembers, lookups: lanes.lookups };
  requirePrincipal(ctx, app, { ...admission, sessions });
  keepToLanes(app, (request) => laneOf(lanes, request));
  dropAbsentFields(app);
  checkUnknownFields(app, { closed: false });
  replayIdempotentRequests(ctx, app, ownerOf);
  respondToUnknownRoutes(app);
  serveErrorPages(app);
  serveVerifyPage(app);
  await app.register(tradebook(ctx, admission));
  await describeApi(app, partnerApi);
  await serveReference(app, partnerReference);
  await app.register(serveBrowserApp(portalApp, parts.portal, explorerOf(ctx.config.network)));
  const streams = new EventStreams(ctx);
  const waits = new OperationWaits(ctx);
  await registerRoutes(
    ctx,
    app,
    { keyUse, streams, waits, budgets: () => byOwner(budgets), recorder },
    parts,
  );
  streams.attach(app);
  waits.attach(app);
  keyUse.attach(app);
  keepBudgets(ctx, app, [
    ...Object.values(budgets.ofKeys).flatMap(({ callers, partners }) => [callers, partners]),
    ...Object.values(budgets.ofMembers).map(({ callers }) => callers),
  ]);
  keepTidy(ctx, app);
  for (const loop of [ctx.feeBudgets.follow(), ctx.reservations.follow()])
    app.addHook('onClose', () => loop.stop());
  await app.ready();
  return app;
}

/** What routes share with the rest of the application. */
interface RouteParts {
  keyUse: KeyUse;
  streams: EventStreams;
  waits: OperationWaits;
  /** A description of the routes makes none. */
  budgets(): RequestBudgets;
  recorder: RequestRecorder;
}

/** Makes the budgets of requests: members share those of their partner with its keys. */
function requestBudgets(ctx: Context) {
  const ofKeys = { reads: new KeyBudget(ctx, 'reads'), writes: new KeyBudget(ctx, 'writes') };
  const ofMembers = {
    reads: new KeyBudget(ctx, 'reads', ofKeys.reads),
    writes: new KeyBudget(ctx, 'writes', ofKeys.writes),
  };
  return { ofKeys, ofMembers };
}

function byOwner({ ofKeys, ofMembers }: ReturnType<typeof requestBudgets>): RequestBudgets {
  const of = (kind: RequestKind) => ({
    key: ofKeys[kind].callers,
    member: ofMembers[kind].callers,
    partner: ofKeys[kind].partners,
  });
  return { reads: of('reads'), writes: of('writes') };
}

async function registerRoutes(
  ctx: Context,
  app: FastifyInstance,
  { keyUse, streams, waits, budgets, recorder }: RouteParts,
  parts: AppParts,
): Promise<void> {
  await app.register(healthRoutes(ctx, parts.indexer));
  for (const routes of partnerRoutes) await app.register(routes(ctx, keyUse));
  await app.register(eventRoutes(ctx, streams));
  await app.register(operationRoutes(waits));
  await app.register(limitRoutes(ctx, budgets));
  await app.register(requestRoutes(ctx, recorder));
}

/**
 * Returns whose Idempotency-Key a request's is: its partner's, and that of the key itself where it acts for no partner.
 */
function ownerOf(request: FastifyRequest): Uuid {
  if (request.routeOptions.config.auth !== 'tradebook') return request.principal.partnerId;
  const { partnerId, keyId } = request.tradebookCaller;
  return partnerId ?? keyId;
}

function laneOf(lanes: CallerLanes, request: FastifyRequest): Lane | undefined {
  const { auth, underPressure } = request.routeOptions.config;
  if (auth === 'partner' || auth === 'tradebook') return lanes.of(ownerOf(request));
  // What shows how the process is doing looks at the database once a second at most.
  return underPressure ? undefined : lanes.unknown;
}

/** Returns the OpenAPI document of the partner API. Needs nothing but the routes. */
export async function describePartnerApi(): Promise<object> {
  return describeRoutes(async (app, ctx) => {
    await describeApi(app, partnerApi);
    const parts = {
      keyUse: new KeyUse(ctx),
      streams: new EventStreams(ctx),
      waits: new OperationWaits(ctx),
      budgets: () => byOwner(requestBudgets(ctx)),
      recorder: new RequestRecorder(ctx),
    };
    await registerRoutes(ctx, app, parts, {});
  });
}

/** Returns the OpenAPI document of the tradebook API, likewise. */
export async function describeTradebookApi(): Promise<object> {
  return describeRoutes(async (app, ctx) => {
    await describeTradebook(app);
    await registerTradebookRoutes(ctx, app, new KeyUse(ctx));
  });
}

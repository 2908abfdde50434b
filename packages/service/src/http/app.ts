import fastifyHelmet from '@fastify/helmet';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { requirePrincipal } from './auth.js';
import { limitAuthRoutes } from './auth-limit.js';
import { handleError, toAppError, toErrorView } from './errors.js';
import { healthRoutes } from './health.js';
import { keepTidy } from './housekeeping.js';
import { replayIdempotentRequests } from './idempotency.js';
import { parseJsonBody } from './json-body.js';
import { KeyBudget } from './key-budget.js';
import { KeyUse } from './key-use.js';
import { describeApi } from './openapi/document.js';
import { apiKeyRoutes } from './partner/api-keys.js';
import { authRoutes } from './partner/auth.js';
import { buyRoutes } from './partner/buy.js';
import { denominationRoutes } from './partner/denominations.js';
import { redemptionRoutes } from './partner/redemptions.js';
import { sellRoutes } from './partner/sell.js';
import { tradeRoutes } from './partner/trades.js';
import { userRoutes } from './partner/users.js';
import { openReference, serveReference } from './reference.js';
import { requestIdOf } from './request-id.js';
import { answerUnknownRoutes } from './unknown-routes.js';

/** Routes of the partner API, one plugin a resource. */
const partnerRoutes: ((ctx: Context, keyUse: KeyUse) => FastifyPluginAsyncTypebox)[] = [
  authRoutes,
  apiKeyRoutes,
  userRoutes,
  buyRoutes,
  sellRoutes,
  tradeRoutes,
  denominationRoutes,
  redemptionRoutes,
];

const maxBodyBytes = 64 * 1024;
/** Whatever happens to a dependency, a caller has an answer before 5 s are over. */
const answerWithinMs = 4_500;
/** A request that has not arrived whole by then is given up. */
const receiveWithinMs = 15_000;

/** What else runs in this process, as far as the application asks it. */
export interface AppParts {
  /** The indexer of this process, which knows more about its health than the database does. */
  indexer?: { fault(): string | undefined };
  /** Adds hooks before everything else, such as those by which tests look at every answer. */
  extend?: (app: FastifyInstance) => void;
}

/** The HTTP application over a context, ready to listen or to inject requests into. */
export async function buildApp(ctx: Context, parts: AppParts = {}): Promise<FastifyInstance> {
  const app = createServer(ctx);
  parts.extend?.(app);
  await app.register(fastifyHelmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  openReference(app);
  requireAuthSetting(app);
  identifyRequests(app);
  refuseWhileClosing(app);
  readJsonBodies(app);
  limitAuthRoutes(ctx, app);
  const keyUse = new KeyUse(ctx);
  const budget = new KeyBudget(ctx);
  requirePrincipal(ctx, app, { keyUse, budget });
  replayIdempotentRequests(ctx, app);
  logAnswers(app);
  answerUnknownRoutes(app);
  await describeApi(app);
  await serveReference(app);
  await registerRoutes(ctx, app, keyUse, parts);
  keyUse.attach(app);
  budget.attach(app);
  keepTidy(ctx, app);
  await app.ready();
  return app;
}

async function registerRoutes(
  ctx: Context,
  app: FastifyInstance,
  keyUse: KeyUse,
  parts: AppParts,
): Promise<void> {
  await app.register(healthRoutes(ctx, parts.indexer));
  for (const routes of partnerRoutes) await app.register(routes(ctx, keyUse));
}

/** The OpenAPI document of the partner API. Needs nothing but the routes: describing them touches no context. */
export async function describePartnerApi(): Promise<object> {
  const untouchable = new Proxy({} as Context, {
    get: (_context, part) => {
      throw new Error(`the description of a route depends on ${String(part)} of the context`);
    },
  });
  const app = Fastify() as unknown as FastifyInstance;
  await describeApi(app);
  await registerRoutes(untouchable, app, new KeyUse(untouchable), {});
  await app.ready();
  return app.swagger();
}

function createServer(ctx: Context): FastifyInstance {
  const app = Fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    bodyLimit: maxBodyBytes,
    handlerTimeout: answerWithinMs,
    requestTimeout: receiveWithinMs,
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: false },
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      handleError(error, request as FastifyRequest, reply);
    },
    clientErrorHandler: answerBrokenHttp,
  });
  return app as unknown as FastifyInstance;
}

/** A route that does not say who may call it is a mistake of ours, found at start. */
function requireAuthSetting(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.auth === undefined) throw new Error(`${route.method} ${route.url} names no auth`);
  });
}

function identifyRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}

function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async (_request, reply) => {
    if (!closing) return;
    reply.header('connection', 'close');
    throw new AppError('service_unavailable', 'The service is shutting down.');
  });
}

function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body),
  );
}

/** One line an answer. The path is logged as its pattern: a raw one may hold anything. */
function logAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, route: routeOptions.url ?? null, status: reply.statusCode, ms }, 'answered');
  });
}

const brokenHttpStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is not even HTTP never reaches a route; it too gets a JSON answer. */
function answerBrokenHttp(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenHttpStatus[error.code ?? ''] ?? '400 Bad Request';
  const shown = toAppError({ statusCode: 400 } satisfies Partial<FastifyError>);
  const body = JSON.stringify(toErrorView(shown));
  socket.end(
    `HTTP/1.1 ${status}\r\n` +
      'content-type: application/json; charset=utf-8\r\nconnection: close\r\n' +
      `x-request-id: ${requestIdOf({ headers: {} })}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

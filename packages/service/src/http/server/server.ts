import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { readForwardedAddresses } from './client-network.js';
import { limitWork } from './deadline.js';
import { type ErrorView, handleError, toAppError, toErrorView, useOwnMessages } from './errors.js';
import { parseJsonBody } from './json-body.js';
import { readyForKeys } from './key-admission.js';
import { lazySerializerCompiler, lazyValidatorCompiler } from './lazy-schemas.js';
import { refuseUnderPressure, usualMaxTurnMs } from './pressure.js';
import { requestIdOf } from './request-id.js';
import { logOf, ServerLog } from './request-log.js';
import { beginRequestTrace, endRequestTrace, traceRequests } from './request-trace.js';
import { secureHeaders, secureResponses } from './secure-headers.js';
import { refuseEmptyIds } from './unknown-routes.js';

const maxBodyBytes = 64 * 1024;
/** Callers get a response within 5 s, even when a dependency hangs. */
const usualResponseWithinMs = 4_500;
/** A request that has not arrived whole by then is given up: its head, and likewise all of it. */
const receiveWithinMs = 15_000;
/** How often the server looks for such requests. */
const lookForSlowMs = 1_000;
/** Longer than the load balancers in front of the service, which then never use a connection that is being closed. */
const keepAliveMs = 72_000;

/** What else an application is given. */
export interface ServerParts {
  /** Adds hooks before everything else, such as those by which tests check every response. */
  extend?: (app: FastifyInstance) => void;
  /** How errors at an address are written that no route could be found for, by its path; default: as by the partner API. */
  errorViewAt?: (path: string) => ErrorView;
  /** How long the work of a request may take, in milliseconds, where its route has no time of its own; default: 4,500. */
  respondWithinMs?: number;
  /** How long a request waits for its first connection to the database while its caller uses others, in milliseconds; default: 2,000. */
  connectWithinMs?: number;
  /** How long turns of the event loop may take on average before requests are refused, in milliseconds; 0: any time; default: 1,000. */
  maxTurnMs?: number;
  /** How many requests of a partner are logged in a day; default: 100,000. */
  maxLoggedPerDay?: number;
}

/**
 * Creates an application without a route: how it reads bodies, names requests, logs responses and stops is the same for
 * every surface.
 */
export async function createServer(ctx: Context, parts: ServerParts = {}): Promise<FastifyInstance> {
  const app = emptyServer(ctx);
  app.setValidatorCompiler(lazyValidatorCompiler);
  app.setSerializerCompiler(lazySerializerCompiler);
  app.decorate('errorViewAt', parts.errorViewAt);
  useOwnMessages(app);
  if (ctx.config.trustedProxies.length > 0) readForwardedAddresses(app);
  parts.extend?.(app);
  if (isTraced(ctx)) traceRequests(app);
  secureResponses(app);
  identifyRequests(app);
  respondToRefusedHttp(ctx, app);
  limitWork(app, parts.respondWithinMs ?? usualResponseWithinMs);
  await refuseUnderPressure(app, parts.maxTurnMs ?? usualMaxTurnMs);
  endConnections(app);
  refuseEmptyIds(app);
  readJsonBodies(app);
  readyForKeys(app);
  accountForResponses(ctx, app);
  return app;
}

function emptyServer(ctx: Context): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = new ServerLog(ctx.log);
  return Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: isTraced(ctx) ? beginRequestTrace : requestIdOf,
    bodyLimit: maxBodyBytes,
    requestTimeout: receiveWithinMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: receiveWithinMs,
      connectionsCheckingInterval: lookForSlowMs,
      // Node's own response to a request without `Host` is no JSON: see `respondToRefusedHttp`.
      requireHostHeader: false,
    },
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      ctx.metrics.malformed();
      reply.headers(secureHeaders);
      reply.header('x-request-id', request.id);
      handleError(error, request, reply);
      endRequestTrace(request.raw, reply.statusCode);
    },
    clientErrorHandler: (error, socket) => {
      ctx.metrics.malformed();
      respondToBrokenHttp(error, socket);
    },
  });
}

/** Without a collector, requests are spared even the hooks. */
function isTraced({ config }: Context): boolean {
  return config.otlpEndpoint !== undefined;
}

/** A route that does not say who may call it is a mistake of ours, found at start. */
export function requireAuthSetting(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.auth === undefined) throw new Error(`${route.method} ${route.url} names no auth`);
  });
}

function identifyRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

/**
 * A server that stops refuses connections, which a load balancer then makes elsewhere, but serves what arrives over those
 * that are open: it was sent to this process. Closes each of them with its response, and gives up those that stay silent.
 */
function endConnections(app: FastifyInstance): void {
  const silent = silentConnections(app);
  let stops = false;
  // Fastify does so only for requests that come after it began to stop.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stops) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    stops = true;
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, lastRequestsMs).unref();
  });
}

/** Requests that were sent before the service began to stop have arrived by then. */
const lastRequestsMs = 2_000;

/**
 * Returns the connections over which no request has come yet. Node closes those that wait for another request and completes
 * those that have one, but would wait for ever for a caller who connects and says nothing.
 */
function silentConnections(app: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }) => silent.delete(socket));
  return silent;
}

function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const encoding = headers['content-encoding'] ?? 'identity';
      if (encoding.toLowerCase() === 'identity') return parseJsonBody(body);
      throw new AppError('unsupported_media_type', 'Send the body without a content-encoding.');
    },
  );
}

/**
 * Logs one line for each response, with the address of the caller, and measures it. The path is reported as its pattern: a raw
 * one may hold anything.
 */
function accountForResponses({ metrics }: Context, app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip, is404 } = request;
    const { url } = request.routeOptions;
    const { statusCode: status, elapsedTime } = reply;
    const facts = { method, route: url ?? null, status, ms: Math.round(elapsedTime) };
    logOf(request).response({ ...facts, remote_address: ip });
    metrics.answered({ method, route: is404 ? undefined : url, status, seconds: elapsedTime / 1_000 });
    done();
  });
}

/** Responds in JSON to what Node would refuse in its own words, or not at all. */
function respondToRefusedHttp({ metrics }: Context, app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { httpVersion, headers } }, _reply, done) => {
    const isNamed = headers.host !== undefined || httpVersion === '1.0';
    done(isNamed ? undefined : new AppError('invalid_request', 'The header Host is required.'));
  });
  app.server.on('checkExpectation', ({ headers, socket }: IncomingMessage) => {
    metrics.malformed();
    const error = new AppError('invalid_request', 'Of Expect, only 100-continue is supported.');
    endWithError(socket, '417 Expectation Failed', error, headers);
  });
  app.server.on('connect', ({ headers }: IncomingMessage, socket: Duplex) => {
    metrics.malformed();
    const error = new AppError('method_not_allowed', 'This is no proxy: CONNECT is not supported.');
    endWithError(socket, '405 Method Not Allowed', error, headers);
  });
}

const brokenHttpStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const secureHeaderLines = Object.entries(secureHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Bytes that are not even HTTP never reach a route; they too get a JSON response. */
function respondToBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenHttpStatus[error.code ?? ''] ?? '400 Bad Request';
  endWithError(socket, status, toAppError({ statusCode: 400 } satisfies Partial<FastifyError>));
}

/** Writes an error to a connection for which there is no reply, and ends it. */
function endWithError(
  socket: Duplex,
  status: string,
  error: AppError,
  headers: IncomingMessage['headers'] = {},
): void {
  const body = JSON.stringify(toErrorView(error, undefined));
  socket.end(
    `HTTP/1.1 ${status}\r\n` +
      'content-type: application/json; charset=utf-8\r\nconnection: close\r\n' +
      `${secureHeaderLines}x-request-id: ${requestIdOf({ headers })}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

import type { FastifyRequest } from 'fastify';
import type { NewRequest } from '../../actions/requests/record-requests.js';
import type { LoggedRequest } from '../../db/requests/request-log.js';
import { asUserId, prefixedId, type TradeId, type UserId, uuidOf } from '../../domain/ids.js';
import { hide, isLoggedId, redacted, redactRequest, redactResponse } from '../../domain/redaction.js';
import { cutBody } from '../../domain/request-log.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the response quotes. */
    quoted: QuotedTrade | undefined;
    /** The body of its response, where it may be logged. */
    sentBody: string | undefined;
  }
}

/** What of a quote is logged, in place of bodies. */
export interface QuotedTrade {
  tradeId: TradeId;
  /** Base units. */
  usdc: bigint;
  gold: bigint;
}

/** What of a request is logged that depends on what it is about. */
export type RequestFacts = Pick<
  LoggedRequest,
  | 'path'
  | 'objectId'
  | 'userId'
  | 'usdcAmount'
  | 'goldAmount'
  | 'error'
  | 'reason'
  | 'requestBody'
  | 'responseBody'
>;

const routes = new Map<string, string>();

/** Returns the path of a request's route as the reference has it. */
export function routeOf({ routeOptions: { url = '' } }: FastifyRequest): string {
  let route = routes.get(url);
  if (route === undefined) {
    route = url.replace(/:(\w+)/g, '{$1}');
    routes.set(url, route);
  }
  return route;
}

/**
 * Returns the row of a quote that was given. Quotes are by far the most, so it is made in one piece, and has the UUID of its
 * trade, which no other quote has.
 */
export function quoteRow(
  made: Omit<LoggedRequest, 'id' | keyof RequestFacts>,
  { tradeId, usdc, gold }: QuotedTrade,
  request: FastifyRequest,
): NewRequest {
  return {
    id: prefixedId('req', uuidOf(tradeId)),
    createdAt: made.createdAt,
    partnerId: made.partnerId,
    keyId: made.keyId,
    memberId: made.memberId,
    durationMs: made.durationMs,
    status: made.status,
    method: made.method,
    route: made.route,
    requestId: made.requestId,
    path: null,
    objectId: tradeId,
    // The user was found by it.
    userId: (request.body as { service_user_id: UserId }).service_user_id,
    usdcAmount: usdc,
    goldAmount: gold,
    error: null,
    reason: null,
    requestBody: null,
    responseBody: null,
    isQuote: true,
  };
}

/** Returns what is logged of any other request, without anything secret. */
export function factsOf(request: FastifyRequest, route: string): RequestFacts {
  const params = Object.entries((request.params ?? {}) as Record<string, string>);
  const hidden = hiddenOutside(request, params);
  const sent = redactRequest(request.body, hidden);
  const response = responseOf(request);
  const shown = response === undefined ? undefined : redactResponse(response, hidden);
  const error = request.failure?.error;
  const ids = [Object.fromEntries(params), dataOf(response), request.body];
  return {
    path: params.length === 0 ? null : pathOf(route, new Map(params)),
    objectId: objectOf(ids),
    userId: userOf(ids),
    usdcAmount: null,
    goldAmount: null,
    error: error?.code ?? null,
    reason: error?.reason ?? null,
    requestBody:
      request.body === undefined ? (hasBody(request) ? JSON.stringify(redacted) : null) : bodyText(sent),
    responseBody: shown === undefined ? null : bodyText(shown),
  };
}

const bodyText = (shown: unknown) => cutBody(JSON.stringify(shown));

/** Whether a body came that could not be read, or was not. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Headers that an error may quote, or that hold a secret. */
const quotedHeaders = ['x-api-key', 'cookie', 'authorization', 'idempotency-key', 'last-event-id'];

/** Returns what must not be shown of a request but for its body: of its query, path and headers. */
function hiddenOutside({ query, headers }: FastifyRequest, params: [string, string][]): Set<string> {
  const hidden = new Set<string>();
  hide(query, hidden);
  for (const [, value] of params) if (!isLoggedId(value)) hide(value, hidden);
  for (const name of quotedHeaders) hide(headers[name], hidden);
  return hidden;
}

/** Returns the body of the response; undefined where it is none, or no JSON. */
function responseOf({ failure, sentBody }: FastifyRequest): unknown {
  if (failure) return failure.body;
  if (!sentBody) return undefined;
  try {
    return JSON.parse(sentBody);
  } catch {
    return redacted;
  }
}

function pathOf(route: string, params: ReadonlyMap<string, string>): string {
  return route.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params.get(name) ?? '';
    return isLoggedId(value) ? value : redacted;
  });
}

/** The tradebook API has its objects in an envelope. */
function dataOf(response: unknown): unknown {
  return (response as { data?: unknown } | undefined)?.data ?? response;
}

/** Fields that name what a request is about, the closest first. */
const objectFields = [
  'trade_id',
  'redemption_id',
  'purchaseId',
  'sellId',
  'withdrawalId',
  'endpoint_id',
  'key_id',
  'keyId',
  'operation_id',
  'event_id',
  'service_user_id',
];

/** Returns the id of what a request is about, as its path names it, else its response, else its body. */
function objectOf(places: readonly unknown[]): string | null {
  for (const place of places) {
    for (const name of objectFields) {
      const id = idIn(place, name);
      if (id !== undefined) return id;
    }
  }
  return null;
}

function userOf(places: readonly unknown[]): UserId | null {
  for (const place of places) {
    const id = asUserId(idIn(place, 'service_user_id') ?? '');
    if (id) return id;
  }
  return null;
}

function idIn(place: unknown, name: string): string | undefined {
  if (typeof place !== 'object' || place === null) return undefined;
  const value = (place as Record<string, unknown>)[name];
  return typeof value === 'string' && isLoggedId(value) ? value.toLowerCase() : undefined;
}

import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import type { Caller } from '../../actions/trades/find-named-trader.js';
import { type QuoteTradeInput, quoteTrade, type TradeQuote } from '../../actions/trades/quote-trade.js';
import type { Context } from '../../context.js';
import type { CallerQuery, FoundCaller, KeyHolder } from '../../db/keys/callers.js';
import { asUserId } from '../../domain/ids.js';
import { unavailable } from '../../errors.js';
import { Slots } from '../../runtime/slots.js';
import { callerOf } from '../auth/auth.js';
import type { PendingQuery } from '../auth/caller-lookup.js';
import { addressReader } from '../server/client-address.js';
import type { KeyAdmission } from '../server/key-admission.js';
import type { TakenBudget } from '../server/key-budget.js';
import { refuseAboveLimit, showBudget } from '../server/leased-budget.js';
import { noteArrival, type QuickPath } from '../server/quick-path.js';
import { requestIdOf } from '../server/request-id.js';
import { logOf, type ResponseLines } from '../server/request-log.js';
import { beginRequestTrace, inRequestTrace, isRequestRecorded } from '../server/request-trace.js';
import { secureHeaders } from '../server/secure-headers.js';
import { isTraced } from '../server/server.js';

/** What the quick path needs of the application that it stands before. */
interface Parts {
  app: FastifyInstance;
  admission: KeyAdmission<unknown>;
  /** Returns the body of the response. */
  toText: (quote: TradeQuote) => string;
  /** How long the work of a request may take, in milliseconds. */
  withinMs: number;
}

type TradeSide = TradeQuote['side'];
type Handle = Parameters<QuickPath['take']>[2];

const sides: Readonly<Record<string, TradeSide>> = { '/v1/buy': 'buy', '/v1/sell': 'sell' };
const jsonTypes = new Set(['application/json', 'application/json; charset=utf-8']);
/** A longer body is not that of a usual quote. */
const maxBytes = 1_024;
/** How often late requests are looked for. */
const lookEveryMs = 100;

/** Requests that went to the framework after all. */
const handedOver = new WeakMap<IncomingMessage, QuickQuote>();

/**
 * Serves requests for quotes that get one, straight from the events of Node's HTTP server: what the framework does for each
 * request costs several times as much as a quote. It takes a request whose key is known here and whose body is the usual one;
 * every error, and everything that is only a little unusual, goes to the framework, so that each is written once. It looks up,
 * checks, counts and logs by the same functions. It makes no spans: what a trace records goes to the framework. Until `attach`,
 * and while the application closes, it takes nothing.
 */
export class QuickQuotes implements QuickPath {
  #parts: Parts | undefined;
  #shared: Shared | undefined;
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Begins to take requests, until the application closes. */
  attach(parts: Parts): void {
    const { app, withinMs } = parts;
    const shared = new Shared(this.#ctx, parts);
    this.#parts = parts;
    this.#shared = shared;
    const timer = setInterval(() => shared.refuseLate(withinMs), lookEveryMs).unref();
    app.addHook('preClose', async () => {
      shared.closing = true;
      this.#parts = undefined;
    });
    app.addHook('onClose', async () => clearInterval(timer));
  }

  take(request: IncomingMessage, response: ServerResponse, handle: Handle): boolean {
    const [parts, shared] = [this.#parts, this.#shared];
    const side = sides[request.url ?? ''];
    if (!parts || !shared || side === undefined || request.method !== 'POST') return false;
    const { headers, httpVersion } = request;
    const length = lengthOf(headers['content-length']);
    if (length === undefined || httpVersion !== '1.1' || !jsonTypes.has(headers['content-type'] ?? ''))
      return false;
    // Whether that refuses this request is for the framework to say.
    if (parts.app.isUnderPressure()) return false;
    const keyHash = parts.admission.knownKey(headers['x-api-key']);
    if (!keyHash) return false;
    if (shared.traced && isRequestRecorded(request)) return false;
    const quote = new QuickQuote(shared, { request, response, handle, side, keyHash, length });
    request.on('data', (chunk: Buffer) => quote.read(chunk));
    return true;
  }
}

/** Returns the length of a body that may be that of a usual quote. */
function lengthOf(header: string | undefined): number | undefined {
  const length = header === undefined ? 0 : Number.parseInt(header, 10);
  return length > 0 && length <= maxBytes && String(length) === header ? length : undefined;
}

/** What all requests share. */
class Shared {
  readonly ctx: Context;
  readonly traced: boolean;
  readonly admission: KeyAdmission<unknown>;
  readonly lines: ResponseLines;
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly toText: (quote: TradeQuote) => string;
  /** Those whose work is under way. */
  readonly running = new Slots<QuickQuote>();
  closing = false;

  constructor(ctx: Context, { app, admission, toText }: Parts) {
    this.ctx = ctx;
    this.traced = isTraced(ctx);
    this.admission = admission;
    this.lines = logOf(app).responses;
    this.addressOf = addressReader(ctx.config.trustedProxies);
    this.toText = toText;
  }

  refuseLate(withinMs: number): void {
    const latestMs = performance.now() - withinMs;
    for (const quote of this.running)
      if (quote.begunMs < latestMs) quote.fail(unavailable('This took too long; try again shortly.'));
  }
}

const fixedHeaders = [
  ...Object.entries(secureHeaders).flat(),
  'content-type',
  'application/json; charset=utf-8',
];

/** A request for a quote on its way, and what is known of it so far. */
class QuickQuote implements PendingQuery {
  readonly #shared: Shared;
  readonly #from: From;
  readonly #arrivedMs = performance.now();
  #input: QuoteTradeInput | undefined;
  #over = false;
  /** Among those that run. */
  #place: number | undefined;
  readonly query: CallerQuery;
  /** When its work began, by the monotonic clock. */
  begunMs = 0;
  body: Buffer | undefined;
  /** Undefined until the key was found to be good. */
  holder: KeyHolder | undefined;
  /** What is left of the budget; undefined until the request was counted. */
  left: TakenBudget | undefined;
  /** What went wrong; undefined: the framework serves the request from the start. */
  error: unknown;

  constructor(shared: Shared, from: From) {
    this.#shared = shared;
    this.#from = from;
    this.query = { keyHash: from.keyHash, userId: undefined };
  }

  /** Takes a part of the body. The work begins with the last one. */
  read(chunk: Buffer): void {
    this.body = this.body ? Buffer.concat([this.body, chunk]) : chunk;
    if (this.body.length < this.#from.length) return;
    this.#input = inputOf(this.#from.side, this.body);
    if (this.#input) this.#begin(this.#input);
    else this.#handOver();
  }

  #begin({ serviceUserId }: QuoteTradeInput): void {
    this.query.userId = asUserId(serviceUserId);
    this.begunMs = performance.now();
    this.#place = this.#shared.running.add(this);
    this.#shared.admission.lookUp(this);
  }

  isWanted(): boolean {
    return !this.#over && !this.#from.response.destroyed;
  }

  found(found: FoundCaller | undefined): void {
    if (this.#over) return;
    try {
      const caller = found && quietly(() => callerOf(found, this.query.userId));
      if (found && caller) this.#count(caller, found.holder);
      else this.#handOver();
    } catch (error) {
      this.fail(error);
    }
  }

  failed(error: unknown): void {
    this.fail(error);
  }

  #count(caller: Caller, holder: KeyHolder): void {
    const left = this.#shared.admission.count(this.query.keyHash, holder);
    if (left === undefined) {
      this.#handOver();
      return;
    }
    this.holder = holder;
    if (left instanceof Promise) {
      left.then((taken) => this.#counted(caller, holder, taken)).catch((error: unknown) => this.fail(error));
    } else this.#counted(caller, holder, left);
  }

  /** Goes on with a request once it was counted, or was not because its budget is used up. */
  #counted(caller: Caller, holder: KeyHolder, left: TakenBudget): void {
    if (this.#over) return;
    this.left = left;
    if (left.admitted && this.#input) this.#quote(this.#input, caller, { holder, left });
    else this.#handOver();
  }

  #quote(input: QuoteTradeInput, caller: Caller, admitted: Admitted): void {
    const quote = quoteTrade(this.#shared.ctx, caller, input);
    if (quote instanceof Promise) {
      quote.then((made) => this.#respond(made, admitted)).catch((error: unknown) => this.fail(error));
    } else this.#respond(quote, admitted);
  }

  #respond(quote: TradeQuote, { holder, left }: Admitted): void {
    const { request, response, side } = this.#from;
    const { ctx, traced, lines, addressOf, toText, closing } = this.#shared;
    const text = toText(quote);
    if (!this.#end() || response.destroyed) return;
    const id = traced ? beginRequestTrace(request) : requestIdOf(request);
    const headers = fixedHeaders.concat(
      ['x-request-id', id, 'ratelimit-limit', String(left.limit)],
      ['ratelimit-remaining', String(left.remaining), 'ratelimit-reset', String(left.resetSeconds)],
      ['content-length', String(text.length)],
    );
    if (closing) headers.push('connection', 'close');
    response.writeHead(200, headers);
    // ASCII, so that this is a plain copy.
    response.end(text, 'latin1');
    const elapsedMs = performance.now() - this.#arrivedMs;
    const route = side === 'buy' ? '/v1/buy' : '/v1/sell';
    const ids = { partner_id: holder.partnerId, key_id: holder.keyId };
    const [ms, remote_address] = [Math.round(elapsedMs), addressOf(request)];
    const facts = { method: 'POST', route, status: 200, ms, remote_address };
    if (traced) inRequestTrace(request, () => lines.write(id, ids, facts));
    else lines.write(id, ids, facts);
    ctx.metrics.answered({ method: 'POST', route, status: 200, seconds: elapsedMs / 1_000 });
  }

  /** Has the framework respond with an error. */
  fail(error: unknown): void {
    this.error = error;
    this.#handOver();
  }

  /** Has the framework do the rest. */
  #handOver(): void {
    if (!this.#end()) return;
    const { request, response, handle } = this.#from;
    handedOver.set(request, this);
    noteArrival(request, this.#arrivedMs);
    handle(request, response);
  }

  /** Returns whether this is the first end of the request. */
  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    if (this.#place !== undefined) this.#shared.running.remove(this.#place);
    return true;
  }
}

/** Whose request it is, once it was counted, and what is left to that key. */
interface Admitted {
  holder: KeyHolder;
  left: TakenBudget;
}

interface From {
  request: IncomingMessage;
  response: ServerResponse;
  handle: Handle;
  side: TradeSide;
  keyHash: Buffer;
  /** Of the body, in bytes. */
  length: number;
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Names of the amounts in a body. */
const names = {
  buy: { amount: 'usdc_amount', amountOut: 'gold_amount', minAmountOut: 'min_gold_out' },
  sell: { amount: 'gold_amount', amountOut: 'usdc_amount', minAmountOut: 'min_usdc_out' },
} as const;

/**
 * Returns what a body means that has nothing but the fields of the route, with values as its schema wants them; undefined for every
 * other one.
 */
function inputOf(side: TradeSide, bytes: Buffer): QuoteTradeInput | undefined {
  const body = isAscii(bytes) ? quietly(() => JSON.parse(bytes.toString('latin1')) as unknown) : undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const input: QuoteTradeInput = {
    side,
    serviceUserId: '',
    amount: undefined,
    amountOut: undefined,
    slippageBps: undefined,
    minAmountOut: undefined,
  };
  const { amount, amountOut, minAmountOut } = names[side];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'service_user_id' && typeof value === 'string') input.serviceUserId = value;
    else if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
    else if (name === amount) input.amount = value;
    else if (name === amountOut) input.amountOut = value;
    else if (name === minAmountOut) input.minAmountOut = value;
    else if (name === 'slippage_bps' && Number.isInteger(value) && value >= 0 && value <= 10_000)
      input.slippageBps = value;
    else return undefined;
  }
  return input.serviceUserId === '' ? undefined : input;
}

/** Returns the error of a request that its budget does not admit. */
function refusalOf(left: TakenBudget | undefined): unknown {
  return left && !left.admitted ? refuseAboveLimit(left.limit, left) : undefined;
}

/** Options of the routes by which the framework goes on with requests that the quick path handed over. */
export const afterQuickPath: Pick<RouteShorthandOptions, 'onRequest' | 'preParsing'> = {
  onRequest: (request, reply, done) => {
    const quote = handedOver.get(request.raw);
    if (!quote) return done();
    if (quote.begunMs > 0) request.workClock?.spend(performance.now() - quote.begunMs);
    const error = quote.error ?? refusalOf(quote.left);
    if (error === undefined) return done();
    // It is not authenticated again: whatever its key came to is known.
    request.shownKey = undefined;
    const { holder, left } = quote;
    if (holder) logOf(request).note({ partner_id: holder.partnerId, key_id: holder.keyId });
    if (left) showBudget(reply, left.limit, left);
    done(error as Error);
  },
  preParsing: (request, _reply, payload, done) => {
    const body = handedOver.get(request.raw)?.body;
    done(null, body ? Readable.from([body]) : payload);
  },
};

import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  RouteOptions,
} from 'fastify';
import { type NewRequest, nameOfDay, recordRequests } from '../../actions/requests/record-requests.js';
import type { Context } from '../../context.js';
import { isDatabaseOutage } from '../../db/outage.js';
import { newId, type Uuid } from '../../domain/ids.js';
import { requestKindOf } from '../../domain/limits.js';
import { isSecretLike, redacted } from '../../domain/redaction.js';
import { dayOf, hasRoom, maxLoggedPerDay } from '../../domain/request-log.js';
import { factsOf, quoteRow, routeOf } from './request-facts.js';
import { logOf } from './request-log.js';
import { WriteBehind } from './write-behind.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route quotes trades: it notes as `quoted` what is logged in place of the bodies. */
    quotesTrades?: true;
  }
}

const uuidLength = 36;
/** Half of what a process that is killed may lose. */
const flushEveryMs = 500;
/** So many take a fraction of a millisecond to be written; 1,500 take several, for which all other requests wait. */
const flushAt = 250;
/** What waits to be written, at most: more is only counted, while the database does not respond. */
const maxWaiting = { requests: 20_000, characters: 16 * 1024 * 1024 };

/** A day of a partner as this process knows it. */
interface Day {
  partnerId: Uuid;
  startMs: number;
  /** That were not counted in the database yet. */
  requests: number;
  /** That were in the log when it was last written to. */
  logged: number;
}

/**
 * Gathers the requests of partners that changed something or failed, without anything secret, and writes them in batches
 * behind the responses. What cannot be written while the database is away is tried again.
 */
export class RequestRecorder {
  readonly #ctx: Context;
  readonly #maxPerDay: number;
  #requests: NewRequest[] = [];
  #characters = 0;
  readonly #days = new Map<Uuid, Day>();
  /** Those of days that are over, which are still to be counted. */
  #over: Day[] = [];
  readonly #behind = new WriteBehind(() => this.#write());
  #flushEarly: () => void = () => {};

  /** @param maxPerDay how many requests of a partner are logged in a day. */
  constructor(ctx: Context, maxPerDay = maxLoggedPerDay) {
    this.#ctx = ctx;
    this.#maxPerDay = maxPerDay;
  }

  /** Writes what was gathered, so that a later reader finds all of it. */
  flush(): Promise<void> {
    return this.#behind.flush();
  }

  /** Gathers the requests of an app, whose routes have to be registered after it. */
  attach(app: FastifyInstance): void {
    app.decorateRequest('quoted', undefined);
    app.decorateRequest('sentBody', undefined);
    app.addHook('onRoute', (route) => {
      if (keepsBodies(route)) route.onSend = [...[route.onSend ?? []].flat(), keepBody];
    });
    app.addHook('onResponse', (request, reply, done) => {
      if (reply.statusCode >= 400 || requestKindOf(request.method) === 'writes') this.#gather(request, reply);
      done();
    });
    this.#flushEarly = this.#behind.attach(app, this.#ctx, flushEveryMs, 'requests were not logged');
  }

  #gather(request: FastifyRequest, reply: FastifyReply): void {
    if (!hasCaller(request.routeOptions.config)) return;
    const { partner_id: partnerId, key_id: keyId = null, member_id: memberId = null } = logOf(request).ids;
    if (!partnerId) return;
    const durationMs = Math.round(reply.elapsedTime);
    const createdMs = this.#ctx.clock.now() - durationMs;
    const day = this.#dayOf(partnerId, dayOf(createdMs));
    day.requests += 1;
    const quote = reply.statusCode < 400 ? request.quoted : undefined;
    const isQuote = quote !== undefined;
    if (!hasRoom(day.logged, isQuote, this.#maxPerDay) || this.#isFull()) return;
    const { id, method } = request;
    const route = routeOf(request);
    const made = {
      createdAt: new Date(createdMs),
      partnerId,
      keyId,
      memberId,
      durationMs,
      status: reply.statusCode,
      method,
      route,
      // An id of our own is no secret, nor is anything as long as one.
      requestId: id.length !== uuidLength && isSecretLike(id) ? redacted : id,
    };
    if (quote) this.#add(quoteRow(made, quote, request));
    else this.#add({ ...made, ...factsOf(request, route), id: newId('req'), isQuote });
  }

  #add(request: NewRequest): void {
    this.#characters += (request.requestBody?.length ?? 0) + (request.responseBody?.length ?? 0);
    this.#requests.push(request);
    if (this.#requests.length % flushAt === 0) this.#flushEarly();
  }

  #dayOf(partnerId: Uuid, startMs: number): Day {
    const known = this.#days.get(partnerId);
    if (known?.startMs === startMs) return known;
    if (known && known.requests > 0) this.#over.push(known);
    const day: Day = { partnerId, startMs, requests: 0, logged: 0 };
    this.#days.set(partnerId, day);
    return day;
  }

  #isFull(): boolean {
    return this.#requests.length >= maxWaiting.requests || this.#characters >= maxWaiting.characters;
  }

  async #write(): Promise<void> {
    const counted = [...this.#over, ...this.#days.values()]
      .filter(({ requests }) => requests > 0)
      .map((day) => ({ day, requests: day.requests }));
    if (counted.length === 0) return;
    const gathered = { requests: this.#requests, characters: this.#characters };
    [this.#requests, this.#characters, this.#over] = [[], 0, []];
    for (const { day } of counted) day.requests = 0;
    try {
      const counts = counted.map(({ day, requests }) => ({
        partnerId: day.partnerId,
        day: new Date(day.startMs),
        requests,
      }));
      const { requests } = gathered;
      const logged = await recordRequests(this.#ctx, { requests, counts, maxPerDay: this.#maxPerDay });
      for (const { day } of counted) day.logged = logged.get(nameOfDay(day.partnerId, day.startMs)) ?? 0;
    } catch (error) {
      // What the database refuses it would refuse again.
      if (!isDatabaseOutage(error)) throw error;
      this.#requests = [...gathered.requests, ...this.#requests];
      this.#characters += gathered.characters;
      for (const { day, requests } of counted) {
        day.requests += requests;
        if (this.#days.get(day.partnerId) !== day) this.#over.push(day);
      }
      throw error;
    }
  }
}

/** Whether a route has a caller whose requests are logged: an open one could be called in any partner's name. */
function hasCaller({ auth }: FastifyContextConfig): boolean {
  return auth === 'partner' || auth === 'tradebook';
}

/** Whether responses of a route are logged when they succeed, with their bodies. */
function keepsBodies({ method, config = {} }: RouteOptions): boolean {
  const isRead = [method].flat().every((each) => requestKindOf(each) === 'reads');
  return hasCaller(config) && !isRead && !config.quotesTrades;
}

const keepBody: onSendHookHandler = (request, _reply, payload, done) => {
  if (typeof payload === 'string') request.sentBody = payload;
  done(null, payload);
};

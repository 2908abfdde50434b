import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Bindings, type ChildLoggerOptions, type Logger, pino } from 'pino';
import type { Uuid } from '../../domain/ids.js';

/** Who makes a request, and what it is about: ids alone, so that every line may have them. */
interface RequestIds {
  partner_id?: Uuid | null;
  key_id?: Uuid;
  member_id?: Uuid;
  operator_id?: string;
  trade_id?: string | undefined;
  redemption_id?: string | undefined;
  order_id?: string | undefined;
}

/** What a response is logged with. */
interface ResponseFacts {
  method: string;
  /** The pattern of the path: a raw one may hold anything. */
  route: string | null;
  status: number;
  ms: number;
  /** Undefined where the connection was gone before its address was read. */
  remote_address: string | undefined;
}

/**
 * The log as the server of a surface uses it. Every request has its own, with its id, but most write only the line of their
 * response: so the pino child is made when another line is written. The line of a response is not searched for fields to
 * hide, because it has those of `ResponseFacts` and ids alone; what looks like a secret is hidden in it too.
 */
export class ServerLog implements FastifyBaseLogger {
  readonly #log: Logger;
  /** Writes the lines of responses. */
  readonly #responses: Logger;
  readonly #options: ChildLoggerOptions;
  readonly #facts: Bindings;
  #ids: RequestIds = noIds;
  #made: Logger | undefined;

  constructor(log: Logger, responses?: Logger, facts = noFacts, options: ChildLoggerOptions = {}) {
    this.#log = log;
    this.#responses = responses ?? log.child({}, { redact: [] });
    this.#facts = facts;
    this.#options = options;
  }

  child(facts: Bindings, options: ChildLoggerOptions = this.#options): ServerLog {
    const all = this.#facts === noFacts ? facts : { ...this.#facts, ...this.#ids, ...facts };
    return new ServerLog(this.#log, this.#responses, all, options);
  }

  /** Who makes the request and what it is about, as far as that is known. */
  get ids(): RequestIds {
    return this.#ids;
  }

  /** Adds ids to every further line. */
  note(ids: RequestIds): void {
    this.#ids = this.#ids === noIds ? ids : { ...this.#ids, ...ids };
    this.#made = undefined;
  }

  /** Writes the line of a response. */
  response(facts: ResponseFacts): void {
    const { level } = this.#options;
    if (level !== undefined && (pino.levels.values[level] ?? 0) > infoLevel) return;
    const { request_id } = this.#facts;
    this.#responses.info({ request_id, ...this.#ids, ...facts }, 'answered');
  }

  get level(): string {
    return this.#child.level;
  }

  set level(level: string) {
    this.#child.level = level;
  }

  get fatal() {
    return this.#writer('fatal');
  }

  get error() {
    return this.#writer('error');
  }

  get warn() {
    return this.#writer('warn');
  }

  get info() {
    return this.#writer('info');
  }

  get debug() {
    return this.#writer('debug');
  }

  get trace() {
    return this.#writer('trace');
  }

  get silent() {
    return this.#writer('silent');
  }

  #writer(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent') {
    const log = this.#child;
    return log[level].bind(log);
  }

  get #child(): Logger {
    this.#made ??= this.#log.child({ ...this.#facts, ...this.#ids }, this.#options);
    return this.#made;
  }
}

const noFacts: Bindings = {};
const noIds: RequestIds = {};
const infoLevel = pino.levels.values.info ?? 0;

/** Returns the log of a request or of a server, which all surfaces give them. */
export function logOf({ log }: Pick<FastifyRequest, 'log'>): ServerLog {
  if (log instanceof ServerLog) return log;
  throw new Error('a request without a log of its own');
}

import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Bindings, type ChildLoggerOptions, type Logger, pino } from 'pino';
import { withoutSecrets } from '../../log.js';

/** Who makes a request: ids alone, so that every line may have them. */
interface CallerFacts {
  partner_id?: string | null;
  key_id?: string;
  operator_id?: string;
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
  readonly responses: ResponseLines;
  readonly #options: ChildLoggerOptions;
  readonly #facts: Bindings;
  #caller: CallerFacts = unknownCaller;
  #made: Logger | undefined;

  constructor(log: Logger, responses?: ResponseLines, facts = noFacts, options: ChildLoggerOptions = {}) {
    this.#log = log;
    this.responses = responses ?? new ResponseLines(log);
    this.#facts = facts;
    this.#options = options;
  }

  child(facts: Bindings, options: ChildLoggerOptions = this.#options): ServerLog {
    const all = this.#facts === noFacts ? facts : { ...this.#facts, ...this.#caller, ...facts };
    return new ServerLog(this.#log, this.responses, all, options);
  }

  /** Sets who makes the request, for every further line. */
  note(caller: CallerFacts): void {
    this.#caller = caller;
    this.#made = undefined;
  }

  /** Writes the line of a response. */
  response(facts: ResponseFacts): void {
    const { level } = this.#options;
    if (level !== undefined && (pino.levels.values[level] ?? 0) > infoLevel) return;
    this.responses.write(this.#facts.request_id, this.#caller, facts);
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
    this.#made ??= this.#log.child({ ...this.#facts, ...this.#caller }, this.#options);
    return this.#made;
  }
}

/** What of a pino logger takes its finished lines, and what each line of a child begins with. */
interface PinoParts {
  [pino.symbols.streamSym]: { write(line: string): void };
  [pino.symbols.chindingsSym]: string;
  [pino.symbols.mixinSym]?: unknown;
}

/**
 * Writes the lines of responses, one for each request, as pino would: the same text, which takes pino several times as
 * long to put together from any object. A log whose lines have more, such as the ids of a trace, writes them itself.
 */
export class ResponseLines {
  readonly #log: Logger;
  /** Undefined: the log writes the lines itself. */
  readonly #stream: { write(line: string): void } | undefined;
  readonly #bindings: string;
  #timeMs = 0;
  #time = '';

  constructor(log: Logger) {
    this.#log = log.child({}, { redact: [] });
    const parts = log as Logger & PinoParts;
    this.#stream = parts[pino.symbols.mixinSym] === undefined ? parts[pino.symbols.streamSym] : undefined;
    this.#bindings = parts[pino.symbols.chindingsSym];
  }

  write(requestId: unknown, caller: CallerFacts, facts: ResponseFacts): void {
    const { partner_id, key_id, operator_id } = caller;
    const { method, route, status, ms, remote_address } = facts;
    if (!this.#stream) {
      const ids = { request_id: requestId, partner_id, key_id, operator_id };
      this.#log.info({ ...ids, method, route, status, ms, remote_address }, 'answered');
      return;
    }
    if (!this.#log.isLevelEnabled('info')) return;
    // Only ids, which are UUIDs, need no escape.
    const ids =
      (requestId === undefined ? '' : `,"request_id":${JSON.stringify(requestId)}`) +
      (partner_id === undefined ? '' : `,"partner_id":${partner_id === null ? 'null' : `"${partner_id}"`}`) +
      (key_id === undefined ? '' : `,"key_id":"${key_id}"`) +
      (operator_id === undefined ? '' : `,"operator_id":"${operator_id}"`);
    const address = remote_address === undefined ? '' : `,"remote_address":${JSON.stringify(remote_address)}`;
    const line =
      `{"level":"info","time":"${this.#now()}"${this.#bindings}${ids},"method":${JSON.stringify(method)}` +
      `,"route":${JSON.stringify(route)},"status":${status},"ms":${ms}${address},"msg":"answered"}\n`;
    this.#stream.write(withoutSecrets(line));
  }

  /** Returns the time as pino writes it. Thousands of lines share a few of them. */
  #now(): string {
    const nowMs = Date.now();
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs;
      this.#time = new Date(nowMs).toISOString();
    }
    return this.#time;
  }
}

const noFacts: Bindings = {};
const unknownCaller: CallerFacts = {};
const infoLevel = pino.levels.values.info ?? 0;

/** Returns the log of a request or of a server, which all surfaces give them. */
export function logOf({ log }: Pick<FastifyRequest, 'log'>): ServerLog {
  if (log instanceof ServerLog) return log;
  throw new Error('a request without a log of its own');
}

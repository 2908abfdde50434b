import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { callUses } from '../chain/node/caller-budget.js';
import { velocityScopes, velocityTokens } from '../domain/velocity.js';
import type { ErrorCode } from '../errors.js';
import { lookAtMostEvery } from '../runtime/look.js';
import { version } from '../version.js';

/** How something ended: well, or with the code of an error that its caller sees. A closed list. */
export type Outcome = 'ok' | 'pending' | ErrorCode;

export type QuoteKind = 'buy' | 'sell' | 'redemption';
/** Where a wallet was screened. */
export type ScreeningStage = (typeof screeningStages)[number];
const screeningStages = ['registration', 'quote', 'submit', 'order', 'key'] as const;
export type OrderKind = 'purchase' | 'sale' | 'withdrawal' | 'executive_update';
export type SubmitKind = QuoteKind | 'order';

/** Counts how things of some kinds end. */
export interface Outcomes<Kind extends string> {
  add(kind: Kind, outcome: Outcome): void;
}

/** A response of one of the APIs. */
export interface MeasuredResponse {
  /** As it came; anything. */
  method: string;
  /** The pattern of the route, such as `/v1/users/:id`; undefined when no route took the request. */
  route: string | undefined;
  status: number;
  seconds: number;
}

/** Methods that routes take or browsers send by themselves; every other one is counted as `other`. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/**
 * From the time of a quote to the 4.5 s within which any request gets a response; operators' chain actions take longer.
 */
const requestSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The metrics of this process, with the names and units of Prometheus. Labels take values only from closed lists:
 * never a key, a wallet, an id or anything else that a caller chooses.
 */
export class Metrics {
  readonly quotes: Outcomes<QuoteKind>;
  readonly orders: Outcomes<OrderKind>;
  readonly submits: Outcomes<SubmitKind>;
  /** Attempts to deliver a webhook, by what became of the delivery. */
  readonly webhookAttempts: Counter<'outcome'>;
  /** Events that were shown without the KYC record of their user, because it cannot be read. */
  readonly kycUnreadable: Counter;
  /** Wallets that were refused because they are on the sanctions list, by where. */
  readonly screeningHits: Counter<'stage'>;
  /** Wrong pickup codes that were tried. */
  readonly wrongPickupCodes: Counter;
  /** Amounts that a limit of 24 hours had no room for. */
  readonly limitRefusals: Counter<'scope' | 'token' | 'stage'>;
  /** Requests that were refused because the limit on node calls for callers was reached, by use. */
  readonly callerCallsRefused: Counter<'kind'>;
  /** Times that the Solana nodes contradicted each other about something that moves gold or money. */
  readonly nodeDisagreements: Counter;
  readonly #registry = new Registry();
  readonly #clearings: (() => void)[] = [];
  readonly #readers: (() => void | Promise<void>)[] = [];
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #malformed: Counter;
  readonly #dropped: Counter;
  readonly #readAll = lookAtMostEvery(0, () => this.#readNow());
  #isServed = false;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: 'karat_http_request_duration_seconds',
      help: 'Requests with a response, by the pattern of their route; "unknown" for those without a route',
      labelNames: ['method', 'route', 'status'],
      buckets: requestSeconds,
      registers,
    });
    this.#malformed = new Counter({
      name: 'karat_http_malformed_requests_total',
      help: 'Requests that were too malformed to reach a route',
      registers,
    });
    this.#dropped = new Counter({
      name: 'karat_log_lines_dropped_total',
      help: 'Lines of the log that were dropped, because its reader stands still',
      registers,
    });
    this.quotes = this.#outcomes('karat_quotes_total', 'Quotes of the partner API, by outcome');
    this.orders = this.#outcomes('karat_orders_total', 'Orders of the tradebook API, by outcome');
    this.submits = this.#outcomes('karat_submits_total', 'Submitted transactions, by outcome');
    this.webhookAttempts = this.counter(
      'karat_webhook_attempts_total',
      'Attempts to deliver a webhook, by what became of the delivery',
      ['outcome'],
    );
    this.kycUnreadable = this.counter(
      'karat_kyc_unreadable_total',
      'Events that were shown without the KYC record of their user, because it cannot be read',
      [],
    );
    this.screeningHits = this.counter(
      'karat_screening_hits_total',
      'Requests that were refused because a wallet is on the sanctions list, by stage',
      ['stage'],
    );
    // A counter that is there from the start shows its first hit as an increase.
    for (const stage of screeningStages) this.screeningHits.inc({ stage }, 0);
    this.wrongPickupCodes = this.counter(
      'karat_wrong_pickup_codes_total',
      'Pickup codes that were tried at a counter and are wrong',
      [],
    );
    this.limitRefusals = this.counter(
      'karat_limit_refusals_total',
      'Quotes and submissions that a limit of 24 hours had no room for, by whose limit, token and stage',
      ['scope', 'token', 'stage'],
    );
    for (const scope of velocityScopes)
      for (const token of velocityTokens)
        for (const stage of ['quote', 'submit']) this.limitRefusals.inc({ scope, token, stage }, 0);
    this.callerCallsRefused = this.counter(
      'karat_caller_rpc_refusals_total',
      'Requests that were refused because the limit on node calls for callers was reached, by use',
      ['kind'],
    );
    for (const kind of callUses) this.callerCallsRefused.inc({ kind }, 0);
    this.nodeDisagreements = this.counter(
      'karat_node_disagreements_total',
      'Times that the Solana nodes contradicted each other about something that moves gold or money',
      [],
    );
    const build = this.gauge('karat_build_info', 'Always 1; the version of the service', ['version']);
    this.addReader(() => build.set({ version }, 1));
  }

  /** Creates a gauge for a reader to write at every look: what it does not write is not shown. */
  gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> {
    const gauge = new Gauge({ name, help, labelNames, registers: [this.#registry] });
    // Without labels a reset would show 0.
    this.#clearings.push(() => (labelNames.length > 0 ? gauge.reset() : gauge.remove()));
    return gauge;
  }

  /** Creates a counter for a reader to write. */
  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** Has `read` write its gauges before every look. It must not reject. */
  addReader(read: () => void | Promise<void>): void {
    this.#readers.push(read);
  }

  answered({ method, route, status, seconds }: MeasuredResponse): void {
    const known = knownMethods.has(method) ? method : 'other';
    this.#requests.observe({ method: known, route: route ?? 'unknown', status }, seconds);
  }

  malformed(): void {
    this.#malformed.inc();
  }

  /** A line of the log was dropped. */
  lineDropped(): void {
    this.#dropped.inc();
  }

  /** Begins to watch the process itself: its event loop, memory, processor and garbage collection. */
  serve(): void {
    if (this.#isServed) return;
    this.#isServed = true;
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Everything as it is now, in the text format of Prometheus. */
  async text(): Promise<string> {
    await this.#readAll();
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async #readNow(): Promise<void> {
    for (const clear of this.#clearings) clear();
    await Promise.all(this.#readers.map((read) => read()));
  }

  #outcomes<Kind extends string>(name: string, help: string): Outcomes<Kind> {
    const counter = new Counter({ name, help, labelNames: ['kind', 'outcome'], registers: [this.#registry] });
    return { add: (kind, outcome) => counter.inc({ kind, outcome }) };
  }
}

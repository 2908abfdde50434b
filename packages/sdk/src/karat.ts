import createClient, { type Client } from 'openapi-fetch';
import { errorOf, KaratError } from './errors.js';
import type { components, paths } from './generated/partner.js';
import { List } from './list.js';
import { type Signer, signTransaction } from './signing.js';
import { pause, retryingFetch, type TransportOptions } from './transport.js';
import type { KaratEvent } from './webhooks.js';

type Schemas = components['schemas'];
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Q } } }
  ? Q
  : never;
type Body<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody?: { content: { 'application/json': infer B } } };
}
  ? B
  : never;
type Json<Path extends keyof paths, Method extends string, Status extends number> = paths[Path] extends {
  [M in Method]: { responses: { [S in Status]: { content: { 'application/json': infer R } } } };
}
  ? R
  : never;

export type Trade = Json<'/v1/trades/{trade_id}', 'get', 200>;
export type Redemption = Json<'/v1/redemptions/{redemption_id}', 'get', 200>;
export type BuyQuote = Json<'/v1/buy', 'post', 200>;
export type SellQuote = Json<'/v1/sell', 'post', 200>;
export type RedemptionQuote = Json<'/v1/redemptions', 'post', 201>;
export type { Schemas };

/** What became of a trade or a redemption that was submitted. */
export interface Operation {
  id: string;
  kind: 'buy' | 'sell' | 'redemption' | null;
  status: 'submitted' | 'confirmed' | 'finalized' | 'failed' | 'expired' | 'unknown';
  tx_hash: string | null;
  reason?: string;
  message?: string;
  expires_at: string | null;
  record: Record<string, unknown> | null;
}

export interface WebhookEndpoint {
  endpoint_id: string;
  url: string;
  types?: string[] | null;
  description?: string | null;
  status: 'active' | 'disabled';
  /** Only in the response that creates it or changes it. */
  secret?: string;
}

export interface KaratOptions extends TransportOptions {
  apiKey: string;
}

/** Who signs, and how long to wait for the chain: until the quote has expired, unless `waitMs` says less. */
export interface Execution {
  signers: readonly Signer[];
  waitMs?: number;
}

type Send = (path: string, init?: { method?: string; query?: object; body?: object }) => Promise<unknown>;

/** The partner API of Karat with one key. */
export class Karat {
  readonly users: Users;
  readonly buys: Trades<'buy'>;
  readonly sells: Trades<'sell'>;
  readonly trades: TradeRecords;
  readonly redemptions: Redemptions;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly prices: Prices;
  readonly countries: Countries;
  readonly operations: Operations;
  readonly #client: Client<paths>;

  constructor(options: KaratOptions) {
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const headers = { 'x-api-key': options.apiKey };
    const send = retryingFetch({ ...options, baseUrl });
    const client = createClient<paths>({ baseUrl, headers, fetch: send });
    const plain = sender(baseUrl, headers, send);
    this.#client = client;
    this.users = new Users(client);
    this.trades = new TradeRecords(client);
    this.buys = new Trades(client, 'buy', this.trades);
    this.sells = new Trades(client, 'sell', this.trades);
    this.redemptions = new Redemptions(client);
    this.events = new Events(plain, (path, signal, extra) =>
      send(new Request(baseUrl + path, { headers: { ...headers, ...extra }, signal })),
    );
    this.webhookEndpoints = new WebhookEndpoints(plain);
    this.prices = new Prices(client);
    this.countries = new Countries(client);
    this.operations = new Operations(plain);
  }

  /** Returns the partner that the key acts for, with its fees and limits. */
  me(): Promise<Schemas['Me']> {
    return taken(this.#client.GET('/v1/me'));
  }

  /** Returns the network that transactions are for, with the addresses on it. */
  network(): Promise<Schemas['Network']> {
    return taken(this.#client.GET('/v1/network'));
  }
}

class Users {
  readonly #client: Client<paths>;

  constructor(client: Client<paths>) {
    this.#client = client;
  }

  create(body: Body<'/v1/users'>) {
    return taken(this.#client.POST('/v1/users', { body }));
  }

  get(service_user_id: string) {
    return taken(this.#client.GET('/v1/users/{service_user_id}', { params: { path: { service_user_id } } }));
  }

  /** Returns what the wallet of a user holds on chain. */
  balances(service_user_id: string) {
    const params = { path: { service_user_id } };
    return taken(this.#client.GET('/v1/users/{service_user_id}/balances', { params }));
  }

  list(query: Query<'/v1/users'> = {}) {
    return listOf(
      (cursor) => taken(this.#client.GET('/v1/users', { params: { query: { ...query, ...cursor } } })),
      (page) => page.users,
    );
  }
}

class TradeRecords {
  readonly #client: Client<paths>;

  constructor(client: Client<paths>) {
    this.#client = client;
  }

  get(trade_id: string): Promise<Trade> {
    return taken(this.#client.GET('/v1/trades/{trade_id}', { params: { path: { trade_id } } }));
  }

  list(query: Query<'/v1/trades'> = {}) {
    return listOf(
      (cursor) => taken(this.#client.GET('/v1/trades', { params: { query: { ...query, ...cursor } } })),
      (page) => page.trades,
    );
  }
}

class Trades<Side extends 'buy' | 'sell'> {
  readonly #client: Client<paths>;
  readonly #side: Side;
  readonly #records: TradeRecords;

  constructor(client: Client<paths>, side: Side, records: TradeRecords) {
    this.#client = client;
    this.#side = side;
    this.#records = records;
  }

  quote(body: Body<`/v1/${Side}`>): Promise<Side extends 'buy' ? BuyQuote : SellQuote>;
  quote(body: never): Promise<unknown> {
    return this.#side === 'buy'
      ? taken(this.#client.POST('/v1/buy', { body }))
      : taken(this.#client.POST('/v1/sell', { body }));
  }

  /** Sends the quote's transaction (base64) with all signatures. */
  submit(trade_id: string, signed_tx: string): Promise<{ trade_id: string; tx_hash: string }> {
    const init = { params: { path: { trade_id } }, body: { signed_tx } };
    return this.#side === 'buy'
      ? taken(this.#client.POST('/v1/buy/{trade_id}/submit', init))
      : taken(this.#client.POST('/v1/sell/{trade_id}/submit', init));
  }

  /**
   * Quotes, has customer and partner sign, submits, and waits for the record. Throws `trade_failed` for one that failed on
   * chain, `expired` when the quote's time is over, and `timeout` when `waitMs` is.
   */
  async execute({ signers, waitMs, ...body }: Body<`/v1/${Side}`> & Execution): Promise<Trade> {
    const quote = await this.quote(body as unknown as Body<`/v1/${Side}`>);
    const signed = await signTransaction(quote.partially_signed_transaction, signers);
    await this.submit(quote.trade_id, signed);
    const trade = await recorded(() => this.#records.get(quote.trade_id), 'trade_not_found', quote, waitMs);
    if (trade.status === 'failed') throw failure('trade_failed', 'The trade failed on chain.', trade);
    return trade;
  }
}

class Redemptions {
  readonly #client: Client<paths>;

  constructor(client: Client<paths>) {
    this.#client = client;
  }

  quote(body: Body<'/v1/redemptions'>): Promise<RedemptionQuote> {
    return taken(this.#client.POST('/v1/redemptions', { body }));
  }

  /** Sends the quote's transaction (base64) with all signatures. */
  submit(redemption_id: string, signed_tx: string) {
    const init = { params: { path: { redemption_id } }, body: { signed_tx } };
    return taken(this.#client.POST('/v1/redemptions/{redemption_id}/submit', init));
  }

  /** Quotes, has the customer sign, submits, and waits for the record. Throws as `buys.execute` does. */
  async execute({ signers, waitMs, ...body }: Body<'/v1/redemptions'> & Execution): Promise<Redemption> {
    const quote = await this.quote(body);
    const signed = await signTransaction(quote.partially_signed_transaction, signers);
    await this.submit(quote.redemption_id, signed);
    const read = () => this.get(quote.redemption_id);
    const redemption = await recorded(read, 'redemption_not_found', quote, waitMs);
    if (redemption.status === 'failed')
      throw failure('redemption_failed', 'The payment failed on chain.', redemption);
    return redemption;
  }

  cancel(redemption_id: string, reason?: string) {
    const body = reason === undefined ? {} : { reason };
    const init = { params: { path: { redemption_id } }, body };
    return taken(this.#client.POST('/v1/redemptions/{redemption_id}/cancel', init));
  }

  get(redemption_id: string): Promise<Redemption> {
    const params = { path: { redemption_id } };
    return taken(this.#client.GET('/v1/redemptions/{redemption_id}', { params }));
  }

  list(query: Query<'/v1/redemptions'> = {}) {
    return listOf(
      (cursor) => taken(this.#client.GET('/v1/redemptions', { params: { query: { ...query, ...cursor } } })),
      (page) => page.redemptions,
    );
  }
}

class Prices {
  readonly #client: Client<paths>;

  constructor(client: Client<paths>) {
    this.#client = client;
  }

  /** Returns the price that a quote would have now. */
  get() {
    return taken(this.#client.GET('/v1/price'));
  }

  async history(query: Query<'/v1/price/history'> = {}) {
    return (await taken(this.#client.GET('/v1/price/history', { params: { query } }))).candles;
  }
}

class Countries {
  readonly #client: Client<paths>;

  constructor(client: Client<paths>) {
    this.#client = client;
  }

  async list() {
    return (await taken(this.#client.GET('/v1/countries'))).countries;
  }

  /** Returns what can be picked up in a country, and in one of its cities. */
  async denominations(query: { country: string; city?: string }) {
    return (await taken(this.#client.GET('/v1/denominations', { params: { query } }))).denominations;
  }
}

class Operations {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Returns what became of a trade or redemption; with `wait`, once its status changes or after so many seconds. */
  get(id: string, query: { wait?: number } = {}): Promise<Operation> {
    return this.#send(`/v1/operations/${encodeURIComponent(id)}`, { query }) as Promise<Operation>;
  }
}

interface EventQuery {
  after?: string;
  types?: string;
  object_id?: string;
  limit?: number;
}

class Events {
  readonly #send: Send;
  readonly #open: (path: string, signal: AbortSignal, headers: Record<string, string>) => Promise<Response>;

  constructor(
    send: Send,
    open: (path: string, signal: AbortSignal, headers: Record<string, string>) => Promise<Response>,
  ) {
    this.#send = send;
    this.#open = open;
  }

  /** Lists events, oldest first. */
  list(query: EventQuery = {}): List<KaratEvent> {
    const send = this.#send;
    return new List(async function* () {
      for (let { after } = query; ; ) {
        const found = await send('/v1/events', { query: { ...query, after } });
        const { events, has_more } = found as { events: KaratEvent[]; has_more: boolean };
        yield events;
        after = events.at(-1)?.id ?? after;
        if (!has_more) return;
      }
    });
  }

  /** Yields events as they happen, and connects again behind the last one whenever the connection ends. */
  async *stream(options: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<KaratEvent> {
    const end = new AbortController();
    const abort = () => end.abort(options.signal?.reason);
    options.signal?.addEventListener('abort', abort, { once: true });
    let last = options.after;
    try {
      while (options.signal?.aborted !== true) {
        const headers = {
          accept: 'text/event-stream',
          ...(last === undefined ? {} : { 'last-event-id': last }),
        };
        const response = await this.#open('/v1/events/stream', end.signal, headers);
        if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
        try {
          for await (const event of eventsIn(response)) {
            last = event.id;
            yield event;
          }
        } catch (error) {
          // Whatever ends a stream that had begun is a lost connection, unless the caller ends it.
          if (options.signal?.aborted) throw error;
        }
        await pause(1_000, end.signal);
      }
    } finally {
      options.signal?.removeEventListener('abort', abort);
      end.abort();
    }
  }
}

async function* eventsIn(response: Response): AsyncGenerator<KaratEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
      if (data.length > 0) yield JSON.parse(data.join('\n'));
    }
  }
}

class WebhookEndpoints {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Creates an endpoint; the `secret` is shown only here. */
  create(body: { url: string; types?: string[]; description?: string }): Promise<WebhookEndpoint> {
    return this.#send(root, { method: 'POST', body }) as Promise<WebhookEndpoint>;
  }

  async list(): Promise<WebhookEndpoint[]> {
    return ((await this.#send(root)) as { webhook_endpoints: WebhookEndpoint[] }).webhook_endpoints;
  }

  get(id: string): Promise<WebhookEndpoint> {
    return this.#send(at(id)) as Promise<WebhookEndpoint>;
  }

  update(id: string, body: Partial<Pick<WebhookEndpoint, 'url' | 'types' | 'description' | 'status'>>) {
    return this.#send(at(id), { method: 'PATCH', body }) as Promise<WebhookEndpoint>;
  }

  async delete(id: string): Promise<void> {
    await this.#send(at(id), { method: 'DELETE' });
  }

  /** Makes a new secret; both sign until `overlap_hours` are over. */
  rotateSecret(id: string, body: { overlap_hours?: number } = {}) {
    return this.#send(`${at(id)}/rotate-secret`, { method: 'POST', body }) as Promise<WebhookEndpoint>;
  }

  /** Sends `webhook.test` now and returns what came back. */
  test(id: string) {
    return this.#send(`${at(id)}/test`, { method: 'POST' }) as Promise<{
      delivered: boolean;
      status_code: number | null;
      duration_ms: number;
      error: string | null;
    }>;
  }

  async deliveries(id: string, query: { status?: 'pending' | 'delivered' | 'failed' } = {}) {
    const found = await this.#send(`${at(id)}/deliveries`, { query });
    return (found as { deliveries: Record<string, unknown>[] }).deliveries;
  }

  resend(id: string, body: { event_id: string } | { from: string; to: string }) {
    return this.#send(`${at(id)}/resend`, { method: 'POST', body });
  }
}

const root = '/v1/webhook-endpoints';
const at = (id: string) => `${root}/${encodeURIComponent(id)}`;

/** Returns the data of a response, or throws its error. */
export async function taken<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (response.ok) return data as Data;
  throw errorOf(response, error);
}

/** Returns what sends requests to routes by their paths. */
export function sender(
  baseUrl: string,
  headers: Record<string, string>,
  send: (request: Request) => Promise<Response>,
): Send {
  return async (path, { method = 'GET', query = {}, body } = {}) => {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const json = { 'content-type': 'application/json' };
    const init = body ? { headers: { ...headers, ...json }, body: JSON.stringify(body) } : { headers };
    const response = await send(new Request(url, { method, ...init }));
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw errorOf(response, answer);
    return answer;
  };
}

function listOf<Page extends { next_cursor: string | null }, Row>(
  read: (cursor: { cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): List<Row> {
  return new List(async function* () {
    let cursor: string | null = null;
    do {
      const page: Page = await read(cursor === null ? {} : { cursor });
      yield rowsOf(page);
      cursor = page.next_cursor;
    } while (cursor !== null);
  });
}

/** What a record may still need after its quote has expired, until it is written. */
const graceMs = 60_000;
const pollMs = 400;

/** Reads a record until it is there. */
async function recorded<Record>(
  read: () => Promise<Record>,
  missing: string,
  quote: { expires_at: string },
  waitMs = Number.POSITIVE_INFINITY,
): Promise<Record> {
  // By the clock of this machine, for the service's may be another.
  const lifeMs = Math.min(120_000, Math.max(0, Date.parse(quote.expires_at) - Date.now())) + graceMs;
  const end = Date.now() + Math.min(lifeMs, waitMs);
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof KaratError) || error.code !== missing) throw error;
    }
    if (Date.now() >= end) {
      if (waitMs < lifeMs) throw new KaratError('timeout', { message: 'There is no record yet.' });
      throw new KaratError('expired', { message: 'The quote expired before the chain had its transaction.' });
    }
    await pause(pollMs);
  }
}

function failure(code: string, message: string, record: { reason?: unknown; message?: unknown }): KaratError {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return new KaratError(code, {
    message: text(record.message) ?? message,
    reason: text(record.reason),
    body: record,
  });
}

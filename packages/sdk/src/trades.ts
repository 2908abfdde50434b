import { type Api, type CallOptions, init, listOf, Resource, taken } from './client.js';
import { carryOut, type Execution, type Operations } from './operations.js';
import type { BuyQuote, QueryOf, Schemas, SellQuote, Trade } from './types.js';

export class Trades extends Resource {
  get(trade_id: string, options?: CallOptions): Promise<Trade> {
    return taken(this.api.GET('/v1/trades/{trade_id}', { params: { path: { trade_id } }, ...init(options) }));
  }

  list(query: QueryOf<'listTrades'> = {}, options?: CallOptions) {
    return listOf(
      (cursor) =>
        taken(
          this.api.GET('/v1/trades', {
            params: { query: { ...query, ...cursor } as never },
            ...init(options),
          }),
        ),
      (page) => page.trades,
    );
  }
}

/** Buys and sells. */
abstract class Side<Body, Quote extends BuyQuote | SellQuote> extends Resource {
  readonly #operations: Operations;

  constructor(api: Api, operations: Operations) {
    super(api);
    this.#operations = operations;
  }

  abstract quote(body: Body, options?: CallOptions): Promise<Quote>;

  /** Sends the quote's transaction (base64) with all signatures. */
  abstract submit(
    trade_id: string,
    signed_tx: string,
    options?: CallOptions,
  ): Promise<{ trade_id: string; tx_hash: string }>;

  /**
   * Quotes, has customer and partner sign, submits, and returns the record once the chain has confirmed it. Throws
   * `trade_failed` with the reason for one that failed on chain, `expired` when the quote's time is over, and `timeout` when
   * `waitMs` is.
   */
  async execute(input: Body & Execution): Promise<Trade> {
    const { signers, waitMs, signal, ...body } = input;
    const quote = await this.quote(body as Body, { signal });
    const { trade_id: id, partially_signed_transaction: transaction } = quote;
    const submit = (signed: string) => this.submit(id, signed, { signal });
    return (await carryOut(
      this.#operations,
      { id, transaction, submit },
      { signers, waitMs, signal },
    )) as Trade;
  }
}

export class Buys extends Side<Schemas['QuoteBuyRequest'], BuyQuote> {
  quote(body: Schemas['QuoteBuyRequest'], options?: CallOptions) {
    return taken(this.api.POST('/v1/buy', { body, ...init(options) }));
  }

  submit(trade_id: string, signed_tx: string, options?: CallOptions) {
    const params = { path: { trade_id } };
    return taken(
      this.api.POST('/v1/buy/{trade_id}/submit', { params, body: { signed_tx }, ...init(options) }),
    );
  }
}

export class Sells extends Side<Schemas['QuoteSellRequest'], SellQuote> {
  quote(body: Schemas['QuoteSellRequest'], options?: CallOptions) {
    return taken(this.api.POST('/v1/sell', { body, ...init(options) }));
  }

  submit(trade_id: string, signed_tx: string, options?: CallOptions) {
    const params = { path: { trade_id } };
    return taken(
      this.api.POST('/v1/sell/{trade_id}/submit', { params, body: { signed_tx }, ...init(options) }),
    );
  }
}

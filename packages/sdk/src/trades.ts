import { type Api, type CallOptions, init, listOf, Resource, taken } from './client.js';
import { carryOut, type Execution, type Operations } from './operations.js';
import type { Pins, Signing } from './pins.js';
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
  protected readonly pins: Pins;

  constructor(api: Api, operations: Operations, pins: Pins) {
    super(api);
    this.#operations = operations;
    this.pins = pins;
  }

  abstract quote(body: Body, options?: CallOptions): Promise<Quote>;

  /**
   * Returns the transaction of a quote (base64) with the signatures of the signers, if it is the one of the quote's own
   * request. Throws `transaction_unexpected` if it is not, before any signer is called.
   */
  abstract sign(quote: Quote, input: Body & Signing, options?: Pick<CallOptions, 'signal'>): Promise<string>;

  /** Sends the quote's transaction (base64) with all signatures. */
  abstract submit(
    trade_id: string,
    signed_tx: string,
    options?: CallOptions,
  ): Promise<{ trade_id: string; tx_hash: string }>;

  /**
   * Quotes, has customer and partner sign what is the transaction of the request, submits, and returns the record once the chain has confirmed it. Throws
   * `trade_failed` with the reason for one that failed on chain, `expired` when the quote's time is over, and `timeout` when
   * `waitMs` is.
   */
  async execute(input: Body & Execution): Promise<Trade> {
    const { signers, wallet_address, waitMs, signal, ...body } = input;
    const quote = await this.quote(body as Body, { signal });
    const { trade_id: id } = quote;
    const signed = await this.sign(quote, input, { signal });
    const submit = () => this.submit(id, signed, { signal });
    return (await carryOut(this.#operations, { id, submit }, { waitMs, signal })) as Trade;
  }
}

export class Buys extends Side<Schemas['QuoteBuyRequest'], BuyQuote> {
  quote(body: Schemas['QuoteBuyRequest'], options?: CallOptions) {
    return taken(this.api.POST('/v1/buy', { body, ...init(options) }));
  }

  sign(
    quote: BuyQuote,
    input: Schemas['QuoteBuyRequest'] & Signing,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<string> {
    return this.pins.sign({ kind: 'buy', request: input, quote }, input, signal);
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

  sign(
    quote: SellQuote,
    input: Schemas['QuoteSellRequest'] & Signing,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<string> {
    return this.pins.sign({ kind: 'sell', request: input, quote }, input, signal);
  }

  submit(trade_id: string, signed_tx: string, options?: CallOptions) {
    const params = { path: { trade_id } };
    return taken(
      this.api.POST('/v1/sell/{trade_id}/submit', { params, body: { signed_tx }, ...init(options) }),
    );
  }
}

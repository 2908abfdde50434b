import type { RedemptionRequest } from './check.js';
import { type Api, type CallOptions, init, listOf, Resource, taken } from './client.js';
import { carryOut, type Execution, type Operations } from './operations.js';
import type { Pins, Signing } from './pins.js';
import type { QueryOf, Redemption, RedemptionQuote, RedemptionWithCode, Schemas } from './types.js';

type QuoteBody = Schemas['QuoteRedemptionRequest'];

export class Redemptions extends Resource {
  readonly #operations: Operations;
  readonly #pins: Pins;

  constructor(api: Api, operations: Operations, pins: Pins) {
    super(api);
    this.#operations = operations;
    this.#pins = pins;
  }

  quote(body: QuoteBody, options?: CallOptions): Promise<RedemptionQuote> {
    return taken(this.api.POST('/v1/redemptions', { body, ...init(options) }));
  }

  /** Returns the transaction of a quote (base64) with the customer's signature. Throws as `buys.sign` does. */
  sign(
    quote: RedemptionQuote,
    input: RedemptionRequest & Signing,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<string> {
    return this.#pins.sign({ kind: 'redemption', request: input, quote }, input, signal);
  }

  /** Sends the quote's transaction (base64) with the customer's signature. */
  submit(redemption_id: string, signed_tx: string, options?: CallOptions) {
    const params = { path: { redemption_id } };
    const body = { signed_tx };
    return taken(this.api.POST('/v1/redemptions/{redemption_id}/submit', { params, body, ...init(options) }));
  }

  /** Quotes, has the customer sign, submits, and returns the record once it is paid. Throws as `buys.execute` does. */
  async execute(input: RedemptionRequest & Execution): Promise<Redemption> {
    const { signers, wallet_address, max_tokens, waitMs, signal, ...body } = input;
    const quote = await this.quote(body, { signal });
    const { redemption_id: id } = quote;
    const signed = await this.sign(quote, input, { signal });
    const submit = () => this.submit(id, signed, { signal });
    return (await carryOut(this.#operations, { id, submit }, { waitMs, signal })) as Redemption;
  }

  cancel(redemption_id: string, reason?: string, options?: CallOptions) {
    const params = { path: { redemption_id } };
    const body = reason === undefined ? {} : { reason };
    return taken(this.api.POST('/v1/redemptions/{redemption_id}/cancel', { params, body, ...init(options) }));
  }

  get(redemption_id: string, options?: CallOptions): Promise<RedemptionWithCode> {
    const params = { path: { redemption_id } };
    return taken(this.api.GET('/v1/redemptions/{redemption_id}', { params, ...init(options) }));
  }

  list(query: QueryOf<'listRedemptions'> = {}, options?: CallOptions) {
    return listOf(
      (cursor) =>
        taken(
          this.api.GET('/v1/redemptions', {
            params: { query: { ...query, ...cursor } as never },
            ...init(options),
          }),
        ),
      (page) => page.redemptions,
    );
  }
}

import { type Api, type CallOptions, init, listOf, Resource, taken } from './client.js';
import { carryOut, type Execution, type Operations } from './operations.js';
import type { QueryOf, Redemption, RedemptionQuote, RedemptionWithCode, Schemas } from './types.js';

type QuoteBody = Schemas['QuoteRedemptionRequest'];

export class Redemptions extends Resource {
  readonly #operations: Operations;

  constructor(api: Api, operations: Operations) {
    super(api);
    this.#operations = operations;
  }

  quote(body: QuoteBody, options?: CallOptions): Promise<RedemptionQuote> {
    return taken(this.api.POST('/v1/redemptions', { body, ...init(options) }));
  }

  /** Sends the quote's transaction (base64) with the customer's signature. */
  submit(redemption_id: string, signed_tx: string, options?: CallOptions) {
    const params = { path: { redemption_id } };
    const body = { signed_tx };
    return taken(this.api.POST('/v1/redemptions/{redemption_id}/submit', { params, body, ...init(options) }));
  }

  /** Quotes, has the customer sign, submits, and returns the record once it is paid. Throws as `buys.execute` does. */
  async execute({ signers, waitMs, signal, ...body }: QuoteBody & Execution): Promise<Redemption> {
    const quote = await this.quote(body, { signal });
    const { redemption_id: id, partially_signed_transaction: transaction } = quote;
    const submit = (signed: string) => this.submit(id, signed, { signal });
    const paid = await carryOut(this.#operations, { id, transaction, submit }, { signers, waitMs, signal });
    return paid as Redemption;
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

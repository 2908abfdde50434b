import { type CallOptions, init, listAtOnce, Resource, taken } from './client.js';
import type { QueryOf } from './types.js';

export class Prices extends Resource {
  /** Returns the price that a quote would have now. */
  get(options?: CallOptions) {
    return taken(this.api.GET('/v1/price', init(options)));
  }

  /** Returns the candles of a time, oldest first, at most 1,000. */
  history(query: QueryOf<'listPriceHistory'> = {}, options?: CallOptions) {
    return listAtOnce(async () => (await this.#past(query, options)).candles);
  }

  /** Returns when the market is closed in the same time, oldest first; nothing for candles of a day. */
  closures(query: QueryOf<'listPriceHistory'> = {}, options?: CallOptions) {
    return listAtOnce(async () => (await this.#past(query, options)).closures);
  }

  #past(query: QueryOf<'listPriceHistory'>, options?: CallOptions) {
    return taken(this.api.GET('/v1/price/history', { params: { query }, ...init(options) }));
  }
}

export class Countries extends Resource {
  /** Returns the countries where customers may be, with their types of ids. */
  list(options?: CallOptions) {
    return listAtOnce(async () => (await taken(this.api.GET('/v1/countries', init(options)))).countries);
  }

  /** Returns the bars that can be picked up in a country, or in one of its cities. */
  denominations(query: QueryOf<'listDenominations'>, options?: CallOptions) {
    const read = () => taken(this.api.GET('/v1/denominations', { params: { query }, ...init(options) }));
    return listAtOnce(async () => (await read()).denominations);
  }
}

import { Countries, Prices } from './catalogue.js';
import type { Network } from './check.js';
import { type Api, type CallOptions, createApi, init, taken } from './client.js';
import { Events } from './events.js';
import { Operations } from './operations.js';
import { Pins } from './pins.js';
import { Redemptions } from './redemptions.js';
import { Buys, Sells, Trades } from './trades.js';
import type { TransportOptions } from './transport.js';
import { Users } from './users.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

export interface KaratOptions extends TransportOptions {
  apiKey: string;
  /**
   * What transactions are for, such as what `network()` returned when you made sure of it. Default: what the API says when it
   * is needed first, which nothing may change from then on.
   */
  network?: Network | undefined;
  /** The id of your partner, by your own records; default: what the API says before the first redemption is signed. */
  partner_id?: string | undefined;
}

/** The partner API of Karat with one key. */
export class Karat {
  readonly users: Users;
  readonly buys: Buys;
  readonly sells: Sells;
  readonly trades: Trades;
  readonly redemptions: Redemptions;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly prices: Prices;
  readonly countries: Countries;
  readonly operations: Operations;
  /** Every route, typed as the OpenAPI document has it, with the same retries: `api.POST('/v1/transactions/inspect', …)`. */
  readonly api: Api;
  readonly #pins: Pins;

  constructor(options: KaratOptions) {
    const api = createApi(options);
    this.api = api;
    this.#pins = new Pins(api, options.network, options.partner_id);
    this.operations = new Operations(api);
    this.users = new Users(api);
    this.buys = new Buys(api, this.operations, this.#pins);
    this.sells = new Sells(api, this.operations, this.#pins);
    this.trades = new Trades(api);
    this.redemptions = new Redemptions(api, this.operations, this.#pins);
    this.events = new Events(api, options);
    this.webhookEndpoints = new WebhookEndpoints(api);
    this.prices = new Prices(api);
    this.countries = new Countries(api);
  }

  /** Returns the partner that the key acts for, with its fees and limits. */
  me(options?: CallOptions) {
    return taken(this.api.GET('/v1/me', init(options)));
  }

  /**
   * Returns the network that transactions are for, with the addresses on it. Throws `network_changed` if these are not the
   * pinned ones.
   */
  network(options?: Pick<CallOptions, 'signal'>) {
    return this.#pins.network(options?.signal);
  }
}

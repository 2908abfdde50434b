import type { Network, Parties, Quoted } from './check.js';
import { checkTransaction } from './check.js';
import { type Api, taken } from './client.js';
import { KaratError } from './errors.js';
import { addressOf, type Signer, signTransaction } from './signing.js';

/** Who signs a quote's transaction. */
export interface Signing {
  /** Whose signatures the transaction needs, in any order: the customer's, and the partner's for a trade. */
  signers: readonly Signer[];
  /** The customer's wallet by your own records; default: what the API returned for the customer first. */
  wallet_address?: string | undefined;
}

const maxUsers = 10_000;

/** What no later response may change: network and partner, as they were given or read first, and the wallets of customers. */
export class Pins {
  readonly #api: Api;
  #network: Network | undefined;
  #partnerId: string | undefined;
  readonly #wallets = new Map<string, string>();

  constructor(api: Api, network: Network | undefined, partnerId: string | undefined) {
    this.#api = api;
    this.#network = network;
    this.#partnerId = partnerId;
  }

  /** Returns what the API says of the network. Throws `network_changed` if that is not what is pinned; else pins it. */
  async network(signal?: AbortSignal) {
    const read = await taken(this.#api.GET('/v1/network', { ...(signal && { signal }) }));
    this.#network ??= read;
    const pinned = this.#network;
    const named = ({ program_id, usdc_mint, gold_mint, service_signers }: Network) =>
      [program_id, usdc_mint, gold_mint, ...[...service_signers].sort()].join(' ');
    if (named(read) === named(pinned)) return read;
    const message = `The API names another network than the pinned one: ${named(read)}, not ${named(pinned)}.`;
    throw new KaratError('network_changed', { message, body: read });
  }

  /**
   * Has a quote's transaction signed, which is the one of its request: nothing else is given to any signer. Throws
   * `transaction_unexpected`, `network_changed`, and what signing throws.
   */
  async sign(quoted: Quoted, { signers, wallet_address }: Signing, signal?: AbortSignal): Promise<string> {
    const network = this.#network ?? (await this.network(signal));
    const user_wallet = wallet_address ?? (await this.#walletOf(quoted.request.service_user_id, signal));
    const known = signers.flatMap((signer) => addressOf(signer) ?? []);
    const parties: Parties = { user_wallet, partner_wallets: known.filter((one) => one !== user_wallet) };
    // A trade names the partner's wallet, a redemption only the partner.
    if (quoted.kind === 'redemption') parties.partner_id = await this.#ownId(signal);
    const { partially_signed_transaction: transaction } = quoted.quote;
    checkTransaction(transaction, quoted, network, parties);
    return signTransaction(transaction, signers);
  }

  async #ownId(signal?: AbortSignal): Promise<string> {
    this.#partnerId ??= (await taken(this.#api.GET('/v1/me', { ...(signal && { signal }) }))).partner_id;
    return this.#partnerId;
  }

  async #walletOf(service_user_id: string, signal?: AbortSignal): Promise<string> {
    const known = this.#wallets.get(service_user_id);
    if (known !== undefined) return known;
    const params = { path: { service_user_id } };
    const call = this.#api.GET('/v1/users/{service_user_id}', { params, ...(signal && { signal }) });
    const { wallet_address } = await taken(call);
    if (this.#wallets.size >= maxUsers) this.#wallets.clear();
    this.#wallets.set(service_user_id, wallet_address);
    return wallet_address;
  }
}

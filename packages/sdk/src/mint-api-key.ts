import { toBase64 } from './bytes.js';
import { createApi, taken } from './client.js';
import type { TransportOptions } from './transport.js';
import type { Schemas } from './types.js';

export interface MintApiKeyOptions extends TransportOptions {
  partnerId: string;
  /** One of the partner's registered wallets. */
  walletAddress: string;
  keyName: string;
  /** Signs the UTF-8 bytes of a text with the wallet: its 64 bytes, or these in base64. */
  signMessage(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array | string> | Uint8Array | string;
}

export type MintedApiKey = Schemas['MintedApiKey'];

/** Mints an API key: has a challenge signed by the partner's wallet. The key itself is shown only here. */
export async function mintApiKey(options: MintApiKeyOptions): Promise<MintedApiKey> {
  const { partnerId, walletAddress, keyName, signMessage, ...transport } = options;
  const api = createApi(transport);
  const desired = { wallet_address: walletAddress, partner_id: partnerId };
  const { challenge_id, message } = await taken(api.POST('/v1/auth/challenge', { body: desired }));
  const signed = await signMessage(new TextEncoder().encode(message));
  const signature = typeof signed === 'string' ? signed : toBase64(signed);
  return taken(api.POST('/v1/auth/api-key', { body: { challenge_id, signature, key_name: keyName } }));
}

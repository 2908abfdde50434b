import { toBase64 } from './bytes.js';
import { sender } from './karat.js';
import { retryingFetch, type TransportOptions } from './transport.js';

export interface MintApiKeyOptions extends TransportOptions {
  partnerId: string;
  /** One of the partner's registered wallets. */
  walletAddress: string;
  keyName: string;
  /** Signs the UTF-8 bytes of a text with the wallet: its 64 bytes, or these in base64. */
  signMessage(message: Uint8Array): Promise<Uint8Array | string> | Uint8Array | string;
}

export interface MintedApiKey {
  /** Shown only here. */
  api_key: string;
  key_id: string;
  scope: string;
  key_name: string;
  wallet_address: string;
  created_at: string;
}

/** Mints an API key: has a challenge signed by the partner's wallet. */
export async function mintApiKey(options: MintApiKeyOptions): Promise<MintedApiKey> {
  const { partnerId, walletAddress, keyName, signMessage } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send = sender(baseUrl, {}, retryingFetch({ ...options, baseUrl }));
  const wish = { wallet_address: walletAddress, partner_id: partnerId };
  const challenge = (await send('/v1/auth/challenge', { method: 'POST', body: wish })) as {
    challenge_id: string;
    message: string;
  };
  const signed = await signMessage(new TextEncoder().encode(challenge.message));
  const signature = typeof signed === 'string' ? signed : toBase64(signed);
  const proof = { challenge_id: challenge.challenge_id, signature, key_name: keyName };
  return (await send('/v1/auth/api-key', { method: 'POST', body: proof })) as MintedApiKey;
}

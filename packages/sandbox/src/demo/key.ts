import { Karat, KaratError, mintApiKey } from '@karat/sdk';
import { signBytes } from '@solana/kit';
import { ApiRefusal } from './api.js';
import type { Scene } from './cast.js';
import type { Teller } from './teller.js';

/** Mints an API key: the partner signs a challenge with its wallet. */
export async function mintKey({ sandbox, teller, partner, partnerWallet }: Scene) {
  const baseUrl = sandbox.info.partner_api_url;
  return teller.step('Sign a challenge with the partner wallet', async (figure) => {
    const { api_key: apiKey, key_id: keyId } = await mintApiKey({
      baseUrl,
      partnerId: partner.partner_id,
      walletAddress: partnerWallet.address,
      keyName: 'demo',
      signMessage: (message) => signBytes(partnerWallet.keyPair.privateKey, message),
    });
    figure('wallet', partnerWallet.address);
    figure('key id', keyId);
    return { karat: new Karat({ apiKey, baseUrl }), keyId };
  });
}

/** Revokes the key, and makes sure that it opens nothing any more. */
export async function revokeKey(teller: Teller, karat: Karat, keyId: string): Promise<void> {
  await teller.step('Revoke the key, and try it once more', async (figure) => {
    const params = { path: { key_id: keyId } };
    const { data } = await karat.api.POST('/v1/partner/api-keys/{key_id}/revoke', { params });
    figure('status', String(data?.status));
    figure('response', await refusal('unauthorized', () => karat.trades.list().take(1)));
  });
}

/**
 * Expects a refusal of an API, with the `reason` that its message must contain. Throws if it does
 * not refuse, or for another reason.
 */
export async function refusal(code: string, ask: () => Promise<unknown>, reason = ''): Promise<string> {
  try {
    await ask();
  } catch (error) {
    const refused = error instanceof ApiRefusal || error instanceof KaratError;
    if (!refused || error.code !== code || !error.message.includes(reason)) throw error;
    return `${error.status} ${error.code}${reason === '' ? '' : `, ${reason}`}`;
  }
  throw new Error(`The API should have returned ${code}`);
}

/** Waits if the limit of the auth routes (10 a minute) is reached, and reports it. */
export async function patiently<T>(teller: Teller, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 429) throw error;
      const seconds = error.retryAfterSeconds ?? 5;
      teller.line(`       (10 requests a minute for new keys: waiting ${seconds} s)`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

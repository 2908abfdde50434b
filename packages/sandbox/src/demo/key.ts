import { signBytes } from '@solana/kit';
import { type Api, ApiRefusal, createApi } from './api.js';
import type { Scene } from './cast.js';
import type { Teller } from './teller.js';

/** Mints an API key: the partner signs a challenge with its wallet. */
export async function mintKey(scene: Scene): Promise<{ api: Api; keyId: string }> {
  const { sandbox, teller, partner, partnerWallet } = scene;
  const url = sandbox.info.partner_api_url;
  const open = createApi(url);
  return teller.step('Sign a challenge with the partner wallet', async (figure) => {
    const challenge = await patiently(teller, () =>
      open.post<{ challenge_id: string; message: string }>('/v1/auth/challenge', {
        wallet_address: partnerWallet.address,
        partner_id: partner.partner_id,
      }),
    );
    const message = new TextEncoder().encode(challenge.message);
    const signature = await signBytes(partnerWallet.keyPair.privateKey, message);
    const minted = await patiently(teller, () =>
      open.post<{ api_key: string; key_id: string }>('/v1/auth/api-key', {
        challenge_id: challenge.challenge_id,
        signature: Buffer.from(signature).toString('base64'),
        key_name: 'demo',
      }),
    );
    figure('wallet', partnerWallet.address);
    figure('key id', minted.key_id);
    return { api: createApi(url, minted.api_key), keyId: minted.key_id };
  });
}

/** Revokes the key, and makes sure that it opens nothing any more. */
export async function revokeKey(teller: Teller, api: Api, keyId: string): Promise<void> {
  await teller.step('Revoke the key, and try it once more', async (figure) => {
    const answer = await api.post<{ status: string }>(`/v1/partner/api-keys/${keyId}/revoke`);
    figure('status', answer.status);
    figure('answer', await refusal('unauthorized', () => api.get('/v1/trades')));
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
    const expected = error instanceof ApiRefusal && error.code === code && error.message.includes(reason);
    if (!expected) throw error;
    return `${error.status} ${error.code}${reason === '' ? '' : `, ${reason}`}`;
  }
  throw new Error(`The API should have returned ${code}`);
}

/** Waits if the limit of the auth routes of both APIs (10 a minute) is reached, and reports it. */
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

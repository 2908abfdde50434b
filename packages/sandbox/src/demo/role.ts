import { type KeyPairSigner, signBytes } from '@solana/kit';
import { type Api, createTradebookApi } from './api.js';
import type { Scene } from './cast.js';
import { patiently } from './key.js';

/** Somebody with a role on chain at the partner: the wallet that signs, and a key of the tradebook API for it. */
export interface Role {
  wallet: KeyPairSigner;
  /** Sends the key with every request. */
  api: Api;
  keyId: string;
  scope: string[];
}

/** Mints a key of the tradebook API: its scope follows from the roles that the wallet has on chain. */
export async function mintRoleKey(scene: Scene, wallet: KeyPairSigner, keyName: string): Promise<Role> {
  const { sandbox, teller, partner } = scene;
  const url = sandbox.info.tradebook_api_url;
  const open = createTradebookApi(url);
  const challenge = await patiently(teller, () =>
    open.post<{ challengeId: string; message: string }>('/api/auth/challenge', {
      walletAddress: wallet.address,
      keyType: 'PARTNER',
      partnerId: partner.partner_id,
    }),
  );
  const signature = await signBytes(wallet.keyPair.privateKey, new TextEncoder().encode(challenge.message));
  const minted = await patiently(teller, () =>
    open.post<{ apiKey: string; id: string; scope: string[] }>('/api/auth/api-key', {
      challengeId: challenge.challengeId,
      signature: Buffer.from(signature).toString('base64'),
      keyName,
      expirationDays: 1,
    }),
  );
  return { wallet, api: createTradebookApi(url, minted.apiKey), keyId: minted.id, scope: minted.scope };
}

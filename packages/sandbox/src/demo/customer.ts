import { randomBytes } from 'node:crypto';
import { type Karat, KaratError } from '@karat/sdk';
import { sendGold } from '@karat/service/seed';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import { newKeyPairBytes } from '../keys.js';
import type { Cast, Scene } from './cast.js';
import { cheat } from './chain.js';

/** Registers a new customer, on the first wallet that is not taken yet. */
export async function registerCustomer(scene: Scene, karat: Karat): Promise<Cast['customer']> {
  return scene.teller.step('Register a customer with a wallet and KYC', async (figure) => {
    for await (const wallet of freeWallets(scene)) {
      try {
        const created = await karat.users.create({
          user_id: `demo-${randomBytes(6).toString('hex')}`,
          wallet_address: wallet.address,
          kyc: {
            country: 'PK',
            full_name: 'Demo Customer',
            kyc_provider: 'demo',
            kyc_level: 'full',
            kyc_verified_at: '2026-01-15T09:30:00Z',
          },
        });
        figure('user', created.service_user_id);
        figure('wallet', wallet.address);
        return { wallet, serviceUserId: created.service_user_id };
      } catch (error) {
        if (!(error instanceof KaratError) || error.code !== 'user_already_exists') throw error;
      }
    }
    throw new Error('No wallet was free');
  });
}

/**
 * Returns the spare wallets of the sandbox, then a new one with the same balances: the demo can run any number of
 * times.
 */
async function* freeWallets({ sandbox, mints, rpc }: Scene): AsyncGenerator<KeyPairSigner> {
  const { info, key } = sandbox;
  for (const file of info.spare_wallets) yield await key(file);
  const fresh = await createKeyPairSignerFromBytes(newKeyPairBytes());
  await cheat(info.rpc_url, 'requestAirdrop', fresh.address, 1_000_000_000);
  await cheat(info.rpc_url, 'karat_setTokenBalance', fresh.address, mints.usdcMint, '100000000000');
  const float = await key(info.float_wallet);
  const seeder = { rpc, payer: float, commitment: 'confirmed' } as const;
  await sendGold(seeder, { goldMint: mints.goldMint, from: float, to: fresh.address, amount: 50_000_000n });
  yield fresh;
}

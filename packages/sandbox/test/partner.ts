import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Karat, mintApiKey } from '@karat/sdk';
import { createKeyPairSignerFromBytes, type KeyPairSigner, signBytes } from '@solana/kit';
import { readInfo } from './harness.js';

/** Acme Gold as its server would act: reads the sandbox's key files, and calls the partner API. */
export async function openPartner(stateDir: string) {
  const info = readInfo(stateDir);
  const [acme] = info.partners;
  if (!acme) throw new Error('no partner');
  const key = async (file: string): Promise<KeyPairSigner> =>
    createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(join(stateDir, file), 'utf8'))));
  const wallet = await key(acme.wallet_keypair);

  const { partner_api_url: baseUrl } = info;
  const karat = (apiKey: string) => new Karat({ apiKey, baseUrl });

  const mintKey = async (): Promise<string> => {
    const minted = await mintApiKey({
      baseUrl,
      partnerId: acme.partner_id,
      walletAddress: wallet.address,
      keyName: 'test',
      signMessage: (message) => signBytes(wallet.keyPair.privateKey, message),
    });
    return minted.api_key;
  };

  /** Quotes a buy for a user of `sandbox.json` and signs it as partner and user. */
  const signedBuy = async (apiKey: string, user: { service_user_id: string; keypair: string }) => {
    const { service_user_id } = user;
    const { buys } = karat(apiKey);
    const wanted = { service_user_id, usdc_amount: 250 };
    const quote = await buys.quote(wanted);
    const signedTx = await buys.sign(quote, { ...wanted, signers: [wallet, await key(user.keypair)] });
    return { tradeId: quote.trade_id, signedTx };
  };

  /** A wallet that no user has. */
  const spareWallet = async (): Promise<string> => (await key(info.spare_wallets[0] ?? '')).address;

  return { info, acme, wallet, key, mintKey, signedBuy, spareWallet, karat };
}

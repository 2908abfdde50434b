import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createKeyPairSignerFromBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import { createApi } from '../src/demo/api.js';
import { readInfo } from './harness.js';

/** Acme Gold as its server would act: reads the sandbox's key files, talks HTTP. */
export async function openPartner(stateDir: string) {
  const info = readInfo(stateDir);
  const [acme] = info.partners;
  if (!acme) throw new Error('no partner');
  const key = async (file: string): Promise<KeyPairSigner> =>
    createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(join(stateDir, file), 'utf8'))));
  const wallet = await key(acme.wallet_keypair);

  const mintKey = async (): Promise<string> => {
    const open = createApi(info.partner_api_url);
    const challenge = await open.post<{ challenge_id: string; message: string }>('/v1/auth/challenge', {
      wallet_address: wallet.address,
      partner_id: acme.partner_id,
    });
    const signature = await signBytes(wallet.keyPair.privateKey, Buffer.from(challenge.message));
    const minted = await open.post<{ api_key: string }>('/v1/auth/api-key', {
      challenge_id: challenge.challenge_id,
      signature: Buffer.from(signature).toString('base64'),
      key_name: 'test',
    });
    return minted.api_key;
  };

  /** Quotes a buy for a user of `sandbox.json` and signs it as partner and user. */
  const signedBuy = async (apiKey: string, user: { service_user_id: string; keypair: string }) => {
    const api = createApi(info.partner_api_url, apiKey);
    const quoted = await api.post<{ trade_id: string; partially_signed_transaction: string }>('/v1/buy', {
      service_user_id: user.service_user_id,
      usdc_amount: 250,
    });
    const bytes = Buffer.from(quoted.partially_signed_transaction, 'base64');
    const signers = [wallet.keyPair, (await key(user.keypair)).keyPair];
    const signed = await partiallySignTransaction(signers, getTransactionDecoder().decode(bytes));
    return { tradeId: quoted.trade_id, signedTx: getBase64EncodedWireTransaction(signed) };
  };

  /** A wallet that no user has. */
  const spareWallet = async (): Promise<string> => (await key(info.spare_wallets[0] ?? '')).address;

  const api = (apiKey: string) => createApi(info.partner_api_url, apiKey);
  return { info, acme, mintKey, signedBuy, spareWallet, api };
}

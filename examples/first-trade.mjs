// A first trade in a sandbox that runs (docs/first-trade.md): a partner registers a customer, who buys gold for 100 USDC.
//   node examples/first-trade.mjs [<key file of the customer>]
import { readFileSync } from 'node:fs';
import { Karat, mintApiKey } from '@karat/sdk';
import { createKeyPairSignerFromBytes, signBytes } from '@solana/kit';
import './one-line-errors.mjs';

const folder = process.env.KARAT_STATE_DIR || '.karat';
const read = (file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
const signerOf = (file) => createKeyPairSignerFromBytes(Uint8Array.from(read(file)));
const { partner_api_url: baseUrl, partners } = read('sandbox.json');
const partner = await signerOf('keys/acme-wallet.json');
const customer = await signerOf(process.argv[2] ?? 'keys/spare-4.json');

const { api_key: apiKey } = await mintApiKey({
  baseUrl,
  partnerId: partners[0].partner_id,
  walletAddress: partner.address,
  keyName: 'first trade',
  signMessage: (message) => signBytes(partner.keyPair.privateKey, message),
});
const karat = new Karat({ apiKey, baseUrl });
const kyc = { country: 'PK', full_name: 'Sana Malik', kyc_provider: 'by hand', kyc_level: 'full' };
const { service_user_id } = await karat.users.create({
  user_id: customer.address,
  wallet_address: customer.address,
  kyc: { ...kyc, kyc_verified_at: new Date() },
});
const trade = await karat.buys.execute({ service_user_id, usdc_amount: 100, signers: [customer, partner] });
console.log(trade, await karat.users.balances(service_user_id));

// The partner API from a key to a bar of gold, against a sandbox that runs. Its regions are the samples of the reference, by the
// names of operations, and those of docs/partner-guide.md. The programs of the other SDKs have the same regions and print the same.
//   node --import tsx packages/sdk/samples/partner.ts [<key file of the customer>]
// #region setup
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
// #region client
import { Karat, KaratError, mintApiKey, verifyWebhook } from '@karat/sdk';
// #endregion client
import { createKeyPairSignerFromBytes, signBytes } from '@solana/kit';

const folder = process.env.KARAT_STATE_DIR || '.karat';
const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
const signerOf = (file: string) => createKeyPairSignerFromBytes(Uint8Array.from(read(file)));
const { partner_api_url: baseUrl, partners } = read('sandbox.json');
const partnerId: string = partners[0].partner_id;
const partner = await signerOf('keys/acme-wallet.json');
const customer = await signerOf(process.argv[2] ?? 'keys/spare-3.json');
// #endregion setup

// #region authentication
// #region createChallenge
// #region createApiKey
// Requests a challenge, has the partner's wallet sign it, and sends the signature.
const { api_key: apiKey, key_id } = await mintApiKey({
  baseUrl,
  partnerId,
  walletAddress: partner.address,
  keyName: 'guide',
  signMessage: (message) => signBytes(partner.keyPair.privateKey, message),
});
// #endregion createApiKey
// #endregion createChallenge
// #region client
const karat = new Karat({ apiKey, baseUrl });
// #endregion client
console.log('key', key_id);
// #endregion authentication

// #region listApiKeys
const { data: keys } = await karat.api.GET('/v1/partner/api-keys');
console.log(keys?.api_keys[0]?.key_name, keys?.api_keys[0]?.status);
// #endregion listApiKeys

// #region discovery
// #region getMe
const { name, open_fee_bps } = await karat.me();
console.log(name, open_fee_bps);
// #endregion getMe
// #region getNetwork
const { network, explorer_url_template } = await karat.network();
console.log(network, explorer_url_template);
// #endregion getNetwork
// #region listCountries
for (const country of await karat.countries.list()) {
  if (country.denominations > 0) console.log(country.code, country.name);
}
// #endregion listCountries
// #endregion discovery

// #region createUser
const { service_user_id } = await karat.users.create({
  user_id: `customer-${customer.address}`,
  wallet_address: customer.address,
  kyc: {
    country: 'PK',
    full_name: 'Bilal Ahmed',
    kyc_provider: 'by hand',
    kyc_level: 'full',
    kyc_verified_at: '2026-01-15T09:30:00+05:00',
    kyc_data: { id_type: 'cnic', id_number: '42101-7654321-3' },
  },
});
// #endregion createUser

// #region getUser
const user = await karat.users.get(service_user_id);
console.log('user', user.status, user.kyc?.kyc_level);
// #endregion getUser

// #region listUsers
const [newest] = await karat.users.list({ status: 'active' }).take(1);
console.log('newest', newest?.service_user_id === service_user_id);
// #endregion listUsers

// #region getUserBalances
const { gold, usdc } = await karat.users.balances(service_user_id);
console.log('balances', gold, usdc);
// #endregion getUserBalances

// #region prices
// #region getPrice
const { price_per_troy_oz, market } = await karat.prices.get();
console.log('price', market, price_per_troy_oz);
// #endregion getPrice
// #region listPriceHistory
const candles = await karat.prices.history({ interval: '1m' });
console.log('close', candles.at(-1)?.close);
// #endregion listPriceHistory
// #endregion prices

// #region buy
const bought = await karat.buys.execute({
  service_user_id,
  usdc_amount: 1000,
  slippage_bps: 100,
  signers: [partner, customer],
});
console.log(bought.status, bought.gold_amount, 'GOLD');
// #endregion buy

// #region submitBuy
// #region quoteBuy
const request = { service_user_id, gold_amount: 0.5 };
const quote = await karat.buys.quote(request);
console.log('half an ounce for', quote.quote.usdc_amount, 'USDC');
// #endregion quoteBuy
// #endregion submitBuy

// #region inspectTransaction
const { data: inspected } = await karat.api.POST('/v1/transactions/inspect', {
  body: { transaction: quote.partially_signed_transaction },
});
console.log(inspected?.summary);
// #endregion inspectTransaction

// #region submitBuy
// #region signing
// Compares the transaction with the request before anyone signs.
const signed = await karat.buys.sign(quote, { ...request, signers: [partner, customer] });
const { tx_hash } = await karat.buys.submit(quote.trade_id, signed);
console.log('sent', tx_hash);
// #endregion signing
// #endregion submitBuy

// #region getOperation
// Waits until the transaction is on chain, or can no longer land.
const { status } = await karat.operations.outcome(quote.trade_id);
console.log('half an ounce', status);
// #endregion getOperation

// #region getTrade
const trade = await karat.trades.get(quote.trade_id);
console.log(trade.side, trade.gold_amount, 'GOLD');
// #endregion getTrade

// #region sell
const sold = await karat.sells.execute({
  service_user_id,
  usdc_amount: 250,
  signers: [partner, customer],
});
console.log(sold.status, sold.usdc_amount, 'USDC');
// #endregion sell

// #region submitSell
// #region quoteSell
const sale = { service_user_id, gold_amount: 0.1 };
const offer = await karat.sells.quote(sale);
console.log('a tenth of an ounce for', offer.quote.usdc_amount, 'USDC');
// #endregion quoteSell

const signedSale = await karat.sells.sign(offer, { ...sale, signers: [partner, customer] });
await karat.sells.submit(offer.trade_id, signedSale);
console.log('a tenth', (await karat.operations.outcome(offer.trade_id)).status);
// #endregion submitSell

// #region listTrades
const trades = karat.trades.list({ service_user_id, created_from: '2026-01-01T00:00:00Z' });
for await (const { side, gold_amount, usdc_amount } of trades) {
  console.log(side, gold_amount, 'GOLD', usdc_amount, 'USDC');
}
// #endregion listTrades

// #region failure
try {
  const order = { service_user_id, usdc_amount: 100, min_gold_out: 1 };
  await karat.buys.execute({ ...order, signers: [partner, customer] });
} catch (error) {
  if (!(error instanceof KaratError)) throw error;
  console.log(error.code, error.reason, error.docUrl);
  if (error.operationId) console.log('it is', (await karat.operations.get(error.operationId)).status);
}
// #endregion failure

// #region redeem
// #region listDenominations
const [bar] = await karat.countries.denominations({ country: 'PK', city: 'Karachi' });
if (!bar) throw new Error('Karachi has no bars');
console.log(bar.label, bar.city);
// #endregion listDenominations
const redemption = await karat.redemptions.execute({
  service_user_id,
  denomination_id: bar.id,
  city: bar.city,
  signers: [customer],
});
console.log(redemption.status, redemption.quote?.tokens_required, 'GOLD');
// #endregion redeem

// #region submitRedemption
// #region quoteRedemption
const desired = { service_user_id, denomination_id: 'pk_tola_1', city: 'Karachi' };
const cost = await karat.redemptions.quote(desired);
console.log('a tola for', cost.quote.tokens_required, 'GOLD');
// #endregion quoteRedemption

const paid = await karat.redemptions.sign(cost, { ...desired, signers: [customer] });
await karat.redemptions.submit(cost.redemption_id, paid);
console.log('a tola', (await karat.operations.outcome(cost.redemption_id)).status);
// #endregion submitRedemption

// #region getRedemption
// While it is ready, the record has the pickup_code to show to the customer.
const { status: progress, pickup_code } = await karat.redemptions.get(cost.redemption_id);
console.log(progress, pickup_code ?? 'no code yet');
// #endregion getRedemption

// #region listRedemptions
for await (const one of karat.redemptions.list({ service_user_id, city: 'Karachi' })) {
  console.log(one.denomination, one.status);
}
// #endregion listRedemptions

// #region cancelRedemption
const cancelled = await karat.redemptions.cancel(redemption.redemption_id, 'moved to another city');
console.log(cancelled.status);
// #endregion cancelRedemption

// #region refused
const refused = await karat.buys.quote({ service_user_id, usdc_amount: -5 }).catch((error) => error);
console.log(refused.code, refused.field, refused.status);
// #endregion refused

// #region following
// #region listEvents
const [first] = await karat.events.list({ object_id: bought.trade_id }).take(1);
console.log(first?.type);
// #endregion listEvents
// #region streamEvents
const types = ['trade.confirmed', 'redemption.submitted'];
for await (const event of karat.events.stream({ after: first?.id, types: types.join() })) {
  console.log(event.type);
  if (event.data.object_type === 'redemption') break;
}
// #endregion streamEvents
// #endregion following

// #region webhooks
const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await text(request), request.headers, secret);
    console.log('webhook', event.type);
    response.end();
  } catch {
    response.writeHead(400).end(); // uncaught, one unsigned request would end the process
  }
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/karat`;
// #region createWebhookEndpoint
// The secret is shown only here.
const { endpoint_id, secret } = await karat.webhookEndpoints.create({
  url,
  types: ['trade.confirmed', 'redemption.ready'],
});
// #endregion createWebhookEndpoint
// #region testWebhookEndpoint
const { delivered } = await karat.webhookEndpoints.test(endpoint_id);
console.log('delivered', delivered);
// #endregion testWebhookEndpoint
// #endregion webhooks

// #region listWebhookEndpoints
for await (const endpoint of karat.webhookEndpoints.list()) {
  if (endpoint.url === url) console.log('endpoint', endpoint.status);
}
// #endregion listWebhookEndpoints

// #region getWebhookEndpoint
const endpoint = await karat.webhookEndpoints.get(endpoint_id);
console.log(endpoint.types?.join());
// #endregion getWebhookEndpoint

// #region changeWebhookEndpoint
const changed = await karat.webhookEndpoints.update(endpoint_id, { types: ['trade.confirmed'] });
console.log(changed.types?.join());
// #endregion changeWebhookEndpoint

// #region resendWebhookEvents
const { resent } = await karat.webhookEndpoints.resend(endpoint_id, {
  from: bought.created_at,
  to: trade.created_at,
});
console.log('resent', resent > 0);
// #endregion resendWebhookEvents

// #region listWebhookDeliveries
const [delivery] = await karat.webhookEndpoints.deliveries(endpoint_id).take(1);
console.log('delivery of', delivery?.type);
// #endregion listWebhookDeliveries

// #region rotateWebhookSecret
// For an hour both secrets sign.
const rotated = await karat.webhookEndpoints.rotateSecret(endpoint_id, { overlap_hours: 1 });
console.log('rotated', rotated.secret !== secret);
// #endregion rotateWebhookSecret

// #region deleteWebhookEndpoint
await karat.webhookEndpoints.delete(endpoint_id);
// #endregion deleteWebhookEndpoint
server.close();

// #region revokeApiKey
const { data: revoked } = await karat.api.POST('/v1/partner/api-keys/{key_id}/revoke', {
  params: { path: { key_id } },
});
console.log('key', revoked?.status);
// #endregion revokeApiKey

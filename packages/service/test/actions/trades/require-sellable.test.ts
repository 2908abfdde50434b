import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectStatus } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { ordersOf } from '../../ordering.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
});
afterEach(async () => {
  t.chain.price.setUsdc();
  await t.chain.changeSettings();
  await eventually(async () => expectStatus(await buys(), 200), 20_000);
});
afterAll(() => t.stop());

const { purchase } = ordersOf(() => treasury);
const quote = (side: 'buy' | 'sell', body: object) =>
  t.partner.client.post(`/v1/${side}`, { service_user_id: t.user.id, ...body });
const buys = () => quote('buy', { usdc_amount: 10 });
const sells = () => quote('sell', { gold_amount: 0.01 });
const purchases = () =>
  treasury.executive.post('/api/trading/purchases/partner', { goldAmount: 1, maxUsdcAmount: 5_000 });
const sales = () =>
  treasury.executive.post('/api/trading/sales/partner', { goldAmount: 1, minimumUsdcAmount: 1 });

const becomes = (request: typeof buys, expected: object) =>
  eventually(async () => expect(await request()).toMatchObject(expected), 20_000);

test('require sellable: USDC off its peg stops buys and purchases, and neither sells nor sales', async () => {
  t.chain.price.setUsdc({ price: 97_000_000n, confidence: 10_000n, exponent: -8 });
  const reason = 'usdc_off_peg';
  const message = expect.stringContaining('Gold cannot be bought with USDC at present.');
  await becomes(buys, { status: 503, body: { error: 'pricing_unavailable', message, reason } });
  await becomes(purchases, {
    status: 503,
    body: { error: { code: 'pricing_unavailable', message, reason } },
  });
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 10_000_000n);
  expect(await sells()).toMatchObject({ status: 200 });
  expect(await sales()).toMatchObject({ status: 201 });
});

test('require sellable: an attestation that is too old stops buys and purchases while backing is required', async () => {
  t.chain.node.warp({ seconds: 100 });
  await t.chain.changeSettings({ maxAttestationAge: 10 });
  const message = 'No gold is sold at present: the last attestation of gold is too old.';
  const reason = 'not_backed';
  await becomes(buys, { status: 503, body: { error: 'service_unavailable', message, reason } });
  await becomes(purchases, {
    status: 503,
    body: { error: { code: 'service_unavailable', message, reason } },
  });
  await becomes(sales, { status: 201 });
  await t.chain.changeSettings({ maxAttestationAge: 10, requireBacking: 0 });
  await becomes(buys, { status: 200 });
});

test('require sellable: a vault that has bought sells only after the interval, and the refusal names the wait', async () => {
  await t.chain.changeSettings({ oppositeSideSeconds: 300 });
  expectStatus(await t.tradebook.submit((await purchase()).signed), 200);
  const message = expect.stringMatching(
    /^The vault's last trade was a purchase: a sale is possible in \d+ s\.$/,
  );
  const error = { code: 'service_unavailable', message, reason: 'opposite_side_too_early' };
  await becomes(sales, { status: 503, body: { error } });
  expect(Number((await sales()).headers['retry-after'])).toBeGreaterThan(200);
  expect(await purchases()).toMatchObject({ status: 201 });
  t.chain.node.warp({ seconds: 301 });
  await t.ready();
  await becomes(sales, { status: 201 });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, expectStatus } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { ordered, paths } from '../../ordering.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat({ indexes: true });
  treasury = await t.given.treasury();
});
afterAll(() => t.stop());

const get = (path: string) => treasury.partner.client.get(path);
const ordersOf = async (query = '') => expectStatus(await get(`/v1/orders${query}`), 200).body;

test('GET /v1/vault returns the addresses of the vault, the wallets that act for it, and its balances', async () => {
  const vault = expectStatus(await get('/v1/vault'), 200).body;
  const { data } = expectStatus(await treasury.update.get('/api/distribution/partner/me'), 200).body;
  const onChain = t.service.ctx.chain.program.integrator(treasury.partnerId);
  expect(vault).toEqual({
    address: treasury.vault,
    gold_account: onChain?.data.vaultGold,
    usdc_account: onChain?.data.vaultUsdc,
    ...data.balances,
    status: 'active',
    executive_authorities: [treasury.executive.wallet.address],
    update_authority: treasury.update.wallet.address,
    withdrawal_authority: treasury.withdrawal.wallet.address,
  });
  expect(vault.gold).toBeGreaterThan(0);
});

test('GET /v1/vault of a partner that is not on chain is refused', async () => {
  const { client } = await t.service.givenPartner();
  expect(expectStatus(await client.get('/v1/vault'), 400).body).toMatchObject({
    error: 'onchain_config_missing',
    message: 'The partner is not set up on chain yet.',
  });
  expect(expectStatus(await client.get('/v1/orders'), 200).body).toEqual({ orders: [], next_cursor: null });
});

test('GET /v1/orders lists what moved the vault, newest first, with who signed and what the chain did', async () => {
  const bought = await ordered(treasury.executive, paths.purchases, {
    goldAmount: 1,
    maxUsdcAmount: 5_000,
    metadata: { reference: 'PO-1' },
  });
  const landed: ApiResponse = expectStatus(await t.tradebook.submit(bought.signed), 200);
  const withdrawn = await ordered(treasury.withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' });
  const purchase = await eventually(async () => {
    const [, older] = (await ordersOf()).orders;
    expect(older.status).toBe('confirmed');
    return older;
  }, 15_000);
  expect(purchase).toMatchObject({
    id: bought.response.body.data.purchaseId,
    kind: 'purchase',
    key_id: treasury.executive.keyId,
    signer: treasury.executive.wallet.address,
    gold_amount: 1,
    usdc_limit: 5_000,
    executed_gold: 1,
    executed_usdc: 4_120.723619,
    metadata: { reference: 'PO-1' },
    tx_hash: landed.body.data.transaction.signature,
    failure_reason: null,
  });
  expect(purchase).not.toHaveProperty('partner_id');
  const withdrawal = {
    id: withdrawn.response.body.data.withdrawalId,
    kind: 'withdrawal',
    status: 'pending_signature',
    signer: treasury.withdrawal.wallet.address,
    token: 'usdc',
    usdc_amount: 2,
    tx_hash: null,
  };
  const first = await ordersOf('?limit=1');
  expect(first.orders).toMatchObject([withdrawal]);
  expect(await ordersOf(`?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
    orders: [{ id: purchase.id }],
    next_cursor: null,
  });
  expect((await ordersOf('?kind=withdrawal')).orders).toMatchObject([withdrawal]);
  expect((await ordersOf('?status=confirmed')).orders).toMatchObject([{ id: purchase.id }]);
  expect((await ordersOf(`?created_to=${purchase.created_at}`)).orders).toMatchObject([{ id: purchase.id }]);
  expect((await ordersOf('?kind=sale')).orders).toEqual([]);
  for (const field of ['kind', 'status', 'created_from'])
    expect(expectStatus(await get(`/v1/orders?${field}=x`), 400).body.field).toBe(field);
});

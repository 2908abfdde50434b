import { IntegratorStatus, MarketState } from '@karat/program-client';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOrderCall } from '../../../src/chain/inspect/order-call.js';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { goldOf, tokenAccountOf, usdcOf } from '../../../src/chain/program/token-accounts.js';
import { orders } from '../../../src/db/schema.js';
import { newUuid } from '../../../src/domain/ids.js';
import { type ApiResponse, expectStatus, newWallet } from '../../harness.js';
import { givenKey, type Karat, type RoleClient, startKarat, type Treasury } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { ordered, paths, signedBy, transactionOf } from '../../ordering.js';

let t: Karat;
let treasury: Treasury;
let admin: RoleClient;
/** Whose executives the tests change, and whose vault holds nothing. */
let other: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
  admin = await t.given.admin();
  other = await t.given.treasury(await t.service.givenPartner());
  await t.chain.node.setTokenBalance(other.vault, t.chain.usdcMint, 1_000_000n);
  await t.chain.node.setTokenBalance(other.vault, t.chain.goldMint, 1_000_000n);
  await eventually(
    () => expect(t.service.ctx.chain.program.integrator(other.partnerId)).toBeDefined(),
    10_000,
  );
});
afterAll(() => t.stop());

const rowsOf = () => t.service.ctx.db.select().from(orders);
async function rowOf(id: string) {
  const row = (await rowsOf()).find((order) => order.id === id);
  if (!row) throw new Error(`no order ${id}`);
  return row;
}

/** The code, text and field of a refusal; nothing was written for it. */
async function refused(ask: () => Promise<ApiResponse>) {
  const before = (await rowsOf()).length;
  const { status, body } = await ask();
  expect((await rowsOf()).length).toBe(before);
  expect(body.success).toBe(false);
  const { docUrl, ...error } = body.error;
  expect(docUrl).toContain('/');
  return { status, ...error };
}

const purchase = (body: object = {}, client: RoleClient = treasury.executive) =>
  client.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000, ...body });
const sale = (body: object = {}, client: RoleClient = treasury.executive) =>
  client.post(paths.sales, { goldAmount: 1, minimumUsdcAmount: 4_000, ...body });
const withdrawal = (body: object = {}, client: RoleClient = treasury.withdrawal) =>
  client.post(paths.withdrawals, { amount: 1, tokenType: 'usdc', ...body });
const executives = (body: object, partner: Treasury = other, client: RoleClient = partner.update) =>
  client.put(paths.executives(partner.partnerId), body);

describe('a new order', () => {
  test('a new order of each kind has the response of the contract, and is recorded as it was quoted', async () => {
    const metadata = { reference: 'PO-1042', nested: [1, { deep: 'ü👑' }] };
    const instructions = (walletType: string, signer: RoleClient) => ({
      serializedTx: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      signingInstructions: { walletType, signers: [signer.wallet.address], expiresAt: expect.any(String) },
    });
    const shared = { status: 'pending_signature', createdAt: expect.any(String) };
    const bought = expectStatus(await purchase({ goldAmount: 1.5, maxUsdcAmount: 6_500, metadata }), 201);
    expect(bought.body).toEqual({
      success: true,
      data: {
        purchaseId: expect.any(String),
        goldAmount: 1.5,
        quoteUsdcAmount: 6_181.085428,
        maxUsdcAmount: 6_500,
        quotedGoldPrice: 4_100.12,
        transaction: instructions('PARTNER_AUTHORITY', treasury.executive),
        ...shared,
      },
    });
    const sold = expectStatus(await sale({ metadata }), 201);
    expect(sold.body).toEqual({
      success: true,
      data: {
        sellId: expect.any(String),
        goldAmount: 1,
        quoteUsdcAmount: 4_079.6194,
        minimumUsdcAmount: 4_000,
        quotedGoldPrice: 4_100.12,
        transaction: instructions('PARTNER_AUTHORITY', treasury.executive),
        ...shared,
      },
    });
    const withdrawn = expectStatus(await withdrawal({ amount: 2.5, tokenType: 'GOLD', metadata }), 201);
    expect(withdrawn.body).toEqual({
      success: true,
      data: {
        withdrawalId: expect.any(String),
        amount: 2.5,
        tokenType: 'gold',
        transaction: instructions('withdrawal_authority', treasury.withdrawal),
        ...shared,
      },
    });
    const added = newWallet().address;
    const changed = expectStatus(await executives({ add: [added] }), 200);
    expect(changed.body).toEqual({
      success: true,
      data: {
        partnerId: other.partnerId,
        transaction: instructions('update_authority', other.update),
      },
    });

    expect(await rowOf(bought.body.data.purchaseId)).toMatchObject({
      kind: 'purchase',
      status: 'pending_signature',
      partnerId: treasury.partnerId,
      keyId: treasury.executive.keyId,
      signer: treasury.executive.wallet.address,
      integrator: treasury.integrator,
      goldAmount: 1_500_000n,
      usdcAmount: 6_181_085_428n,
      usdcLimit: 6_500_000_000n,
      quotedPrice: '4100.120000000000',
      maxFeeBps: 50,
      metadata,
      txSignature: null,
      eventSeq: null,
    });
    expect(await rowOf(sold.body.data.sellId)).toMatchObject({
      kind: 'sale',
      usdcAmount: 4_079_619_400n,
      usdcLimit: 4_000_000_000n,
      metadata,
    });
    const { goldMint } = t.chain;
    expect(await rowOf(withdrawn.body.data.withdrawalId)).toMatchObject({
      kind: 'withdrawal',
      token: 'gold',
      goldAmount: 2_500_000n,
      usdcAmount: null,
      destination: tokenAccountOf(treasury.withdrawal.wallet.address, goldOf({ goldMint })),
      metadata,
    });
    const change = (await rowsOf()).find(({ kind }) => kind === 'executive_update');
    expect(change).toMatchObject({ added: [added], removed: [], keyId: other.update.keyId });

    const read = await treasury.update.get(`/api/trading/purchases/${bought.body.data.purchaseId}`);
    expect(expectStatus(read, 200).body).toEqual({
      success: true,
      data: {
        purchaseId: bought.body.data.purchaseId,
        status: 'pending_signature',
        goldAmount: 1.5,
        quoteUsdcAmount: 6_181.085428,
        maxUsdcAmount: 6_500,
        quotedGoldPrice: 4_100.12,
        executedGoldAmount: null,
        executedUsdcAmount: null,
        executedGoldPrice: null,
        feeUsdcAmount: null,
        signer: treasury.executive.wallet.address,
        signature: null,
        failureReason: null,
        metadata,
        expiresAt: bought.body.data.transaction.signingInstructions.expiresAt,
        createdAt: bought.body.data.createdAt,
        updatedAt: bought.body.data.createdAt,
      },
    });
    expect(await treasury.update.get(`/api/trading/sales/${sold.body.data.sellId}`)).toMatchObject({
      status: 200,
      body: { data: { minimumUsdcAmount: 4_000, quoteUsdcAmount: 4_079.6194, metadata } },
    });
    const { withdrawalId } = withdrawn.body.data;
    expect(await treasury.update.get(`/api/trading/withdrawals/${withdrawalId}`)).toMatchObject({
      status: 200,
      body: { data: { amount: 2.5, tokenType: 'gold', executedAmount: null, metadata } },
    });
  });

  test('a new order ends when its blockhash does, and is bound to the fee of its quote', async () => {
    const { blockhash, expiresAtMs, lastValidBlockHeight } = t.service.ctx.chain.blockhash.current();
    const response = expectStatus(await purchase(), 201);
    const { purchaseId, createdAt, transaction } = response.body.data;
    const expiresAt = Date.parse(transaction.signingInstructions.expiresAt);
    const lifeMs = expiresAt - Date.parse(createdAt);
    expect(lifeMs).toBeGreaterThan(40_000);
    expect(lifeMs).toBeLessThanOrEqual(60_000);
    const view = viewTransaction(transactionOf(response));
    const call = readOrderCall(view.instructions.at(-1) ?? { accounts: [], data: new Uint8Array() });
    expect(call).toMatchObject({
      kind: 'purchase',
      orderId: purchaseId,
      goldAmount: 1_000_000n,
      maxFeeBps: 50,
      expireAtSeconds: BigInt(Math.ceil(expiresAt / 1000)) + 30n,
    });
    const row = await rowOf(purchaseId);
    // The blockhash may have been renewed meanwhile: then all of it is later.
    expect(row.expiresAt?.getTime()).toBe(expiresAt);
    expect(expiresAt).toBeGreaterThanOrEqual(expiresAtMs);
    expect(row.lastValidBlockHeight).toBeGreaterThanOrEqual(lastValidBlockHeight);
    expect(blockhash).toEqual(expect.any(String));
  });

  test('costs and brings on chain what it was quoted at, to the last millionth', async () => {
    const before = await t.balances({ vault: treasury.vault });
    const signed: Uint8Array[] = [];
    const expected: object[] = [];
    for (const goldAmount of [0.000001, 0.000037, 0.333333, 1, 17.123457, 199.999999]) {
      const bought = await ordered(treasury.executive, paths.purchases, {
        goldAmount,
        maxUsdcAmount: 1_000_000,
      });
      const sold = await ordered(treasury.executive, paths.sales, { goldAmount, minimumUsdcAmount: 0 });
      signed.push(bought.signed, sold.signed);
      const units = (amount: number) => Math.round(amount * 1e6);
      const usdcOf = ({ response }: typeof bought) => units(response.body.data.quoteUsdcAmount);
      expected.push({ gold: units(goldAmount), usdc: -usdcOf(bought) });
      expected.push({ gold: -units(goldAmount), usdc: usdcOf(sold) });
    }
    const { results } = expectStatus(await t.tradebook.submitAll(signed), 200).body.data;
    const changes = results.map(({ transaction }: { transaction: { tokenBalanceChange: object } }) =>
      Object.entries(transaction.tokenBalanceChange).find(([owner]) => owner === treasury.vault),
    );
    expect(changes).toEqual(expected.map((change) => [treasury.vault, change]));
    const { vault } = await t.balances({ vault: treasury.vault });
    const total = (expected as { gold: number; usdc: number }[]).reduce(
      (sum, { usdc }) => sum + BigInt(usdc),
      0n,
    );
    expect(vault).toEqual({ gold: before.vault.gold, usdc: before.vault.usdc + total });
  });

  test('a new order comes once for one Idempotency-Key, whichever key of the partner repeats it', async () => {
    const key = { 'idempotency-key': `order-${newUuid()}` };
    const body = { goldAmount: 1, maxUsdcAmount: 5_000 };
    const second = await givenKey(t.service, {
      partnerId: treasury.partnerId,
      wallet: treasury.executive.wallet,
      scope: 'PARTNER_EXECUTIVE_AUTHORITY',
    });
    const before = (await rowsOf()).length;
    const first = expectStatus(await treasury.executive.post(paths.purchases, body, key), 201);
    const again = expectStatus(await second.post(paths.purchases, body, key), 201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect((await rowsOf()).length).toBe(before + 1);
    expect(await treasury.executive.post(paths.purchases, { ...body, goldAmount: 2 }, key)).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
    });
    const change = { add: [newWallet().address] };
    const put = () => other.update.put(paths.executives(other.partnerId), change, key);
    expect((await put()).text).toBe(expectStatus(await put(), 200).text);
  });
});

describe('an order is refused', () => {
  test.each<[string, () => Promise<ApiResponse>, object]>([
    ['a key of another role', () => purchase({}, treasury.withdrawal), { code: 'insufficient_scope' }],
    ['a sale by the update authority', () => sale({}, treasury.update), { code: 'insufficient_scope' }],
    [
      'a withdrawal by an executive',
      () => withdrawal({}, treasury.executive),
      { code: 'insufficient_scope' },
    ],
    ['a purchase by the admin', () => purchase({}, admin), { code: 'insufficient_scope' }],
    [
      'executives by an executive',
      () => executives({ add: [newWallet().address] }, treasury, treasury.executive),
      { code: 'insufficient_scope' },
    ],
  ])('an order is refused: %s: 403', async (_, ask, expected) => {
    expect(await refused(ask)).toMatchObject({ status: 403, ...expected });
  });

  const tooLarge = { filler: 'x'.repeat(4_096 - '{"filler":""}'.length + 1) };
  test.each<[string, () => Promise<ApiResponse>, { code?: string; field: string; message?: string }]>([
    ['no gold', () => purchase({ goldAmount: 0 }), { field: 'goldAmount', message: 'must be positive' }],
    ['negative gold', () => sale({ goldAmount: -1 }), { field: 'goldAmount', message: 'must be positive' }],
    ['7 decimals', () => purchase({ goldAmount: 1.0000001 }), { field: 'goldAmount', message: '6 decimals' }],
    ['a maximum of 0', () => purchase({ maxUsdcAmount: 0 }), { field: 'maxUsdcAmount' }],
    ['a negative minimum', () => sale({ minimumUsdcAmount: -1 }), { field: 'minimumUsdcAmount' }],
    [
      'no maximum',
      () => purchase({ maxUsdcAmount: undefined }),
      { field: 'maxUsdcAmount', message: 'required' },
    ],
    ['an amount in a text', () => withdrawal({ amount: '1' }), { field: 'amount' }],
    [
      'another token',
      () => withdrawal({ tokenType: 'sol' }),
      { field: 'tokenType', message: 'gold or usdc' },
    ],
    ['metadata that is a list', () => purchase({ metadata: [] }), { field: 'metadata' }],
    [
      '4 KiB and one byte',
      () => purchase({ metadata: tooLarge }),
      { field: 'metadata', message: '4096 bytes' },
    ],
    [
      '4 KiB and one byte of a sale',
      () => sale({ metadata: tooLarge }),
      { field: 'metadata', message: '4096 bytes' },
    ],
    [
      '4 KiB in fewer characters',
      () => withdrawal({ metadata: { filler: 'ü'.repeat(2_100) } }),
      { field: 'metadata' },
    ],
    ['NUL in metadata', () => purchase({ metadata: { a: { b: '\0' } } }), { field: 'metadata.a.b' }],
    [
      'more than the largest trade',
      () => purchase({ goldAmount: 250, maxUsdcAmount: 2_000_000 }),
      { field: 'goldAmount', message: 'a trade can be worth at most 1000000' },
    ],
    [
      'a sale of more than the largest trade',
      () => sale({ goldAmount: 250 }),
      { field: 'goldAmount', message: 'comes to 1025030 USDC' },
    ],
    [
      'a quote above the maximum',
      () => purchase({ maxUsdcAmount: 4_120.723618 }),
      {
        code: 'max_usdc_exceeded',
        field: 'maxUsdcAmount',
        message: 'This costs 4120.723619 USDC, which is above maxUsdcAmount.',
      },
    ],
    [
      'a quote below the minimum',
      () => sale({ minimumUsdcAmount: 4_079.619401 }),
      {
        code: 'minimum_usdc_not_met',
        field: 'minimumUsdcAmount',
        message: 'This brings 4079.6194 USDC, which is below minimumUsdcAmount.',
      },
    ],
  ])(
    'an order is refused: %s: 400 with its field',
    async (_, ask, { code = 'invalid_request', field, message = '' }) => {
      expect(await refused(ask)).toMatchObject({
        status: 400,
        code,
        field,
        message: expect.stringContaining(message),
      });
    },
  );

  test('an order is not refused at exactly the quoted amounts, nor with metadata of 4 KiB', async () => {
    expectStatus(await purchase({ maxUsdcAmount: 4_120.723619 }), 201);
    expectStatus(await sale({ minimumUsdcAmount: 4_079.6194 }), 201);
    expectStatus(await purchase({ metadata: { filler: 'x'.repeat(4_096 - '{"filler":""}'.length) } }), 201);
  });

  test.each<[string, () => Promise<ApiResponse>, string]>([
    ['a purchase', () => purchase({}, other.executive), 'The vault holds 1 USDC; this needs 4120.723619.'],
    [
      'a sale',
      () => sale({ goldAmount: 1.000001 }, other.executive),
      'The vault holds 1 GOLD; this needs 1.000001.',
    ],
    [
      'a withdrawal',
      () => withdrawal({ amount: 1.000001, tokenType: 'USDC' }, other.withdrawal),
      'The vault holds 1 USDC; this needs 1.000001.',
    ],
  ])(
    'an order of %s above what the vault holds is refused: insufficient_reserve',
    async (_, ask, message) => {
      expect(await refused(ask)).toEqual({ status: 400, code: 'insufficient_reserve', message });
    },
  );

  test('an order is refused by what the vault holds now, not some seconds ago', async () => {
    const partner = other;
    expectStatus(await withdrawal({ amount: 1 }, partner.withdrawal), 201);
    await t.chain.node.setTokenBalance(partner.vault, t.chain.usdcMint, 999_999n);
    expect(await refused(() => withdrawal({ amount: 1 }, partner.withdrawal))).toMatchObject({
      code: 'insufficient_reserve',
    });
    await t.chain.node.setTokenBalance(partner.vault, t.chain.usdcMint, 1_000_000n);
    expectStatus(await withdrawal({ amount: 1 }, partner.withdrawal), 201);
  });
});

describe('a change of executives', () => {
  const pda = () => treasury.vault;
  const one = () => other.executive.wallet.address;
  const new1 = newWallet().address;
  const new2 = newWallet().address;
  const many = Array.from({ length: 9 }, () => newWallet().address);

  test.each<[string, () => object, { code?: string; field: string; message: string }]>([
    ['of nothing', () => ({}), { field: 'add', message: 'name at least one address' }],
    ['of empty lists', () => ({ add: [], remove: [] }), { field: 'add', message: 'name at least one' }],
    ['twice added', () => ({ add: [new1, new2, new1] }), { field: 'add.2', message: 'appears twice in add' }],
    ['twice removed', () => ({ remove: [one(), one()] }), { field: 'remove.1', message: 'twice in remove' }],
    [
      'in both lists',
      () => ({ add: [new1, one()], remove: [one()] }),
      { field: 'add.1', message: 'also appears in remove' },
    ],
    ['added that is there', () => ({ add: [new1, one()] }), { field: 'add.1', message: 'already' }],
    [
      'removed that is not',
      () => ({ remove: [new1] }),
      { field: 'remove.0', message: 'is not an executive authority' },
    ],
    [
      'that removes the last',
      () => ({ remove: [one()] }),
      { field: 'remove', message: 'no executive authority' },
    ],
    [
      'to 9',
      () => ({ add: many.slice(0, 8) }),
      { field: 'add', message: 'would lead to 9 executive authorities' },
    ],
    ['of 9 added', () => ({ add: many, remove: [one()] }), { field: 'add', message: 'at most 8 items' }],
    [
      'that is no key',
      () => ({ add: ['x'] }),
      { code: 'invalid_wallet', field: 'add.0', message: 'public key' },
    ],
    [
      'off the curve',
      () => ({ add: [new1, pda()] }),
      { code: 'invalid_wallet', field: 'add.1', message: 'public key' },
    ],
    [
      'removed off the curve',
      () => ({ remove: [pda()] }),
      { code: 'invalid_wallet', field: 'remove.0', message: 'public' },
    ],
    [
      'zero',
      () => ({ add: ['1'.repeat(32)] }),
      { code: 'invalid_wallet', field: 'add.0', message: 'not a valid public key' },
    ],
    ['a number', () => ({ add: [1] }), { field: 'add.0', message: 'add.0' }],
    ['no list', () => ({ add: new1 }), { field: 'add', message: 'must be a list' }],
  ])(
    'a change of executives %s is refused',
    async (_, body, { code = 'invalid_request', field, message }) => {
      expect(await refused(() => executives(body()))).toEqual({
        status: 400,
        code,
        field,
        message: expect.stringContaining(message),
      });
    },
  );

  test('a change of executives is for the own partner, or for the admin', async () => {
    const body = { add: [new1] };
    expect(await refused(() => executives(body, other, treasury.update))).toMatchObject({
      status: 403,
      code: 'partner_mismatch',
    });
    for (const id of [newUuid(), 'nonsense', '%00']) {
      expect(await refused(() => admin.put(paths.executives(id), body))).toMatchObject({
        status: 404,
        code: 'partner_not_found',
      });
    }
    const offChain = await t.service.givenPartner();
    expect(await refused(() => admin.put(paths.executives(offChain.partnerId), body))).toMatchObject({
      status: 400,
      code: 'onchain_config_missing',
    });
    const upper = other.partnerId.toUpperCase();
    const { data } = expectStatus(await admin.put(paths.executives(upper), body), 200).body;
    expect(data).toMatchObject({
      partnerId: other.partnerId,
      transaction: { signingInstructions: { signers: [other.update.wallet.address] } },
    });
  });

  test('a change of executives is refused for its body first, then for the partner, its owner, and its result', async () => {
    const foreign = other.partnerId;
    const put = async (id: string, body: unknown) => {
      const { error } = (await treasury.update.put(paths.executives(id), body)).body;
      return [error.code, error.field];
    };
    const one = treasury.executive.wallet.address;
    expect(await put('nonsense', { add: 1 })).toEqual(['invalid_request', 'add']);
    expect(await put(foreign, { add: ['x'] })).toEqual(['invalid_wallet', 'add.0']);
    expect(await put(newUuid(), { remove: [one] })).toEqual(['partner_not_found', undefined]);
    expect(await put(foreign, { remove: [one] })).toEqual(['partner_mismatch', undefined]);
    expect(await put(treasury.partnerId, { remove: [new1] })).toEqual(['invalid_request', 'remove.0']);
  });

  test('swaps all of 8 for 8 others in one transaction', async () => {
    const partner = await t.given.treasury(await t.service.givenPartner());
    const { partnerId } = partner;
    const first = Array.from({ length: 7 }, () => newWallet().address);
    const next = Array.from({ length: 8 }, () => newWallet().address);
    const { program } = t.service.ctx.chain;
    await eventually(() => expect(program.integrator(partnerId)).toBeDefined(), 10_000);
    const seen = () => program.integrator(partnerId)?.data.executives.filter((key) => key !== '1'.repeat(32));
    const change = async (body: object) => {
      const response = expectStatus(await executives(body, partner), 200);
      return t.tradebook.submit(signedBy(transactionOf(response), partner.update.wallet));
    };
    expect(expectStatus(await change({ add: first }), 200).body.data.transaction.tokenBalanceChange).toEqual(
      {},
    );
    const all = [partner.executive.wallet.address, ...first];
    await eventually(() => expect(seen()?.sort()).toEqual([...all].sort()), 10_000);
    expectStatus(await change({ add: next, remove: all }), 200);
    await eventually(() => expect(seen()?.sort()).toEqual([...next].sort()), 10_000);
    expect(await refused(() => purchase({}, partner.executive))).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    });
  });
});

test('a purchase is refused for its body first, then for its price, and for what the vault holds last', async () => {
  const ask = async (body: object) => (await purchase(body, other.executive)).body.error.code;
  // The vault of this partner holds next to nothing.
  expect(await ask({ goldAmount: 0, maxUsdcAmount: 1, metadata: [] })).toBe('invalid_request');
  expect(await ask({ goldAmount: 250, maxUsdcAmount: 1 })).toBe('invalid_request');
  expect(await ask({ maxUsdcAmount: 1 })).toBe('max_usdc_exceeded');
  expect(await ask({})).toBe('insufficient_reserve');
});

describe('records', () => {
  test('records are for their own partner, of their own kind', async () => {
    const { purchaseId } = expectStatus(await purchase(), 201).body.data;
    const { sellId } = expectStatus(await sale(), 201).body.data;
    const { withdrawalId } = expectStatus(await withdrawal(), 201).body.data;
    const routes = [
      ['purchases', purchaseId, 'purchase_not_found'],
      ['sales', sellId, 'sale_not_found'],
      ['withdrawals', withdrawalId, 'withdrawal_not_found'],
    ] as const;
    for (const [route, own, missing] of routes) {
      const get = (id: string, client: RoleClient) => client.get(`/api/trading/${route}/${id}`);
      for (const client of [treasury.executive, treasury.update, treasury.withdrawal]) {
        expectStatus(await get(own, client), 200);
      }
      expectStatus(await get(own.toUpperCase(), treasury.executive), 200);
      for (const client of [other.executive, other.update, admin]) {
        expect(await get(own, client)).toMatchObject({
          status: 403,
          body: { error: { code: 'partner_mismatch' } },
        });
      }
      const foreign = routes.map(([, id]) => id).filter((id) => id !== own);
      for (const id of [newUuid(), 'nonsense', '%00', ...foreign]) {
        expect(await get(id, treasury.executive)).toMatchObject({
          status: 404,
          body: { error: { code: missing } },
        });
      }
    }
  });
});

/** What stops orders, one after the other, because they change the chain for all. */
describe('orders that the chain does not allow', () => {
  const trades = { purchase, sale };
  const all = { purchase, sale, withdrawal };
  const works = async () => {
    for (const ask of Object.values(all))
      await eventually(async () => expectStatus(await ask(), 201), 10_000);
  };
  const becomes = (ask: () => Promise<ApiResponse>, expected: object) =>
    eventually(async () => expect(await refused(ask)).toMatchObject(expected), 10_000);

  test.each([
    [2, ['purchase', 'sale'], 'Purchases and sales of partners are paused.'],
    [4, ['withdrawal'], 'Withdrawals are paused.'],
  ] as const)('pause flag %d stops %j alone', async (paused, stopped, message) => {
    await t.chain.setStatus({ paused });
    for (const name of stopped) {
      await becomes(() => all[name](), { status: 503, code: 'service_unavailable', message });
    }
    for (const name of Object.keys(all) as (keyof typeof all)[]) {
      if (!(stopped as readonly string[]).includes(name)) expectStatus(await all[name](), 201);
    }
    expectStatus(await executives({ add: [newWallet().address] }), 200);
    await t.chain.setStatus({ paused: 0 });
    await works();
  });

  test('a pause of users’ trades stops none of it, and a closed market with its fee is reported', async () => {
    await t.chain.setStatus({ paused: 1, marketState: MarketState.Closed });
    await eventually(async () => {
      const { data } = expectStatus(await purchase(), 201).body;
      // 100 basis points while the market is closed.
      expect(data.quoteUsdcAmount).toBe(4_141.535354);
    }, 10_000);
    await works();
    await t.chain.setStatus({});
    await works();
  });

  test('a partner that is suspended on chain may withdraw and change its executives, not trade', async () => {
    const { chain } = t;
    const partner = treasury;
    const terms = {
      partnerId: partner.partnerId,
      wallet: newWallet().address,
      updateAuthority: partner.update.wallet.address,
      withdrawalAuthority: partner.withdrawal.wallet.address,
    };
    await chain.changePartner(partner.integrator, terms, IntegratorStatus.Suspended);
    for (const ask of Object.values(trades)) {
      await becomes(ask, {
        status: 403,
        code: 'partner_suspended',
        message: 'The partner is suspended on chain.',
      });
    }
    expectStatus(await withdrawal(), 201);
    expectStatus(await executives({ add: [newWallet().address] }, partner), 200);
    await chain.changePartner(partner.integrator, terms, IntegratorStatus.Active);
    await works();
  });

  test('a treasury that is short stops the side that it is short for', async () => {
    const { chain } = t;
    const { treasuryAuthority } = chain.addresses;
    const held = (await t.balances({ vault: treasury.vault })).treasury;
    await chain.node.setTokenBalance(treasuryAuthority, chain.goldMint, 999_999n);
    await chain.node.setTokenBalance(treasuryAuthority, chain.usdcMint, 4_100_119_999n);
    await becomes(purchase, {
      status: 503,
      message: 'The treasury does not hold enough gold for this purchase.',
    });
    await becomes(sale, { status: 503, message: 'The treasury does not hold enough USDC for this sale.' });
    expectStatus(await purchase({ goldAmount: 0.999999 }), 201);
    expectStatus(await sale({ goldAmount: 0.999999, minimumUsdcAmount: 0 }), 201);
    await chain.node.setTokenBalance(treasuryAuthority, chain.goldMint, held.gold);
    await chain.node.setTokenBalance(treasuryAuthority, chain.usdcMint, held.usdc);
    await works();
  });

  test('a price that is stale stops trades, not withdrawals', async () => {
    t.chain.price.set({ ...usualPrice, publishTimeSeconds: BigInt(t.chain.node.nowUnixSeconds()) - 120n });
    for (const ask of Object.values(trades)) {
      await becomes(ask, { status: 503, code: 'pricing_unavailable' });
    }
    expectStatus(await withdrawal(), 201);
    t.chain.price.set(usualPrice);
    await works();
  });

  test('a node that does not report what the vault holds is 503, and nothing is written', async () => {
    const about = tokenAccountOf(treasury.vault, usdcOf(t.chain));
    await t.chain.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 1, about });
    expect(await refused(purchase)).toMatchObject({
      status: 503,
      message: 'The Solana node does not report what the vault holds; try again shortly.',
    });
    await works();
  });
});

test('orders that the chain has not confirmed stay pending', async () => {
  const rows = await t.service.ctx.db.execute(sql`select distinct status from orders`);
  expect(rows).toEqual([{ status: 'pending_signature' }]);
});

test('an order is of the kind of its path, whatever else the body names', async () => {
  const sold = expectStatus(await sale({ side: 'purchase', maxUsdcAmount: 5_000 }), 201);
  expect(await rowOf(sold.body.data.sellId)).toMatchObject({ kind: 'sale' });
  const add = [(await newWallet()).address];
  const changed = expectStatus(await executives({ partnerId: treasury.partnerId, add }), 200);
  expect(changed.body.data.partnerId).toBe(other.partnerId);
});

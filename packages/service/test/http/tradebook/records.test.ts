import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenAccountOf, tokenOf } from '../../../src/chain/program/token-accounts.js';
import { deadLetters } from '../../../src/db/schema.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { nameOrder } from '../../chain/receipts.js';
import { type ApiResponse, expectStatus, newWallet } from '../../harness.js';
import { givenKey, type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { ordered, paths, signatureOf, signedBy, transactionOf } from '../../ordering.js';

/** Orders from their creation to the end that the chain gives them, over HTTP, moved by the indexer alone. */

let t: Karat;
let treasury: Treasury;
let indexer: ReturnType<typeof startIndexer>;
const quickly = {
  pollMs: 50,
  idlePollMs: 1_000,
  finalAfterMs: 0,
  finalizeMs: 200,
  lapseMs: 300,
  electionMs: 1_000,
};
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
  indexer = startIndexer(t.service.ctx, quickly);
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
});

const purchase = (body: object = {}) =>
  ordered(treasury.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000, ...body });
const sale = () => ordered(treasury.executive, paths.sales, { goldAmount: 2, minimumUsdcAmount: 0 });
const withdrawal = (body: object) => ordered(treasury.withdrawal, paths.withdrawals, body);

/** Any key of the partner reads any record of it. */
const read = async (path: string) =>
  expectStatus(await treasury.update.get(`/api/trading/${path}`), 200).body.data;
const becomes = (path: string, status: string) =>
  eventually(async () => {
    const record = await read(path);
    expect(record.status).toBe(status);
    return record;
  }, 15_000);
const deadLettersOf = async (signature: string) =>
  (await t.service.ctx.db.select().from(deadLetters)).filter(
    (deadLetter) => deadLetter.signature === signature,
  );

/** Base units that moved to the vault, as submit returns them. */
const changeOf = (response: ApiResponse, owner: string) =>
  expectStatus(response, 200).body.data.transaction.tokenBalanceChange[owner];

describe('an order that lands becomes confirmed, with what was executed', () => {
  test('an order for a purchase that was submitted becomes confirmed', async () => {
    const { response, signed } = await purchase({ metadata: { reference: 'PO-1' } });
    const { purchaseId } = response.body.data;
    const moved = changeOf(await t.tradebook.submit(signed), treasury.vault);
    expect(moved).toEqual({ gold: 1_000_000, usdc: -4_120_723_619 });
    const { updatedAt, ...record } = await becomes(`purchases/${purchaseId}`, 'confirmed');
    const { transaction, ...created } = response.body.data;
    expect(record).toEqual({
      ...created,
      status: 'confirmed',
      executedGoldAmount: 1,
      executedUsdcAmount: 4_120.723619,
      executedGoldPrice: 4_100.12,
      feeUsdcAmount: 20.603619,
      signer: treasury.executive.wallet.address,
      signature: signatureOf(signed),
      failureReason: null,
      metadata: { reference: 'PO-1' },
      expiresAt: transaction.signingInstructions.expiresAt,
    });
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.createdAt));
    expect(await deadLettersOf(signatureOf(signed))).toEqual([]);
  });

  test('an order for a sale that reached the chain without the service becomes confirmed', async () => {
    const { response, signed } = await sale();
    const before = await t.balances({ vault: treasury.vault });
    await t.chain.sendStraight(signed);
    const record = await becomes(`sales/${response.body.data.sellId}`, 'confirmed');
    expect(record).toMatchObject({
      goldAmount: 2,
      executedGoldAmount: 2,
      executedUsdcAmount: response.body.data.quoteUsdcAmount,
      signature: signatureOf(signed),
    });
    const { vault } = await t.balances({ vault: treasury.vault });
    expect(vault).toEqual({
      gold: before.vault.gold - 2_000_000n,
      usdc: before.vault.usdc + BigInt(Math.round(record.executedUsdcAmount * 1e6)),
    });
  });

  test('orders for withdrawals of both tokens become confirmed, to the account of the authority', async () => {
    const { wallet } = treasury.withdrawal;
    for (const [tokenType, mint] of [
      ['usdc', t.chain.usdcMint],
      ['GOLD', t.chain.goldMint],
    ] as const) {
      const { response, signed } = await withdrawal({ amount: 3.000001, tokenType });
      const moved = changeOf(await t.tradebook.submit(signed), wallet.address);
      expect(Object.values(moved).sort()).toEqual([0, 3_000_001]);
      const record = await becomes(`withdrawals/${response.body.data.withdrawalId}`, 'confirmed');
      expect(record).toMatchObject({
        amount: 3.000001,
        tokenType: tokenType.toLowerCase(),
        executedAmount: 3.000001,
        destination: tokenAccountOf(wallet.address, tokenOf(mint, t.chain)),
        signature: signatureOf(signed),
      });
    }
  });
});

test('an order that the chain refuses becomes failed, with the words of the program', async () => {
  const { response, signed } = await purchase({ maxUsdcAmount: 4_121 });
  const path = `purchases/${response.body.data.purchaseId}`;
  t.chain.price.set({ ...usualPrice, price: usualPrice.price * 2n });
  await t.chain.landed(await t.chain.sendStraight(signed));
  t.chain.node.warp({ slots: 40 });
  const record = await becomes(path, 'failed');
  expect(record).toMatchObject({
    executedGoldAmount: null,
    executedUsdcAmount: null,
    executedGoldPrice: null,
    feeUsdcAmount: null,
    signature: signatureOf(signed),
    failureReason: expect.stringMatching(/^SlippageExceeded: /),
  });
  t.chain.price.set(usualPrice);
  await eventually(() => expect(t.service.ctx.chain.price.current().price).toBe(usualPrice.price), 10_000);
});

describe('a call that names an order without being its own', () => {
  test('another purchase under the id of an order is confirmed as another, and is a dead letter', async () => {
    const { response, signed } = await purchase();
    const { purchaseId } = response.body.data;
    const other = await purchase({ goldAmount: 2, maxUsdcAmount: 10_000 });
    const { programAddress } = t.service.ctx.chain;
    const forged = signedBy(
      nameOrder(
        Buffer.from(other.signed),
        { integrator: treasury.integrator, from: other.response.body.data.purchaseId, to: purchaseId },
        programAddress,
      ),
      treasury.executive.wallet,
    );
    expect((await t.tradebook.submit(forged)).body.error).toMatchObject({
      code: 'transaction_not_supported',
      message: expect.stringContaining(`It names the order ${purchaseId}, but does not match it`),
    });
    await t.chain.sendStraight(forged);
    const { data } = expectStatus(await t.tradebook.submit(forged), 200).body;
    expect(data.transaction.transactionId).not.toBe(purchaseId);
    expect(data.transaction.tokenBalanceChange[treasury.vault].gold).toBe(2_000_000);
    await eventually(
      async () =>
        expect(await deadLettersOf(signatureOf(forged))).toMatchObject([
          { reason: 'order_mismatch', detail: { order_id: purchaseId, status: 'pending_signature' } },
        ]),
      15_000,
    );
    expect(await read(`purchases/${purchaseId}`)).toMatchObject({
      status: 'pending_signature',
      signature: null,
    });
    // What was executed has a record of its own, under the id that submit gave it.
    expect(await becomes(`purchases/${data.transaction.transactionId}`, 'confirmed')).toMatchObject({
      executedGoldAmount: 2,
      quoteUsdcAmount: null,
      quotedGoldPrice: null,
      metadata: null,
      expiresAt: null,
    });
    // Its executive has used up the id of the order, which the chain executes no more.
    expect((await t.tradebook.submit(signed)).body.error).toMatchObject({
      code: 'broadcast_failed',
      message: expect.stringContaining('OrderExecuted: '),
    });
    expect(await read(`purchases/${purchaseId}`)).toMatchObject({ status: 'pending_signature' });
  });
});

test('an executive that was added buys, and the one that was removed is refused by key and by chain', async () => {
  const { executive, update, partnerId } = treasury;
  const successor = newWallet();
  t.chain.node.airdrop(successor.address, 1_000_000_000n);
  const last = await purchase();
  const change = async (body: object) => {
    const response = expectStatus(await update.put(paths.executives(partnerId), body), 200);
    return expectStatus(await t.tradebook.submit(signedBy(transactionOf(response), update.wallet)), 200);
  };
  await change({ add: [successor.address], remove: [executive.wallet.address] });
  const scope = 'PARTNER_EXECUTIVE_AUTHORITY';
  const added = await givenKey(t.service, { partnerId, wallet: successor, scope });
  const { response, signed } = await eventually(
    () => ordered(added, paths.purchases, { goldAmount: 0.5, maxUsdcAmount: 5_000 }),
    10_000,
  );
  expect(changeOf(await t.tradebook.submit(signed), treasury.vault).gold).toBe(500_000);
  expect(await becomes(`purchases/${response.body.data.purchaseId}`, 'confirmed')).toMatchObject({
    signer: successor.address,
  });
  expect((await t.tradebook.submit(last.signed)).body.error).toMatchObject({
    code: 'broadcast_failed',
    message: expect.stringContaining('NotExecutive: '),
  });
  await eventually(
    async () =>
      expect((await executive.post(paths.purchases, {})).body.error?.code).toBe('insufficient_scope'),
    10_000,
  );
  await change({ add: [executive.wallet.address], remove: [successor.address] });
  await eventually(async () => expectStatus((await purchase()).response, 201), 10_000);
});

test('an order that can no longer land becomes expired', async () => {
  const { response, signed } = await withdrawal({ amount: 1, tokenType: 'usdc' });
  const path = `withdrawals/${response.body.data.withdrawalId}`;
  expect((await read(path)).status).toBe('pending_signature');
  t.chain.node.warp({ seconds: 120 });
  const record = await becomes(path, 'expired');
  expect(record).toMatchObject({ signature: null, executedAmount: null, failureReason: null });
  expect((await t.tradebook.submit(signed)).body.error).toMatchObject({
    code: 'broadcast_failed',
    message: `The order ${response.body.data.withdrawalId} has expired; place a new one. Nothing was sent.`,
  });
  await t.ready();
});

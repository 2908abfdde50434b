import type { Base64EncodedWireTransaction } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyRecord, recordChain } from '../../../src/actions/indexing/record-chain.js';
import type { TradeFacts } from '../../../src/actions/trades/write-trades.js';
import { noFailure } from '../../../src/db/failure.js';
import { newId, type TradeId, type Uuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { expectStatus, harness } from '../../harness.js';
import { startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { signatureNamed } from '../../named-keys.js';

let h: Awaited<ReturnType<typeof harness>>;

beforeAll(async () => {
  h = await harness();
});

afterAll(() => h.close());

let trades = 0;

/** Writes a trade as the indexer does. */
async function givenTrade(partnerId: Uuid, changes: Partial<TradeFacts> = {}): Promise<TradeId> {
  trades += 1;
  const user = await h.givenUser(partnerId);
  const trade: TradeFacts = {
    id: newId('trd'),
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_250_000n),
    goldAmount: goldUnits(24_267n),
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: usdcUnits(501_250n),
    eventSeq: BigInt(trades),
    ...noFailure,
    userWallet: user.wallet.address,
    integrator: await h.ctx.chain.program.integratorAddress(partnerId),
    partnerId,
    ...changes,
  };
  const signature = signatureNamed(`tx-${trades}`);
  const record = { ...emptyRecord(signature, 5n), trade };
  await recordChain(h.ctx, [record]);
  return trade.id;
}

describe('GET /v1/trades/{trade_id}', () => {
  test('GET /v1/trades/{trade_id} returns the record, exact, with its moments', async () => {
    const id = await givenTrade(h.main.partnerId);
    const response = await h.partner.get(`/v1/trades/${id}`);
    const now = new Date(h.clock.now()).toISOString();
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      trade_id: id,
      side: 'buy',
      status: 'confirmed',
      usdc_amount: 100.25,
      gold_amount: 0.024267,
      price_per_troy_oz: 4100.12,
      fee_bps: 50,
      fee_usd: 0.50125,
      submitted_tx_hash: signatureNamed(`tx-${trades}`),
      created_at: now,
      updated_at: now,
    });
  });

  test('a price of more than 8 decimals is rounded, half up', async () => {
    const id = await givenTrade(h.main.partnerId, { pricePerTroyOz: '4100.123456785' });
    expect((await h.partner.get(`/v1/trades/${id}`)).text).toContain('"price_per_troy_oz":4100.12345679,');
  });

  test('a failed trade has the known side and zeros', async () => {
    const id = await givenTrade(h.main.partnerId, {
      side: 'sell',
      status: 'failed',
      usdcAmount: usdcUnits(0n),
      goldAmount: goldUnits(2_000_000n),
      pricePerTroyOz: '0',
      feeBps: 0,
      feeUsdc: usdcUnits(0n),
      eventSeq: null,
      failureReason: 'SlippageExceeded: request a new quote.',
      reason: 'slippage_exceeded',
      programErrorName: 'SlippageExceeded',
      partnerId: undefined,
    });
    const { body } = await h.partner.get(`/v1/trades/${id}`);
    expect(body).toMatchObject({
      side: 'sell',
      status: 'failed',
      usdc_amount: 0,
      gold_amount: 2,
      price_per_troy_oz: 0,
      fee_bps: 0,
      fee_usd: 0,
      reason: 'slippage_exceeded',
      program_error_name: 'SlippageExceeded',
      message: 'SlippageExceeded: request a new quote.',
    });
    const listed = await h.partner.get('/v1/trades?status=failed');
    expect(listed.body.trades).toEqual([body]);
    expect(body).not.toHaveProperty('failure_reason');
  });

  test('the trade of another partner: 403 partner_mismatch', async () => {
    const other = await h.givenPartner();
    const id = await givenTrade(other.partnerId);
    expect(await h.partner.get(`/v1/trades/${id}`)).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch', message: 'This trade belongs to another partner.' },
    });
    expect((await other.client.get(`/v1/trades/${id}`)).status).toBe(200);
  });

  test.each([
    newId('trd'),
    newId('gu'),
    'trd_',
    'TRD_0192F000-0000-7000-8000-000000000001',
    "trd_'; drop table trades; --",
    '%00',
    '..%2F..',
    'x'.repeat(2_000),
  ])('an unknown or malformed id is 404 trade_not_found: %s', async (id) => {
    expect(await h.partner.get(`/v1/trades/${encodeURI(id)}`)).toMatchObject({
      status: 404,
      body: { error: 'trade_not_found', message: 'There is no record of this trade, or none yet.' },
    });
  });

  test('a request for a trade without a key is 401, before anything is looked up', async () => {
    const id = await givenTrade(h.main.partnerId);
    expect(await h.anonymous.get(`/v1/trades/${id}`)).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
  });

  test('a suspended partner: 403 partner_suspended', async () => {
    const suspended = await h.givenPartner({ status: 'suspended' });
    expect(await suspended.client.get(`/v1/trades/${newId('trd')}`)).toMatchObject({
      status: 403,
      body: { error: 'partner_suspended' },
    });
  });
});

test('a buy from quote to record: 404 until the chain has it, then what was quoted', async () => {
  const t = await startKarat();
  const indexer = startIndexer(t.service.ctx, { finalAfterMs: 0 });
  try {
    const { tradeId, transaction, response } = await t.buy.quoted({ usdc_amount: 250.5 });
    const get = () => t.partner.client.get(`/v1/trades/${tradeId}`);
    expect(await get()).toMatchObject({ status: 404, body: { error: 'trade_not_found' } });
    const { body } = expectStatus(await t.buy.submit(tradeId, await t.signed(transaction)), 200);
    const record = await eventually(async () => expectStatus(await get(), 200), 10_000);
    const { usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usd } = response.body.quote;
    expect(record.body).toMatchObject({
      trade_id: tradeId,
      side: 'buy',
      status: 'confirmed',
      usdc_amount,
      gold_amount,
      price_per_troy_oz,
      fee_bps,
      fee_usd,
      submitted_tx_hash: body.tx_hash,
    });

    // Sent past the checks of submit and node, a quote whose floor cannot be met lands and fails.
    const quote = await t.buy.quoted({ usdc_amount: 10, min_gold_out: 1000 });
    const wire = Buffer.from(await t.signed(quote.transaction)).toString('base64');
    const txHash = await t.service.ctx.chain.rpc
      .sendTransaction(wire as Base64EncodedWireTransaction, { encoding: 'base64', skipPreflight: true })
      .send();
    await t.chain.landed(txHash);
    t.chain.node.warp({ slots: 40 });
    const failed = await eventually(
      async () => expectStatus(await t.partner.client.get(`/v1/trades/${quote.tradeId}`), 200),
      10_000,
    );
    expect(failed.body).toMatchObject({
      status: 'failed',
      usdc_amount: 10,
      gold_amount: 0,
      price_per_troy_oz: 0,
      fee_bps: 0,
      fee_usd: 0,
    });
  } finally {
    await indexer.stop();
    await t.stop();
  }
});

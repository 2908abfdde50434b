import {
  getBuyInstructionDataDecoder,
  getSellInstructionDataDecoder,
  IntegratorStatus,
  MarketState,
} from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import { createSolanaRpc, getAddressDecoder } from '@solana/kit';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { noLimit } from '../../../src/chain/program/window.js';
import { partnerWallets } from '../../../src/db/schema.js';
import { newId } from '../../../src/domain/ids.js';
import { parseMemo } from '../../../src/domain/memo.js';
import { formatDecimal } from '../../../src/domain/money.js';
import { floorOf, quoteBuy, quoteSell } from '../../../src/domain/quote.js';
import { instructionsOf } from '../../chain/signed-trade.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { median } from '../../median.js';

let t: Karat;

beforeAll(async () => {
  t = await startKarat();
});
afterAll(() => t.stop());

/** Data of the trade instruction and of the memo of a quote's transaction. */
function dataIn(transaction: Uint8Array) {
  const list = instructionsOf(transaction, (key) => getAddressDecoder().decode(key));
  const dataOf = (program: string) =>
    Buffer.from(list.find((one) => one.programAddress === program)?.data ?? []);
  return {
    trade: dataOf(t.service.ctx.chain.programAddress),
    memo: parseMemo(dataOf(memoProgram).toString('utf8')),
  };
}

function contentOf(transaction: Uint8Array) {
  const { trade, memo } = dataIn(transaction);
  return { args: getBuyInstructionDataDecoder().decode(trade), memo };
}

function sellContentOf(transaction: Uint8Array) {
  const { trade, memo } = dataIn(transaction);
  return { args: getSellInstructionDataDecoder().decode(trade), memo };
}

const eventuallyRefused = (body: object, expected: object) =>
  eventually(async () => expect(await t.buy.quote(body)).toMatchObject(expected), 10_000);

describe('a quote', () => {
  test('a quote has the fields of the specification, a trade id and the life of its blockhash', async () => {
    const rpc = createSolanaRpc(t.chain.node.rpcUrl);
    const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    const { response } = await t.buy.quoted();
    expect(response.body).toEqual({
      trade_id: expect.stringMatching(/^trd_[0-9a-f-]{36}$/),
      side: 'buy',
      quote: {
        usdc_amount: 100,
        gold_amount: 0.024267,
        price_per_troy_oz: 4100.12,
        fee_bps: 50,
        fee_usd: 0.5,
        min_gold_out: 0.024145,
        max_gold_out: 0.024509,
      },
      partially_signed_transaction: expect.any(String),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_valid_block_height: expect.any(Number),
    });
    const lifeMs = Date.parse(response.body.expires_at) - t.chain.clock.now();
    expect(lifeMs).toBeGreaterThan(55_000);
    expect(lifeMs).toBeLessThanOrEqual(60_000);
    expect(Math.abs(response.body.last_valid_block_height - Number(height) - 150)).toBeLessThan(10);
  });

  test('a quote has the same exact amounts in figures and transaction, for amounts of every size', async () => {
    const sizes = [
      100n,
      12_345n,
      999_999n,
      1_000_001n,
      77_777_777n,
      123_456_789n,
      100_000_000_000n,
      999_999_999_999n,
    ];
    const random = Array.from({ length: 60 }, () => BigInt(Math.floor(Math.random() * 4e12)) + 5_000n);
    for (const usdcIn of [...sizes, ...random.map((amount) => amount % 1_000_000_000_000n || 5_000n)]) {
      const slippage = Number(usdcIn % 10_001n);
      const text = `{"service_user_id":"${t.user.id}","usdc_amount":${formatDecimal(usdcIn, 6)},"slippage_bps":${slippage}}`;
      const { goldOut, fee } = quoteBuy({ usdcIn, feeBps: 50, ...usualPrice });
      const response = await t.partner.client.post('/v1/buy', text);
      if (goldOut === 0n) {
        expect(response).toMatchObject({
          status: 400,
          body: { error: 'invalid_request', field: 'usdc_amount' },
        });
        continue;
      }
      expectStatus(response, 200);
      const figure = (name: string) => new RegExp(`"${name}":([^,}]+)`).exec(response.text)?.[1];
      const floor = floorOf(goldOut, slippage);
      const { args, memo } = contentOf(Buffer.from(response.body.partially_signed_transaction, 'base64'));
      expect({
        in: figure('usdc_amount'),
        out: figure('gold_amount'),
        fee: figure('fee_usd'),
        min: figure('min_gold_out'),
        max: figure('max_gold_out'),
      }).toEqual({
        in: formatDecimal(usdcIn, 6),
        out: formatDecimal(goldOut, 6),
        fee: formatDecimal(fee, 6),
        min: formatDecimal(floor, 6),
        max: formatDecimal(args.maxGoldOut, 6),
      });
      expect(args).toMatchObject({ usdcIn, minGoldOut: floor, maxFeeBps: 50 });
      expect(memo).toEqual({ kind: 'buy', id: response.body.trade_id, amount: usdcIn });
    }
  });

  test.each([
    ['no slippage', { slippage_bps: 0 }, 0.024267],
    ['all slippage', { slippage_bps: 10_000 }, 0],
    ['a floor', { min_gold_out: 0.02 }, 0.02],
    ['a floor of zero', { min_gold_out: 0 }, 0],
    ['a floor besides slippage', { min_gold_out: 0.01, slippage_bps: 10 }, 0.01],
    ['a floor above the quoted gold', { min_gold_out: 0.5 }, 0.5],
    ['a floor with more decimals, rounded up', { min_gold_out: 0.0200001 }, 0.020001],
    ['a floor below the smallest amount, rounded up', { min_gold_out: 1e-9 }, 0.000001],
  ])('honours %s', async (_, body, floor) => {
    const { transaction, response } = await t.buy.quoted(body);
    expect(response.body.quote.min_gold_out).toBe(floor);
    expect(contentOf(transaction).args.minGoldOut).toBe(BigInt(Math.round(floor * 1e6)));
  });

  test('a quote expires on chain within two minutes, whatever becomes of its blockhash', async () => {
    const { transaction, response } = await t.buy.quoted();
    const expireAt = contentOf(transaction).args.expireAt;
    expect(Number(expireAt) * 1000).toBeGreaterThanOrEqual(Date.parse(response.body.expires_at));
    expect(Number(expireAt) * 1000).toBeLessThan(t.chain.clock.now() + 120_000);
  });

  test.each(['buy', 'sell'] as const)('a quote of a %s writes nothing', async (side) => {
    // Has no token account, so whatever that takes is part of the quote.
    const { id } = await t.service.givenUser(t.partner.partnerId);
    const before = await rowsOfAllTables();
    const responses = await Promise.all([1, 2, 3].map(() => t[side].quote({ service_user_id: id })));
    for (const response of responses) expectStatus(response, 200);
    expect(await rowsOfAllTables()).toEqual(before);
    expect(before).toMatchObject({ users: expect.any(Array), leads: expect.any(Array) });
  });
});

/**
 * Every row of every table with the transaction that wrote it, but for what is written of any request, within a second: the
 * counts of its key, and the log of its partner.
 */
async function rowsOfAllTables(): Promise<Record<string, unknown>> {
  const { sql: run } = t.service.ctx;
  const tables = await run<{ name: string; table: string }[]>`
    select tablename as name, format('%I.%I', schemaname, tablename) as table
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')
      and tablename <> 'budgets' and tablename <> 'request_counts' and tablename not like 'request\\_log%'`;
  const rowsOf = async ({ name, table }: { name: string; table: string }) => {
    const row = name === 'api_keys' ? "to_jsonb(t) - 'last_used_at'" : 'to_jsonb(t), t.xmin::text';
    return [name, await run.unsafe(`select ${row} from ${table} as t order by 1`)];
  };
  return Object.fromEntries(await Promise.all(tables.map(rowsOf)));
}

describe('a quote is refused', () => {
  test.each<[string, unknown]>([
    ['usdc_amount', undefined],
    ['usdc_amount', null],
    ['usdc_amount', '100'],
    ['usdc_amount', ''],
    ['usdc_amount', []],
    ['usdc_amount', {}],
    ['usdc_amount', true],
    ['usdc_amount', 0],
    ['usdc_amount', -0.000001],
    ['usdc_amount', -100],
    ['usdc_amount', 1.0000001],
    ['usdc_amount', 2 ** 53],
    ['usdc_amount', 9_007_199_254.75],
    ['usdc_amount', 0.00005],
    ['usdc_amount', 1_000_000.000001],
    ['service_user_id', undefined],
    ['service_user_id', null],
    ['service_user_id', 7],
    ['service_user_id', ''],
    ['service_user_id', {}],
    ['slippage_bps', '50'],
    ['slippage_bps', -1],
    ['slippage_bps', 10_001],
    ['slippage_bps', 0.5],
    ['min_gold_out', '1'],
    ['min_gold_out', -0.000001],
    ['min_gold_out', -0.0000001],
    ['min_gold_out', 1e10],
  ])('a quote is refused with %s %j, naming the field', async (field, value) => {
    const response = await t.buy.quote({ [field]: value });
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field } });
    expect(response.body.message).toContain(field);
  });

  test.each(['1e309', '-1e309', '1e400'])('a quote is refused with usdc_amount %s', async (number) => {
    const text = `{"service_user_id":"${t.user.id}","usdc_amount":${number}}`;
    const response = await t.partner.client.post('/v1/buy', text);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'usdc_amount' } });
  });

  test('a quote is refused without a key', async () => {
    const response = await t.service.anonymous.post('/v1/buy', {});
    expect(response).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test.each(['nobody', newId('gu'), newId('trd'), 'gu_\u{1f600}', `gu_${'0'.repeat(10_000)}`])(
    'a quote is refused for the unknown user %s',
    async (id) => {
      const response = await t.buy.quote({ service_user_id: id });
      expect(response).toMatchObject({ status: 404, body: { error: 'user_not_found' } });
    },
  );

  test("a quote is refused for another partner's user", async () => {
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    expect(await t.buy.quote({ service_user_id: user.id })).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch' },
    });
  });

  test.each([
    ['kyc_level_insufficient', 400, { kycLevel: 'basic' }],
    ['kyc_level_insufficient', 400, { kyc: false as const }],
    ['kyc_level_insufficient', 400, { kycLevel: 'basic', status: 'suspended' as const }],
    ['user_suspended', 403, { status: 'suspended' as const }],
  ])('a quote is refused with %s', async (error, status, state) => {
    const user = await t.service.givenUser(t.partner.partnerId, state);
    expect(await t.buy.quote({ service_user_id: user.id })).toMatchObject({ status, body: { error } });
  });

  test('a quote is refused while the partner has no active wallet', async () => {
    const other = await t.service.givenPartner({ walletStatus: 'revoked' });
    const user = await t.service.givenUser(other.partnerId);
    const response = await other.client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 });
    expect(response).toMatchObject({ status: 400, body: { error: 'wallet_missing' } });
  });

  test('a quote is refused while the partner is not on chain, and works once it is', async () => {
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    const quote = () => other.client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 });
    expect(await quote()).toMatchObject({ status: 400, body: { error: 'onchain_config_missing' } });
    await t.chain.addPartner({ partnerId: other.partnerId, wallet: other.wallet.address, openFeeBps: 125 });
    await eventually(async () => expectStatus(await quote(), 200), 10_000);
    expect((await quote()).body.quote.fee_bps).toBe(125);
  });

  test('a quote is refused while the wallet on chain is none of the active ones', async () => {
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    const quote = () => other.client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 });
    await t.chain.addPartner({ partnerId: other.partnerId, wallet: other.wallet.address });
    await eventually(async () => expectStatus(await quote(), 200), 10_000);
    const replacement = newWallet().address;
    await t.service.ctx.db.transaction(async (tx) => {
      const now = new Date();
      await tx
        .update(partnerWallets)
        .set({ status: 'revoked', revokedAt: now })
        .where(eq(partnerWallets.partnerId, other.partnerId));
      await tx
        .insert(partnerWallets)
        .values({ walletAddress: replacement, partnerId: other.partnerId, createdAt: now });
    });
    expect(await quote()).toMatchObject({ status: 400, body: { error: 'onchain_config_missing' } });
  });
});

describe.each([
  ['buy', 'usdc_amount', 'gold_amount', 'min_gold_out'],
  ['sell', 'gold_amount', 'usdc_amount', 'min_usdc_out'],
] as const)('a quote of a %s for an outcome', (side, paid, wanted, floor) => {
  const quote = (body: object) =>
    t.partner.client.post(`/v1/${side}`, { service_user_id: t.user.id, ...body });

  test('a quote for an outcome takes the least that is expected to give it, and equals the quote for that amount', async () => {
    for (const amount of [0.000001, 0.5, 1.234567, 7, 199.999999]) {
      const { body } = expectStatus(await quote({ [wanted]: amount }), 200);
      expect(body.quote[wanted]).toBeGreaterThanOrEqual(amount);
      const same = expectStatus(await quote({ [paid]: body.quote[paid] }), 200);
      expect(same.body.quote).toEqual(body.quote);
      const less = await quote({ [paid]: (Math.round(body.quote[paid] * 1e6) - 1) / 1e6 });
      // What buys nothing at all is refused.
      expect(less.status === 400 || less.body.quote[wanted] < amount, `${amount}`).toBe(true);
      const content = side === 'buy' ? contentOf : sellContentOf;
      const { memo } = content(Buffer.from(body.partially_signed_transaction, 'base64'));
      expect(memo).toMatchObject({ kind: side, amount: BigInt(Math.round(body.quote[paid] * 1e6)) });
    }
  });

  test('a quote for an outcome has its floor below what is expected, or where the request has it', async () => {
    const { quote: expected } = expectStatus(await quote({ [wanted]: 2, slippage_bps: 100 }), 200).body;
    expect(expected[floor]).toBe(Math.floor(Math.round(expected[wanted] * 1e6) * 0.99) / 1e6);
    expect((await quote({ [wanted]: 2, [floor]: 2 })).body.quote[floor]).toBe(2);
  });

  test.each([
    [{ [paid]: 1, [wanted]: 1 }, wanted, `Give ${paid} or ${wanted}, not both.`],
    [{}, paid, `${paid} is required, or ${wanted} instead.`],
    [{ [wanted]: 0 }, wanted, `${wanted} must be positive.`],
    [{ [wanted]: -1 }, wanted, `${wanted} must be positive.`],
    [{ [wanted]: 1.0000001 }, wanted, `${wanted} can have at most 6 decimals.`],
    [
      { [wanted]: 9_000_000_000 },
      wanted,
      expect.stringMatching(/is too large: no trade|a trade can be worth at most 1000000/),
    ],
    [
      { [wanted]: side === 'buy' ? 300 : 1_000_000 },
      wanted,
      expect.stringMatching(/is worth 1\d{6}(\.\d+)? USDC; a trade can be worth at most 1000000\.$/),
    ],
  ])('an outcome of %j is refused, naming the field', async (body, field, message) => {
    expect(await quote(body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field, message },
    });
  });
});

test('a sell for an outcome returns that amount after another fee', async () => {
  const other = await t.service.givenPartner();
  const user = await t.service.givenUser(other.partnerId);
  await t.chain.addPartner({ partnerId: other.partnerId, wallet: other.wallet.address, openFeeBps: 200 });
  const quote = () => other.client.post('/v1/sell', { service_user_id: user.id, usdc_amount: 1_000 });
  const { body } = await eventually(async () => expectStatus(await quote(), 200), 10_000);
  expect(body.quote.usdc_amount).toBeGreaterThanOrEqual(1_000);
  expect(body.quote.usdc_amount).toBeLessThan(1_000.005);
});

describe('a quote of a sell', () => {
  test('a quote of a sell has the fields of the specification', async () => {
    const { response, transaction } = await t.sell.quoted({ gold_amount: 0.5 });
    expect(response.body).toEqual({
      trade_id: expect.stringMatching(/^trd_[0-9a-f-]{36}$/),
      side: 'sell',
      // 0.5 oz at 4,100.12 is 2,050.06; its half percent is 10.2503.
      quote: {
        gold_amount: 0.5,
        usdc_amount: 2039.8097,
        price_per_troy_oz: 4100.12,
        fee_bps: 50,
        fee_usd: 10.2503,
        min_usdc_out: 2029.610651,
        max_usdc_out: 2060.207797,
      },
      partially_signed_transaction: expect.any(String),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_valid_block_height: expect.any(Number),
    });
    const { args, memo } = sellContentOf(transaction);
    expect(args).toMatchObject({ goldIn: 500_000n, minUsdcOut: 2_029_610_651n, maxFeeBps: 50 });
    expect(memo).toEqual({ kind: 'sell', id: response.body.trade_id, amount: 500_000n });
  });

  test('a quote of a sell has the same exact amounts in figures and transaction, for amounts of every size', async () => {
    const sizes = [1n, 2n, 99n, 12_345n, 999_999n, 1_000_001n, 77_777_777n, 243_895_000n];
    const random = Array.from({ length: 40 }, () => BigInt(Math.floor(Math.random() * 2e8)) + 1n);
    for (const goldIn of [...sizes, ...random]) {
      const slippage = Number((goldIn * 7n) % 10_001n);
      const text = `{"service_user_id":"${t.user.id}","gold_amount":${formatDecimal(goldIn, 6)},"slippage_bps":${slippage}}`;
      const { usdcOut, fee } = quoteSell({ goldIn, feeBps: 50, ...usualPrice });
      const response = expectStatus(await t.partner.client.post('/v1/sell', text), 200);
      const figure = (name: string) => new RegExp(`"${name}":([^,}]+)`).exec(response.text)?.[1];
      const floor = floorOf(usdcOut, slippage);
      const { args, memo } = sellContentOf(Buffer.from(response.body.partially_signed_transaction, 'base64'));
      expect({
        in: figure('gold_amount'),
        out: figure('usdc_amount'),
        fee: figure('fee_usd'),
        min: figure('min_usdc_out'),
        max: figure('max_usdc_out'),
      }).toEqual({
        in: formatDecimal(goldIn, 6),
        out: formatDecimal(usdcOut, 6),
        fee: formatDecimal(fee, 6),
        min: formatDecimal(floor, 6),
        max: formatDecimal(args.maxUsdcOut, 6),
      });
      expect(args).toMatchObject({ goldIn, minUsdcOut: floor, maxFeeBps: 50 });
      expect(memo).toEqual({ kind: 'sell', id: response.body.trade_id, amount: goldIn });
    }
  });

  test.each([
    ['no slippage', { slippage_bps: 0 }, 407.96194],
    ['all slippage', { slippage_bps: 10_000 }, 0],
    ['a floor', { min_usdc_out: 400.000001 }, 400.000001],
    ['a floor of zero', { min_usdc_out: 0 }, 0],
    ['a floor besides slippage', { min_usdc_out: 1, slippage_bps: 10 }, 1],
    ['a floor above the quoted USDC', { min_usdc_out: 10_000 }, 10_000],
  ])('honours %s', async (_, body, floor) => {
    const { transaction, response } = await t.sell.quoted(body);
    expect(response.body.quote.min_usdc_out).toBe(floor);
    expect(sellContentOf(transaction).args.minUsdcOut).toBe(BigInt(Math.round(floor * 1e6)));
  });

  test.each([
    ['zero', 0, 'must be positive'],
    ['negative', -1, 'must be positive'],
    ['of 7 decimals', 1.0000001, 'at most 6 decimals'],
    // One base unit less is worth 999,999.997436 USDC.
    [
      'worth more than a trade can be',
      243.895301,
      'gold_amount is worth 1000000.001536 USDC; a trade can be worth at most 1000000.',
    ],
    ['far too large', 9_000_000_000, 'a trade can be worth at most 1000000'],
  ])('a quote of a sell is refused for an amount that is %s', async (_, amount, words) => {
    const response = await t.sell.quote({ gold_amount: amount });
    expect(response).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'gold_amount', message: expect.stringContaining(words) },
    });
  });

  test('a quote of a sell is refused for a user of another partner, and for an unknown user', async () => {
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    expect(await t.sell.quote({ service_user_id: user.id })).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch' },
    });
    expect(await t.sell.quote({ service_user_id: newId('gu') })).toMatchObject({
      status: 404,
      body: { error: 'user_not_found' },
    });
    expect(await other.client.post('/v1/sell', { service_user_id: user.id, gold_amount: 1 })).toMatchObject({
      status: 400,
      body: { error: 'onchain_config_missing' },
    });
  });
});

describe('a quote follows the chain', () => {
  const partnerTerms = () => ({ partnerId: t.partner.partnerId, wallet: t.partner.wallet.address });

  afterEach(async () => {
    t.chain.price.set(usualPrice);
    t.chain.price.thaw();
    await t.chain.setStatus({});
    await t.chain.changeSettings({});
    await t.chain.changePartner(t.integrator, partnerTerms(), IntegratorStatus.Active);
    const { treasuryAuthority } = t.chain.addresses;
    await t.chain.node.setTokenBalance(treasuryAuthority, t.chain.goldMint, 1_000_000_000n);
    await t.chain.node.setTokenBalance(treasuryAuthority, t.chain.usdcMint, 1_000_000_000_000n);
    await eventually(async () => {
      const { body } = expectStatus(await t.buy.quote({ usdc_amount: 1_000_000 }), 200);
      expect(body.quote).toMatchObject({ price_per_troy_oz: 4100.12, fee_bps: 50 });
      expectStatus(await t.sell.quote({ gold_amount: 200 }), 200);
    }, 10_000);
  });

  test('a quote follows the chain: a suspension of the partner', async () => {
    await t.chain.changePartner(t.integrator, partnerTerms(), IntegratorStatus.Suspended);
    await eventuallyRefused(
      {},
      { status: 403, body: { error: 'partner_suspended', reason: 'partner_suspended' } },
    );
  });

  test('a quote follows the chain: a changed fee', async () => {
    await t.chain.changePartner(t.integrator, { ...partnerTerms(), openFeeBps: 75 }, IntegratorStatus.Active);
    await eventually(async () => expect((await t.buy.quote()).body.quote.fee_bps).toBe(75), 10_000);
  });

  test('a quote follows the chain: the fee of a closed market, and the end of trading in it', async () => {
    await t.chain.setStatus({ marketState: MarketState.Closed });
    await eventually(async () => expect((await t.buy.quote()).body.quote.fee_bps).toBe(100), 10_000);
    await t.chain.changeSettings({ maxAgeClosed: 0 });
    const message = expect.stringContaining('market is closed');
    const closed = { error: 'pricing_unavailable', reason: 'market_closed', message };
    await eventuallyRefused({}, { status: 503, body: closed });
  });

  test('a quote follows the chain: a pause', async () => {
    await t.chain.setStatus({ paused: 1 });
    const message = 'Trading is paused.';
    const paused = { error: 'service_unavailable', reason: 'trading_paused', message };
    await eventuallyRefused({}, { status: 503, body: paused });
    // A pause of the partner instructions is none of trades.
    await t.chain.setStatus({ paused: 6 });
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });

  test('a quote follows the chain: a lowered limit of trades', async () => {
    await t.chain.changeSettings({ maxTradeUsdc: 99_999_999n });
    const tooLarge = {
      error: 'invalid_request',
      field: 'usdc_amount',
      message: expect.stringContaining('99.999999'),
    };
    await eventuallyRefused({}, { status: 400, body: tooLarge });
    expectStatus(await t.buy.quote({ usdc_amount: 99.999999 }), 200);
  });

  test('a quote follows the chain: a partner’s limit for 24 hours, which counts users and vault together', async () => {
    const change = (dailyLimitUsdc: bigint) =>
      t.chain.changePartner(t.integrator, { ...partnerTerms(), dailyLimitUsdc }, IntegratorStatus.Active);
    await change(99_999_999n);
    const refusal = (message: string) => ({ status: 400, body: { error: 'invalid_request', message } });
    const room = 'the partner may trade 99.999999 USDC in 24 hours, of which 99.999999 are left.';
    await eventuallyRefused({}, refusal(`usdc_amount comes to 100 USDC; ${room}`));
    expectStatus(await t.buy.quote({ usdc_amount: 99.999999 }), 200);
    expect(await t.sell.quote()).toMatchObject({ status: 400, body: { field: 'gold_amount' } });
    await change(noLimit);
    await eventually(async () => expectStatus(await t.buy.quote({}), 200), 10_000);
  });

  test('a quote follows the chain: a treasury that has paid out what it may in 24 hours', async () => {
    await t.chain.changeSettings({ dailyOutflowGold: 24_266n });
    const message = 'The treasury cannot pay out more gold for now: its limit for 24 hours is reached.';
    await eventuallyRefused({}, { status: 503, body: { error: 'service_unavailable', message } });
    expectStatus(await t.buy.quote({ usdc_amount: 99.99 }), 200);
    expectStatus(await t.sell.quote(), 200);
    await t.chain.changeSettings({ dailyOutflowUsdc: 410_011_999n });
    const short = 'The treasury cannot pay out more USDC for now: its limit for 24 hours is reached.';
    await eventually(
      async () => expect(await t.sell.quote()).toMatchObject({ status: 503, body: { message: short } }),
      10_000,
    );
    expectStatus(await t.buy.quote({}), 200);
  });

  test('a quote follows the chain: a fee that the program no longer allows', async () => {
    await t.chain.changeSettings({ maxFeeBps: 49 });
    const message = expect.stringContaining('above what the program allows');
    await eventuallyRefused({}, { status: 503, body: { error: 'service_unavailable', message } });
  });

  test('a quote follows the chain: a treasury that cannot cover the trade', async () => {
    await t.chain.node.setTokenBalance(t.chain.addresses.treasuryAuthority, t.chain.goldMint, 24_266n);
    const message = expect.stringContaining('treasury');
    await eventuallyRefused({}, { status: 503, body: { error: 'service_unavailable', message } });
    // One base unit of gold less and it is covered to the last.
    expectStatus(await t.buy.quote({ usdc_amount: 99.99 }), 200);
    // Gold that is sold needs none of it.
    expectStatus(await t.sell.quote(), 200);
  });

  test('a quote follows the chain: a treasury that cannot pay for the gold and the fee', async () => {
    // 0.1 oz is 410.012 USDC, of which the fee takes a part.
    await t.chain.node.setTokenBalance(t.chain.addresses.treasuryAuthority, t.chain.usdcMint, 410_011_999n);
    const message = 'The treasury does not hold enough USDC for this trade.';
    await eventually(
      async () =>
        expect(await t.sell.quote()).toMatchObject({
          status: 503,
          body: { error: 'service_unavailable', message },
        }),
      10_000,
    );
    expectStatus(await t.sell.quote({ gold_amount: 0.099999 }), 200);
    expectStatus(await t.buy.quote(), 200);
  });

  test('a quote follows the chain: a fee that leaves nothing of a sell', async () => {
    // At 1.50 USD, 1 base unit of gold is worth 1 of USDC, all of which a fee of 10 % rounds up to.
    await t.chain.changeSettings({ maxFeeBps: 1_000, minPriceE8: 150_000_000n });
    t.chain.price.set({ ...usualPrice, price: 150_000_000n, confidence: 0n });
    const terms = { ...partnerTerms(), openFeeBps: 1_000 };
    await t.chain.changePartner(t.integrator, terms, IntegratorStatus.Active);
    const body = {
      error: 'invalid_request',
      field: 'gold_amount',
      message: 'gold_amount is too small: it brings no USDC after the fee.',
    };
    await eventually(
      async () => expect(await t.sell.quote({ gold_amount: 0.000001 })).toMatchObject({ status: 400, body }),
      10_000,
    );
    expect((await t.sell.quoted({ gold_amount: 0.000003 })).response.body.quote).toMatchObject({
      usdc_amount: 0.000003,
      fee_usd: 0.000001,
    });
  });

  test('a quote follows the chain: a moved price, within 2 s', async () => {
    const tookMs: number[] = [];
    for (const [price, pricePerTroyOz, goldAmount] of [
      [500_000_000_000n, 5000, 0.0199],
      [400_000_000_000n, 4000, 0.024875],
      [398_000_000_000n, 3980, 0.025],
    ] as const) {
      t.chain.price.set({ ...usualPrice, price });
      const movedMs = performance.now();
      await eventually(async () => {
        const { body } = expectStatus(await t.buy.quote(), 200);
        expect(body.quote).toMatchObject({ price_per_troy_oz: pricePerTroyOz, gold_amount: goldAmount });
      }, 10_000);
      tookMs.push(performance.now() - movedMs);
    }
    expect(median(tookMs)).toBeLessThan(2_000);
  });

  test.each([
    ['too wide', { confidence: 4_100_120_001n }, 'confidence', 'price_out_of_band'],
    ['outside the band', { price: 49_900_000_000n, confidence: 0n }, 'band', 'price_out_of_band'],
    ['not positive', { price: 0n }, 'not positive', 'price_out_of_band'],
    ['stale', { publishTimeSeconds: 1_700_000_000n }, 'stale', 'price_stale'],
  ])('a quote follows the chain: a price that is %s', async (_, change, word, reason) => {
    t.chain.price.set({ ...usualPrice, ...change });
    const message = expect.stringContaining(word);
    const body = { error: 'pricing_unavailable', reason, message };
    await eventuallyRefused({}, { status: 503, body });
  });

  test('a quote follows the chain: a frozen price that grew stale, and the thaw', async () => {
    t.chain.price.freeze();
    t.chain.node.warp({ seconds: 61 });
    const message = expect.stringContaining('stale');
    expect(await t.buy.quote()).toMatchObject({
      status: 503,
      body: { error: 'pricing_unavailable', message },
    });
    t.chain.price.thaw();
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });
});

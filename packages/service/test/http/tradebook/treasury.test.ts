import { IntegratorStatus, MarketState } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { amountNumber } from '../../../src/domain/money.js';
import { quotePurchase, quoteSell } from '../../../src/domain/quote.js';
import type { ApiResponse } from '../../harness.js';
import { type Karat, startKarat, type Treasury, vaultFunding } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
  await eventually(() => void t.service.ctx.chain.price.current(), 10_000);
});
afterAll(() => t.stop());

const failure = (code: string, field?: string) => ({
  success: false,
  error: { code, message: expect.stringMatching(/\S/), ...(field === undefined ? {} : { field }) },
});
const estimate = (side: 'buy' | 'sell', goldAmount: number) =>
  treasury.executive.post(`/api/trading/estimate/${side}`, { goldAmount });
const price = () => t.service.anonymous.get('/api/trading/gold/price');

/** What `ask` returns once it has that status. */
const until = (status: number, ask: () => Promise<ApiResponse>) =>
  eventually(async () => {
    const response = await ask();
    if (response.status !== status) throw new Error(`got ${response.status}: ${response.text}`);
    return response;
  }, 10_000);

describe('GET /api/distribution/partner/me', () => {
  test('GET /api/distribution/partner/me returns the partner, who may act for it, and what its vault holds', async () => {
    for (const role of ['executive', 'update', 'withdrawal'] as const) {
      const response = await treasury[role].get('/api/distribution/partner/me');
      expect([response.status, response.body]).toEqual([
        200,
        {
          success: true,
          data: {
            partnerId: treasury.partnerId,
            name: 'Acme Gold',
            status: 'active',
            centralVaultAddress: treasury.vault,
            executiveAuthorities: [treasury.executive.wallet.address],
            updateAuthorityAddress: treasury.update.wallet.address,
            withdrawalAuthorityAddress: treasury.withdrawal.wallet.address,
            balances: { gold: amountNumber(vaultFunding.gold), usdc: amountNumber(vaultFunding.usdc) },
          },
        },
      ]);
    }
  });

  test('GET /api/distribution/partner/me follows the vault at once', async () => {
    const other = await t.given.treasury(await t.service.givenPartner());
    await t.chain.node.setTokenBalance(other.vault, t.chain.goldMint, 1n);
    await t.chain.node.setTokenBalance(other.vault, t.chain.usdcMint, 0n);
    const { body } = await other.update.get('/api/distribution/partner/me');
    expect(body.data.balances).toEqual({ gold: 0.000001, usdc: 0 });
  });

  test('GET /api/distribution/partner/me is refused to a key of the admin', async () => {
    const client = await t.given.admin();
    const response = await client.get('/api/distribution/partner/me');
    expect(response).toMatchObject({ status: 404, body: failure('partner_not_found') });
  });
});

describe('GET /api/trading/gold/price', () => {
  test('GET /api/trading/gold/price is the price of the oracle in decimal text, public', async () => {
    const response = await price();
    expect(response).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: { price: '4100.12', unit: 'troy_ounce', currency: 'USD', timestamp: expect.any(String) },
      },
    });
    const { publishTimeSeconds } = t.service.ctx.chain.price.current();
    expect(Date.parse(response.body.data.timestamp) / 1_000).toBeLessThanOrEqual(Number(publishTimeSeconds));
    expect(response.headers['ratelimit-limit']).toBe('1000000');
  });

  test('carries every decimal that the oracle gives, up to eight', async () => {
    t.chain.price.set({ ...usualPrice, price: 410_012_345_678n });
    await eventually(async () => expect((await price()).body.data.price).toBe('4100.12345678'), 10_000);
    t.chain.price.set(usualPrice);
    await eventually(async () => expect((await price()).body.data.price).toBe('4100.12'), 10_000);
  });
});

describe('an estimate', () => {
  test('an estimate of 1.5 GOLD at 4,100.12 with 50 bps, worked by hand', async () => {
    // 1.5 x 4,100.12 = 6,150.18; of a purchase 6,150.18 x 50 / 9,950 = 30.90542714 more, rounded up.
    const buy = await estimate('buy', 1.5);
    expect([buy.status, buy.body]).toEqual([
      200,
      {
        success: true,
        data: {
          goldAmount: 1.5,
          estimatedUsdcAmount: 6181.085428,
          goldPricePerOunce: 4100.12,
          timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
        },
      },
    ]);
    // Of a sale 6,150.18 x 50 / 10,000 = 30.7509 less.
    expect((await estimate('sell', 1.5)).body.data.estimatedUsdcAmount).toBe(6119.4291);
  });

  test('an estimate is what the program would take and give, to the last digit, for amounts of every size', async () => {
    const { price: units, exponent } = usualPrice;
    for (const gold of [1n, 7n, 999n, 1_000_001n, 123_456_789n]) {
      const buy = await estimate('buy', amountNumber(gold));
      const { usdcIn } = quotePurchase({ goldOut: gold, feeBps: 50, price: units, exponent });
      expect(buy.body.data.estimatedUsdcAmount).toBe(amountNumber(usdcIn));
      const sell = await estimate('sell', amountNumber(gold));
      const { usdcOut } = quoteSell({ goldIn: gold, feeBps: 50, price: units, exponent });
      expect(sell.body.data.estimatedUsdcAmount).toBe(amountNumber(usdcOut));
    }
  });

  test('an estimate does not look at what the vault holds', async () => {
    const poor = await t.given.treasury(await t.service.givenPartner());
    for (const mint of [t.chain.goldMint, t.chain.usdcMint]) {
      await t.chain.node.setTokenBalance(poor.vault, mint, 0n);
    }
    for (const side of ['buy', 'sell']) {
      const client = poor.executive;
      expect((await client.post(`/api/trading/estimate/${side}`, { goldAmount: 1 })).status).toBe(200);
    }
  });

  test.each(['update', 'withdrawal'] as const)(
    'an estimate is for executives: not with a key of the %s',
    async (role) => {
      for (const side of ['buy', 'sell']) {
        const response = await treasury[role].post(`/api/trading/estimate/${side}`, { goldAmount: 1 });
        expect(response).toMatchObject({ status: 403, body: failure('insufficient_scope') });
      }
    },
  );

  test('above the largest trade is refused, naming the field', async () => {
    for (const side of ['buy', 'sell'] as const) {
      const response = await estimate(side, 9_000_000);
      expect(response).toMatchObject({ status: 400, body: failure('invalid_request', 'goldAmount') });
      expect(response.body.error.message).toContain('at most');
    }
  });

  test('an estimate uses the fee of a closed market while it is closed', async () => {
    await t.chain.setStatus({ marketState: MarketState.Closed });
    const dearer = 6212.303031; // 6,150.18 + 6,150.18 x 100 / 9,900
    await eventually(async () => {
      expect((await estimate('buy', 1.5)).body.data?.estimatedUsdcAmount).toBe(dearer);
    }, 10_000);
    await t.chain.setStatus({});
    await eventually(async () => {
      expect((await estimate('buy', 1.5)).body.data?.estimatedUsdcAmount).toBe(6181.085428);
    }, 10_000);
  });

  test('an estimate of a partner that is suspended on chain is refused', async () => {
    const of = await t.given.treasury(await t.service.givenPartner());
    const terms = {
      partnerId: of.partnerId,
      wallet: of.partner.wallet.address,
      updateAuthority: of.update.wallet.address,
      withdrawalAuthority: of.withdrawal.wallet.address,
    };
    await t.chain.changePartner(of.integrator, terms, IntegratorStatus.Suspended);
    const ask = () => of.executive.post('/api/trading/estimate/buy', { goldAmount: 1 });
    expect((await until(403, ask)).body).toMatchObject(failure('partner_suspended'));
  });
});

test('a price that is too old makes price and estimates 503, with the reason, until a fresh one', async () => {
  t.chain.price.set({ ...usualPrice, publishTimeSeconds: 1n });
  for (const ask of [price, () => estimate('buy', 1), () => estimate('sell', 1)]) {
    const { body } = await until(503, ask);
    expect(body).toMatchObject(failure('pricing_unavailable'));
    expect(body.error.reason).toBe('price_stale');
    expect(body.error.message).toContain('stale');
  }
  t.chain.price.set(usualPrice);
  await until(200, price);
});

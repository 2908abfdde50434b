import { MarketState } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { priceAccountData } from '../../../../sandbox/src/own-chain.js';
import { pythReceiverProgram, usdcUsdFeedId, xauUsdFeedId } from '../../../src/chain/admin/seed.js';
import { decodePriceUpdate, judgePrice, pegFaultOf } from '../../../src/chain/program/price.js';
import { addressOf, givenConfig, givenSettings } from '../fixtures.js';

const now = 1_750_000_000n;
const fresh = {
  feedId: xauUsdFeedId,
  price: 410_012_000_000n,
  confidence: 80_000_000n,
  exponent: -8,
  publishTimeSeconds: now,
  postedSlot: 1n,
};

const account = (overrides: Partial<typeof fresh> = {}) => ({
  owner: pythReceiverProgram,
  data: priceAccountData({ ...fresh, ...overrides }),
});

/** Bytes of a good account with one place changed. */
function tampered(change: (data: Uint8Array) => void) {
  const data = Uint8Array.from(account().data);
  change(data);
  return { owner: pythReceiverProgram, data };
}

const closed = { marketState: MarketState.Closed };

describe('judgePrice', () => {
  test('judgePrice passes a good price with its figures', () => {
    expect(judgePrice(account(), givenConfig(), now)).toMatchObject({
      price: 410_012_000_000n,
      confidence: 80_000_000n,
      exponent: -8,
      publishTimeSeconds: now,
    });
  });

  test.each([
    [
      'another owner',
      'price_unreachable',
      { ...account(), owner: addressOf(9) },
      {},
      'does not belong to the oracle',
    ],
    [
      'another discriminator',
      'price_unreachable',
      tampered((data) => data.fill(1, 0, 1)),
      {},
      'does not contain a price',
    ],
    [
      'too short an account',
      'price_unreachable',
      { ...account(), data: account().data.slice(0, 132) },
      {},
      'does not contain a price',
    ],
    [
      'no account data',
      'price_unreachable',
      { ...account(), data: new Uint8Array() },
      {},
      'does not contain a price',
    ],
    [
      'partial verification',
      'price_unreachable',
      tampered((data) => data.fill(0, 40, 41)),
      {},
      'not fully verified',
    ],
    ['another feed', 'price_unreachable', account({ feedId: new Uint8Array(32) }), {}, 'another feed'],
    ['a price of zero', 'price_out_of_band', account({ price: 0n }), {}, 'not positive'],
    ['a negative price', 'price_out_of_band', account({ price: -1n }), {}, 'not positive'],
    ['a positive exponent', 'price_out_of_band', account({ exponent: 1 }), {}, 'exponent'],
    ['an exponent below -12', 'price_out_of_band', account({ exponent: -13 }), {}, 'exponent'],
    [
      'a price from the future',
      'price_stale',
      account({ publishTimeSeconds: now + 11n }),
      {},
      'from the future',
    ],
    [
      'an old price',
      'price_stale',
      account({ publishTimeSeconds: now - 61n }),
      {},
      'stale: 61 s old, at most 60 s',
    ],
    [
      'an old price while closed',
      'price_stale',
      account({ publishTimeSeconds: now - 3_601n }),
      closed,
      'stale',
    ],
    [
      'a closed market',
      'market_closed',
      account(),
      { ...closed, settings: givenSettings({ maxAgeClosed: 0 }) },
      'The market is closed',
    ],
    [
      'a wide confidence',
      'price_out_of_band',
      account({ confidence: 4_100_120_001n }),
      {},
      'confidence interval',
    ],
    [
      'a price below the band',
      'price_out_of_band',
      account({ price: 49_999_999_999n, confidence: 0n }),
      {},
      'outside the accepted band',
    ],
    [
      'a price above the band',
      'price_out_of_band',
      account({ price: 5_000_000_000_001n }),
      {},
      'outside the accepted band',
    ],
  ])('judgePrice refuses %s', (_, reason, given, config, message) => {
    expect(judgePrice(given, givenConfig(config), now)).toEqual({
      fault: expect.stringContaining(message),
      reason,
    });
  });

  test.each([
    ['60 s old', account({ publishTimeSeconds: now - 60n }), {}],
    ['10 s ahead', account({ publishTimeSeconds: now + 10n }), {}],
    ['3,600 s old while closed', account({ publishTimeSeconds: now - 3_600n }), closed],
    ['at the limit of confidence', account({ confidence: 4_100_120_000n }), {}],
    ['at the bottom of the band', account({ price: 50_000_000_000n, confidence: 0n }), {}],
    ['at the top of the band', account({ price: 5_000_000_000_000n }), {}],
    ['with exponent 0', account({ price: 4_100n, confidence: 1n, exponent: 0 }), {}],
    ['with exponent -12', account({ price: 4_100n * 10n ** 12n, exponent: -12 }), {}],
  ])('judgePrice passes a price %s', (_, given, config) => {
    expect(judgePrice(given, givenConfig(config), now)).not.toHaveProperty('fault');
  });
});

test('an account of exactly 133 bytes is long enough', () => {
  expect(decodePriceUpdate(account().data.slice(0, 133))).toMatchObject({ fullyVerified: true });
});

describe('pegFaultOf', () => {
  const usdc = (overrides: Partial<typeof fresh> = {}) =>
    account({ feedId: usdcUsdFeedId, price: 100_000_000n, confidence: 50_000n, ...overrides });
  const foreign = { ...usdc(), owner: addressOf(9) };

  test.each([
    ['at par', usdc(), {}],
    ['at the lowest accepted price', usdc({ price: 98_000_000n }), {}],
    ['as old as accepted', usdc({ publishTimeSeconds: now - 60n }), {}],
    ['with another exponent', usdc({ price: 1_000_000n, confidence: 1n, exponent: -6 }), {}],
  ])('pegFaultOf passes USDC %s', (_, given, config) => {
    expect(pegFaultOf(given, givenConfig(config), now)).toBeUndefined();
  });

  test.each([
    ['below the lowest accepted price', usdc({ price: 97_999_999n }), {}, 'worth less'],
    ['at a price of zero', usdc({ price: 0n }), {}, 'not positive'],
    ['whose price is too old', usdc({ publishTimeSeconds: now - 61n }), {}, 'stale'],
    [
      'whose price is as old as only a closed market accepts',
      usdc({ publishTimeSeconds: now - 61n }),
      closed,
      'stale',
    ],
    ['whose price is from the future', usdc({ publishTimeSeconds: now + 11n }), {}, 'from the future'],
    ['whose price is too uncertain', usdc({ confidence: 1_000_001n }), {}, 'confidence interval'],
    ['by the price of gold', usdc({ feedId: xauUsdFeedId }), {}, 'another feed'],
    ['by an account of another program', foreign, {}, 'does not contain a price'],
  ])('pegFaultOf refuses USDC %s', (_, given, config, message) => {
    expect(pegFaultOf(given, givenConfig(config), now)).toEqual({
      fault: expect.stringMatching(`^Gold cannot be bought with USDC at present\\. .*${message}`),
      reason: 'usdc_off_peg',
    });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  floorOf,
  goldForUsdc,
  priceNumber,
  quoteBuy,
  quoteSell,
  usdcForGold,
} from '../../src/domain/quote.js';

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const feeBps = fc.integer({ min: 0, max: 10_000 });
/** 1 to 10^6 US dollars an ounce, in every exponent that is accepted. */
const price = fc.integer({ min: -12, max: 0 }).chain((exponent) =>
  fc.record({
    exponent: fc.constant(exponent),
    price: fc.bigInt({ min: 10n ** BigInt(-exponent), max: 10n ** BigInt(6 - exponent) }),
  }),
);

/** Price as a fraction `numerator / scale`, to state the rounding without the code under test. */
const scaleOf = (exponent: number) => 10n ** BigInt(-exponent);

describe('quoteBuy', () => {
  test('quoteBuy of 1,000 USDC at 4,100.12 with 50 bps, worked by hand', () => {
    // fee = 1000 x 0.005 = 5; gold = 995 / 4100.12 = 0.24267582…
    expect(quoteBuy({ usdcIn: 1_000_000_000n, feeBps: 50, price: 410_012_000_000n, exponent: -8 })).toEqual({
      fee: 5_000_000n,
      goldOut: 242_675n,
    });
  });

  test('quoteBuy rounds the fee up and the gold down, by less than one base unit', () => {
    fc.assert(
      fc.property(amount, feeBps, price, (usdcIn, bps, oracle) => {
        const { fee, goldOut } = quoteBuy({ usdcIn, feeBps: bps, ...oracle });
        const scale = scaleOf(oracle.exponent);
        expect(fee * 10_000n).toBeGreaterThanOrEqual(usdcIn * BigInt(bps));
        expect((fee - 1n) * 10_000n).toBeLessThan(usdcIn * BigInt(bps));
        expect(goldOut * oracle.price).toBeLessThanOrEqual((usdcIn - fee) * scale);
        expect((goldOut + 1n) * oracle.price).toBeGreaterThan((usdcIn - fee) * scale);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('quoteSell', () => {
  test('quoteSell of 2 GOLD at 4,100.12 with 50 bps, worked by hand', () => {
    // gross = 8200.24; fee = 41.0012
    expect(quoteSell({ goldIn: 2_000_000n, feeBps: 50, price: 410_012_000_000n, exponent: -8 })).toEqual({
      gross: 8_200_240_000n,
      fee: 41_001_200n,
      usdcOut: 8_159_238_800n,
    });
  });

  test('quoteSell rounds the gross down and the fee up, by less than one base unit', () => {
    fc.assert(
      fc.property(amount, feeBps, price, (goldIn, bps, oracle) => {
        const { gross, fee, usdcOut } = quoteSell({ goldIn, feeBps: bps, ...oracle });
        const scale = scaleOf(oracle.exponent);
        expect(gross * scale).toBeLessThanOrEqual(goldIn * oracle.price);
        expect((gross + 1n) * scale).toBeGreaterThan(goldIn * oracle.price);
        expect(fee * 10_000n).toBeGreaterThanOrEqual(gross * BigInt(bps));
        expect((fee - 1n) * 10_000n).toBeLessThan(gross * BigInt(bps));
        expect(usdcOut).toBe(gross - fee);
        expect(usdcOut).toBeGreaterThanOrEqual(0n);
      }),
      { numRuns: 5_000 },
    );
  });

  test('buying and selling back at one price never profits', () => {
    fc.assert(
      fc.property(amount, feeBps, feeBps, price, (usdcIn, buyBps, sellBps, oracle) => {
        const { goldOut } = quoteBuy({ usdcIn, feeBps: buyBps, ...oracle });
        const { usdcOut } = quoteSell({ goldIn: goldOut, feeBps: sellBps, ...oracle });
        expect(usdcOut).toBeLessThanOrEqual(usdcIn);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('an amount for an outcome', () => {
  test('an amount for an outcome is the least that buys so much gold, and that returns so much USDC', () => {
    fc.assert(
      fc.property(amount, feeBps, price, (wanted, bps, oracle) => {
        const usdcIn = usdcForGold({ goldOut: wanted, feeBps: bps, ...oracle });
        const goldIn = goldForUsdc({ usdcOut: wanted, feeBps: bps, ...oracle });
        expect(usdcIn === undefined).toBe(bps === 10_000);
        if (usdcIn === undefined || goldIn === undefined) return;
        const goldOf = (usdc: bigint) => quoteBuy({ usdcIn: usdc, feeBps: bps, ...oracle }).goldOut;
        const usdcOf = (gold: bigint) => quoteSell({ goldIn: gold, feeBps: bps, ...oracle }).usdcOut;
        expect(goldOf(usdcIn) >= wanted && goldOf(usdcIn - 1n) < wanted).toBe(true);
        expect(usdcOf(goldIn) >= wanted && usdcOf(goldIn - 1n) < wanted).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('floorOf', () => {
  test('floorOf is the quoted amount less the slippage, rounded down', () => {
    expect(floorOf(242_675n, 50)).toBe(241_461n);
    expect(floorOf(242_675n, 0)).toBe(242_675n);
    expect(floorOf(242_675n, 10_000)).toBe(0n);
    fc.assert(
      fc.property(amount, feeBps, (quoted, slippageBps) => {
        const kept = quoted * BigInt(10_000 - slippageBps);
        expect(floorOf(quoted, slippageBps) * 10_000n).toBeLessThanOrEqual(kept);
        expect((floorOf(quoted, slippageBps) + 1n) * 10_000n).toBeGreaterThan(kept);
      }),
    );
  });
});

describe('priceNumber', () => {
  test.each([
    [410_012_345_678n, -8, 4100.12345678],
    [4_100n, 0, 4100],
    [41_001_234n, -4, 4100.1234],
    [4_100_123_456_784_999n, -12, 4100.12345678],
    [4_100_123_456_785_000n, -12, 4100.12345679],
  ])('%s x 10^%d is %d', (value, exponent, expected) => {
    expect(priceNumber({ price: value, exponent })).toBe(expected);
  });
});

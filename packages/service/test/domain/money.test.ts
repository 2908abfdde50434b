import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TradeRecord } from '../../src/db/trades/trades.js';
import {
  amountNumber,
  formatDecimal,
  formatFixed,
  type Gold,
  maxAmountBaseUnits,
  parseAmount,
  parseDecimal,
  tokenDecimals,
  type Usdc,
  usdcUnits,
} from '../../src/domain/money.js';

/** Below this, neighbouring doubles are closer than 10^-6, so that every amount has a JSON number of its own. */
const exactUpTo = 2n ** 33n * 1_000_000n;
const anyAmount = fc.bigInt({ min: 0n, max: maxAmountBaseUnits });

describe('parseAmount', () => {
  test.each([
    [0, 0n],
    [-0, 0n],
    [100, 100_000_000n],
    [100.25, 100_250_000n],
    [0.000001, 1n],
    [0.1, 100_000n],
    [1.1, 1_100_000n],
    [4.35, 4_350_000n],
    [1.005, 1_005_000n],
    [9007199254.740992, maxAmountBaseUnits],
  ])('%d is %s base units', (value, baseUnits) => {
    expect(parseAmount(value)).toBe(baseUnits);
  });

  test.each([
    [Number.NaN, 'not_finite'],
    [Number.POSITIVE_INFINITY, 'not_finite'],
    [Number.NEGATIVE_INFINITY, 'not_finite'],
    [0.0000001, 'too_many_decimals'],
    [1.0000001, 'too_many_decimals'],
    [5e-324, 'too_many_decimals'],
    [-0.000001, 'negative'],
    [-1e20, 'negative'],
    [9007199254.75, 'too_large'],
    [1e15, 'too_large'],
    [1e21, 'too_large'],
    [1.7976931348623157e308, 'too_large'],
  ])('%d is refused as %s', (value, fault) => {
    expect(parseAmount(value)).toBe(fault);
  });

  test('every amount is read as it is written in JSON, to the base unit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: exactUpTo }), (amount) => {
        const json = formatDecimal(amount, tokenDecimals);
        expect(parseAmount(JSON.parse(json))).toBe(amount);
      }),
      { numRuns: 5_000 },
    );
  });

  test('an amount that is accepted is echoed as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 0, max: 1e10 }), anyAmount, (double, amount) => {
        for (const value of [double, amountNumber(amount)]) {
          const parsed = parseAmount(value);
          if (typeof parsed === 'bigint') expect(amountNumber(parsed)).toBe(value);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('amountNumber', () => {
  test('amountNumber is written in JSON with the very digits of the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000n, max: exactUpTo }), (amount) => {
        expect(JSON.stringify(amountNumber(amount))).toBe(formatDecimal(amount, tokenDecimals));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('decimals', () => {
  test('formatDecimal and parseDecimal undo each other', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 18 }), (value, decimals) => {
        expect(parseDecimal(formatDecimal(value, decimals), decimals)).toBe(value);
      }),
    );
  });

  test.each([
    ['1.2345678', 6],
    ['', 6],
    ['.5', 6],
    ['5.', 6],
    ['1e3', 6],
    [' 1', 6],
    ['+1', 6],
    ['0x10', 6],
    ['١', 6],
  ])('%j is no decimal of at most %d places', (text, decimals) => {
    expect(parseDecimal(text, decimals)).toBeUndefined();
  });

  test.each([
    [1_000_000n, 6, '1', '1.000000'],
    [1_500_000n, 6, '1.5', '1.500000'],
    [1n, 6, '0.000001', '0.000001'],
    [-1n, 6, '-0.000001', '-0.000001'],
    [0n, 6, '0', '0.000000'],
    [42n, 0, '42', '42'],
  ])('%s of %d decimals is %s, or %s in full', (value, decimals, short, full) => {
    expect(formatDecimal(value, decimals)).toBe(short);
    expect(formatFixed(value, decimals)).toBe(full);
  });
});

/** Only the compiler sees these: each line with an expected error is one when its brand is gone. */
export function brands(amount: bigint, gold: Gold, usdc: Usdc): void {
  const takesGold = (_: Gold) => {};
  const takesUsdc = (_: Usdc) => {};
  const plain: bigint = gold + usdc;
  takesGold(gold);
  takesUsdc(usdcUnits(plain));
  // @ts-expect-error an integer that nothing marked, such as a slot or a price
  takesGold(amount);
  // @ts-expect-error arithmetic, which may have multiplied or mixed
  takesUsdc(usdc + usdc);
  // @ts-expect-error USDC
  takesGold(usdc);
  // @ts-expect-error GOLD
  takesUsdc(gold);
  // @ts-expect-error the column of USDC takes no GOLD
  const trade: Pick<TradeRecord, 'usdcAmount'> = { usdcAmount: gold };
  // @ts-expect-error GOLD and USDC are never equal
  const same = gold === usdc;
  void [trade, same];
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cityKey,
  findNextStatus,
  isOpen,
  isVisible,
  nextStatus,
  quoteRedemption,
  type RedemptionEvent,
  type RedemptionStatus,
  redemptionStatuses,
  weightTroyOz,
} from '../../src/domain/redemption.js';
import { AppError } from '../../src/errors.js';

const events: RedemptionEvent[] = [
  'land',
  'revert',
  'lapse',
  'request_cancellation',
  'prepare',
  'ready',
  'collect',
  'cancel',
];

/** Every move there is, written out from the specification, with the internal end of a quote. */
const legal: [RedemptionStatus, RedemptionEvent, RedemptionStatus][] = [
  ['quoted', 'land', 'submitted'],
  ['quoted', 'revert', 'failed'],
  ['quoted', 'lapse', 'lapsed'],
  ['submitted', 'request_cancellation', 'cancellation_requested'],
  ['submitted', 'prepare', 'preparing'],
  ['preparing', 'ready', 'ready'],
  ['ready', 'collect', 'collected'],
  ['cancellation_requested', 'cancel', 'cancelled'],
];

describe('the states of a redemption', () => {
  test.each(legal)('the states of a redemption: %s, %s: %s', (from, event, to) => {
    expect(nextStatus(from, event)).toBe(to);
  });

  test('nothing else moves a redemption, and the refusal names the state', () => {
    const allowed = new Set(legal.map(([from, event]) => `${from} ${event}`));
    let refused = 0;
    for (const from of redemptionStatuses) {
      for (const event of events) {
        if (allowed.has(`${from} ${event}`)) continue;
        expect(findNextStatus(from, event)).toBeUndefined();
        expect(() => nextStatus(from, event)).toThrow(`A redemption that is ${from} cannot`);
        refused += 1;
      }
    }
    expect(refused).toBe(redemptionStatuses.length * events.length - legal.length);
  });

  test('a refused cancellation is the partner’s 400, a refused operator move a 409', () => {
    const codeOf = (status: RedemptionStatus, event: RedemptionEvent) => {
      try {
        nextStatus(status, event);
      } catch (error) {
        return error instanceof AppError ? [error.code, error.status] : error;
      }
      return undefined;
    };
    expect(codeOf('preparing', 'request_cancellation')).toEqual(['cancellation_not_allowed', 400]);
    for (const move of ['prepare', 'ready', 'collect', 'cancel'] as const) {
      expect(codeOf('collected', move)).toEqual(['transition_not_allowed', 409]);
    }
  });

  test('no state can be reached twice', () => {
    const reached = legal.map(([, , to]) => to);
    expect(new Set(reached).size).toBe(reached.length);
    expect(reached).not.toContain('quoted');
  });

  test('a redemption that is collected, cancelled, failed or lapsed has ended', () => {
    const ended = redemptionStatuses.filter((status) => !isOpen(status));
    expect(ended).toEqual(['collected', 'cancelled', 'failed', 'lapsed']);
  });

  test('quoted and lapsed redemptions are not visible', () => {
    expect(redemptionStatuses.filter((status) => !isVisible(status))).toEqual(['quoted', 'lapsed']);
  });
});

describe('the figures of a redemption', () => {
  test('the figures of a tola, 0.375 oz exactly, at 4100.12 and 1.5 %', () => {
    expect(
      quoteRedemption({
        weightG: '11.6638038',
        feePercentage: '0.015000',
        price: 410_012_000_000n,
        exponent: -8,
      }),
    ).toEqual({
      tokensRequired: 380_625n,
      goldValueUsd: 1_537_545_000n,
      feeUsd: 23_063_175n,
      totalUsd: 1_560_608_175n,
    });
  });

  test('the figures of ten grams: every figure is rounded once, tokens not from the dollars', () => {
    // 10 / 31.1034768 = 0.32150746568…, x 1.015 = 0.32633007767…, x 4000 = 1286.02986273…
    expect(quoteRedemption({ weightG: '10', feePercentage: '0.015', price: 4_000n, exponent: 0 })).toEqual({
      tokensRequired: 326_330n,
      goldValueUsd: 1_286_029_863n,
      feeUsd: 19_290_448n,
      totalUsd: 1_305_320_311n,
    });
  });

  test('a half is rounded up, one base unit below it down', () => {
    // One ounce and a fee of 0.0000005: exactly half a base unit over the token.
    const terms = { weightG: '31.1034768', price: 1n, exponent: -6 };
    expect(quoteRedemption({ ...terms, feePercentage: '0.0000005' }).tokensRequired).toBe(1_000_001n);
    expect(quoteRedemption({ ...terms, feePercentage: '0.0000004' }).tokensRequired).toBe(1_000_000n);
    expect(quoteRedemption({ ...terms, feePercentage: '0.5' })).toMatchObject({
      goldValueUsd: 1n,
      feeUsd: 1n,
    });
  });

  test('no fee costs nothing', () => {
    expect(
      quoteRedemption({ weightG: '31.1034768', feePercentage: '0', price: 4_000n, exponent: 0 }),
    ).toEqual({
      tokensRequired: 1_000_000n,
      goldValueUsd: 4_000_000_000n,
      feeUsd: 0n,
      totalUsd: 4_000_000_000n,
    });
  });

  test('a text that is no decimal is refused', () => {
    for (const weightG of ['', '1e3', '-1', '1.', '.5', 'NaN', '1,5']) {
      expect(() => quoteRedemption({ weightG, feePercentage: '0', price: 1n, exponent: 0 })).toThrow(
        'is not a decimal',
      );
    }
  });

  test('the figures equal the contract’s formulas in exact fractions, 20,000 cases', () => {
    const decimal = (maxWhole: number, places: number) =>
      fc
        .tuple(
          fc.integer({ min: 0, max: maxWhole }),
          fc.integer({ min: 0, max: 10 ** places - 1 }),
          fc.integer({ min: 0, max: places }),
        )
        .map(([whole, fraction, kept]) => {
          const digits = String(fraction).padStart(places, '0').slice(0, kept);
          return kept === 0 ? String(whole) : `${whole}.${digits}`;
        });
    const feePercentage = fc
      .integer({ min: 0, max: 500_000 })
      .map((millionths) => `0.${String(millionths).padStart(6, '0')}`);
    fc.assert(
      fc.property(
        decimal(1_000_000, 7),
        feePercentage,
        fc.bigInt({ min: 1n, max: 10n ** 13n }),
        fc.integer({ min: -12, max: 0 }),
        (weightG, fee, price, exponent) => {
          const ounces = Fraction.read(weightG).over(Fraction.read('31.1034768'));
          const spot = new Fraction(price, 10n ** BigInt(-exponent));
          const goldValueUsd = ounces.times(spot).roundedMillionths();
          const feeUsd = Fraction.read(fee).times(new Fraction(goldValueUsd, 1_000_000n)).roundedMillionths();
          expect(quoteRedemption({ weightG, feePercentage: fee, price, exponent })).toEqual({
            tokensRequired: ounces.times(Fraction.read('1').plus(Fraction.read(fee))).roundedMillionths(),
            goldValueUsd,
            feeUsd,
            totalUsd: goldValueUsd + feeUsd,
          });
          expect(weightTroyOz(weightG)).toBe(ounces.roundedMillionths());
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

test('cities are compared without case, whichever way an accent was typed', () => {
  expect(cityKey('KARACHI')).toBe(cityKey('karachi'));
  expect(cityKey('Montr\u00c9al')).toBe(cityKey('montre\u0301al'));
  for (const [one, other] of [
    ['istanbul', '\u0130stanbul'],
    ['ISTANBUL', 'istanbul'],
    ['D\u0131yarbak\u0131r', 'DIYARBAKIR'],
    ['I\u0307zmir', '\u0130ZM\u0130R'],
    ['GIESSEN', 'Gie\u00dfen'],
    ['GIE\u1e9eEN', 'gie\u00dfen'],
    ['\u0391\u0398\u0397\u039d\u0391\u03a3', '\u03b1\u03b8\u03b7\u03bd\u03b1\u03c2'],
  ] as const)
    expect(cityKey(one), `${one} and ${other}`).toBe(cityKey(other));
  expect(cityKey('Munchen')).not.toBe(cityKey('M\u00fcnchen'));
  expect(cityKey('Karachi ')).not.toBe(cityKey('Karachi'));
});

/** Fractions as at school: reduced, and rounded by looking at what a long division leaves. */
class Fraction {
  readonly top: bigint;
  readonly bottom: bigint;

  constructor(top: bigint, bottom: bigint) {
    const divisor = commonDivisor(top, bottom);
    this.top = top / divisor;
    this.bottom = bottom / divisor;
  }

  static read(text: string): Fraction {
    const [whole = '0', places = ''] = text.split('.');
    let value = new Fraction(BigInt(whole), 1n);
    [...places].forEach((digit, index) => {
      value = value.plus(new Fraction(BigInt(digit), 10n ** BigInt(index + 1)));
    });
    return value;
  }

  plus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom, this.bottom * other.top);
  }

  roundedMillionths(): bigint {
    let digits = this.top / this.bottom;
    let rest = this.top % this.bottom;
    for (let place = 0; place < 6; place += 1) {
      rest *= 10n;
      digits = digits * 10n + rest / this.bottom;
      rest %= this.bottom;
    }
    return rest * 2n >= this.bottom ? digits + 1n : digits;
  }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? (a === 0n ? 1n : a) : commonDivisor(b, a % b);
}

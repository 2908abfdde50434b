import { expect, test } from 'vitest';
import { readBarWeight, readFineness, readWeight } from '../../src/domain/bar.js';

test.each([
  [500, '500'],
  [999.9, '999.9'],
  [999.999, '999.999'],
])('the fineness %d of a bar is read as %s', (value, text) => {
  expect(readFineness(value)).toBe(text);
});

test.each([499.999, 1_000, 999.9999, 0, -999.9, Number.NaN, Number.POSITIVE_INFINITY])(
  'the fineness %d of a bar is refused',
  (value) => {
    expect(() => readFineness(value)).toThrow(
      'fineness is in parts per thousand, such as 999.9: at least 500, below 1000, with at most 3 decimals.',
    );
  },
);

test.each([
  [0.0000001, 1n],
  [11.6638038, 116_638_038n],
  [1_000_000, 10_000_000_000_000n],
])('the weight of %d g is read exactly', (grams, weight) => {
  expect(readWeight(grams)).toBe(weight);
});

test.each([0, -1, 0.00000001, 1_000_000.0000001, 1_000_001, Number.NaN])(
  'the weight of %d g is refused',
  (grams) => {
    expect(() => readWeight(grams)).toThrow(
      'weight_g must be positive and at most 1000000, with at most 7 decimals.',
    );
  },
);

test.each([
  [995, '995'],
  [1_000, '1000'],
  [1_005, '1005'],
])('a bar of %d g is one of a denomination of 1000 g', (grams, text) => {
  expect(readBarWeight(grams, '1000.0000000')).toBe(text);
});

test.each([994.9999999, 1_005.0000001])('a bar of %d g is not one of a denomination of 1000 g', (grams) => {
  expect(() => readBarWeight(grams, '1000.0000000')).toThrow(
    'weight_g must be that of the denomination, 1000 g, to within half a percent.',
  );
});

import { describe, expect, test } from 'vitest';
import { findContradictingMass } from '../../src/domain/label-mass.js';
import { cpuMsOf } from '../cpu-time.js';

describe('a label that names the weight of the piece, or no mass', () => {
  test.each([
    ['1 tola bar', '11.6638038'],
    ['A tola', '11.6638038'],
    ['Ten tola bar', '116.638038'],
    ['10-tola bar (116.64 g)', '116.638038'],
    ['1 kg bar', '1000'],
    ['1kg', '1000'],
    ['1,000 g', '1000'],
    ['1 000 grams', '1000'],
    ["1'000 g", '1000'],
    ['Kilo bar, 32.15 oz', '1000'],
    ['One kilo', '1000'],
    ['half a kilo', '500'],
    ['1 oz bar', '31.1034768'],
    ['1 Troy Ounce (31.1 grams)', '31.1034768'],
    ['1 oz. t', '31.1034768'],
    ['1 oz (31 g)', '31.1034768'],
    ['1/2 oz', '15.5517384'],
    ['½ oz coin', '15.5517384'],
    ['1½ oz', '46.6552152'],
    ['1 1/2 ounces', '46.6552152'],
    ['2,5 g', '2.5'],
    ['2.50 gr', '2.5'],
    ['5 x 10 g', '50'],
    ['١٠ g', '10'],
    ['１０ｇ', '10'],
    ['500 mg', '0.5'],
    ['Old bar', '5'],
    ['1 gold bar, 24K, 999.9', '5'],
    ['Series 7 bar', '5'],
    ['No 12', '5'],
    ['5 tael', '187.145'],
    ['', '5'],
  ])('a label %j of %s g agrees', (label, weightG) => {
    expect(findContradictingMass(label, weightG)).toBeUndefined();
  });
});

describe('a label that names another mass', () => {
  test.each([
    ['1 kg bar', '0.01', '1 kg'],
    ['1KG', '1', '1kg'],
    ['1 K\u0130LO', '1', '1 kilo'],
    ['１ ｋｇ', '10', '1 kg'],
    ['١ kg', '10', '1 kg'],
    ['1 kilogram', '100', '1 kilogram'],
    ['one kilo', '100', 'one kilo'],
    ['half a kilo', '1000', 'half a kilo'],
    ['10 g bar', '9.9', '10 g'],
    ['10 g bar', '10.06', '10 g'],
    ['1 oz', '28.35', '1 oz'],
    ['1 troy ounce', '28.35', '1 troy ounce'],
    ['1 tola', '12', '1 tola'],
    ['100 g (1 kg)', '100', '1 kg'],
    ['1/10 oz', '31.1034768', '1/10 oz'],
    ['1/0 oz', '31.1034768', '1/0 oz'],
    ['½ oz', '31.1034768', '1/2 oz'],
    ['1,000 g', '1', '1,000 g'],
    ['10x10 g', '10', '10x10 g'],
    ['0 g', '10', '0 g'],
    ['5-gram bar', '50', '5-gram'],
    ['99999999999999999999999999999999 t oz', '1', '99999999999999999999999999999999 t oz'],
  ])('a label %j of %s g does not agree: %j', (label, weightG, mass) => {
    expect(findContradictingMass(label, weightG)).toBe(mass);
  });

  test('a label is checked in time, however long it is', async () => {
    const ms = await cpuMsOf(() => {
      for (const part of ['1 ', '1,000', '1/', "1'", 'a ', 'half ', '1 x ', '9', ' ', '-']) {
        expect(findContradictingMass(part.repeat(255).slice(0, 255), '1')).toBeUndefined();
      }
    });
    expect(ms).toBeLessThan(1_000);
  });
});

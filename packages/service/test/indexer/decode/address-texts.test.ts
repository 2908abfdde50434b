import { encodeBase58 } from '@karat/wire';
import { expect, test } from 'vitest';
import { addressAt } from '../../../src/indexer/decode/address-texts.js';

/** Keys that differ in one byte, whichever it is; those that differ in none of the last ones share a place. */
const keys = Array.from({ length: 32 }, (_, place) => {
  const key = Buffer.alloc(32, 7);
  key[place] = 200;
  return key;
});

test('address texts: addresses are base58 of their bytes, remembered or not, also of keys that share a place', () => {
  const bytes = Buffer.concat([Buffer.alloc(3), ...keys]);
  for (let round = 0; round < 3; round += 1)
    for (const [index, key] of keys.entries())
      for (const _again of [1, 2]) expect(addressAt(bytes, 3 + 32 * index)).toBe(encodeBase58(key));
});

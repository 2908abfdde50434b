import { getBase58Codec } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase58, encodeBase58 } from '../src/base58.js';
import { toJson } from '../src/json.js';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 70 }),
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc
    .tuple(fc.nat({ max: 8 }), fc.uint8Array({ maxLength: 40 }))
    .map(([zeros, rest]) => Uint8Array.from([...Array(zeros).fill(0), ...rest])),
);

test('base58 equals that of @solana/kit, both ways', () => {
  const codec = getBase58Codec();
  fc.assert(
    fc.property(bytes, (input) => {
      const text = encodeBase58(input);
      expect(text).toBe(codec.decode(input));
      expect(decodeBase58(text)).toEqual(new Uint8Array(input));
    }),
    { numRuns: 3_000 },
  );
});

test('base58 refuses other characters', () => {
  for (const text of ['0', 'O', 'I', 'l', '1 ', 'é']) expect(decodeBase58(text)).toBeUndefined();
});

test('JSON text equals JSON.stringify, but for bigints', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJson(value)).toBe(JSON.stringify(value));
      expect(toJson([value, 1n])).toBe(`[${JSON.stringify(value)},1]`);
    }),
  );
  expect(toJson({ a: 2n ** 64n - 1n, b: [1n, undefined], c: undefined })).toBe(
    '{"a":18446744073709551615,"b":[1,null]}',
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJson } from '../src/json.js';

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

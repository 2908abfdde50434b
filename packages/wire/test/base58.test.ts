import { randomBytes } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase58, decodeLongBase58, encodeBase58 } from '../src/base58.js';

const library = getBase58Decoder();

describe.each([1, 2, 3, 31, 32, 63, 64])('%i bytes', (size) => {
  test('bytes have the text that the Solana library gives them, and come back from it', () => {
    const edges = [Buffer.alloc(size), Buffer.alloc(size, 255)];
    for (let zeros = 0; zeros <= size; zeros += 1) {
      edges.push(Buffer.concat([Buffer.alloc(zeros), randomBytes(size - zeros)]));
      edges.push(Buffer.concat([randomBytes(zeros), Buffer.alloc(size - zeros)]));
    }
    const anything = Array.from({ length: 500 }, () => randomBytes(size));
    for (const bytes of [...edges, ...anything]) {
      const text = library.decode(bytes);
      expect(encodeBase58(bytes)).toBe(text);
      expect(decodeBase58(text, size)?.toString('hex')).toBe(bytes.toString('hex'));
    }
  });

  test('a text is read as no other number of bytes', () => {
    const text = library.decode(Buffer.concat([Buffer.of(1), randomBytes(size - 1)]));
    expect([size - 1, size + 1].map((other) => decodeBase58(text, other))).toEqual([undefined, undefined]);
    expect([`1${text}`, `${text}zzzz`].map((other) => decodeBase58(other, size))).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test.each(['0'.repeat(32), 'O', 'I', 'l', ' ', 'é', '\0', '💰', '2'.repeat(10_000), '1'.repeat(33)])(
  '%j is not base58 of 32 bytes',
  (text) => {
    expect(decodeBase58(text, 32)).toBeUndefined();
  },
);

test('base58 of any length equals that of the Solana library, both ways', () => {
  const bytes = fc
    .tuple(fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 1_300 }))
    .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]));
  fc.assert(
    fc.property(bytes, (data) => {
      const text = library.decode(data);
      expect(encodeBase58(data)).toBe(text);
      expect(decodeLongBase58(text)).toEqual(data);
    }),
  );
  for (const character of ['0', 'O', 'l', ' ', 'é', '💰']) {
    for (const text of [character, `a${character}`, `abcdefgh${character}z`]) {
      expect(decodeLongBase58(text)).toBeUndefined();
    }
  }
});

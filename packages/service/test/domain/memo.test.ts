import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.js';
import { formatMemo, type KaratMemo, parseMemo } from '../../src/domain/memo.js';

const uuid = '0192b3c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const anyMemo: fc.Arbitrary<KaratMemo> = fc
  .tuple(
    fc.constantFrom('buy', 'sell', 'redeem'),
    fc.uuid({ version: 7 }),
    fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  )
  .map(([kind, id, amount]) => ({ kind, id: `${kind === 'redeem' ? 'red' : 'trd'}_${id}`, amount }));

describe('the memo', () => {
  test('the memo is written as the chain and the indexer know it', () => {
    const memo = formatMemo({ kind: 'buy', id: `trd_${uuid}`, amount: 100_000_000n });
    expect(memo).toBe(`karat|1|buy|trd_${uuid}|100000000`);
  });

  test('the memo reads back what was written', () => {
    fc.assert(
      fc.property(anyMemo, (memo) => {
        expect(parseMemo(formatMemo(memo))).toEqual(memo);
      }),
    );
  });

  test('the memo that is read is the one that would have been written', () => {
    const edited = fc
      .tuple(anyMemo, fc.nat(), fc.string({ minLength: 0, maxLength: 2 }))
      .map(([memo, at, insert]) => {
        const text = formatMemo(memo);
        const position = at % (text.length + 1);
        return text.slice(0, position) + insert + text.slice(position + insert.length);
      });
    fc.assert(
      fc.property(edited, (text) => {
        const parsed = parseMemo(text);
        if (parsed) expect(formatMemo(parsed)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['another version', `karat|2|buy|trd_${uuid}|1`],
    ['an unknown kind', `karat|1|gift|trd_${uuid}|1`],
    ['a redemption id on a trade', `karat|1|buy|red_${uuid}|1`],
    ['a trade id on a redemption', `karat|1|redeem|trd_${uuid}|1`],
    ['an amount of zero', `karat|1|buy|trd_${uuid}|0`],
    ['a leading zero', `karat|1|buy|trd_${uuid}|01`],
    ['a sign', `karat|1|buy|trd_${uuid}|-1`],
    ['an amount beyond 64 bits', `karat|1|buy|trd_${uuid}|${2n ** 64n}`],
    ['capitals in the id', `karat|1|buy|trd_${uuid.toUpperCase()}|1`],
    ['text in front', ` karat|1|buy|trd_${uuid}|1`],
    ['a line after it', `karat|1|buy|trd_${uuid}|1\n`],
    ['nothing', ''],
  ])('a memo with %s is invalid', (_, text) => {
    expect(parseMemo(text)).toBeUndefined();
  });

  test('the memo takes the largest amount of 64 bits', () => {
    const memo = { kind: 'sell', id: newId('trd'), amount: 2n ** 64n - 1n } as const;
    expect(parseMemo(formatMemo(memo))).toEqual(memo);
  });
});

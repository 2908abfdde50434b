import {
  getBuyInstructionDataDecoder,
  getKaratEventDecoder,
  getSellInstructionDataDecoder,
} from '@karat/program-client';
import {
  getBurnCheckedInstructionDataDecoder,
  getMintToCheckedInstructionDataDecoder,
  getTransferCheckedInstructionDataDecoder,
  getTransferInstructionDataDecoder,
} from '@solana-program/token';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEvent, readTokenAmount, readTradeArguments } from '../../src/indexer/decode/fields.js';

/** What a decoder returns, or that it refuses. */
function outcomeOf<T>(decode: () => T): T | 'refused' {
  try {
    return decode();
  } catch {
    return 'refused';
  }
}

/** Any bytes of a size, as a part of longer ones: at any place, as in a transaction. */
const bytesOf = (size: number) =>
  fc
    .tuple(fc.nat({ max: 9 }), fc.uint8Array({ minLength: size, maxLength: size }))
    .map(([before, bytes]) => Buffer.concat([Buffer.alloc(before, 7), bytes]).subarray(before));

describe('what is read field by field is what the generated decoders read', () => {
  const event = getKaratEventDecoder();
  const [sideAt, marketAt] = [42, 97];

  test('of events, those with values that there are not included', () => {
    const some = fc
      .tuple(bytesOf(event.fixedSize + 3), fc.nat({ max: 3 }), fc.nat({ max: 3 }))
      .map(([bytes, side, market]) => {
        bytes[sideAt] = side;
        bytes[marketAt] = market;
        return bytes;
      });
    let refused = 0;
    fc.assert(
      fc.property(some, (bytes) => {
        const expected = outcomeOf(() => event.decode(bytes));
        if (expected === 'refused') refused += 1;
        const read = outcomeOf(() => readEvent(bytes));
        expect(read).toEqual(expected === 'refused' ? expected : plain(expected));
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test('of events that are cut off', () => {
    for (let size = 0; size < event.fixedSize; size += 1)
      expect(outcomeOf(() => readEvent(new Uint8Array(size)))).toBe('refused');
  });

  test('of the arguments of trades', () => {
    const [buy, sell] = [getBuyInstructionDataDecoder(), getSellInstructionDataDecoder()];
    expect(sell.fixedSize).toBe(buy.fixedSize);
    fc.assert(
      fc.property(bytesOf(buy.fixedSize), (data) => {
        const read = readTradeArguments(data);
        const { amountIn, minAmountOut, maxAmountOut, ...others } = read;
        const { discriminator: _, ...bought } = buy.decode(data);
        const { discriminator: __, ...sold } = sell.decode(data);
        const amounts = { usdcIn: amountIn, minGoldOut: minAmountOut, maxGoldOut: maxAmountOut };
        expect({ ...amounts, ...others }).toEqual(plain(bought));
        const ofSale = { goldIn: amountIn, minUsdcOut: minAmountOut, maxUsdcOut: maxAmountOut };
        expect({ ...ofSale, ...others }).toEqual(plain(sold));
      }),
    );
  });

  test.each([
    getTransferInstructionDataDecoder(),
    getTransferCheckedInstructionDataDecoder(),
    getBurnCheckedInstructionDataDecoder(),
    getMintToCheckedInstructionDataDecoder(),
  ])('of what tokens are moved', (decoder) => {
    fc.assert(
      fc.property(bytesOf(decoder.fixedSize), (data) => {
        expect(readTokenAmount(data)).toBe(decoder.decode(data).amount);
      }),
    );
  });
});

/** Bytes are bytes, whichever class has them. */
function plain(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Uint8Array.from(value) : value,
    ]),
  );
}

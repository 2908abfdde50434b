import { pythReceiverProgram, usdcUsdFeedId, xauUsdFeedId } from '@karat/service/seed';
import { address } from '@solana/kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPricePublisher } from '../src/price-publisher.js';
import { priceWalk } from '../src/price-walk.js';

const account = address('11111111111111111111111111111112');
const usdcAccount = address('11111111111111111111111111111113');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A publisher on a node whose clock the test moves; `published` reads the newest bytes as the program does. */
function publishing() {
  const writes: Uint8Array[] = [];
  const usdcWrites: Uint8Array[] = [];
  const time = { seconds: 1_700_000_000 };
  const warps = new Set<() => void>();
  const publisher = createPricePublisher({
    priceOwner: pythReceiverProgram,
    priceAccount: account,
    feedId: xauUsdFeedId,
    usdcPriceAccount: usdcAccount,
    usdcFeedId: usdcUsdFeedId,
  });
  publisher.start({
    setAccount: (to, state) => {
      expect(state.owner).toBe(pythReceiverProgram);
      expect([account, usdcAccount]).toContain(to);
      (to === account ? writes : usdcWrites).push(state.data);
    },
    getAccount: () => ({ data: Buffer.from('4d00000000000000', 'hex') }),
    nowUnixSeconds: () => time.seconds,
    onWarp: (listener) => {
      warps.add(listener);
      return () => warps.delete(listener);
    },
  });
  const read = (bytes: Uint8Array | undefined) => {
    const data = Buffer.from(bytes ?? []);
    return {
      discriminator: data.subarray(0, 8).toString('hex'),
      verification: data[40],
      feed: data.subarray(41, 73).toString('hex'),
      price: data.readBigInt64LE(73),
      confidence: data.readBigUInt64LE(81),
      exponent: data.readInt32LE(89),
      publishTime: data.readBigInt64LE(93),
      slot: data.readBigUInt64LE(125),
    };
  };
  const published = () => read(writes.at(-1));
  const publishedUsdc = () => read(usdcWrites.at(-1));
  return { publisher, writes, usdcWrites, time, published, publishedUsdc, warps };
}

test('a price is published at once, every second and after a warp, with the time of the chain', () => {
  const { publisher, writes, time, published, warps } = publishing();
  expect(published()).toMatchObject({
    discriminator: '22f123639d7ef4cd',
    verification: 1,
    feed: '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2',
    confidence: 80_000_000n,
    exponent: -8,
    publishTime: 1_700_000_000n,
    slot: 77n,
  });
  time.seconds += 3_600;
  vi.advanceTimersByTime(3_000);
  expect(writes).toHaveLength(4);
  expect(published().publishTime).toBe(1_700_003_600n);
  for (const warped of warps) warped();
  expect(writes).toHaveLength(5);
  publisher.stop();
  vi.advanceTimersByTime(3_000);
  expect(writes).toHaveLength(5);
  expect(warps.size).toBe(0);
});

test('karat_setPrice pins the price at once, with a fresh time unless one is given; null lets it go', () => {
  const { publisher, time, published } = publishing();
  const set = publisher.methods.karat_setPrice;
  set?.([{ price: '4100.12' }]);
  expect(published()).toMatchObject({ price: 410_012_000_000n, confidence: 80_000_000n });
  time.seconds += 9;
  vi.advanceTimersByTime(1_000);
  expect(published()).toMatchObject({ price: 410_012_000_000n, publishTime: 1_700_000_009n });
  set?.([{ price: '3999', confidence: '1.5', publishTime: 1_600_000_000 }]);
  vi.advanceTimersByTime(2_000);
  expect(published()).toMatchObject({
    price: 399_900_000_000n,
    confidence: 150_000_000n,
    publishTime: 1_600_000_000n,
  });
  set?.([null]);
  expect(published().price).not.toBe(399_900_000_000n);
  expect(published().publishTime).toBe(1_700_000_009n);
});

test('the price of USDC is published with that of gold, at a dollar unless karat_setUsdcPrice pins it', () => {
  const { publisher, usdcWrites, writes, publishedUsdc } = publishing();
  expect(publishedUsdc()).toMatchObject({
    feed: 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
    price: 100_000_000n,
    confidence: 50_000n,
    exponent: -8,
    publishTime: 1_700_000_000n,
  });
  publisher.methods.karat_setUsdcPrice?.([{ price: '0.88' }]);
  expect(publishedUsdc()).toMatchObject({ price: 88_000_000n, confidence: 50_000n });
  publisher.methods.karat_setUsdcPrice?.([null]);
  expect(publishedUsdc().price).toBe(100_000_000n);
  vi.advanceTimersByTime(1_000);
  publisher.methods.karat_freezePrice?.([true]);
  vi.advanceTimersByTime(1_000);
  expect(usdcWrites).toHaveLength(writes.length);
});

test('karat_freezePrice stops publishing until it is resumed', () => {
  const { publisher, writes } = publishing();
  publisher.methods.karat_freezePrice?.([true]);
  vi.advanceTimersByTime(5_000);
  publisher.methods.karat_setPrice?.([{ price: '4200' }]);
  expect(writes).toHaveLength(1);
  publisher.methods.karat_freezePrice?.([false]);
  expect(writes).toHaveLength(2);
  vi.advanceTimersByTime(1_000);
  expect(writes).toHaveLength(3);
});

test.each([
  ['karat_setPrice', [], 'karat_setPrice takes'],
  ['karat_setPrice', ['4100'], 'karat_setPrice takes'],
  ['karat_setPrice', [{ price: 4100 }], 'price must be'],
  ['karat_setPrice', [{ price: '0' }], 'price must be'],
  ['karat_setPrice', [{ price: '-1' }], 'price must be'],
  ['karat_setPrice', [{ price: '1.123456789' }], 'price must be'],
  ['karat_setPrice', [{ price: '99999999999999' }], 'price must be'],
  ['karat_setPrice', [{ price: '4100', confidence: 0.8 }], 'confidence must be'],
  ['karat_setPrice', [{ price: '4100', publishTime: '1' }], 'publishTime must be'],
  ['karat_setUsdcPrice', [{ price: '0' }], 'price must be'],
  ['karat_setUsdcPrice', [], 'karat_setUsdcPrice takes'],
  ['karat_freezePrice', ['yes'], 'karat_freezePrice takes true or false'],
])('%s %j is refused and changes nothing', (method, params, message) => {
  const { publisher, writes } = publishing();
  expect(() => publisher.methods[method]?.(params)).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(message) }),
  );
  expect(writes).toHaveLength(1);
});

test('the walk is the same for the same seed, in whole cents, and stays around 4,100 for a day', () => {
  const [one, two, other] = [priceWalk(1), priceWalk(1), priceWalk(2)];
  const prices = Array.from({ length: 86_400 }, () => one());
  expect(Array.from({ length: 100 }, () => two())).toEqual(prices.slice(0, 100));
  expect(Array.from({ length: 100 }, () => other())).not.toEqual(prices.slice(0, 100));
  expect(prices.every((price) => price % 1_000_000n === 0n)).toBe(true);
  const dollars = prices.map((price) => Number(price / 100_000_000n));
  expect(Math.min(...dollars)).toBeGreaterThan(4_000);
  expect(Math.max(...dollars)).toBeLessThan(4_200);
  expect(new Set(prices).size).toBeGreaterThan(500);
});

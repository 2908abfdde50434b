import { describe, expect, test } from 'vitest';
import {
  effectiveLimits,
  findExceeded,
  isFarFromLimits,
  loosens,
  noLimits,
  overrides,
  usedOf,
  type VelocityWindow,
  withoutAmounts,
} from '../../src/domain/velocity.js';

const hourMs = 3_600_000;
/** A window whose last hour is 100, with USDC by the hour. */
function windowWith(usdc: Record<number, bigint>, hour = 100): VelocityWindow {
  const sums = Array.from({ length: 24 }, () => 0n);
  for (const [at, amount] of Object.entries(usdc)) sums[Number(at) % 24] = amount;
  return { hour, usdc: sums, gold: Array.from({ length: 24 }, () => 0n) };
}
const none = { limits: { usdc: null, gold: null }, window: undefined };
const ofUser = (window: VelocityWindow | undefined, usdc: bigint | null) => ({
  user: { limits: { usdc, gold: null }, window },
  partner: none,
});

describe('movements that count', () => {
  const window = windowWith({ 77: 1n, 78: 10n, 99: 100n, 100: 1_000n });

  test.each([
    [100, 1_111n],
    [101, 1_110n],
    [102, 1_100n],
    [122, 1_100n],
    [123, 1_000n],
    [124, 0n],
    [500, 0n],
  ])('a movement counts for the hour and the 23 before it: in hour %i', (hour, used) => {
    expect(usedOf(window, 'usdc', hour * hourMs + 1)).toBe(used);
  });

  test('a movement counts all the same for a clock that was set back', () => {
    expect(usedOf(window, 'usdc', 50 * hourMs)).toBe(1_111n);
  });

  test('a movement total is nothing before the first movement', () => {
    expect(usedOf(undefined, 'usdc', hourMs)).toBe(0n);
  });

  test('a movement total is less without amounts that were added now', () => {
    const before = withoutAmounts(window, { usdc: 999n, gold: 0n }, 100 * hourMs);
    expect(usedOf(before, 'usdc', 100 * hourMs)).toBe(112n);
  });
});

describe('a limit', () => {
  const window = windowWith({ 90: 40n, 95: 30n, 100: 20n });
  const look = (limit: bigint | null, usdc: bigint) =>
    findExceeded(ofUser(window, limit), { usdc, gold: 5n }, 100 * hourMs);

  test('lets through what fits exactly, and no base unit more', () => {
    expect(look(100n, 10n)).toBeUndefined();
    expect(look(100n, 11n)).toMatchObject({
      scope: 'user',
      token: 'usdc',
      limit: 100n,
      used: 90n,
      requested: 11n,
    });
    expect(look(null, 10n ** 15n)).toBeUndefined();
    expect(findExceeded(undefined, { usdc: 1n, gold: 1n }, 0)).toBeUndefined();
  });

  test.each([
    [11n, 114],
    [50n, 114],
    [51n, 119],
    [81n, 124],
    [100n, 124],
  ])('a limit reports when %i fit: once enough of it is 24 hours old', (usdc, hour) => {
    expect(look(100n, usdc)?.availableAtMs).toBe(hour * hourMs);
  });

  test('a limit never has room for more than itself', () => {
    expect(look(100n, 101n)).toMatchObject({ availableAtMs: undefined });
    expect(look(0n, 1n)).toMatchObject({ availableAtMs: undefined });
  });

  test('a limit of nothing stops everything of its token alone', () => {
    const exceeded = findExceeded(ofUser(undefined, 0n), { usdc: 0n, gold: 5n }, 0);
    expect(exceeded).toBeUndefined();
  });

  test('a limit of the partner holds next to that of the user', () => {
    const velocity = { ...ofUser(undefined, 50n), partner: { limits: { usdc: 100n, gold: null }, window } };
    expect(findExceeded(velocity, { usdc: 20n, gold: 0n }, 100 * hourMs)).toMatchObject({ scope: 'partner' });
    expect(findExceeded(velocity, { usdc: 60n, gold: 0n }, 100 * hourMs)).toMatchObject({ scope: 'user' });
  });
});

test('the most specific limit holds, and what is not set there comes from above', () => {
  const service = { ...noLimits, userUsdc: 100n, userGold: 5n, partnerUsdc: 1_000n };
  const partner = { ...noLimits, userUsdc: 200n };
  const user = { ...noLimits, userGold: 0n };
  expect(effectiveLimits(service, partner, user)).toEqual({ ...service, userUsdc: 200n, userGold: 0n });
  expect(effectiveLimits(undefined, undefined)).toEqual(noLimits);
});

test('a higher limit loosens, and so does none; a lower one or a first one does not', () => {
  const one = { ...noLimits, userUsdc: 100n };
  expect(loosens(one, { ...one, userUsdc: 101n })).toBe(true);
  expect(loosens(one, noLimits)).toBe(true);
  expect(loosens(one, { ...one, userUsdc: 99n, userGold: 1n })).toBe(false);
  expect(loosens(noLimits, one)).toBe(false);
});

test('a limit overrides where those above do not cover it, unless it lowers one of its own', () => {
  const above = { ...noLimits, userUsdc: 100n };
  expect(overrides(noLimits, { ...noLimits, userUsdc: 100n }, above)).toBe(false);
  expect(overrides(noLimits, { ...noLimits, userUsdc: 101n }, above)).toBe(true);
  expect(overrides(noLimits, { ...noLimits, userGold: 1n }, above)).toBe(true);
  expect(overrides({ ...noLimits, userGold: 5n }, { ...noLimits, userGold: 1n }, above)).toBe(false);
  expect(overrides({ ...noLimits, userGold: 5n }, noLimits, above)).toBe(false);
});

describe('open quotes and limits', () => {
  const nowMs = 100 * hourMs;
  const reserved = { usdc: 30n, gold: 0n, lapsesAtMs: nowMs + 90_000 };
  const user = { limits: { usdc: 100n, gold: null }, window: windowWith({ 99: 60n }), reserved };

  test('what open quotes may move counts, and is free again when the last of them lapses', () => {
    const velocity = { user, partner: none };
    expect(findExceeded(velocity, { usdc: 10n, gold: 5n }, nowMs)).toBeUndefined();
    expect(findExceeded(velocity, { usdc: 11n, gold: 0n }, nowMs)).toMatchObject({
      used: 60n,
      reserved: 30n,
      availableAtMs: nowMs + 90_000,
    });
    // Without them there is no room either.
    expect(findExceeded(velocity, { usdc: 41n, gold: 0n }, nowMs)).toMatchObject({
      availableAtMs: 123 * hourMs,
    });
  });

  test.each([
    ['an eighth at once', 12n, { usdc: 0n, published: 0n }, true],
    ['more than an eighth at once', 13n, { usdc: 0n, published: 0n }, false],
    ['an eighth with what others do not know', 8n, { usdc: 4n, published: 0n }, true],
    ['more with what others do not know', 9n, { usdc: 4n, published: 0n }, false],
    ['what others know', 9n, { usdc: 4n, published: 4n }, true],
    ['beyond half of it', 10n, { usdc: 11n, published: 11n }, false],
  ])('a quote is far from a limit or not: %s', (_what, usdc, { usdc: own, published }, isFar) => {
    const account = { limits: { usdc: 100n, gold: 0n }, window: windowWith({ 99: 30n }) };
    const mine = { reserved: { usdc: own, gold: 0n }, published: { usdc: published, gold: 0n } };
    expect(isFarFromLimits(account, { usdc, gold: 0n }, mine, nowMs)).toBe(isFar);
    const unlimited = { limits: { usdc: null, gold: null }, window: undefined };
    expect(isFarFromLimits(unlimited, { usdc, gold: 1n }, mine, nowMs)).toBe(true);
  });
});

import { expect, test } from 'vitest';
import { expireAtSecondsOf, expiresAtMsOf, lifetimeMs, minLifeMs } from '../../src/domain/lifetime.js';

test('a blockhash lives for 60 seconds, and its transaction ends 90 seconds after it was built at the earliest', () => {
  expect(lifetimeMs).toBe(60_000);
  expect(minLifeMs).toBe(90_000);
});

test('a trade ends 30 seconds after its blockhash, rounded up to a second', () => {
  expect(expireAtSecondsOf(1_000_000)).toBe(1_030n);
  expect(expireAtSecondsOf(1_000_001)).toBe(1_031n);
});

test('the end of a blockhash is read back from the end of its trade', () => {
  expect(expiresAtMsOf(1_030_000)).toBe(1_000_000);
});

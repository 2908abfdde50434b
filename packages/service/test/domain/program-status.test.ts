import { expect, test } from 'vitest';
import { isPause, overwrittenFlags, type StatusWord } from '../../src/domain/program-status.js';

/** What was set, from pause flags to pause flags, and where it landed. */
const word = (before: number, after: number, slot: bigint | null, namesMarket = false): StatusWord => ({
  txHash: `${before}-${after}-${slot}`,
  before,
  after,
  market: 'open',
  namesMarket,
  slot,
});

test.each([
  [0, 1, false, true],
  [1, 1, false, true],
  [1, 0, false, false],
  [1, 2, false, false],
  [0, 1, true, false],
])('from %d to %d, the market named: %s, is a pause: %s', (before, after, namesMarket, expected) => {
  expect(isPause(word(before, after, null, namesMarket))).toBe(expected);
});

test.each<[string, StatusWord[], number, number]>([
  ['nothing was set', [], 0, 0],
  ['a pause stands', [word(0, 1, 10n)], 1, 0],
  ['somebody took it back past Karat', [word(0, 1, 10n)], 0, 0],
  ['a resume before it landed after it', [word(1, 0, 20n), word(1, 3, 10n)], 0, 3],
  ['a resume landed in its slot, in whatever order', [word(1, 0, 10n), word(1, 3, 10n)], 0, 3],
  ['it was overwritten and is set again', [word(1, 0, 20n), word(1, 3, 10n), word(0, 2, 30n)], 2, 0],
  ['a pause before it landed after it', [word(0, 1, 20n), word(0, 2, 10n)], 1, 2],
  ['it did not land', [word(1, 0, 20n), word(1, 3, null)], 0, 0],
  ['a resume after it landed after it', [word(0, 1, 10n), word(1, 0, 20n)], 0, 0],
  ['a resume after it said so', [word(1, 0, 20n), word(1, 3, 10n), word(3, 1, 30n)], 1, 0],
  ['a resume after it had nothing to send', [word(1, 0, 20n), word(1, 1, 10n), word(1, 0, null)], 0, 0],
])('%s', (_, words, paused, expected) => {
  expect(overwrittenFlags(words, paused)).toBe(expected);
});

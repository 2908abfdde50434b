import { expect, test } from 'vitest';
import { usedIn } from '../../../src/chain/program/window.js';

const hourMs = 3_600_000;
const hour = 480_000;
/** One base unit in each hour up to `hour`, and 24 in that one. */
const sums = Array.from({ length: 24 }, (_, index) => (index === hour % 24 ? 24n : 1n));

test.each([
  [0, 47n],
  [1, 46n],
  [22, 25n],
  [23, 24n],
  [24, 0n],
  [1_000, 0n],
  // A clock that is behind the chain's.
  [-5, 47n],
])('window: %s hours after the last one that was counted in, %s are used', (later, used) => {
  expect(usedIn({ hour, sums }, (hour + later) * hourMs)).toBe(used);
  expect(usedIn({ hour, sums }, (hour + later + 1) * hourMs - 1)).toBe(used);
});

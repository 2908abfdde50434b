import { describe, expect, test } from 'vitest';
import { usedIn, usedInFlow } from '../../../src/chain/program/window.js';

const hourMs = 3_600_000;
const hour = 480_000;
const buckets = 25;
/** One base unit in each hour up to `hour`, and 25 in that one. */
const sums = Array.from({ length: buckets }, (_, index) => (index === hour % buckets ? 25n : 1n));
const none = { hour, sums: Array<bigint>(buckets).fill(0n) };

test.each([
  [0, 49n],
  [1, 48n],
  [23, 26n],
  [24, 25n],
  [25, 0n],
  [1_000, 0n],
  // A clock that is behind the chain's.
  [-5, 49n],
])('window: %s hours after the last one that was counted in, %s are used', (later, used) => {
  expect(usedIn({ hour, sums }, (hour + later) * hourMs)).toBe(used);
  expect(usedIn({ hour, sums }, (hour + later + 1) * hourMs - 1)).toBe(used);
});

describe('a flow', () => {
  const only = (amount: bigint) => ({ hour, sums: none.sums.with(hour % buckets, amount) });

  test('a flow counts what went out less what came in, and never less than nothing', () => {
    const nowMs = hour * hourMs;
    expect(usedInFlow({ outflow: only(9n), inflow: only(4n) }, nowMs)).toBe(5n);
    expect(usedInFlow({ outflow: only(4n), inflow: only(9n) }, nowMs)).toBe(0n);
    expect(usedInFlow({ outflow: only(4n), inflow: none }, nowMs)).toBe(4n);
  });

  test('a flow forgets what came in an hour before what went out', () => {
    const flow = { outflow: only(9n), inflow: only(4n) };
    expect(usedInFlow(flow, (hour + 23) * hourMs)).toBe(5n);
    expect(usedInFlow(flow, (hour + 24) * hourMs)).toBe(9n);
    expect(usedInFlow(flow, (hour + 25) * hourMs)).toBe(0n);
  });
});

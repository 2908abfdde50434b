import { expect, test } from 'vitest';
import { CallerBudget, type CallUse } from '../../../src/chain/node/caller-budget.js';

/** A budget at a time that stands still until the test moves it. */
function budgetOf(perSecond: number) {
  const time = { nowMs: 0 };
  const budget = new CallerBudget(perSecond, () => time.nowMs);
  /** Returns in how many milliseconds to try again; 0: the calls were granted. */
  const take = (caller: string, use: CallUse = 'trade', calls = 1) => {
    const grant = budget.take({ caller, use, calls });
    return 'waitMs' in grant ? grant.waitMs : 0;
  };
  /** How many calls a caller gets at once. */
  const most = (caller: string, use?: CallUse) => {
    let count = 0;
    while (take(caller, use) === 0) count += 1;
    return count;
  };
  return { time, budget, take, most };
}

test('caller budget: a caller gets about as much as it leaves to all others, and some is left for the next', () => {
  const { most } = budgetOf(60);
  expect(['one', 'two', 'three', 'four'].map((caller) => most(caller))).toEqual([30, 15, 8, 4]);
});

test('caller budget: callers who take turns get equal parts', () => {
  const { take } = budgetOf(60);
  const granted = { one: 0, two: 0 };
  for (let round = 0; round < 60; round += 1) {
    if (take('one') === 0) granted.one += 1;
    if (take('two') === 0) granted.two += 1;
  }
  expect(granted).toEqual({ one: 20, two: 20 });
});

test.each([
  ['open', 'look'],
  ['look', 'open'],
] as const)(
  'caller budget: lookups leave half, open routes have a quarter, and trades the rest (%s first)',
  (...uses) => {
    const { take, most } = budgetOf(80);
    for (const use of uses) for (let caller = 0; caller < 100; caller += 1) take(`${use} ${caller}`, use);
    expect([most('another', 'open'), most('another', 'look')]).toEqual([0, 0]);
    // At least half of a quarter for one of them, which leaves as much to the others.
    expect(most('a partner')).toBe(uses[0] === 'open' ? 20 : 10);
    // Trades that need all that is left leave nothing to others.
    for (let caller = 0; caller < 100; caller += 1) take(`partner ${caller}`);
    expect(most('a network', 'open')).toBe(0);
  },
);

test('caller budget: calls that are not needed go to others', () => {
  const { time, budget, take } = budgetOf(12);
  const request = { caller: 'one', use: 'trade', calls: 3 } as const;
  expect([take('one', 'trade', 3), take('one', 'trade', 3)]).toEqual([0, 0]);
  expect(take('one', 'trade', 3)).toBe(1_000);
  budget.giveBack({ ...request, calls: 2, atMs: 0 });
  expect(take('one', 'trade', 3)).toBe(0);
  // Given back too late: the second is over.
  time.nowMs = 1_000;
  budget.giveBack({ ...request, calls: 2, atMs: 0 });
  expect([take('one', 'trade', 3), take('one', 'trade', 3), take('one', 'trade', 3)]).toEqual([0, 0, 1_000]);
});

test('caller budget: no second has more calls than the budget, and a refused call does not count', () => {
  const { time, take } = budgetOf(10);
  const granted: number[] = [];
  for (; time.nowMs < 5_000; time.nowMs += 10) {
    if (take(`caller ${time.nowMs}`) === 0) granted.push(time.nowMs);
  }
  for (const beganMs of granted) {
    const within = granted.filter((atMs) => atMs >= beganMs && atMs < beganMs + 1_000);
    expect(within.length).toBeLessThanOrEqual(10);
  }
  expect(granted).toHaveLength(50);
});

test('caller budget: a caller who has to wait learns until when', () => {
  const { time, take } = budgetOf(10);
  expect(take('one', 'trade', 5)).toBe(0);
  time.nowMs = 300;
  expect(take('one', 'trade', 5)).toBe(700);
  time.nowMs = 1_000;
  expect(take('one', 'trade', 5)).toBe(0);
});

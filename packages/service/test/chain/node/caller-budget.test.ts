import { expect, test } from 'vitest';
import { CallerBudget, type CallRequest, type CallUse } from '../../../src/chain/node/caller-budget.js';

/** A budget at a time that stands still until the test moves it. */
function budgetOf(perSecond: number) {
  const time = { nowMs: 0 };
  const budget = new CallerBudget(perSecond, () => time.nowMs);
  const take = (caller: string, use: CallUse = 'trade', calls = 1) => budget.take({ caller, use, calls });
  /** How many calls a caller gets at once. */
  const most = (caller: string, use?: CallUse) => {
    let count = 0;
    while (take(caller, use) === 0) count += 1;
    return count;
  };
  return { time, budget, take, most };
}

test('a caller gets about as much as it leaves to all others, and there is something left for the next', () => {
  const { most } = budgetOf(60);
  expect(['one', 'two', 'three', 'four'].map((caller) => most(caller))).toEqual([30, 15, 8, 4]);
});

test('callers who take turns get equal parts', () => {
  const { take } = budgetOf(60);
  const granted = { one: 0, two: 0 };
  for (let round = 0; round < 60; round += 1) {
    if (take('one') === 0) granted.one += 1;
    if (take('two') === 0) granted.two += 1;
  }
  expect(granted).toEqual({ one: 20, two: 20 });
});

test('looks stand back first, then what needs no key; trades get the rest', () => {
  const { take, most } = budgetOf(80);
  for (let caller = 0; caller < 100; caller += 1) take(`looks ${caller}`, 'look');
  expect(most('another', 'look')).toBe(0);
  for (let caller = 0; caller < 100; caller += 1) take(`network ${caller}`, 'open');
  expect([most('another', 'open'), most('another', 'look')]).toEqual([0, 0]);
  expect(most('a partner')).toBe(10);
});

test('no second has more calls than the budget, and what is refused does not count', () => {
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

test('who has to wait learns until when', () => {
  const { time, take } = budgetOf(10);
  expect(take('one', 'trade', 5)).toBe(0);
  time.nowMs = 300;
  expect(take('one', 'trade', 5)).toBe(700);
  time.nowMs = 1_000;
  expect(take('one', 'trade', 5)).toBe(0);
});

test('a look is refused at once, a trade waits for its turn', async () => {
  const budget = new CallerBudget(10);
  const request: CallRequest = { caller: 'one', use: 'trade', calls: 5 };
  const beganMs = performance.now();
  expect(await budget.grantCalls(request)).toBe(true);
  expect(await budget.grantCalls({ ...request, use: 'look', calls: 1 })).toBe(false);
  expect(performance.now() - beganMs).toBeLessThan(1_000);
  expect(await budget.grantCalls(request)).toBe(true);
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(999);
});

test('a trade that would wait for longer than 2 s is refused', async () => {
  const budget = new CallerBudget(10);
  const request: CallRequest = { caller: 'one', use: 'trade', calls: 5 };
  const granted = await Promise.all(Array.from({ length: 6 }, () => budget.grantCalls(request)));
  expect(granted).toEqual([true, true, expect.any(Boolean), false, false, false]);
});

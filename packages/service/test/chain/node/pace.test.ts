import { expect, test } from 'vitest';
import { Pace } from '../../../src/chain/node/pace.js';

/** Has a node refuse the first call after each of so many rests; returns the rests and when the last one ends. */
function refuseAll(pace: Pace, count: number, fromMs = 0): { rests: number[]; endMs: number } {
  const rests: number[] = [];
  let nowMs = fromMs;
  while (rests.length < count) {
    expect(pace.enter(nowMs)).toBe(0);
    pace.refused(nowMs, nowMs, undefined);
    rests.push(pace.restMs(nowMs));
    nowMs += pace.restMs(nowMs);
  }
  return { rests, endMs: nowMs };
}

function succeed(pace: Pace, nowMs: number): void {
  expect(pace.enter(nowMs)).toBe(0);
  pace.ended(nowMs, true);
}

test.each([
  [0, [62.5, 125, 250, 500, 1_000, 2_000, 4_000, 7_500, 7_500]],
  [1, [125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
])('pace: rests double up to 15 s while nothing but refusals comes, with jitter %d', (random, rests) => {
  expect(refuseAll(new Pace(() => random), 9).rests).toEqual(rests);
});

test('pace: a success takes back one doubling', () => {
  const pace = new Pace(() => 1);
  const { rests, endMs } = refuseAll(pace, 5);
  expect(rests.at(-1)).toBe(2_000);
  succeed(pace, endMs);
  expect(refuseAll(pace, 1, endMs).rests).toEqual([1_000]);
});

test('pace: many successes leave the first rest', () => {
  const pace = new Pace(() => 1);
  const { endMs } = refuseAll(pace, 9);
  for (let count = 0; count < 9; count += 1) succeed(pace, endMs);
  expect(refuseAll(pace, 2, endMs).rests).toEqual([125, 250]);
});

test('pace: a refusal after a success doubles nothing', () => {
  const pace = new Pace(() => 1);
  let { endMs } = refuseAll(pace, 3);
  const rests: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    succeed(pace, endMs);
    const next = refuseAll(pace, 1, endMs);
    rests.push(...next.rests);
    endMs = next.endMs;
  }
  expect(rests).toEqual([250, 125, 125, 125]);
});

test('pace: a success of a call that began before the refusal takes back nothing', () => {
  const pace = new Pace(() => 1);
  const { endMs } = refuseAll(pace, 3);
  pace.ended(0, true);
  expect(refuseAll(pace, 1, endMs).rests).toEqual([1_000]);
});

test('pace: the time that a node names is kept, up to a minute', () => {
  const pace = new Pace(() => 0);
  pace.refused(0, 0, 7_000);
  expect(pace.restMs(0)).toBe(7_000);
  pace.refused(10_000, 10_000, 3_600_000);
  expect(pace.restMs(10_000)).toBe(60_000);
});

test('pace: refusals of calls that were under way together count once', () => {
  const pace = new Pace(() => 1);
  pace.refused(0, 100, undefined);
  for (let call = 0; call < 20; call += 1) pace.refused(0, 110, undefined);
  expect(pace.restMs(100)).toBe(125);
  expect(refuseAll(pace, 1, 225).rests).toEqual([250]);
});

test('pace: the first call after a rest goes alone', () => {
  const pace = new Pace(() => 1);
  const { endMs } = refuseAll(pace, 1);
  expect([pace.enter(endMs), pace.enter(endMs)]).toEqual([0, 100]);
  // One that began before the refusal says nothing about the one that went alone.
  pace.refused(-1, endMs, undefined);
  expect(pace.enter(endMs)).toBe(100);
  pace.ended(endMs, true);
  expect([pace.enter(endMs), pace.enter(endMs)]).toEqual([0, 0]);
});

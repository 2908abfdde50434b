import { expect, test } from 'vitest';
import { lookAtMostEvery } from '../../src/runtime/look.js';

test('looks are shared and kept, but not one that failed', async () => {
  let looks = 0;
  const look = lookAtMostEvery(60_000, async () => {
    looks += 1;
    if (looks === 1) throw new Error('not now');
    return looks;
  });
  const first = [look(), look()];
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([look(), look()])).toEqual([2, 2]);
  expect(await look()).toBe(2);
});

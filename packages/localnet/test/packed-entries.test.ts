import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { PackedEntries } from '../src/packed-entries.js';

test('entries of many blocks are read in any order, until they are dropped', () => {
  const kept = new PackedEntries();
  const given = Array.from({ length: 200 }, (_, number) => randomBytes(1_000 + 37 * number));
  given.forEach((entry, number) => {
    expect(kept.add(entry)).toBe(number);
  });
  // Not by toEqual, which looks at each byte by itself.
  const isKept = (number: number) => given[number]?.equals(kept.read(number) ?? Buffer.alloc(0));
  for (const step of [1, 23, 71, 199])
    for (let read = 0, number = 0; read < given.length; read += 1, number = (number + step) % given.length)
      expect(isKept(number), `entry ${number}`).toBe(true);
  kept.dropBefore(150);
  expect(kept.read(0)).toBeUndefined();
  for (let number = 150; number < given.length; number += 1)
    expect(isKept(number), `entry ${number}`).toBe(true);
});

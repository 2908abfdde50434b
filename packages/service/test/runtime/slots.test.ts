import { expect, test } from 'vitest';
import { Slots } from '../../src/runtime/slots.js';

test('slots hold what was added and not removed, and use places again', () => {
  const slots = new Slots<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((item) => slots.add(item));
  expect([...slots]).toEqual(['a', 'b', 'c']);
  slots.remove(b ?? -1);
  expect([...slots]).toEqual(['a', 'c']);
  expect(slots.add('d')).toBe(b);
  slots.remove(a ?? -1);
  slots.remove(c ?? -1);
  expect([...slots]).toEqual(['d']);
});

test('what is removed while others are looked at is left out', () => {
  const slots = new Slots<() => void>();
  const seen: string[] = [];
  let last = -1;
  slots.add(() => {
    seen.push('first');
    slots.remove(last);
  });
  last = slots.add(() => seen.push('last'));
  for (const look of slots) look();
  expect(seen).toEqual(['first']);
});

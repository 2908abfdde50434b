import { expect, test } from 'vitest';
import type { Context } from '../../../src/context.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { KeyUse } from '../../../src/http/auth/key-use.js';

/** Uses whose every write ends when the test says so. */
function givenKeyUse() {
  const writes: { ids: Uuid[]; end(error?: Error): void }[] = [];
  const record = (_: Context, uses: ReadonlyMap<Uuid, Date>) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ ids: [...uses.keys()], end: (error) => (error ? reject(error) : resolve()) });
    });
  return { keyUse: new KeyUse({ clock: { now: () => 0 } } as Context, record), writes };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a flush waits for what is being written, too', async () => {
  const { keyUse, writes } = givenKeyUse();
  const [first, second] = [newUuid(), newUuid()];
  keyUse.note(first);
  const ended: string[] = [];
  const flush = (name: string) => keyUse.flush().then(() => ended.push(name));
  const flushes = [flush('a'), flush('b')];
  await turn();
  keyUse.note(second);
  flushes.push(flush('c'));
  await turn();
  expect([writes.map(({ ids }) => ids), ended]).toEqual([[[first]], []]);
  writes[0]?.end();
  await turn();
  expect(writes.map(({ ids }) => ids)).toEqual([[first], [second]]);
  expect(ended).not.toContain('c');
  writes[1]?.end();
  await Promise.all(flushes);
  expect(writes).toHaveLength(2);
});

test('a use that could not be written is written by the next flush, waiting or later', async () => {
  const { keyUse, writes } = givenKeyUse();
  const id = newUuid();
  keyUse.note(id);
  const failing = keyUse.flush();
  await turn();
  const waiting = keyUse.flush();
  writes[0]?.end(new Error('the disk is full'));
  await expect(failing).rejects.toThrow('the disk is full');
  await turn();
  expect(writes.map(({ ids }) => ids)).toEqual([[id], [id]]);
  writes[1]?.end(new Error('still'));
  await expect(waiting).rejects.toThrow('still');
  const later = keyUse.flush();
  await turn();
  writes[2]?.end();
  await later;
  expect(writes.map(({ ids }) => ids)).toEqual([[id], [id], [id]]);
});

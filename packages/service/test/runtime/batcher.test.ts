import { expect, test, vi } from 'vitest';
import { Batcher, type BatcherOptions } from '../../src/runtime/batcher.js';

/** A batcher whose batches end when the test lets them. */
function held(options: Omit<BatcherOptions<number, string>, 'run'> = {}) {
  const batches: {
    items: readonly number[];
    end(results?: (string | Error)[]): void;
    fail(error: Error): void;
  }[] = [];
  const batcher = new Batcher<number, string>({
    ...options,
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (results: (string | Error)[] = items.map(String)) => resolve(results);
        batches.push({ items, end, fail: reject });
      }),
  });
  return { batcher, batches, sizes: () => batches.map(({ items }) => items.length) };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('a batch has the items of one turn of the event loop, and each gets its own result', async () => {
  const { batcher, batches, sizes } = held();
  const all = [1, 2, 3].map((item) => batcher.add(item));
  await turn();
  expect(sizes()).toEqual([3]);
  batches[0]?.end();
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
});

test('items that come while a batch is under way make up the next one', async () => {
  const { batcher, batches, sizes } = held();
  const all = [batcher.add(1)];
  await turn();
  all.push(batcher.add(2));
  await turn();
  all.push(batcher.add(3));
  await turn();
  expect([sizes(), batcher.isRunning]).toEqual([[1], true]);
  batches[0]?.end();
  await turn();
  expect(sizes()).toEqual([1, 2]);
  batches[1]?.end();
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
  expect(batcher.isRunning).toBe(false);
});

test('a batch has no more items than it may, and no more batches are under way than may be', async () => {
  const { batcher, batches, sizes } = held({ maxItems: 2, maxRunning: 2 });
  const all = [1, 2, 3, 4, 5].map((item) => batcher.add(item));
  await turn();
  expect(sizes()).toEqual([2, 2]);
  batches[1]?.end();
  await turn();
  expect(sizes()).toEqual([2, 2, 1]);
  for (const batch of batches) batch.end();
  expect(await Promise.all(all)).toEqual(['1', '2', '3', '4', '5']);
});

test('items join for a moment while a batch has just begun, and then wait no longer for its end', async () => {
  const { batcher, sizes } = held({ maxRunning: 2, joinWithinMs: 50 });
  const beganMs = performance.now();
  for (const item of [1, 2, 3]) {
    void batcher.add(item);
    await turn();
  }
  expect(sizes()).toEqual([1]);
  await vi.waitFor(() => expect(sizes()).toEqual([1, 2]));
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(50);
});

test('an error among the results rejects its item alone, and a batch that fails rejects all of its own', async () => {
  const { batcher, batches } = held();
  const first = Promise.allSettled([1, 2].map((item) => batcher.add(item)));
  await turn();
  const second = Promise.allSettled([3, 4].map((item) => batcher.add(item)));
  const error = new Error('refused');
  batches[0]?.end(['1', error]);
  await turn();
  batches[1]?.fail(error);
  const rejected = { status: 'rejected', reason: error };
  expect(await first).toEqual([{ status: 'fulfilled', value: '1' }, rejected]);
  expect(await second).toEqual([rejected, rejected]);
  const third = batcher.add(5);
  await turn();
  batches[2]?.end();
  expect(await third).toBe('5');
});

test('an item beyond those that may wait is refused, and so is one that is not wanted when its turn comes', async () => {
  const { batcher, batches, sizes } = held({ maxWaiting: 2, refusal: () => new Error('not now') });
  const first = batcher.add(1);
  await turn();
  let isWanted = true;
  const unwanted = batcher.add(2, () => isWanted);
  const wanted = batcher.add(3);
  await expect(batcher.add(4)).rejects.toThrow('not now');
  isWanted = false;
  batches[0]?.end();
  await expect(unwanted).rejects.toThrow('not now');
  expect(sizes()).toEqual([1, 1]);
  batches[1]?.end();
  expect(await Promise.all([first, wanted])).toEqual(['1', '3']);
});

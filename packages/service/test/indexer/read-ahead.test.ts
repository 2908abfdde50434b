import { expect, test } from 'vitest';
import { readAhead } from '../../src/indexer/record/read-ahead.js';

/** Stages whose ends are decided by the test, and what has happened so far. */
function stages(batches: string[]) {
  const happened: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const stage = (name: string) => (batch: string) => {
    happened.push(`${name} ${batch}`);
    return new Promise<string>((resolve, reject) => {
      ends.set(`${name} ${batch}`, { resolve: () => resolve(batch), reject });
    });
  };
  const write = stage('write');
  let outcome: unknown = 'under way';
  const done = readAhead(batches, stage('read'), async (batch) => void (await write(batch))).then(
    () => {
      outcome = 'done';
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    happened,
    outcome: () => outcome,
    done,
    async end(name: string) {
      ends.get(name)?.resolve();
      await turn();
    },
    async fail(name: string) {
      ends.get(name)?.reject(new Error(`${name} failed`));
      await turn();
    },
  };
}

test('one batch is read while the one before it is written, and no other', async () => {
  const { happened, end, done, outcome } = stages(['a', 'b', 'c']);
  await end('read a');
  expect(happened).toEqual(['read a', 'write a', 'read b']);
  await end('read b');
  // Neither is the next one read nor this one written before that.
  expect(happened).toEqual(['read a', 'write a', 'read b']);
  await end('write a');
  expect(happened.slice(3)).toEqual(['write b', 'read c']);
  await end('write b');
  await end('read c');
  expect(outcome()).toBe('under way');
  await end('write c');
  await done;
  expect(happened).toEqual(['read a', 'write a', 'read b', 'write b', 'read c', 'write c']);
});

test('a batch that cannot be read ends it once the one before it is written', async () => {
  const { happened, end, fail, outcome } = stages(['a', 'b', 'c']);
  await end('read a');
  await fail('read b');
  expect(outcome()).toBe('under way');
  await end('write a');
  expect(outcome()).toBe('read b failed');
  expect(happened).toEqual(['read a', 'write a', 'read b']);
});

test('behind a batch that cannot be written nothing is, and reading has ended by then', async () => {
  const { happened, end, fail, outcome } = stages(['a', 'b', 'c']);
  await end('read a');
  await fail('write a');
  expect(outcome()).toBe('under way');
  await end('read b');
  expect(outcome()).toBe('write a failed');
  expect(happened).toEqual(['read a', 'write a', 'read b']);
});

test('of two failures the one of the earlier batch is reported', async () => {
  const { end, fail, outcome } = stages(['a', 'b']);
  await end('read a');
  await fail('write a');
  await fail('read b');
  expect(outcome()).toBe('write a failed');
});

import { expect, test } from 'vitest';
import { type Turn, Turns } from '../../src/runtime/turns.js';

const endOf = (turn: Turn<string> | undefined): ((outcome?: string) => void) => {
  if (!turn || !('end' in turn)) throw new Error('it is not the turn of this one');
  return turn.end;
};

test('a name is given to one after the other, in the order in which they came', async () => {
  const turns = new Turns<string>();
  const order: number[] = [];
  const work = async (at: number) => {
    const end = endOf(await turns.take('a', 1_000));
    order.push(at);
    await new Promise(setImmediate);
    order.push(at);
    end();
  };
  await Promise.all([1, 2, 3].map(work));
  expect(order).toEqual([1, 1, 2, 2, 3, 3]);
});

test('names are apart', async () => {
  const turns = new Turns<string>();
  for (const name of ['a', 'b']) expect(await turns.take(name, 1_000)).toHaveProperty('end');
});

test('an outcome is that of all who wait, and the next one starts afresh', async () => {
  const turns = new Turns<string>();
  const end = endOf(await turns.take('a', 1_000));
  const waiting = [turns.take('a', 1_000), turns.take('a', 1_000)];
  end('made');
  expect(await Promise.all(waiting)).toEqual([{ outcome: 'made' }, { outcome: 'made' }]);
  expect(await turns.take('a', 1_000)).toHaveProperty('end');
});

test('what has waited long enough gets no turn later', async () => {
  const turns = new Turns<string>();
  const end = endOf(await turns.take('a', 1_000));
  const [late, patient] = [turns.take('a', 1), turns.take('a', 1_000)];
  expect(await late).toBeUndefined();
  end();
  endOf(await patient)();
  expect(await turns.take('a', 1)).toHaveProperty('end');
});

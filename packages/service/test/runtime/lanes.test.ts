import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOn } from '../../src/db/client.js';
import { Pool } from '../../src/db/connections.js';
import { Batcher } from '../../src/runtime/batcher.js';
import { Lane, laneInHand, outsideLanes } from '../../src/runtime/lanes.js';
import { cloneTemplate } from '../harness.js';

let pool: Pool;
let database: Awaited<ReturnType<typeof cloneTemplate>>;
beforeAll(async () => {
  database = await cloneTemplate();
  pool = new Pool(database.url, { size: 4, applicationName: 'lanes', statementTimeoutMs: 4_000 });
});
afterAll(async () => {
  await pool.end(1_000);
  await database.drop();
});

const newLane = (places: number, maxWaitMs = 1_000) =>
  new Lane({ places, maxWaitMs }, () => new Error('refused'));

test('work that holds a connection waits for no place of its own lane', async () => {
  const db = drizzleOn(pool);
  const nested = () => db.transaction(() => db.execute('select 1'));
  const lane = newLane(1);
  const twice = async () => [await nested(), await nested()];
  expect(await Promise.all([lane.run(nested), lane.run(twice)])).toHaveLength(2);
});

test('connections of a lane are never more than its places, and each is given back, also by what fails', async () => {
  const lane = newLane(2);
  let now = 0;
  let most = 0;
  const work = (fails: boolean) =>
    lane.run(() =>
      pool.transaction(async (connection) => {
        now += 1;
        most = Math.max(most, now);
        await connection
          .query({ text: fails ? 'select nonsense' : 'select pg_sleep(0.01)' }, [])
          .finally(() => {
            now -= 1;
          });
      }),
    );
  await Promise.allSettled(Array.from({ length: 20 }, (_, at) => work(at % 3 === 0)));
  expect(most).toBe(2);
  await Promise.all([1, 2].map(() => work(false)));
});

test('what has begun goes before what has not, and is not refused', async () => {
  const lane = newLane(1, 50);
  const order: string[] = [];
  const begun = lane.run(async () => {
    await pool.query({ text: 'select 1' }, []);
    const hold = lane.run(() => pool.query({ text: 'select pg_sleep(0.2)' }, []));
    await pool.query({ text: 'select 1' }, []);
    order.push('begun');
    await hold;
  });
  await wait(20);
  const refused = lane.run(() => pool.query({ text: 'select 1' }, [])).catch((error: Error) => error.message);
  expect(await refused).toBe('refused');
  await wait(100);
  const fresh = lane.run(async () => {
    await pool.query({ text: 'select 1' }, []);
    order.push('new');
  });
  await Promise.all([begun, fresh]);
  expect(order[0]).toBe('begun');
});

test('a query gives its place back when no connection can be had', async () => {
  const nowhere = new Pool('postgres://127.0.0.1:1/none', {
    size: 1,
    applicationName: 'lanes',
    statementTimeoutMs: 1_000,
  });
  const lane = newLane(1);
  const query = () => lane.run(() => nowhere.query({ text: 'select 1' }, []));
  for (let tries = 0; tries < 3; tries += 1)
    await expect(query()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await nowhere.end(10);
});

test('what several callers share is done in the lane of none', async () => {
  const lane = newLane(1);
  const batcher = new Batcher<number, boolean>({
    run: async (items) => items.map(() => laneInHand() === undefined),
  });
  expect(await lane.run(() => batcher.add(1))).toBe(true);
  expect(await lane.run(async () => outsideLanes(() => laneInHand()))).toBeUndefined();
});

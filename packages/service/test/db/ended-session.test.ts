import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DbHandle, openDatabase } from '../../src/db/client.js';
import { isDatabaseOutage } from '../../src/db/outage.js';
import { type Harness, harness } from '../harness.js';
import { startOwnPostgres } from '../own-postgres.js';

/** What the server itself does to sessions: each connection that it ends is given up, and no error outlives it. */

const size = 4;

let h: Harness;
let database: DbHandle;
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);
beforeAll(async () => {
  process.on('uncaughtException', note);
  h = await harness();
});
beforeEach(() => {
  database = openDatabase(h.databaseUrl, { poolSize: size });
});
afterEach(async () => {
  await database.close();
  expect(uncaught.splice(0)).toEqual([]);
});
afterAll(async () => {
  await h.close();
  process.off('uncaughtException', note);
});

/** Ends the sessions that wait in `pg_sleep`, once there are `count`. */
async function terminateSleepers(count: number): Promise<void> {
  const sleepers = sql`select pid from pg_stat_activity where query like '%pg_sleep%' and datname = current_database()
    and state = 'active' and wait_event = 'PgSleep'`;
  await expect
    .poll(async () => (await h.ctx.db.execute(sleepers)).length, { interval: 10, timeout: 15_000 })
    .toBe(count);
  await h.ctx.db.execute(sql`select pg_terminate_backend(pid) from (${sleepers}) as sleeper`);
}

const sleep = (db: { execute: DbHandle['db']['execute'] } = database.db) =>
  db.execute(sql`select pg_sleep(20)`);

/** The reasons of those of many queries at once that fail. */
async function failuresOf(handle: DbHandle, count = size * 5): Promise<string[]> {
  const ends = await Promise.allSettled(
    Array.from({ length: count }, (_, at) => handle.db.execute(sql`select ${at}::int as at`)),
  );
  return ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason.cause ?? end.reason)] : []));
}

test('queries whose sessions are ended fail as an outage, and none after them gets their error', async () => {
  for (let round = 0; round < 5; round += 1) {
    const cut = Promise.allSettled(Array.from({ length: size }, () => sleep()));
    await terminateSleepers(size);
    const reasons = (await cut).map((end) => (end.status === 'rejected' ? end.reason : undefined));
    expect(reasons.map((reason) => isDatabaseOutage(reason))).toEqual(Array(size).fill(true));
    expect(await failuresOf(database)).toEqual([]);
  }
});

test('a transaction whose session is ended writes nothing more, however its work goes on', async () => {
  let late: unknown;
  const transaction = database.db.transaction(async (tx) => {
    await sleep(tx).catch(() => {});
    // Meanwhile every connection is made anew.
    expect(await failuresOf(database)).toEqual([]);
    late = await tx
      .execute(sql`insert into countries (code, name, active) values ('ZZ', 'Nowhere', true)`)
      .catch((error: unknown) => error);
    await tx.execute(sql`insert into countries (code, name, active) values ('ZY', 'Nowhere', true)`);
  });
  const end = expect(transaction).rejects.toSatisfy(isDatabaseOutage);
  await terminateSleepers(1);
  await end;
  expect(isDatabaseOutage(late)).toBe(true);
  expect(await h.ctx.db.execute(sql`select code from countries where name = 'Nowhere'`)).toEqual([]);
  expect(await failuresOf(database)).toEqual([]);
});

test('a transaction that passes over a failed query rejects with that failure instead of a false commit', async () => {
  const transaction = database.db.transaction(async (tx) => {
    await tx.execute(sql`insert into countries (code, name, active) values ('ZX', 'Lost', true)`);
    await tx.execute(sql`select 1 / 0`).catch(() => {});
  });
  await expect(transaction).rejects.toThrow('division by zero');
  expect(await h.ctx.db.execute(sql`select 1 from countries where name = 'Lost'`)).toEqual([]);
});

test('work that outlives its transaction writes nothing', async () => {
  let leaked: Promise<unknown> | undefined;
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const transaction = database.db.transaction(async (tx) => {
    leaked = gate.then(() =>
      tx.execute(sql`insert into countries (code, name, active) values ('ZW', 'Late', true)`),
    );
    leaked.catch(() => {});
    throw new Error('given up');
  });
  await expect(transaction).rejects.toThrow('given up');
  goOn();
  await expect(leaked).rejects.toThrow();
  expect(await h.ctx.db.execute(sql`select 1 from countries where name = 'Late'`)).toEqual([]);
});

test('a pool that closes reports it to those who wait for a connection', async () => {
  const asleep = Array.from({ length: size }, () => sleep());
  const waiting = Array.from({ length: size }, () => database.db.execute(sql`select 1`));
  const ends = Promise.allSettled([...asleep, ...waiting]);
  await expect
    .poll(
      () =>
        h.ctx.db.execute(
          sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
        ),
      {
        interval: 10,
        timeout: 15_000,
      },
    )
    .toHaveLength(size);
  await database.pool.end(0);
  for (const end of await ends) expect(end.status === 'rejected' && isDatabaseOutage(end.reason)).toBe(true);
  await expect(database.db.execute(sql`select 1`)).rejects.toSatisfy(isDatabaseOutage);
});

test('a server that restarts under load: every failure is an outage, and once it is back there is none', async () => {
  const postgres = await startOwnPostgres();
  const under = openDatabase(postgres.url, { poolSize: size });
  const failures: unknown[] = [];
  let loading = true;
  const lanes = Array.from({ length: size * 2 }, async (_, lane) => {
    while (loading) {
      const work =
        lane % 2 ? under.db.transaction((tx) => tx.execute(sql`select 1`)) : under.db.execute(sql`select 1`);
      await work.catch((error: unknown) => failures.push(error));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
  try {
    for (let restart = 0; restart < 2; restart += 1) {
      await postgres.stop();
      await postgres.start();
      await expect.poll(() => failuresOf(under, 1), { interval: 20, timeout: 15_000 }).toEqual([]);
      expect(await failuresOf(under, 100)).toEqual([]);
    }
    expect(failures.filter((error) => !isDatabaseOutage(error))).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
  } finally {
    loading = false;
    await Promise.all(lanes);
    await under.close();
    await postgres.remove();
  }
});

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOn, openDatabase, slowTransaction } from '../../src/db/client.js';
import { Pool } from '../../src/db/connections.js';
import { isDatabaseOutage } from '../../src/db/outage.js';
import { translateError } from '../../src/db/postgres-error.js';
import { harness } from '../harness.js';
import { TcpProxy } from '../tcp-proxy.js';

let h: Awaited<ReturnType<typeof harness>>;
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);

beforeAll(async () => {
  h = await harness();
  process.on('uncaughtException', note);
});

afterAll(async () => {
  process.off('uncaughtException', note);
  await h.close();
});

async function throughProxy() {
  const proxy = new TcpProxy();
  const url = new URL(h.databaseUrl);
  proxy.target = { host: url.hostname, port: Number(url.port) };
  await proxy.open();
  url.port = String(proxy.port);
  return { proxy, database: openDatabase(url.href, { poolSize: 2 }) };
}

test('a transaction whose connection is cut rejects, ends nothing else, and the pool works on', async () => {
  const { proxy, database } = await throughProxy();
  for (let round = 0; round < 5; round += 1) {
    const transactions = [0, 1].map(() =>
      database.db.transaction(async (tx) => {
        await tx.execute(sql`select pg_sleep(0.3)`);
        await tx.execute(sql`select 1`);
      }),
    );
    setTimeout(() => void proxy.shut(), 100);
    const ends = await Promise.allSettled(transactions);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await proxy.open();
    for (let query = 0; query < 4; query += 1) await database.db.execute(sql`select ${query}::int`);
  }
  expect(uncaught).toEqual([]);
  await database.pool.end(0);
  await proxy.shut();
});

test('a transaction that fails by itself is rolled back as ever', async () => {
  const failing = h.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`insert into countries (code, name, active) values ('ZZ', 'Nowhere', true)`);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await h.ctx.db.execute(sql`select 1 from countries where code = 'ZZ'`)).toHaveLength(0);
  await expect(h.ctx.db.transaction((tx) => tx.execute(sql`select 1/0`))).rejects.toThrow();
});

test.each([
  ['a code of the network that is not listed', Object.assign(new Error('down'), { code: 'ENETDOWN' })],
  ['a socket that was destroyed', Object.assign(new Error('write'), { code: 'ERR_STREAM_DESTROYED' })],
  ['a message out of step', new Error('Received unexpected commandComplete message from backend.')],
])('%s is an outage', (_name, error) => {
  expect(translateError(new Error('a mistake', { cause: error }))).not.toSatisfy(isDatabaseOutage);
  expect(translateError(error)).toSatisfy(isDatabaseOutage);
});

test('a value that the driver cannot send is no outage', () => {
  const mistake = Object.assign(new TypeError('no string'), { code: 'ERR_INVALID_ARG_TYPE' });
  expect(translateError(mistake)).toBe(mistake);
  expect(mistake).not.toSatisfy(isDatabaseOutage);
});

function openImpatient(): Pool {
  return new Pool(h.databaseUrl, { size: 1, applicationName: 'test', statementTimeoutMs: 1_000 });
}

test('a statement that this side gives up ends its connection, and a slow transaction may take longer', async () => {
  const pool = openImpatient();
  const db = drizzleOn(pool);
  // The server is set to let it run, so that only this side can end it.
  const overrun = db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`select pg_sleep(60)`);
  });
  await expect(overrun).rejects.toSatisfy(isDatabaseOutage);
  const again = db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`select pg_sleep(60)`).catch(() => {});
    await tx.execute(sql`select 1`);
  });
  // Not asked again: it would wait behind the statement that was given up.
  await expect(again).rejects.toMatchObject({ cause: { code: 'CONNECTION_CLOSED' } });
  await expect.poll(() => pool.state()).toEqual({ open: 0, idle: 0, waiting: 0 });

  const slow = (ms: number) =>
    slowTransaction(db, ms, (tx) => tx.execute(sql`select pg_sleep(1.5)`), {
      isolationLevel: 'repeatable read',
    });
  await expect(slow(60_000)).resolves.toHaveLength(1);
  const limit = () => sql`show statement_timeout`;
  const limitOf = slowTransaction(db, 200, (tx) => tx.execute(limit()), {
    isolationLevel: 'repeatable read',
  });
  expect(await limitOf).toEqual([{ statement_timeout: '200ms' }]);
  // The next transaction on the same connection is an ordinary one.
  expect(await db.execute(limit())).toEqual([{ statement_timeout: '1s' }]);
  // Whichever side notices first: a busy server may be later than this one.
  await expect(db.execute(sql`select pg_sleep(1.5)`)).rejects.toSatisfy(isDatabaseOutage);
  await expect(slow(200)).rejects.toSatisfy(isDatabaseOutage);
  await pool.end(0);
});

test('data that arrived while this process was busy is read, however late', async () => {
  const pool = openImpatient();
  await pool.query({ text: 'select' }, []);
  const found = pool.query({ text: 'select 1 as one' }, []);
  // The query is sent, and then nothing is read until long after its time is up.
  await new Promise((resolve) => setImmediate(resolve));
  const end = performance.now() + 2_000;
  while (performance.now() < end);
  expect(await found).toEqual([{ one: 1 }]);
  await pool.end(0);
});

test('a waiter for a free connection leaves the line when it waits in vain', async () => {
  const pool = openImpatient();
  const only = await pool.checkOut();
  await expect(pool.checkOut()).rejects.toMatchObject({ code: 'POOL_TIMEOUT' });
  expect(pool.state().waiting).toBe(0);
  only.release();
  await pool.end(0);
});

test('a transaction that its process leaves alone loses its locks', async () => {
  const pool = openImpatient();
  const [setting] = (await pool.query({ text: 'show idle_in_transaction_session_timeout' }, [])) as [
    { idle_in_transaction_session_timeout: string },
  ];
  expect(setting.idle_in_transaction_session_timeout).toBe('8s');
  await pool.end(0);
});

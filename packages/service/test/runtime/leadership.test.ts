import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DbHandle, openLeadDatabase, slowTransaction, type Tx } from '../../src/db/client.js';
import { LostLeadError } from '../../src/db/leads.js';
import { countries } from '../../src/db/schema.js';
import { campaign, type Leadership } from '../../src/runtime/leadership.js';
import { cloneTemplate } from '../harness.js';
import { eventually } from '../karat-chain.js';

let database: Awaited<ReturnType<typeof cloneTemplate>>;
let end: AbortController;
const opened: DbHandle[] = [];
beforeEach(async () => {
  database = await cloneTemplate();
  end = new AbortController();
});
afterEach(async () => {
  end.abort();
  await Promise.all(opened.splice(0).map(({ pool }) => pool.end(0)));
  await database.drop();
});

function stand(): Promise<Leadership> {
  return campaign({
    databaseUrl: database.url,
    lock: 'indexer',
    electionMs: 100,
    signal: end.signal,
    onWait: () => {},
  });
}

function openFor({ lead }: Leadership): DbHandle {
  const handle = openLeadDatabase(database.url, lead, { poolSize: 2 });
  opened.push(handle);
  return handle;
}

/** What a firewall or an operator does to a leader: its lock is gone before it knows. */
async function endSessions({ db }: DbHandle): Promise<void> {
  await db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'karat-indexer' and datname = current_database()`);
}

const insert = ({ db }: DbHandle, code: string) =>
  db.transaction((tx) => tx.insert(countries).values({ code, name: code, active: true }));
const codes = async ({ db }: DbHandle) =>
  (await db.select({ code: countries.code }).from(countries).orderBy(countries.code)).map(({ code }) => code);

test('a former leader, whatever it believes, writes nothing once another one leads', async () => {
  const former = await stand();
  const asFormer = openFor(former);
  await insert(asFormer, 'AA');
  await endSessions(asFormer);
  const present = await stand();
  expect(present.lead).toEqual({ role: 'indexer', epoch: former.lead.epoch + 1 });
  await expect(insert(asFormer, 'BB')).rejects.toThrow(LostLeadError);
  const serializable = asFormer.db.transaction(
    (tx) => tx.insert(countries).values({ code: 'CC', name: 'CC', active: true }),
    { isolationLevel: 'serializable' },
  );
  await expect(serializable).rejects.toThrow(LostLeadError);
  const asPresent = openFor(present);
  await insert(asPresent, 'DD');
  expect(await codes(asFormer)).toEqual(['AA', 'DD']);
  await asFormer.db.transaction((tx) => tx.select().from(countries), { accessMode: 'read only' });
});

test('a write that a former leader has begun is over, one way or the other, before another one leads', async () => {
  const asFormer = openFor(await stand());
  let successor: Promise<Leadership> | undefined;
  let leads = false;
  await asFormer.db.transaction(async (tx) => {
    await tx.insert(countries).values({ code: 'AA', name: 'AA', active: true });
    await endSessions(asFormer);
    successor = stand();
    void successor.then(() => (leads = true));
    // The successor has the lock, and waits for the row that this transaction holds.
    // Looked for within this transaction, which the server would end if nothing were done in it.
    await eventually(async () => {
      await tx.execute(sql`select pg_stat_clear_snapshot()`);
      const waiting = await tx.execute(sql`select from pg_stat_activity
        where application_name = 'karat-indexer' and wait_event_type = 'Lock' and datname = current_database()`);
      expect(waiting).toHaveLength(1);
    }, 15_000);
    expect(leads).toBe(false);
  });
  const asPresent = openFor(await (successor as Promise<Leadership>));
  expect(await codes(asPresent)).toEqual(['AA']);
});

test('a transaction in which a leader was stopped ends by itself, and another one leads within 15 s', async () => {
  const asFormer = openFor(await stand());
  const start = performance.now();
  const stopped = asFormer.db.transaction(async (tx) => {
    await tx.insert(countries).values({ code: 'AA', name: 'AA', active: true });
    await endSessions(asFormer);
    const present = await stand();
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(await codes(openFor(present))).toEqual([]);
    await tx.execute(sql`select 1`);
  });
  await expect(stopped).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/^(25P03|CONNECTION_CLOSED)$/) },
  });
});

test('a leader may read for long, and writes in no transaction that would hold up the next one', async () => {
  const { db } = openFor(await stand());
  const select = (tx: Tx) => tx.select().from(countries);
  expect(await slowTransaction(db, 60_000, select, { accessMode: 'read only' })).toEqual([]);
  await expect(slowTransaction(db, 60_000, select)).rejects.toThrow('would hold up the next leader');
});

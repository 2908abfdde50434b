import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOn } from '../../src/db/client.js';
import { Pool } from '../../src/db/connections.js';
import { isDatabaseOutage } from '../../src/db/outage.js';
import { startOwnPostgres } from '../own-postgres.js';

/** What is confirmed has reached the standby, or a failover would lose it. */

let server: Awaited<ReturnType<typeof startOwnPostgres>>;
let administrator: postgres.Sql;

beforeAll(async () => {
  server = await startOwnPostgres();
  administrator = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await administrator.end();
  await server.remove();
});

/** Has every commit wait for a standby of that name; for none without one. */
async function replicateTo(standby: string): Promise<void> {
  await administrator.unsafe(`alter system set synchronous_standby_names = '${standby}'`);
  await administrator`select pg_reload_conf()`;
}

/** Resolves once commits wait for a standby, which begins when the checkpointer has read the settings. */
async function commitsWait(): Promise<void> {
  const probe = postgres(server.url, { max: 1, onnotice: () => {} });
  const commit = () => probe`select pg_logical_emit_message(true, 'test', '')`.then(() => true);
  let committed = commit().catch(() => false);
  await expect
    .poll(
      async () => {
        const waits = await administrator`select from pg_stat_activity where wait_event = 'SyncRep'`;
        if (waits.length > 0) return true;
        if (await Promise.race([committed, false])) committed = commit().catch(() => false);
        return false;
      },
      { interval: 20, timeout: 15_000 },
    )
    .toBe(true);
  await administrator`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  await probe.end({ timeout: 0 });
}

const found = async () => (await administrator`select from countries where name = 'Nowhere'`).length;

test('a commit that no standby confirms is an outage, and is seen only once one does', async () => {
  const pool = new Pool(server.url, { size: 1, applicationName: 'test', statementTimeoutMs: 1_000 });
  await pool.query({ text: 'select' }, []);
  await replicateTo('absent');
  await commitsWait();
  const written = drizzleOn(pool).transaction((tx) =>
    tx.execute(sql`insert into countries (code, name, active) values ('ZZ', 'Nowhere', true)`),
  );
  await expect(written).rejects.toSatisfy(isDatabaseOutage);
  expect(await found()).toBe(0);
  await replicateTo('');
  await expect.poll(found, { interval: 20, timeout: 15_000 }).toBe(1);
  await pool.end(0);
});

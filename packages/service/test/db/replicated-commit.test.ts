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
  await expect
    .poll(async () => (await administrator`show synchronous_standby_names`)[0]?.synchronous_standby_names)
    .toBe(standby);
}

const found = async () => (await administrator`select from countries where name = 'Nowhere'`).length;

test('a commit that no standby confirms is an outage, and is seen only once one does', async () => {
  const pool = new Pool(server.url, { size: 1, applicationName: 'test', statementTimeoutMs: 300 });
  await pool.query({ text: 'select' }, []);
  await replicateTo('absent');
  const written = drizzleOn(pool).transaction((tx) =>
    tx.execute(sql`insert into countries (code, name, active) values ('ZZ', 'Nowhere', true)`),
  );
  await expect(written).rejects.toSatisfy(isDatabaseOutage);
  expect(await found()).toBe(0);
  await replicateTo('');
  await expect.poll(found, { interval: 20, timeout: 15_000 }).toBe(1);
  await pool.end(0);
});

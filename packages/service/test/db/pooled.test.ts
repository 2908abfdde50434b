import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.js';
import { findTrader } from '../../src/db/trades/traders.js';
import { newId } from '../../src/domain/ids.js';
import { type Harness, harness } from '../harness.js';
import { TcpProxy } from '../tcp-proxy.js';

/** What a pooler that lends its sessions for one transaction each cannot pass on; deploy/cluster tries it with PgBouncer. */

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

async function sentTo(options: { pooled: boolean }): Promise<string> {
  const proxy = new TcpProxy();
  const url = new URL(h.databaseUrl);
  proxy.target = { host: url.hostname, port: Number(url.port) };
  await proxy.open();
  url.port = String(proxy.port);
  const { db, close } = openDatabase(url.href, { poolSize: 1, ...options });
  expect(await findTrader(db, newId('gu'))).toBeUndefined();
  await db.transaction((tx) => tx.execute(sql`select ${1}::int`));
  await close();
  await proxy.shut();
  return proxy.sent;
}

test('a pooled connection prepares no statement and sets nothing about its session', async () => {
  const direct = await sentTo({ pooled: false });
  const pooled = await sentTo({ pooled: true });
  for (const text of ['find_trader', 'statement_timeout\0', 'idle_in_transaction_session_timeout\0']) {
    expect(direct).toContain(text);
    expect(pooled).not.toContain(text);
  }
});

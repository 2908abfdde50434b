import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pool } from '../../src/db/connections.js';
import { openSession } from '../../src/db/session.js';
import { type Harness, harness } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('notices that follow wait while earlier ones wait for a connection', async () => {
  const session = await openSession(h.databaseUrl, { applicationName: 'test', statementTimeoutMs: 1_000 });
  const heard = new Set<string | undefined>();
  session.client.on('notification', ({ payload }) => heard.add(payload));
  await session.client.query('listen some_notices');
  const pool = new Pool(h.databaseUrl, { size: 1, applicationName: 'test', statementTimeoutMs: 1_000 });
  const taken = await pool.checkOut();
  const sent = Array.from({ length: 10 }, (_, at) => String(at));
  for (const payload of sent) {
    pool.notify('some_notices', [payload]);
    await wait(30);
  }
  expect(pool.state().waiting).toBe(1);
  taken.release();
  while (heard.size < sent.length) await once(session.client, 'notification');
  expect(heard).toEqual(new Set(sent));
  await pool.end(1_000);
  await session.close();
});

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, drizzleOn, openDatabase } from '../../../src/db/client.js';
import { keepPartitions } from '../../../src/db/partitions.js';
import {
  findRequests,
  insertRequests,
  type LoggedRequest,
  type RequestFilter,
} from '../../../src/db/requests/request-log.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { type Harness, harness } from '../../harness.js';
import { givenRuntimeRole } from '../../runtime-role.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const today = new Date().toISOString().slice(0, 10).replaceAll('-', '_');
const dayMs = 24 * 60 * 60_000;
const request = (createdAt: Date): LoggedRequest => ({
  id: newId('req'),
  createdAt,
  partnerId: h.main.partnerId,
  keyId: h.main.keyId,
  memberId: null,
  userId: null,
  usdcAmount: null,
  goldAmount: null,
  durationMs: 1,
  status: 400,
  method: 'POST',
  route: '/v1/users',
  path: null,
  requestId: 'given',
  objectId: null,
  error: 'invalid_request',
  reason: null,
  requestBody: '{"a":"b, \\"c\\" {}\\\\ null"}',
  responseBody: '',
});

/** Of no day that was counted before. */
const counts = [{ partnerId: newUuid(), day: new Date(0), logged: 1 }];

test('request log: a role that may make no tables has the days ahead made, and what is old dropped', async () => {
  const role = await givenRuntimeRole(h.databaseUrl);
  const runtime = openDatabase(role.url, { poolSize: 1 });
  const partitions = async () =>
    (
      await h.ctx.sql<{ name: string }[]>`
        select relname as name from pg_inherits join pg_class on oid = inhrelid
        where inhparent = 'request_log'::regclass order by relname`
    ).map(({ name }) => name);
  const parts = async () =>
    (
      await h.ctx.sql<
        { part: string }[]
      >`select tableoid::regclass::text as part from request_log order by created_at`
    ).map(({ part }) => part);
  const write = (at: Date) => runtime.db.transaction((tx) => insertRequests(tx, [request(at)], counts));
  const keep = (at: Date) =>
    runtime.db.transaction((tx) => keepPartitions(tx, 'request_log', at, new Date(at.getTime() - 7 * dayMs)));
  try {
    expect(await partitions()).toContain(`request_log_${today}`);
    const then = new Date('2031-05-31T23:59:59.999Z');
    // Days without a partition refuse nothing.
    await write(then);
    await write(new Date(then.getTime() + 1));
    expect(await parts()).toEqual(['request_log_default', 'request_log_default']);
    await keep(then);
    expect(await parts()).toEqual(['request_log_2031_05_31', 'request_log_2031_06_01']);
    expect(await partitions()).toEqual([
      'request_log_2031_05_31',
      'request_log_2031_06_01',
      'request_log_2031_06_02',
      'request_log_default',
    ]);
    // Seven days after the last moment of May, and one later.
    await keep(new Date(then.getTime() + 7 * dayMs));
    expect(await parts()).toHaveLength(2);
    await keep(new Date(then.getTime() + 7 * dayMs + 1));
    expect(await parts()).toEqual(['request_log_2031_06_01']);
    await expect(
      runtime.db.execute(sql`select keep_partitions('audit_log', now(), now())`),
    ).rejects.toThrow();
    await expect(runtime.db.execute(sql`drop table request_log_default`)).rejects.toThrow();
  } finally {
    await runtime.close();
    await role.drop();
  }
});

test('request log: what is written is read as it was', async () => {
  const { partnerId } = await h.givenPartner();
  const at = new Date();
  const rows = [
    { ...request(at), partnerId },
    {
      ...request(at),
      partnerId,
      keyId: null,
      usdcAmount: 5n,
      path: 'a{}"\\',
      requestId: 'with "quotes", {} and \\',
    },
  ];
  await h.ctx.db.transaction((tx) => insertRequests(tx, rows, counts));
  const found = await findRequests(h.ctx.db, partnerId, {}, new Date(0), { limit: 5, after: undefined });
  const listed = rows.map(({ requestBody: _a, responseBody: _b, ...row }) => row);
  expect(found).toEqual(listed.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
});

/** Returns how PostgreSQL runs the last query of `work`. */
async function planOf(work: (db: Db) => Promise<unknown>): Promise<string> {
  const queries: { text: string; values: unknown[] }[] = [];
  const logQuery = (text: string, values: unknown[]) => void queries.push({ text, values });
  await work(drizzleOn(h.ctx.pool, { logQuery }));
  const { text = '', values = [] } = queries.at(-1) ?? {};
  const lines = await h.ctx.sql.unsafe(`explain (analyze) ${text}`, values as never[]);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

test('request log: every filter finds its first page by an index, among 100,000 requests of a partner', {
  timeout: 120_000,
}, async () => {
  const { partnerId, keyId } = await h.givenPartner();
  const rare = { id: newId('trd'), key: newUuid() };
  await h.ctx.sql`
    insert into request_log (id, created_at, partner_id, key_id, duration_ms, status, method, route, path, request_id, object_id)
    select gen_random_uuid(), now() - number * interval '100 ms', ${partnerId},
      case when number = 99000 then ${rare.key}::uuid else ${keyId}::uuid end, 1,
      case when number = 99000 then 503 else 200 end, case when number = 99000 then 'PATCH' else 'POST' end,
      case when number = 99000 then '/v1/rare' else '/v1/buy' end, null, 'request ' || number,
      case when number = 99000 then ${rare.id} else 'trd_' || gen_random_uuid() end
    from generate_series(1, 100000) as number`;
  await h.ctx.sql`analyze request_log`;
  const filters: RequestFilter[] = [
    {},
    { status: 200 },
    { status: 503 },
    { method: 'POST' },
    { method: 'PATCH' },
    { path: '/v1/rare' },
    { path: `/v1/buy/${rare.id}/submit` },
    { keyId: rare.key as never },
    { keyId },
    { objectId: rare.id },
    { requestId: 'request 99000' },
    { status: 200, method: 'PATCH' },
    { requestId: 'of nobody' },
  ];
  for (const filter of filters) {
    const since = new Date(Date.now() - 7 * dayMs);
    const plan = await planOf((db) =>
      findRequests(db, partnerId, filter, since, { limit: 101, after: undefined }),
    );
    expect(plan, JSON.stringify(filter)).not.toContain(`Seq Scan on request_log_${today}`);
    const figures = plan.matchAll(/actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)/g);
    const read = [...figures].map(([, rows, removed]) => Number(rows ?? removed));
    expect(Math.max(...read), `${JSON.stringify(filter)}\n${plan}`).toBeLessThan(500);
  }
});

import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recordRequests } from '../../../src/actions/requests/record-requests.js';
import { requestLog } from '../../../src/db/schema.js';
import { newId, newUuid, type Uuid } from '../../../src/domain/ids.js';
import { ServerLog } from '../../../src/http/server/request-log.js';
import { RequestRecorder } from '../../../src/http/server/request-recorder.js';
import { expectStatus, type Harness, harness } from '../../harness.js';

const maxLoggedPerDay = 10;
const dayMs = 24 * 60 * 60_000;

let h: Harness;
beforeAll(async () => {
  h = await harness({ maxLoggedPerDay, nowMs: Date.UTC(2030, 4, 1, 12) });
});
afterAll(() => h.close());

const fail = (client: Harness['partner'], count: number) =>
  Promise.all(Array.from({ length: count }, () => client.post('/v1/users', {})));
const viewOf = async (client: Harness['partner']) => expectStatus(await client.get('/v1/requests'), 200).body;

test('request log: what is beyond the number of a day is counted alone, and the next day has room again', async () => {
  const { client } = await h.givenPartner();
  await fail(client, 7);
  expect(await viewOf(client)).toMatchObject({ days: [{ date: '2030-05-01', requests: 7, logged: 7 }] });
  await fail(client, 7);
  await viewOf(client);
  await fail(client, 3);
  const { requests, days } = await viewOf(client);
  expect(requests).toHaveLength(maxLoggedPerDay);
  expect(days).toEqual([{ date: '2030-05-01', requests: 17, logged: 10 }]);
  h.clock.advance(dayMs);
  await fail(client, 2);
  expect(await viewOf(client)).toMatchObject({
    days: [
      { date: '2030-05-02', requests: 2, logged: 2 },
      { date: '2030-05-01', requests: 17, logged: 10 },
    ],
  });
});

test('request log: processes that write at once exceed no limit together, and quotes leave room to others', async () => {
  const { partnerId, client } = await h.givenPartner();
  await fail(client, 1);
  await viewOf(client);
  const day = new Date(h.clock.now() - (h.clock.now() % dayMs));
  const [row] = await h.ctx.db.select().from(requestLog).limit(1);
  if (!row) throw new Error('nothing was logged');
  const batch = (isQuote: boolean) => ({
    requests: Array.from({ length: 6 }, () => ({
      ...row,
      id: newId('req'),
      partnerId,
      createdAt: new Date(day.getTime() + 1),
      isQuote,
    })),
    counts: [{ partnerId, day, requests: 6 }],
    maxPerDay: 20,
  });
  await Promise.all(Array.from({ length: 8 }, () => recordRequests(h.ctx, batch(true))));
  expect(await counted(partnerId)).toEqual([{ requests: 49, logged: 18 }]);
  await Promise.all(Array.from({ length: 8 }, () => recordRequests(h.ctx, batch(false))));
  expect(await counted(partnerId)).toEqual([{ requests: 97, logged: 20 }]);
  const rows = await h.ctx.sql`select id from request_log where partner_id = ${partnerId}`;
  expect(rows).toHaveLength(20);
});

const counted = (partnerId: Uuid) =>
  h.ctx.sql`select requests, logged from request_counts where partner_id = ${partnerId}`;

test('request log: an outage of the database loses nothing, and what it refuses is given up', async () => {
  const { client, partnerId } = await h.givenPartner();
  const rename = (from: string, to: string) => h.ctx.sql.unsafe(`alter table ${from} rename to ${to}`);
  await viewOf(client);
  const blocked = h.ctx.sql.begin(async (tx) => {
    await tx`lock table request_counts in access exclusive mode`;
    await fail(client, 3);
    // Until its statement has run out of time.
    await setTimeout(4_000);
  });
  await blocked;
  expect(await viewOf(client)).toMatchObject({ days: [{ requests: 3, logged: 3 }] });
  await rename('request_counts', 'request_counts_away');
  await fail(client, 2);
  // Nothing of it reaches those who make requests.
  await setTimeout(1_500);
  expect((await client.post('/v1/users', {})).status).toBe(400);
  await rename('request_counts_away', 'request_counts');
  await viewOf(client);
  const rows = await h.ctx.sql`select id from request_log where partner_id = ${partnerId}`;
  expect(rows.length).toBeGreaterThanOrEqual(3);
});

test('request log: 250 requests are written before their time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    const recorder = new RequestRecorder(h.ctx);
    const hooks: Record<string, (...given: unknown[]) => void> = {};
    const addHook = (name: string, hook: (...given: unknown[]) => void) => {
      hooks[name] = hook;
    };
    recorder.attach({ decorateRequest() {}, addHook } as unknown as FastifyInstance);
    const partnerId = newUuid();
    const respond = () => {
      const log = new ServerLog(h.ctx.log);
      log.note({ partner_id: partnerId, key_id: newUuid() });
      const quoted = { tradeId: newId('trd'), usdc: 1n, gold: 1n };
      const body = { service_user_id: newId('gu') };
      const routeOptions = { url: '/v1/buy', config: { auth: 'partner', quotesTrades: true } };
      const request = { method: 'POST', id: newUuid(), log, routeOptions, body, quoted };
      hooks.onResponse?.(request, { statusCode: 200, elapsedTime: 1 }, () => {});
    };
    for (let count = 1; count < 250; count += 1) respond();
    expect(await counted(partnerId)).toEqual([]);
    respond();
    // Not by `expect.poll`, which moves faked time.
    for (let tries = 0; tries < 200 && (await counted(partnerId)).length === 0; tries += 1)
      await setTimeout(20);
    expect(await counted(partnerId)).toEqual([{ requests: 250, logged: 250 }]);
  } finally {
    vi.useRealTimers();
  }
});

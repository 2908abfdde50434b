import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appendEvents } from '../../../src/db/events/events.js';
import { ChangeFeed } from '../../../src/events/change-feed.js';
import { buildApp } from '../../../src/http/app.js';
import { type FollowedStream, followStream } from '../../event-stream.js';
import { type GivenPartner, type Harness, harness, watchResponses } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { median } from '../../median.js';
import { type Operators, send, startOperators } from '../../operators.js';
import { within } from '../../within.js';

let h: Harness;
let operators: Operators;
let other: FastifyInstance;
let otherFeed: ChangeFeed;
let urls: string[];
const open: FollowedStream[] = [];
beforeAll(async () => {
  // Streams are also renewed every 5 s, and what has to end would end by that: here nothing but an event ends it.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  h = await harness();
  operators = await startOperators(h);
  // Another process on the same database, as far as streams can tell.
  otherFeed = new ChangeFeed(h.ctx);
  other = await buildApp({ ...h.ctx, feed: otherFeed }, { extend: watchResponses });
  urls = await Promise.all([h.app, other].map((app) => app.listen({ port: 0, host: '127.0.0.1' })));
});
afterAll(async () => {
  vi.useRealTimers();
  for (const stream of open) stream.close();
  await other.close();
  await otherFeed.stop();
  await operators.close();
  await h.close();
});

const follow = async (
  { apiKey }: Pick<GivenPartner, 'apiKey'>,
  query = '',
  headers: Record<string, string> = {},
  place = 0,
) => {
  const url = urls[place] ?? '';
  const stream = await followStream(url, { 'x-api-key': apiKey, ...headers }, `/v1/events/stream${query}`);
  open.push(stream);
  return stream;
};
const happen = async (
  { partnerId }: Pick<GivenPartner, 'partnerId'>,
  count = 1,
  type: 'user.created' | 'user.resumed' = 'user.created',
) => {
  const event = {
    partnerId,
    type,
    requestId: null,
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: {},
  } as const;
  const given = Array.from({ length: count }, () => event);
  await h.ctx.db.transaction((tx) => appendEvents(tx, given, new Date(h.clock.now())));
};
const sequencesOf = (stream: FollowedStream) => stream.events.map(({ sequence }) => sequence);
const heldBy = async ({ keyId }: GivenPartner) =>
  (await h.ctx.sql`select id from event_streams where key_id = ${keyId}`).length;

test('events come within a second of their commit, in whichever process, and as in the list', async () => {
  const partner = await h.givenPartner();
  await happen(partner, 3);
  const streams = [await follow(partner), await follow(partner, '', {}, 1)];
  for (const { status, headers } of streams) {
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('ratelimit-remaining')).toBeTruthy();
  }
  // Without a position it begins with what comes next.
  await wait(200);
  const tookMs: number[][] = streams.map(() => []);
  for (let at = 0; at < 5; at += 1) {
    await happen(partner);
    const committedMs = performance.now();
    for (const [index, stream] of streams.entries()) {
      const event = (await stream.first(at + 1)).at(-1);
      expect(event?.sequence).toBe(4 + at);
      tookMs[index]?.push((event?.atMs ?? Number.NaN) - committedMs);
    }
  }
  for (const each of tookMs) expect(median(each)).toBeLessThan(1_000);
  const { events } = (await partner.client.get('/v1/events')).body;
  const [stream] = streams;
  expect(stream?.events.map(({ body }) => body)).toEqual(events.slice(3));
  expect(stream?.events.map(({ id }) => id)).toEqual(events.slice(3).map(({ id }: { id: string }) => id));
});

test('the first comment of a stream has the place where it begins, for readers cut off before an event', async () => {
  const partner = await h.givenPartner();
  const empty = await follow(partner);
  const start = ': these are the events of your log\nid: start';
  await eventually(() => expect(empty.comments).toEqual([start]), 10_000);
  await happen(partner, 2);
  const last = (await empty.first(2)).at(-1);
  const resumed = await follow(partner, '', { 'last-event-id': 'start' });
  expect((await resumed.first(2)).map(({ sequence }) => sequence)).toEqual([1, 2]);
  const stream = await follow(partner);
  const begin = `: these are the events of your log\nid: ${last?.id}`;
  await eventually(() => expect(stream.comments).toEqual([begin]), 10_000);
});

test('a stream does not begin when it has no place to begin at', async () => {
  const partner = await h.givenPartner();
  await happen(partner);
  // The last number is read, and then the event that has it.
  await h.ctx.sql`alter table events rename to events_elsewhere`;
  const refused = await follow(partner).finally(
    () => h.ctx.sql`alter table events_elsewhere rename to events`,
  );
  expect([refused.status, JSON.parse(refused.text).error]).toEqual([500, 'internal_error']);
});

test('a stream resumes behind an event, the header before the query, also across pages', async () => {
  const partner = await h.givenPartner();
  await happen(partner, 250);
  const { events } = (await partner.client.get('/v1/events?limit=100')).body;
  const [third, fifth] = [events[2].id, events[4].id];
  const byQuery = await follow(partner, `?after=${third}`);
  const byHeader = await follow(partner, `?after=${third}`, { 'last-event-id': fifth });
  await byQuery.first(247);
  await byHeader.first(245);
  await happen(partner);
  await byQuery.first(248);
  expect(sequencesOf(byQuery)).toEqual(Array.from({ length: 248 }, (_, at) => at + 4));
  await byHeader.first(246);
  expect(sequencesOf(byHeader)).toEqual(Array.from({ length: 246 }, (_, at) => at + 6));
});

test('a stream may be of some types only', async () => {
  const partner = await h.givenPartner();
  const stream = await follow(partner, '?types=user.resumed');
  await happen(partner, 150);
  await happen(partner, 1, 'user.resumed');
  expect((await stream.first(1)).map(({ sequence }) => sequence)).toEqual([151]);
});

test.each([
  ['?after=nonsense', {}, 'after'],
  ['', { 'last-event-id': 'nonsense' }, 'Last-Event-ID'],
  ['?types=x', {}, 'types'],
])('a stream with %s of %j is refused', async (query, headers, field) => {
  const stream = await follow(h.main, query, headers);
  expect([stream.status, JSON.parse(stream.text)]).toMatchObject([400, { error: 'invalid_request', field }]);
  expect(await heldBy(h.main)).toBe(0);
});

test('a key has five streams at most over all processes, another key of the partner five of its own', async () => {
  const partner = await h.givenPartner();
  const five = await Promise.all([0, 1, 0, 1, 0].map((place) => follow(partner, '', {}, place)));
  expect(five.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const place of [0, 1]) {
    const sixth = await follow(partner, '', {}, place);
    expect([sixth.status, sixth.headers.get('retry-after'), JSON.parse(sixth.text)]).toEqual([
      429,
      '30',
      {
        error: 'rate_limited',
        message: 'A key or member may have 5 streams of events open at once; close one first.',
        doc_url: expect.stringContaining('/errors/'),
      },
    ]);
  }
  const { api_key: apiKey } = (await h.mintKey(partner)).response.body;
  expect((await follow({ apiKey })).status).toBe(200);
  // Whose caller goes makes room.
  five[1]?.close();
  await eventually(async () => expect(await heldBy(partner)).toBe(4), 5_000);
  expect((await follow(partner)).status).toBe(200);
});

test('a partner has fifty streams at most, whatever number of keys it has', async () => {
  const partner = await h.givenPartner();
  const { key_id: keyId } = (await h.mintKey(partner)).response.body;
  await h.ctx.sql`insert into event_streams (id, key_id)
    select gen_random_uuid(), ${keyId}::uuid from generate_series(1, 49)`;
  expect((await follow(partner)).status).toBe(200);
  const refused = await follow(partner, '', {}, 1);
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    429,
    {
      error: 'rate_limited',
      message: 'A partner may have 50 streams of events open at once; close one first.',
      doc_url: expect.stringContaining('/errors/'),
    },
  ]);
  expect((await follow(await h.givenPartner())).status).toBe(200);
});

test('ten concurrent requests for streams get five', async () => {
  const partner = await h.givenPartner();
  const ten = await Promise.all(Array.from({ length: 10 }, (_, at) => follow(partner, '', {}, at % 2)));
  const statuses = ten.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(5).fill(429)]);
});

test('streams held by a killed process lapse', async () => {
  const partner = await h.givenPartner();
  // Of no process that is alive, which would renew them.
  await h.ctx.sql`insert into event_streams (id, key_id)
    select gen_random_uuid(), ${partner.keyId}::uuid from generate_series(1, 5)`;
  expect((await follow(partner, '', {}, 1)).status).toBe(429);
  await h.ctx.sql`update event_streams set renewed_at = clock_timestamp() - interval '31 seconds'
    where key_id = ${partner.keyId}`;
  const sixth = await follow(partner, '', {}, 1);
  expect(sixth.status).toBe(200);
});

test('a stream ends when its key is revoked, after the event, and others go on', async () => {
  const partner = await h.givenPartner();
  const { api_key: apiKey, key_id: keyId } = (await h.mintKey(partner)).response.body;
  const [doomed, elsewhere, kept] = [
    await follow({ apiKey }),
    await follow({ apiKey }, '', {}, 1),
    await follow(partner),
  ];
  await partner.client.post(`/v1/partner/api-keys/${keyId}/revoke`);
  for (const stream of [doomed, elsewhere]) {
    expect(await stream.ended).toBe('in order');
    expect(stream.events.at(-1)?.type).toBe('api_key.revoked');
  }
  await happen(partner);
  expect((await kept.first(2)).map(({ type }) => type)).toEqual(['api_key.revoked', 'user.created']);
  expect((await follow({ apiKey })).status).toBe(401);
});

test('a stream ends after its last event also where the end of another one shows that it has to', async () => {
  const [partner, other] = [await h.givenPartner(), await h.givenPartner()];
  const keyOf = async (owner: typeof partner) => (await h.mintKey(owner)).response.body;
  const [key, spare, theirs] = [await keyOf(partner), await keyOf(partner), await keyOf(other)];
  const doomed = await follow({ apiKey: key.api_key });
  await follow({ apiKey: theirs.api_key });
  await partner.client.post(`/v1/partner/api-keys/${spare.key_id}/revoke`);
  const [{ sequence = 0 } = {}] = await doomed.first(1);
  // As by a process that was killed between its commit and the notification.
  await h.ctx.sql`
    with revoked as (update api_keys set status = 'revoked', revoked_at = now() where id = ${key.key_id}),
      counted as (update event_counters set last = last + 1 where partner_id = ${partner.partnerId} returning last)
    insert into events (partner_id, sequence, type, created_at, object_type, object_id, object)
    select partner_id, last, type, created_at, object_type, object_id, object
    from counted, events where partner_id = ${partner.partnerId} and sequence = ${sequence}`;
  await other.client.post(`/v1/partner/api-keys/${theirs.key_id}/revoke`);
  expect(await doomed.ended).toBe('in order');
  expect(doomed.events.map((event) => event.sequence)).toEqual([sequence, sequence + 1]);
});

test('a stream ends when its partner is suspended', async () => {
  const partner = await h.givenPartner();
  const stream = await follow(partner);
  const path = `/partners/${partner.partnerId}/suspend`;
  expect((await send(operators.by.admin.client, 'POST', path, { reason: 'r' })).status).toBe(200);
  expect(await stream.ended).toBe('in order');
});

test('a comment comes every 15 s', { timeout: 60_000 }, async () => {
  const partner = await h.givenPartner();
  const beganMs = performance.now();
  const { body } = await fetch(`${urls[0]}/v1/events/stream`, { headers: { 'x-api-key': partner.apiKey } });
  const reader = body?.getReader();
  await reader?.read();
  const second = await within(17_000, 'the second comment', async () => reader?.read());
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(15_000);
  expect(Buffer.from(second?.value ?? []).toString()).toBe(': still here\n\n');
  await reader?.cancel();
});

test('missing notifications only make a stream slower', async () => {
  const partner = await h.givenPartner();
  const stream = await follow(partner);
  await wait(200);
  const tookMs: number[] = [];
  for (let count = 1; count <= 3; count += 1) {
    // The sessions that listen end, and events are written without a notification.
    await h.ctx.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'karat-feed' and datname = current_database()`;
    await happen(partner);
    const committedMs = performance.now();
    const event = (await stream.first(count)).at(-1);
    tookMs.push((event?.atMs ?? Number.NaN) - committedMs);
  }
  expect(median(tookMs)).toBeLessThan(1_000);
});

test('events without a notification come within a second', async () => {
  const partner = await h.givenPartner();
  const stream = await follow(partner);
  await happen(partner);
  await stream.first(1);
  const tookMs: number[] = [];
  for (let last = 1; last <= 3; last += 1) {
    // As by a process that was killed between its commit and the notification.
    await h.ctx.sql`
      with counted as (update event_counters set last = last + 1 where partner_id = ${partner.partnerId})
      insert into events (partner_id, sequence, type, created_at, object_type, object_id, object)
      select partner_id, sequence + 1, type, created_at, object_type, object_id, object
      from events where partner_id = ${partner.partnerId} and sequence = ${last}`;
    const committedMs = performance.now();
    const event = (await stream.first(last + 1)).at(-1);
    tookMs.push((event?.atMs ?? Number.NaN) - committedMs);
  }
  expect(median(tookMs)).toBeLessThan(1_000);
});

test('a process that stops ends its streams in order', async () => {
  const partner = await h.givenPartner();
  const app = await buildApp(h.ctx, { extend: watchResponses });
  urls.push(await app.listen({ port: 0, host: '127.0.0.1' }));
  const stream = await follow(partner, '', {}, 2);
  const key = randomBytes(4).toString('hex');
  expect(stream.status).toBe(200);
  await app.close();
  expect(await stream.ended, key).toBe('in order');
  expect(await heldBy(partner)).toBe(0);
});

test('a log that is read again has no stream renewed for keys that were revoked before', async () => {
  const [partner, bystander] = [await h.givenPartner(), await h.givenPartner()];
  const quiet = await follow(bystander);
  await eventually(() => expect(quiet.comments).toHaveLength(1), 5_000);
  const at = new Date(h.clock.now() - 1_000);
  const event = {
    partnerId: partner.partnerId,
    type: 'api_key.revoked',
    requestId: null,
    objectType: 'api_key',
    objectId: partner.keyId,
    object: {},
  } as const;
  await h.ctx.db.transaction((tx) => appendEvents(tx, [event], at));
  const renewedAt = async () =>
    (await h.ctx.sql`select renewed_at::text from event_streams where key_id = ${bystander.keyId}`)[0]
      ?.renewed_at;
  const before = await renewedAt();
  const stream = await follow(partner, '?after=start');
  await stream.first(1);
  // What comes after it was read after the renewal would have ended.
  await happen(partner);
  await stream.first(2);
  expect(await renewedAt()).toBe(before);
});

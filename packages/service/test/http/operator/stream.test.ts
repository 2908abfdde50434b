import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents } from '../../../src/db/events/events.js';
import { deadLetters } from '../../../src/db/schema.js';
import { newUuid } from '../../../src/domain/ids.js';
import { ChangeFeed } from '../../../src/events/change-feed.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { type FollowedChanges, followChanges } from '../../event-stream.js';
import { expectStatus, type Harness, harness, watchResponses } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { median } from '../../median.js';
import { signatureNamed } from '../../named-keys.js';
import { type GivenOperator, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let h: Harness;
let operators: Operators;
let other: FastifyInstance;
let otherFeed: ChangeFeed;
let urls: string[];
const open: FollowedChanges[] = [];
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
  // Another process on the same database, as far as streams can tell.
  otherFeed = new ChangeFeed(h.ctx);
  other = await buildOperatorApp({ ...h.ctx, feed: otherFeed }, { extend: watchResponses });
  urls = await Promise.all([operators.app, other].map((app) => app.listen({ port: 0, host: '127.0.0.1' })));
  for (const place of urls.keys()) await named(place);
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await other.close();
  await otherFeed.stop();
  await operators.close();
  await h.close();
});

const tradeAt = (place: number) => `trd_019ca945-0a00-7c3e-9d61-${String(place).padStart(12, '0')}`;
const bearer = ({ token }: Pick<GivenOperator, 'token'>) => ({ authorization: `Bearer ${token}` });
/**
 * Resolves once a process names what changes: until it listens, and knows where the logs end, it can only say that anything
 * may have changed.
 */
async function named(place: number): Promise<void> {
  // It stays open: a feed that nothing follows forgets where the logs end.
  const stream = await follow(bearer(await operators.givenOperator('viewer')), place);
  const event = { type: 'trade.confirmed', requestId: null, objectType: 'trade', object: {} } as const;
  let probes = 0;
  await eventually(async () => {
    probes += 1;
    const objectId = tradeAt(900_000 + 1_000 * place + probes);
    const events = [{ ...event, partnerId: h.main.partnerId, objectId }];
    await h.ctx.db.transaction((tx) => appendEvents(tx, events, new Date(h.clock.now())));
    const country = { name: `Probe ${place} ${probes}`, active: true };
    expectStatus(await send(operators.by.admin.client, 'PUT', '/countries/QA', country), 200);
    await eventually(
      () => expect(stream.changes).toEqual(expect.arrayContaining([`trade ${objectId}`, 'country QA'])),
      1_000,
    );
  }, 30_000);
}

async function follow(headers: Record<string, string>, place = 0): Promise<FollowedChanges> {
  const stream = await followChanges(urls[place] ?? '', headers, `${operatorBase}/stream`);
  open.push(stream);
  if (stream.status === 200) await stream.until('anything null');
  return stream;
}
const heldBy = async ({ operatorId }: GivenOperator) =>
  (await h.ctx.sql`select id from operator_streams where operator_id = ${operatorId}`).length;
const cookieOf = async ({ email, password }: GivenOperator) => {
  const { headers } = await operators.anonymous.post(`${operatorBase}/session`, { email, password });
  return String(headers['set-cookie']).split(';')[0] ?? '';
};

test('a change comes with its kind and id alone, in whichever process it was made', async () => {
  const streams = [await follow(bearer(operators.by.viewer)), await follow(bearer(operators.by.admin), 1)];
  for (const { headers } of streams) {
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
  }
  const user = await h.givenUser(h.main.partnerId);
  const id = await givenRedemption(h, { partner: h.main, user }, { finalized: false });
  const added = await send(operators.by.admin.client, 'POST', '/bars', { bars: [newBar(), newBar()] });
  const deadLetterId = newUuid();
  await h.ctx.db.insert(deadLetters).values({
    id: deadLetterId,
    signature: signatureNamed(deadLetterId),
    slot: 7n,
    reason: 'unknown_user',
    detail: {},
    createdAt: new Date(h.clock.now()),
  });
  await h.ctx.db.transaction((tx) =>
    appendEvents(
      tx,
      [
        {
          partnerId: h.main.partnerId,
          type: 'trade.confirmed',
          requestId: null,
          objectType: 'trade',
          objectId: tradeAt(1),
          object: { secret: 'Ayesha Khan' },
        },
      ],
      new Date(h.clock.now()),
    ),
  );
  await h.ctx.sql`delete from unfinalized`;
  for (const stream of streams) {
    for (const { bar_id: barId } of added.body.bars) await stream.until(`bar ${barId}`);
    await stream.until(`dead_letter ${deadLetterId}`);
    await stream.until(`trade ${tradeAt(1)}`);
    await stream.until(`redemption ${id}`);
    await stream.until(/^audit \d+$/);
    expect(stream.keys).toEqual(new Set(['object_type', 'object_id']));
  }
});

test('500 concurrent changes of objects all come', async () => {
  const stream = await follow(bearer(operators.by.viewer));
  const bars = Array.from({ length: 500 }, () => newBar());
  const { body } = expectStatus(await send(operators.by.admin.client, 'POST', '/bars', { bars }), 201);
  // In any order.
  for (const { bar_id: barId } of body.bars) await stream.until(`bar ${barId}`);
  expect(new Set(stream.changes.filter((one) => one.startsWith('bar '))).size).toBe(500);
});

test('a look at KYC data is no change of its user', async () => {
  const { id } = await h.givenUser(h.main.partnerId);
  const { id: changed } = await h.givenUser(h.main.partnerId);
  const stream = await follow(bearer(operators.by.compliance));
  const { client } = operators.by.compliance;
  expectStatus(await client.get(`${operatorBase}/users/${id}`), 200);
  expectStatus(await client.post(`${operatorBase}/users/${changed}/suspend`, { reason: 'a test' }), 200);
  await stream.until(`user ${changed}`);
  expect(stream.changes).not.toContain(`user ${id}`);
});

test('objects of events come within a second even when the notification is missing', async () => {
  const { partnerId } = await h.givenPartner();
  const stream = await follow(bearer(operators.by.viewer));
  const event = { type: 'trade.confirmed', requestId: null, objectType: 'trade', object: {} } as const;
  await h.ctx.db.transaction((tx) =>
    appendEvents(tx, [{ ...event, partnerId, objectId: tradeAt(2) }], new Date(h.clock.now())),
  );
  await stream.until(`trade ${tradeAt(2)}`);
  const tookMs: number[] = [];
  for (const objectId of [3, 4, 5].map(tradeAt)) {
    // As by a process that was killed between its commit and the notification.
    await h.ctx.sql`
      with counted as (update event_counters set last = last + 1 where partner_id = ${partnerId} returning last)
      insert into events (partner_id, sequence, type, created_at, object_type, object_id, object)
      select partner_id, last, type, created_at, object_type, ${objectId.slice(4)}::uuid, object
      from counted, events where partner_id = ${partnerId} and sequence = 1`;
    const committedMs = performance.now();
    await stream.until(`trade ${objectId}`);
    tookMs.push(performance.now() - committedMs);
  }
  expect(median(tookMs)).toBeLessThan(1_000);
  expect(stream.changes.filter((one) => one === `trade ${tradeAt(2)}`)).toHaveLength(1);
});

test('a stream reports that anything may have changed when there are more new events than it reads', async () => {
  const { partnerId } = await h.givenPartner();
  const stream = await follow(bearer(operators.by.viewer));
  const event = { type: 'trade.confirmed', requestId: null, objectType: 'trade', object: {} } as const;
  const many = Array.from({ length: 1_001 }, (_, at) => ({
    ...event,
    partnerId,
    objectId: tradeAt(1_000 + at),
  }));
  const before = stream.changes.length;
  await h.ctx.db.transaction((tx) => appendEvents(tx, many, new Date(h.clock.now())));
  await eventually(() => expect(stream.changes.slice(before)).toContain('anything null'), 5_000);
  const named = new Set(many.map(({ objectId }) => `trade ${objectId}`));
  expect(stream.changes.filter((one) => named.has(one))).toEqual([]);
});

test('streams that have to be renewed at once are renewed together', async () => {
  const [one, left] = [await operators.givenOperator('viewer'), await operators.givenOperator('viewer')];
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(bearer(one))));
  await h.ctx.sql`create sequence renewals`;
  await h.ctx.sql`
    create function count_renewal() returns trigger language plpgsql as $$ begin perform nextval('renewals'); return null; end $$`;
  await h.ctx.sql`
    create trigger counted after update on operator_streams for each statement execute function count_renewal()`;
  const path = `/operators/${left.operatorId}/disable`;
  expectStatus(await send(operators.by.admin.client, 'POST', path, { reason: 'Left' }), 200);
  for (const stream of streams) await stream.until(`operator ${left.operatorId}`);
  await h.ctx.sql`drop trigger counted on operator_streams`;
  const [{ renewals } = {}] = await h.ctx.sql`select nextval('renewals')::int - 1 as renewals`;
  // Two processes renew theirs, as they do every few seconds anyway.
  expect(renewals).toBeLessThan(streams.length);
  for (const stream of streams) stream.close();
});

test('a session that is signed out ends its streams, and another does not', async () => {
  const one = await operators.givenOperator('viewer');
  const [cookie, otherCookie] = [await cookieOf(one), await cookieOf(one)];
  const ended = await follow({ cookie }, 1);
  const going = await follow({ cookie: otherCookie });
  const headers = { cookie, 'x-karat-console': '1', host: 'karat.test', origin: 'https://karat.test' };
  const out = await operators.anonymous.send({ method: 'DELETE', url: `${operatorBase}/session`, headers });
  expectStatus(out, 200);
  expect(await ended.ended).toBe('in order');
  expect(await heldBy(one)).toBe(1);
  going.close();
  await eventually(async () => expect(await heldBy(one)).toBe(0), 5_000);
});

test.each([['is disabled', (id: string) => [`/operators/${id}/disable`, { reason: 'Left' }] as const]])(
  'the streams of an operator who %s end',
  async (_, pathOf) => {
    const one = await operators.givenOperator('fulfilment');
    const streams = [await follow({ cookie: await cookieOf(one) }), await follow(bearer(one), 1)];
    const [path, body] = pathOf(one.operatorId);
    expectStatus(await send(operators.by.admin.client, 'POST', path, body), 200);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(['in order', 'in order']);
  },
);

test('a token that is revoked ends its stream', async () => {
  const one = await operators.givenOperator('viewer');
  const stream = await follow(bearer(one));
  const [row] = await h.ctx.sql`select id from operator_tokens where operator_id = ${one.operatorId}`;
  expectStatus(await send(operators.by.admin.client, 'POST', `/operator-tokens/${row?.id}/revoke`, {}), 200);
  expect(await stream.ended).toBe('in order');
});

test('a session that is not used ends its stream, which is no use of it', async () => {
  const own = await harness();
  const people = await startOperators(own);
  const url = await people.app.listen({ port: 0, host: '127.0.0.1' });
  const { email, password } = people.by.viewer;
  const { headers } = await people.anonymous.post(`${operatorBase}/session`, { email, password });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const stream = await followChanges(url, { cookie }, `${operatorBase}/stream`);
  await stream.until('anything null');
  own.clock.advance(31 * 60_000);
  expect(await stream.ended).toBe('in order');
  await people.close();
  await own.close();
});

test('an operator has 20 streams, over all processes, and a stream that was closed makes room', async () => {
  const one = await operators.givenOperator('viewer');
  const streams = await Promise.all(Array.from({ length: 20 }, (_, at) => follow(bearer(one), at % 2)));
  const refused = await follow(bearer(one), 1);
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    429,
    {
      error: 'rate_limited',
      message: 'An operator may have 20 streams open at once; close one first.',
      doc_url: expect.stringContaining('/errors/'),
    },
  ]);
  expect(refused.headers.get('retry-after')).toBe('30');
  streams[0]?.close();
  await eventually(async () => expect(await heldBy(one)).toBe(19), 5_000);
  expect((await follow(bearer(one))).status).toBe(200);
  for (const stream of streams) stream.close();
});

test('a stream reports that anything may have changed after its connection was lost', async () => {
  const stream = await follow(bearer(operators.by.viewer));
  const count = () => stream.changes.filter((one) => one === 'anything null').length;
  await eventually(async () => {
    const found = await h.ctx
      .sql`select pid from pg_stat_activity where application_name = 'karat-feed' and datname = current_database()`;
    expect(found.length).toBeGreaterThan(0);
  }, 5_000);
  await wait(100);
  const before = count();
  await h.ctx.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'karat-feed' and datname = current_database()`;
  await eventually(() => expect(count()).toBeGreaterThan(before), 10_000);
});

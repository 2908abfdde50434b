import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/client.js';
import {
  appendEvents,
  eventsChannel,
  findEvents,
  findNumberedEvents,
  findSequence,
  type NewEvent,
  type StoredEvent,
} from '../../../src/db/events/events.js';
import { keepPartitions } from '../../../src/db/partitions.js';
import { openSession } from '../../../src/db/session.js';
import { eventIdOf } from '../../../src/domain/event.js';
import type { Uuid } from '../../../src/domain/ids.js';
import { type Harness, harness } from '../../harness.js';
import { givenRuntimeRole } from '../../runtime-role.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const dayMs = 24 * 60 * 60_000;
const event = (partnerId: Uuid, more: Partial<NewEvent> = {}): NewEvent => ({
  partnerId,
  type: 'user.created',
  requestId: null,
  objectType: 'user',
  objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
  object: { some: 'thing' },
  ...more,
});
const user = (place: number) => `gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c0${place}`;
const append = (events: NewEvent[], at = new Date()) =>
  h.ctx.db.transaction((tx) => appendEvents(tx, events, at));
const logOf = (partnerId: Uuid, after = 0n, limit = 10_000) =>
  findEvents(h.ctx.db, partnerId, {}, { after, limit });
const run = promisify(execFile);

test('events of several partners are numbered from 1 each, in the order given', async () => {
  const [a, b] = [(await h.givenPartner()).partnerId, (await h.givenPartner()).partnerId];
  const named = (partnerId: Uuid, place: number) => event(partnerId, { objectId: user(place) });
  await append([named(b, 1), named(a, 1), named(b, 2)]);
  await append([named(a, 2), named(b, 3), named(a, 3)]);
  for (const partner of [a, b]) {
    const rows = await logOf(partner);
    expect(rows.map(({ sequence, objectId }) => [sequence, objectId])).toEqual([
      [1n, user(1)],
      [2n, user(2)],
      [3n, user(3)],
    ]);
  }
  await append([]);
  expect(await logOf(a, 3n)).toEqual([]);
});

test('the id of an event is computed from its partner, number and time, and finds it while it is in the log', async () => {
  const [a, b] = [(await h.givenPartner()).partnerId, (await h.givenPartner()).partnerId];
  await append([event(a), event(b), event(a, { objectId: user(2) })]);
  const [first, second] = await logOf(a);
  const [ofB] = await logOf(b);
  if (!first || !second || !ofB) throw new Error('events are missing');
  expect(first.id).toBe(eventIdOf(a, { sequence: 1n, createdAt: first.createdAt }));
  const found = (partnerId: Uuid, place: Pick<StoredEvent, 'sequence' | 'createdAt'>) =>
    findSequence(h.ctx.db, partnerId, eventIdOf(partnerId, place));
  expect(await found(a, second)).toBe(2n);
  expect(await found(a, { ...second, sequence: 3n })).toBeUndefined();
  expect(await findSequence(h.ctx.db, b, first.id)).toBeUndefined();
  // Behind the year 9999.
  const late = `evt_ffffffff-ffff-8000-8000-0001${a.slice(-8)}`;
  expect(await findSequence(h.ctx.db, a, late)).toBeUndefined();
  const wanted = [
    { partnerId: a, sequence: 2n },
    { partnerId: b, sequence: 1n },
    { partnerId: b, sequence: 2n },
    { partnerId: a, sequence: 2n },
  ];
  expect(await findNumberedEvents(h.ctx.db, wanted)).toEqual(
    new Map([
      [second.id, second],
      [ofB.id, ofB],
    ]),
  );
  expect(await findNumberedEvents(h.ctx.db, [])).toEqual(new Map());
});

test('the id of an event that was lost with a database is no event, though another one has its number', async () => {
  const { partnerId } = await h.givenPartner();
  await append([event(partnerId)]);
  const [lost] = await logOf(partnerId);
  await h.ctx.sql`delete from events where partner_id = ${partnerId}`;
  await h.ctx.sql`delete from event_counters where partner_id = ${partnerId}`;
  h.clock.advance(1);
  await append([event(partnerId)]);
  const [other] = await logOf(partnerId);
  expect([lost?.sequence, other?.sequence]).toEqual([1n, 1n]);
  expect(await findSequence(h.ctx.db, partnerId, lost?.id ?? '')).toBeUndefined();
  expect(await findSequence(h.ctx.db, partnerId, other?.id ?? '')).toBe(1n);
});

test('an event number that a partner has already is refused, in the months that exist and outside of them', async () => {
  const { partnerId } = await h.givenPartner();
  for (const at of [new Date(), new Date('2040-01-01')]) {
    await append([event(partnerId)], at);
    await h.ctx.sql`update event_counters set last = last - 1 where partner_id = ${partnerId}`;
    await expect(append([event(partnerId)], new Date(at.getTime() + 1))).rejects.toMatchObject({
      cause: { code: '23505' },
    });
    await h.ctx.sql`update event_counters set last = last + 1 where partner_id = ${partnerId}`;
  }
});

test('listeners are notified of what is committed, and of nothing else', async () => {
  const [kept, dropped] = [(await h.givenPartner()).partnerId, (await h.givenPartner()).partnerId];
  const session = await openSession(h.databaseUrl, { applicationName: 'test', statementTimeoutMs: 1_000 });
  const heard: (string | undefined)[] = [];
  // Those of earlier tests may still come.
  const isOwn = (payload = '') => [kept, dropped].some((partnerId) => payload.includes(partnerId));
  session.client.on('notification', ({ payload }) => isOwn(payload) && heard.push(payload));
  const hear = async (count: number) => {
    while (heard.length < count) await once(session.client, 'notification');
    return heard;
  };
  await session.client.query(`listen ${eventsChannel}; listen karat_changes`);
  const givenUp = h.ctx.db.transaction(async (tx) => {
    await appendEvents(tx, [event(dropped)], new Date());
    throw new Error('given up');
  });
  await expect(givenUp).rejects.toThrow('given up');
  await h.ctx.db.transaction(async (tx) => {
    await appendEvents(tx, [event(kept), event(kept)], new Date());
    // A server lets only one transaction with a notification commit at a time, across the disk's work.
    await tx.execute(sql`select pg_sleep(0.1)`);
    expect(heard).toEqual([]);
  });
  expect(await hear(1)).toEqual([kept]);
  // One statement, which is a transaction of its own.
  await appendEvents(h.ctx.db, [event(dropped)], new Date());
  expect(await hear(2)).toEqual([kept, dropped]);
  await session.close();
});

test('text that PostgreSQL cannot hold in binary JSON is in the log as it was', async () => {
  const { partnerId } = await h.givenPartner();
  const object = { text: 'a\0b\ud800"\\{}', amount: 0.000001, none: null, list: [1, 2] };
  await append([event(partnerId, { object })]);
  expect((await logOf(partnerId))[0]?.object).toEqual(object);
});

test('event types and objects are found however rare they are', async () => {
  const { partnerId } = await h.givenPartner();
  await append(Array.from({ length: 300 }, (_, at) => event(partnerId, { objectId: user(at % 3) })));
  await append([event(partnerId, { type: 'partner.suspended' }), event(partnerId, { type: 'user.resumed' })]);
  await append(Array.from({ length: 300 }, () => event(partnerId)));
  const types = ['partner.suspended', 'user.resumed', 'user.suspended'] as const;
  const ofTypes = await findEvents(h.ctx.db, partnerId, { types }, { after: 0n, limit: 100 });
  expect(ofTypes.map(({ sequence }) => sequence)).toEqual([301n, 302n]);
  const first = await findEvents(h.ctx.db, partnerId, { types }, { after: 0n, limit: 1 });
  expect(first.map(({ sequence }) => sequence)).toEqual([301n]);
  const filter = { objectId: user(1), types: ['user.created'] as const };
  const ofObject = await findEvents(h.ctx.db, partnerId, filter, { after: 100n, limit: 2 });
  expect(ofObject.map(({ sequence }) => sequence)).toEqual([101n, 104n]);
  for (const objectId of [user(1).replace('gu_', 'red_'), user(1).slice(3), user(1).toUpperCase(), 'gu_1'])
    expect(await findEvents(h.ctx.db, partnerId, { objectId }, { after: 0n, limit: 2 })).toEqual([]);
});

/** Starting eight processes takes a busy machine a while. */
const slow = 180_000;

test('eight processes write at once: no gap, nothing lost, and a reader never sees a smaller number later', {
  timeout: slow,
}, async () => {
  const partners = [(await h.givenPartner()).partnerId, (await h.givenPartner()).partnerId];
  const script = fileURLToPath(new URL('event-writer.mjs', import.meta.url));
  const args = [script, h.databaseUrl, '300', ...partners];
  let writing = true;
  const written = Promise.all(Array.from({ length: 8 }, () => run(process.execPath, args))).finally(() => {
    writing = false;
  });
  const read = new Map<Uuid, bigint>(partners.map((id) => [id, 0n]));
  const follow = async () => {
    for (const [partner, last] of read) {
      const rows = await logOf(partner, last, 100);
      // Whatever commits later has a higher number than all that was visible, so that they follow each other.
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, at) => last + BigInt(at) + 1n));
      read.set(partner, last + BigInt(rows.length));
    }
  };
  while (writing) await follow();
  const counts = (await written).map(({ stdout }) => JSON.parse(stdout) as Record<Uuid, number>);
  for (const partner of partners) {
    const total = counts.reduce((sum, each) => sum + (each[partner] ?? 0), 0);
    const rows = await logOf(partner);
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, at) => BigInt(at) + 1n));
    expect(rows).toHaveLength(total);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(total);
    expect(rows.length).toBeGreaterThan(1_000);
  }
});

const partitions = async () =>
  (
    await h.ctx.db.execute<{ name: string }>(sql`
      select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = 'events'::regclass order by relname`)
  ).map(({ name }) => name);
const partOf = async (partnerId: Uuid) =>
  (
    await h.ctx.db.execute<{ part: string }>(
      sql`select tableoid::regclass::text as part from events where partner_id = ${partnerId}`,
    )
  ).map(({ part }) => part);

test('a role that may make no tables has the months ahead made, and what is old dropped', async () => {
  const role = await givenRuntimeRole(h.databaseUrl);
  const runtime = openDatabase(role.url, { poolSize: 1 });
  try {
    const { partnerId } = await h.givenPartner();
    const then = new Date('2031-05-31T23:59:59.999Z');
    const month = (at: Date) => `events_${at.toISOString().slice(0, 7).replace('-', '_')}`;
    expect(await partitions()).toContain(month(new Date()));
    const write = (at: Date) => runtime.db.transaction((tx) => appendEvents(tx, [event(partnerId)], at));
    const keep = (at: Date, keptSince: Date) =>
      runtime.db.transaction((tx) => keepPartitions(tx, 'events', at, keptSince));
    // A month without a partition.
    await write(then);
    await write(new Date(then.getTime() + 1));
    expect(await partOf(partnerId)).toEqual(['events_default', 'events_default']);
    const before = await partitions();
    await keep(then, new Date(then.getTime() - 90 * dayMs));
    expect(await partOf(partnerId)).toEqual(['events_2031_05', 'events_2031_06']);
    expect(await partitions()).toEqual([
      'events_2031_05',
      'events_2031_06',
      'events_2031_07',
      'events_default',
    ]);
    expect(before).not.toContain('events_2031_05');
    await keep(then, new Date(then.getTime() - 90 * dayMs));
    // Ninety days after the last moment of May, and one later.
    const later = new Date('2031-08-29T23:59:59.999Z');
    await keep(later, new Date(later.getTime() - 90 * dayMs));
    expect(await logOf(partnerId)).toHaveLength(2);
    await keep(new Date(later.getTime() + dayMs), new Date(later.getTime() - 89 * dayMs + 1));
    expect((await logOf(partnerId)).map(({ sequence }) => sequence)).toEqual([2n]);
    await expect(
      runtime.db.transaction((tx) => tx.execute(sql`create table other (a int)`)),
    ).rejects.toThrow();
  } finally {
    await runtime.close();
    await role.drop();
  }
});

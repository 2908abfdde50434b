import { setTimeout as wait } from 'node:timers/promises';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents, findLastSequences } from '../../src/db/events/events.js';
import type { Uuid } from '../../src/domain/ids.js';
import { ChangeFeed, type Changes } from '../../src/events/change-feed.js';
import { startDeliverer } from '../../src/events/delivery/deliverer.js';
import { Wake } from '../../src/runtime/wake.js';
import { followChanges, followStream } from '../event-stream.js';
import { expectStatus, type Harness, harness } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { operatorBase, startOperators } from '../operators.js';
import { within } from '../within.js';

let h: Harness;
let feed: ChangeFeed;
const end = new AbortController();
beforeAll(async () => {
  h = await harness();
  feed = new ChangeFeed(h.ctx);
});
afterAll(async () => {
  end.abort();
  await feed.stop();
  await h.close();
});

const tradeAt = (place: number) => `trd_019ca945-0a00-7c3e-9d61-${String(place).padStart(12, '0')}`;
async function happen(partnerId: Uuid, objectId = tradeAt(1)): Promise<void> {
  const event = { type: 'trade.confirmed', requestId: null, objectType: 'trade', object: {} } as const;
  await h.ctx.db.transaction((tx) =>
    appendEvents(tx, [{ ...event, partnerId, objectId }], new Date(h.clock.now())),
  );
}
/** Repeats the first event of a partner, as by a process that was killed between its commit and the notification. */
const happenUnnoticed = (partnerId: Uuid, objectId = tradeAt(1), sql: postgres.ISql = h.ctx.sql) => sql`
  with counted as (update event_counters set last = last + 1 where partner_id = ${partnerId} returning last)
  insert into events (partner_id, sequence, type, created_at, object_type, object_id, object)
  select partner_id, last, type, created_at, object_type, ${objectId.slice(4)}::uuid, object
  from counted, events where partner_id = ${partnerId} and sequence = 1`;
const givenLog = async () => {
  const { partnerId } = await h.givenPartner();
  await happen(partnerId);
  return partnerId;
};
/** Follows, and waits until the feed knows where the log ends: then nothing but an event wakes. */
async function settled(filter: Parameters<ChangeFeed['follow']>[0]) {
  const woken: Changes[] = [];
  const unfollow = feed.follow(filter, (changes) => void woken.push(changes));
  await wait(1_000);
  woken.length = 0;
  return { woken, unfollow };
}

test('change feed: one session serves the streams, waits and webhooks of a process', async () => {
  const operators = await startOperators(h);
  const deliverer = startDeliverer(h.ctx);
  const urls = await Promise.all(
    [h.app, operators.app].map((app) => app.listen({ port: 0, host: '127.0.0.1' })),
  );
  const stream = await followStream(urls[0] ?? '', { 'x-api-key': h.main.apiKey }, '/v1/events/stream');
  const bearer = { authorization: `Bearer ${operators.by.viewer.token}` };
  const changes = await followChanges(urls[1] ?? '', bearer, `${operatorBase}/stream`);
  const path = `/v1/operations/${tradeAt(7)}?wait=1`;
  expectStatus(await h.partner.get(path), 200);
  await happen(h.main.partnerId);
  await stream.first(1);
  const sessions = await h.ctx.sql`
    select application_name from pg_stat_activity
    where application_name like 'karat-%' and datname = current_database()`;
  expect(sessions.map((row) => row.application_name)).toEqual(['karat-feed']);
  stream.close();
  changes.close();
  await deliverer.stop();
  await operators.close();
});

test('change feed: a follower that reads after it began to follow misses no event', async () => {
  const partners = await Promise.all(Array.from({ length: 20 }, givenLog));
  const all = partners.map(async (partnerId, place) => {
    // So that some begin just before a look, and some just after one.
    await wait(30 * place);
    const woken = new Wake();
    const unfollow = feed.follow({ partnerId }, () => woken.wake());
    const hasRead = new Wake();
    const reading = (async () => {
      while ((await findLastSequences(h.ctx.db, [partnerId])).get(partnerId) !== 2n) {
        hasRead.wake();
        // Nothing but the feed wakes it.
        await woken.sleep(60_000, end.signal);
      }
    })();
    await hasRead.sleep(10_000, end.signal);
    await (place % 2 === 0 ? happen(partnerId) : happenUnnoticed(partnerId));
    await within(2_000, 'its event', () => reading);
    unfollow();
  });
  await Promise.all(all);
});

test('change feed: followers of all partners are woken within a second of an event without a notification', async () => {
  const partnerId = await givenLog();
  const events = await settled('events');
  const changes = await settled('changes');
  await happenUnnoticed(partnerId, tradeAt(2));
  await eventually(() => {
    expect(events.woken).toEqual(['anything']);
    expect(changes.woken).toEqual([[`trade ${tradeAt(2)}`]]);
  }, 1_000);
  events.unfollow();
  changes.unfollow();
});

test('change feed: the follower of an object is woken by its events alone', async () => {
  const partnerId = await givenLog();
  const { woken, unfollow } = await settled({ partnerId, objectId: tradeAt(5) });
  for (let place = 10; place < 15; place += 1) await happen(partnerId, tradeAt(place));
  await wait(1_000);
  expect(woken).toEqual([]);
  await happen(partnerId, tradeAt(5));
  await eventually(() => expect(woken).toHaveLength(1), 1_000);
  unfollow();
});

test('change feed: a look that fails is made again and misses no event', async () => {
  const partnerId = await givenLog();
  const { woken, unfollow } = await settled({ partnerId, objectId: tradeAt(5) });
  // What the event is about cannot be read until the table is back.
  await h.ctx.sql.begin(async (sql) => {
    await happenUnnoticed(partnerId, tradeAt(5), sql);
    await sql`alter table events rename to hidden_events`;
  });
  await wait(1_500);
  expect(woken).toEqual([]);
  await h.ctx.sql`alter table hidden_events rename to events`;
  await eventually(() => expect(woken).toHaveLength(1), 2_000);
  unfollow();
});

test('change feed: events wake followers while its session is lost', async () => {
  const partnerId = await givenLog();
  const { woken, unfollow } = await settled({ partnerId });
  await h.ctx.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'karat-feed' and datname = current_database()`;
  await happen(partnerId);
  await eventually(() => expect(woken).not.toEqual([]), 1_000);
  unfollow();
});

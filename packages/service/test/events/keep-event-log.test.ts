import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsKeptMs } from '../../src/domain/event.js';
import { newUuid } from '../../src/domain/ids.js';
import { keepEventLog } from '../../src/events/keep-event-log.js';
import { type Harness, harness } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('event log: deliveries older than the retention period are deleted, however many, and one in use blocks nothing', async () => {
  const endpoint = newUuid();
  const keptSince = new Date(h.clock.now() - eventsKeptMs);
  await h.ctx.sql`
    insert into webhook_endpoints (id, partner_id, url, secret, planned_sequence, created_at, updated_at)
    values (${endpoint}, ${h.main.partnerId}, 'https://example.com', 'secret', 0, ${keptSince}, ${keptSince})`;
  const given = (first: number, last: number, at: Date) => h.ctx.sql`
    insert into webhook_deliveries (id, endpoint_id, sequence, event_created_at, type, created_at)
    select gen_random_uuid(), ${endpoint}, number, ${at}::timestamptz, 'user.created', ${at}::timestamptz
    from generate_series(${first}::int, ${last}::int) as number`;
  await given(1, 12_000, new Date(keptSince.getTime() - 1));
  await given(12_001, 12_003, keptSince);
  const left = async () => (await h.ctx.sql`select id from webhook_deliveries`).length;
  await h.ctx.sql.begin(async (tx) => {
    await tx`select id from webhook_deliveries order by created_at limit 1 for update`;
    await keepEventLog(h.ctx);
    expect(await left()).toBe(4);
  });
  await keepEventLog(h.ctx);
  expect(await left()).toBe(3);
});

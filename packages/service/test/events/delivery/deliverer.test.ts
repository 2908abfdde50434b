import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type EndpointId, uuidOf } from '../../../src/domain/ids.js';
import { type Deliverer, startDeliverer } from '../../../src/events/delivery/deliverer.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  type GivenPartner,
  type Harness,
  harness,
} from '../../harness.js';
import { eventually as eventuallyIn } from '../../karat-chain.js';
import { happen, type Receiver, type Respond, respond, startReceiver } from '../../webhooks.js';

const path = '/v1/webhook-endpoints';
const eventually = <T>(look: () => T | Promise<T>, ms = 10_000) => eventuallyIn(look, ms);
/** Endpoints that hang do so for ever: a round that waited for them would never end. */
const everMs = 2 ** 31 - 1;
let h: Harness;
let deliverer: Deliverer;
const receivers: Receiver[] = [];
beforeAll(async () => {
  h = await harness({ config: { webhooksAllowLocal: true } });
  deliverer = startDeliverer(h.ctx, { withinMs: everMs });
});
afterEach(async () => {
  // With what is still to be delivered: later tests move the clock, and another receiver may get the port of one that is closed.
  await h.ctx.sql`delete from webhook_endpoints`;
  for (const receiver of receivers.splice(0)) await receiver.close();
});
afterAll(async () => {
  await deliverer.stop();
  await h.close();
});

const given = async (how?: Respond, partner?: GivenPartner, more: object = {}) => {
  const by = partner ?? (await h.givenPartner());
  const receiver = await startReceiver(how);
  receivers.push(receiver);
  const { body } = expectStatus(await by.client.post(path, { url: receiver.url, ...more }), 201);
  h.secrets.add(body.secret);
  const at = `${path}/${body.endpoint_id}`;
  const patch = (change: object) => send('PATCH', at, change, by);
  const deliveries = async (query = '') =>
    expectStatus(await by.client.get(`${at}/deliveries${query}`), 200).body.deliveries;
  const status = async () => expectStatus(await by.client.get(at), 200).body.status;
  return { partner: by, receiver, endpoint: body, at, patch, deliveries, status };
};
const send = (method: 'PATCH' | 'DELETE', url: string, body: object | undefined, { apiKey }: GivenPartner) =>
  clientOf(h.app, { 'x-api-key': apiKey }).send({
    method,
    url,
    ...(body && { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const eventsOf = async ({ client }: GivenPartner) => (await client.get('/v1/events')).body.events;
const got = (receiver: Receiver, count: number) =>
  eventually(() => expect(receiver.received).toHaveLength(count), 10_000);

test('deliverer: an event comes signed, as it is in the log', async () => {
  const { partner, receiver, endpoint, deliveries } = await given();
  await happen(h, partner.partnerId);
  await got(receiver, 1);
  const [one] = receiver.received;
  if (!one) throw new Error('nothing came');
  const [event] = await eventsOf(partner);
  expect(one.body).toEqual(event);
  expect(one.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
  const headers = one.headers as Record<string, string>;
  expect(new Webhook(endpoint.secret).verify(one.text, headers)).toEqual(event);
  await eventually(async () =>
    expect(await deliveries('?status=delivered')).toEqual([
      {
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: event.id,
        type: 'user.created',
        status: 'delivered',
        attempts: [
          {
            at: new Date(h.clock.now()).toISOString(),
            status_code: 200,
            duration_ms: expect.any(Number),
            error: null,
            response_body: 'ok',
          },
        ],
        next_attempt_at: null,
        created_at: new Date(h.clock.now()).toISOString(),
      },
    ]),
  );
  expect(await deliveries('?status=pending')).toEqual([]);
});

test('deliverer: a delivery shows the body that was sent and the response to each attempt', async () => {
  const { partner, receiver, at, deliveries } = await given(respond(503, 'closed\0 for lunch'));
  await happen(h, partner.partnerId);
  await happen(h, partner.partnerId, { type: 'user.resumed' });
  await got(receiver, 2);
  await eventually(async () => {
    for (const { attempts } of await deliveries()) expect(attempts).toHaveLength(1);
  });
  const [resumed] = await deliveries('?type=user.resumed');
  expect(await deliveries(`?event_id=${resumed.event_id}`)).toEqual([resumed]);
  expect(await deliveries(`?event_id=evt_x`)).toEqual([]);
  const { body: shown } = expectStatus(
    await partner.client.get(`${at}/deliveries/${resumed.delivery_id}`),
    200,
  );
  const sent = receiver.received.find(({ headers }) => headers['webhook-id'] === resumed.event_id);
  expect(shown).toEqual({ ...resumed, body: sent?.text });
  expect(shown.attempts).toEqual([
    {
      at: new Date(h.clock.now()).toISOString(),
      status_code: 503,
      duration_ms: expect.any(Number),
      error: 'The response was 503.',
      response_body: 'closed\uFFFD for lunch',
    },
  ]);
  await h.ctx.sql`delete from events where partner_id = ${partner.partnerId}`;
  const gone = await partner.client.get(`${at}/deliveries/${resumed.delivery_id}`);
  expect(expectStatus(gone, 200).body).toEqual({ ...resumed, body: null });
});

test('deliverer: an endpoint gets only events of its types, from its registration on', async () => {
  const partner = await h.givenPartner();
  await happen(h, partner.partnerId, { count: 3 });
  const { receiver } = await given(undefined, partner, { types: ['user.suspended'] });
  await happen(h, partner.partnerId, { count: 2 });
  await happen(h, partner.partnerId, { type: 'user.suspended' });
  await got(receiver, 1);
  expect(receiver.received[0]?.body).toMatchObject({ type: 'user.suspended', sequence: 6 });
});

test('deliverer: a failed delivery is tried again at exactly these times, and then no more', async () => {
  const { partner, receiver, deliveries } = await given(respond(500, 'x'.repeat(2_000)));
  await happen(h, partner.partnerId);
  const waits = [5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400];
  for (const [index, seconds] of waits.entries()) {
    await got(receiver, index + 1);
    const at = await eventually(async () => {
      const [delivery] = await deliveries('?status=pending');
      expect(delivery.attempts).toHaveLength(index + 1);
      return new Date(delivery.next_attempt_at).getTime();
    }, 10_000);
    expect(at - h.clock.now()).toBe(seconds * 1_000);
    h.clock.advance(seconds * 1_000);
  }
  await got(receiver, 11);
  const [delivery] = await eventually(async () => {
    const failed = await deliveries('?status=failed');
    expect(failed).toHaveLength(1);
    return failed;
  });
  expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
  expect(delivery.attempts[0]).toMatchObject({ status_code: 500, response_body: 'x'.repeat(1_024) });
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids)).toEqual(new Set([delivery.event_id]));
});

test('deliverer: a delivery is never a millisecond before its time', async () => {
  const { partner, receiver, deliveries } = await given(respond(503));
  await happen(h, partner.partnerId);
  await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(1));
  const witness = await given();
  h.clock.advance(4_999);
  // A round takes what is due of all endpoints: the second event shows that one has passed since then.
  for (let count = 1; count <= 2; count += 1) {
    await happen(h, witness.partner.partnerId);
    await got(witness.receiver, count);
  }
  expect(receiver.received).toHaveLength(1);
  h.clock.advance(1);
  await got(receiver, 2);
});

test('deliverer: redirects are not followed', async () => {
  const target = await startReceiver();
  receivers.push(target);
  const { partner, deliveries } = await given(respond(302, '', { location: target.url }));
  await happen(h, partner.partnerId);
  await eventually(async () =>
    expect((await deliveries())[0]?.attempts[0]).toMatchObject({
      status_code: 302,
      error: expect.any(String),
    }),
  );
  expect(target.received).toEqual([]);
});

test('deliverer: a 410 disables the endpoint at once, with an event', async () => {
  const { partner, status, deliveries } = await given(respond(410));
  const witness = await given(undefined, partner);
  await happen(h, partner.partnerId);
  await eventually(async () => expect(await status()).toBe('disabled'));
  expect((await deliveries())[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
  const disabled = (await eventsOf(partner)).find(
    ({ type }: { type: string }) => type === 'webhook_endpoint.disabled',
  );
  expect(disabled.data).toMatchObject({ object_type: 'webhook_endpoint', object: { status: 'disabled' } });
  expect(JSON.stringify(disabled)).not.toContain('whsec_');
  await got(witness.receiver, 2);
});

test('deliverer: 5 days without a success disable an endpoint, with an event; a success starts their count again', async () => {
  const { partner, status, receiver, deliveries } = await given(respond(500));
  await happen(h, partner.partnerId);
  await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(1));
  h.clock.advance(4 * 86_400_000);
  await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(2));
  receiver.how = respond(200);
  h.clock.advance(30_000);
  await eventually(async () => expect((await deliveries())[0]?.status).toBe('delivered'));
  receiver.how = respond(500);
  await happen(h, partner.partnerId);
  await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(1));
  h.clock.advance(4 * 86_400_000);
  await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(2));
  expect(await status()).toBe('active');
  h.clock.advance(86_400_000);
  await eventually(async () => expect(await status()).toBe('disabled'));
  const types = (await eventsOf(partner)).map(({ type }: { type: string }) => type);
  expect(types).toContain('webhook_endpoint.disabled');
});

test('deliverer: endpoints that hang delay no other, and two processes send each event once', async () => {
  const partners = await Promise.all(Array.from({ length: 20 }, () => h.givenPartner()));
  const dead = await Promise.all(partners.map((partner) => given(() => {}, partner)));
  let allCame = () => {};
  const all = new Promise<void>((resolve) => {
    allCame = resolve;
  });
  const healthy = await given((...request) => {
    respond(200)(...request);
    if (healthy.receiver.received.length === 50) allCame();
  });
  const second = startDeliverer(h.ctx, { withinMs: everMs });
  for (const { partner } of dead) await happen(h, partner.partnerId, { count: 20 });
  await eventually(() => {
    for (const { receiver } of dead) expect(receiver.received).not.toEqual([]);
  });
  await happen(h, healthy.partner.partnerId, { count: 50 });
  await all;
  for (const { deliveries } of dead)
    for (const { attempts } of await deliveries()) expect(attempts).toEqual([]);
  const ids = healthy.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(50);
  // What a process that stops has under way is another's.
  for (const { receiver } of dead) receiver.how = respond(200);
  await second.stop();
});

test('deliverer: both secrets sign after a rotation until the overlap ends', async () => {
  const { partner, receiver, endpoint, at } = await given();
  const { body: rotated } = expectStatus(
    await partner.client.post(`${at}/rotate-secret`, { overlap_hours: 2 }),
    200,
  );
  h.secrets.add(rotated.secret);
  expect(rotated.secret).not.toBe(endpoint.secret);
  const until = new Date(h.clock.now() + 2 * 3_600_000).toISOString();
  expect([endpoint.previous_secret_until, rotated.previous_secret_until]).toEqual([null, until]);
  await happen(h, partner.partnerId);
  await got(receiver, 1);
  const verifies = (secret: string, index: number) => {
    const one = receiver.received[index];
    return () => new Webhook(secret).verify(one?.text ?? '', one?.headers as Record<string, string>);
  };
  verifies(endpoint.secret, 0)();
  verifies(rotated.secret, 0)();
  h.clock.advance(2 * 3_600_000);
  await happen(h, partner.partnerId);
  await got(receiver, 2);
  verifies(rotated.secret, 1)();
  expect(verifies(endpoint.secret, 1)).toThrow();
});

test('deliverer: a test is sent at once, and resent events come again under their ids', async () => {
  const { partner, receiver, at, deliveries, patch } = await given();
  expect(expectStatus(await partner.client.post(`${at}/test`), 200).body).toEqual({
    delivered: true,
    status_code: 200,
    duration_ms: expect.any(Number),
    error: null,
    body: receiver.received[0]?.text,
    response_body: 'ok',
  });
  expect(receiver.received[0]?.body.type).toBe('webhook.test');
  receiver.how = respond(418);
  expect(expectStatus(await partner.client.post(`${at}/test`), 200).body).toMatchObject({
    delivered: false,
    status_code: 418,
  });
  receiver.how = respond(200);
  const from = new Date(h.clock.now()).toISOString();
  await happen(h, partner.partnerId, { count: 2 });
  await got(receiver, 4);
  await eventually(async () => expect(await deliveries('?status=delivered')).toHaveLength(2));
  const [event, second] = await eventsOf(partner);
  const again = (body: object) => partner.client.post(`${at}/resend`, body);
  expect(expectStatus(await again({ event_id: event.id }), 202).body).toEqual({ resent: 1 });
  await got(receiver, 5);
  expect(receiver.received[4]?.headers['webhook-id']).toBe(event.id);
  await eventually(async () => expect(await deliveries('?status=delivered')).toHaveLength(2));
  expect(expectStatus(await again({ from, to: from }), 202).body).toEqual({ resent: 2 });
  await got(receiver, 7);
  const both = [event.id, second.id];
  expect(expectStatus(await again({ event_ids: both }), 202).body).toEqual({ resent: 2 });
  await got(receiver, 9);
  const ids = receiver.received.slice(7).map(({ headers }) => headers['webhook-id']);
  expect(ids.sort()).toEqual(both.sort());
  for (const [body, field] of [
    [{}, 'event_id'],
    [{ event_ids: [event.id, 'evt_x'] }, 'event_ids'],
    [{ event_ids: [event.id], event_id: event.id }, 'event_ids'],
    [{ event_ids: [event.id], from }, 'event_ids'],
    [{ event_ids: [] }, 'event_ids'],
    [{ event_id: 'evt_x' }, 'event_id'],
    [{ from }, 'to'],
    [{ from: 'yesterday', to: from }, 'from'],
  ] as const) {
    expect(expectStatus(await again(body), 400).body).toMatchObject({ error: 'invalid_request', field });
  }
  expectStatus(await patch({ status: 'disabled' }), 200);
  expect(expectStatus(await again({ event_id: event.id }), 409).body.error).toBe('transition_not_allowed');
});

test('deliverer: one request at a time has events sent again, and no other waits for it', async () => {
  const { partner, at, endpoint } = await given();
  const another = await given(undefined, partner);
  await happen(h, partner.partnerId);
  const [event] = await eventsOf(partner);
  const resend = (path = at) => partner.client.post(`${path}/resend`, { event_id: event.id });
  const { sql } = h.ctx;
  let first: ReturnType<typeof resend> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from webhook_endpoints where id = ${uuidOf(endpoint.endpoint_id as EndpointId)} for update`;
    first = resend();
    await eventually(async () => {
      const waiting = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_endpoints%'`;
      expect(waiting).toHaveLength(1);
    });
    for (const path of [at, another.at])
      expect(expectStatus(await resend(path), 429)).toMatchObject({
        headers: { 'retry-after': '5' },
        body: { error: 'rate_limited' },
      });
  });
  expect(expectStatus((await first) as ApiResponse, 202).body).toEqual({ resent: 1 });
  expectStatus(await resend(), 202);
});

test('deliverer: endpoints are changed, listed without their secrets, and deleted; an eleventh is refused', async () => {
  const partner = await h.givenPartner();
  const { endpoint, at, patch, receiver } = await given(undefined, partner, { description: 'books' });
  expect(endpoint).toMatchObject({
    endpoint_id: expect.stringMatching(/^we_/),
    secret: expect.stringMatching(/^whsec_/),
    status: 'active',
    types: null,
    description: 'books',
  });
  const { secret: _, ...shown } = endpoint;
  expect((await partner.client.get(path)).body).toEqual({ webhook_endpoints: [shown], next_cursor: null });
  expect((await partner.client.get(at)).body).toEqual(shown);
  const changed = expectStatus(await patch({ types: ['trade.failed'], description: null }), 200).body;
  expect(changed).toMatchObject({ types: ['trade.failed'], description: null, url: receiver.url });
  expectStatus(await patch({ status: 'disabled', types: null }), 200);
  await happen(h, partner.partnerId);
  expect(expectStatus(await patch({ status: 'active' }), 200).body.status).toBe('active');
  await happen(h, partner.partnerId, { type: 'user.resumed' });
  await got(receiver, 1);
  expect(receiver.received[0]?.body.type).toBe('user.resumed');
  expect(expectStatus(await patch({ types: ['no.such'] }), 400).body.field).toBe('types');
  for (let count = 1; count < 10; count += 1) {
    h.secrets.add(expectStatus(await partner.client.post(path, { url: receiver.url }), 201).body.secret);
  }
  const eleventh = await partner.client.post(path, { url: receiver.url });
  expect(expectStatus(eleventh, 409).body.error).toBe('endpoint_limit_reached');
  expect(expectStatus(await send('DELETE', at, undefined, partner), 200).body).toEqual({
    endpoint_id: endpoint.endpoint_id,
    deleted: true,
  });
  expect((await partner.client.get(at)).body.error).toBe('endpoint_not_found');
});

test('secrets of webhook endpoints are in no stored response, and a repeated request gets them all the same', async () => {
  const partner = await h.givenPartner();
  const receiver = await startReceiver();
  receivers.push(receiver);
  const post = async (url: string, key: string, body: object) =>
    partner.client.post(url, body, { 'idempotency-key': key });
  const create = () => post(path, 'create', { url: receiver.url });
  const created = expectStatus(await create(), 201).body;
  h.secrets.add(created.secret);
  expect((await create()).body).toEqual(created);
  const rotate = (key: string) =>
    post(`${path}/${created.endpoint_id}/rotate-secret`, key, { overlap_hours: 1 });
  const rotated = expectStatus(await rotate('rotate'), 200).body;
  h.secrets.add(rotated.secret);
  expect((await rotate('rotate')).body).toEqual(rotated);
  expect((await create()).body).toEqual(created);

  const stored = await h.ctx.sql`select response from idempotency_keys where owner_id = ${partner.partnerId}`;
  expect(stored).toHaveLength(2);
  for (const { response } of stored) expect(response).not.toContain('whsec_');

  h.secrets.add(expectStatus(await rotate('again'), 200).body.secret);
  expect(await create()).toMatchObject({
    status: 409,
    body: { error: 'idempotency_conflict', message: expect.stringContaining('has been replaced') },
  });
});

test('webhook endpoints are stored in the canonical form of their URL', async () => {
  const { receiver, endpoint, at, patch } = await given();
  const { port } = new URL(receiver.url);
  const canonical = `http://localhost:${port}/a%20b?c=d`;
  const url = ` HTTP://LOCALHOST.:0${port}/x/../a b?c=d#part`;
  expect(expectStatus(await patch({ url }), 200).body.url).toBe(canonical);
  const [row] = await h.ctx.sql`select url from webhook_endpoints where id = ${uuidOf(endpoint.endpoint_id)}`;
  expect(row?.url).toBe(canonical);
  const long = { url: `http://localhost:${port}/${'ä'.repeat(1_000)}` };
  expect(await patch(long)).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'url' } });
  expect(at).toContain(endpoint.endpoint_id);
});

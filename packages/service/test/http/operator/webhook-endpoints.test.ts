import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deliverer, startDeliverer } from '../../../src/events/delivery/deliverer.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { happen, type Receiver, respond, startReceiver } from '../../webhooks.js';

let h: Harness;
let operators: Operators;
let deliverer: Deliverer;
let receiver: Receiver;
beforeAll(async () => {
  h = await harness({ config: { webhooksAllowLocal: true } });
  operators = await startOperators(h);
  deliverer = startDeliverer(h.ctx);
  receiver = await startReceiver(respond(500, 'Muhammad Ali'));
});
afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
  await operators.close();
  await h.close();
});

const list = (query = '') => operators.by.viewer.client.get(`${operatorBase}/webhook-endpoints${query}`);
const disable = (id: string) =>
  send(operators.by.admin.client, 'POST', `/webhook-endpoints/${id}/disable`, { reason: 'floods us' });

test('operators see the endpoints of all partners without their secrets, and disable one', async () => {
  const [partner, other] = [await h.givenPartner(), await h.givenPartner()];
  const register = async ({ client }: typeof partner) => {
    const { body } = expectStatus(await client.post('/v1/webhook-endpoints', { url: receiver.url }), 201);
    h.secrets.add(body.secret);
    return body.endpoint_id as string;
  };
  const [id, otherId] = [await register(partner), await register(other)];
  const idsOf = (body: { webhook_endpoints: { endpoint_id: string }[] }) =>
    body.webhook_endpoints.map(({ endpoint_id }) => endpoint_id).sort();
  expect(idsOf(expectStatus(await list(), 200).body)).toEqual([id, otherId].sort());

  await happen(h, partner.partnerId);
  const failing = await eventually(async () => {
    const { body } = await list(`?partner_id=${partner.partnerId}`);
    expect(body.webhook_endpoints[0].failing_since).not.toBeNull();
    return body.webhook_endpoints;
  }, 10_000);
  expect(failing).toEqual([
    {
      partner_id: partner.partnerId,
      endpoint_id: id,
      url: receiver.url,
      types: null,
      description: null,
      status: 'active',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      failing_since: new Date(h.clock.now()).toISOString(),
      previous_secret_until: null,
    },
  ]);
  const { body } = await list(`/${id}/deliveries?status=pending`);
  expect(body.deliveries[0].attempts[0]).toEqual({
    at: expect.any(String),
    status_code: 500,
    duration_ms: expect.any(Number),
    error: expect.any(String),
  });

  expect(expectStatus(await disable(id), 200).body).toMatchObject({ endpoint_id: id, status: 'disabled' });
  expect(idsOf((await list('?status=disabled')).body)).toEqual([id]);
  await eventually(async () => {
    expect((await list(`/${id}/deliveries?status=pending`)).body.deliveries).toEqual([]);
  }, 10_000);
  expect(expectStatus(await disable(id), 409).body.error).toBe('transition_not_allowed');
  const { events } = (await partner.client.get('/v1/events?types=webhook_endpoint.disabled')).body;
  expect(events).toHaveLength(1);
  expect((await partner.client.get(`/v1/webhook-endpoints/${id}`)).body).toEqual(events[0].data.object);
  expect(await changesOf(h, 'webhook_endpoint', id)).toMatchObject([
    {
      action: 'webhook_endpoint.disable',
      reason: 'floods us',
      before: { partner_id: partner.partnerId, status: 'active' },
      after: { status: 'disabled' },
    },
  ]);
});

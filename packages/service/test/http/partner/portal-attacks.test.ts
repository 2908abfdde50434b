import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDeliverer } from '../../../src/events/delivery/deliverer.js';
import { followStream } from '../../event-stream.js';
import { type Client, expectStatus, type Harness, harness, newAddress } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { accept, givenMember, invited, json, open, password, withPage } from '../../members.js';
import { happen, startReceiver } from '../../webhooks.js';

let h: Harness;
let url: string;
beforeAll(async () => {
  h = await harness({
    config: { secondFactor: 'optional', authRateLimitPerMinute: 1_000, webhooksAllowLocal: true },
  });
  url = await h.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => h.close());

describe('the link of an invitation', () => {
  test('the link of an invitation reaches no session through a delivery of its event', async () => {
    const { partnerId, client } = await h.givenPartner();
    // A receiver that sends back what it was sent, as some do while they are being written.
    const receiver = await startReceiver((response, { text }) => void response.writeHead(200).end(text));
    const { endpoint_id } = expectStatus(
      await client.post('/v1/webhook-endpoints', { url: receiver.url }),
      201,
    ).body;
    const viewer = await givenMember(h, partnerId, 'viewer');
    const { token } = await invited(h, partnerId, 'developer');
    const deliverer = startDeliverer(h.ctx);
    try {
      const at = `/v1/webhook-endpoints/${endpoint_id}/deliveries`;
      const list = await eventually(async () => {
        const found = expectStatus(
          await viewer.client.get(`${at}?type=member.invited&status=delivered`),
          200,
        );
        expect(found.body.deliveries).toHaveLength(2);
        return found;
      });
      expect(receiver.received.some(({ text }) => text.includes(token))).toBe(true);
      expect(list.text).not.toContain(token);
      for (const { delivery_id } of list.body.deliveries) {
        const one = expectStatus(await viewer.client.get(`${at}/${delivery_id}`), 200);
        expect(JSON.parse(one.body.body).data.object.url).toBe(null);
        expect(one.text).not.toContain(token);
      }
    } finally {
      await deliverer.stop();
      await receiver.close();
    }
  });

  test('an invitation that two accept at once makes one member', async () => {
    const { token } = await invited(h, h.main.partnerId, 'viewer');
    const responses = await Promise.all(Array.from({ length: 5 }, () => accept(h, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
  });
});

test.each(['/x', '?x', '#x', '\\x', ':', '%2ex'])(
  'an invitation to an address with %s behind its host goes to no other address',
  async (tail) => {
    const { partnerId } = await h.givenPartner();
    const { client } = await givenMember(h, partnerId, 'owner');
    const body = { email: `ceo@acme.example${tail}`, role: 'viewer' };
    expect(await client.post('/v1/members/invitations', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'email' },
    });
  },
);

test('guesses of the second step are held to the limit of a network', async () => {
  const remoteAddress = newAddress();
  const guess = () =>
    open(h).send({
      method: 'POST',
      url: '/v1/session/second-factor',
      remoteAddress,
      ...withPage(json({ token: 'f'.repeat(64), totp_code: '123456' })),
    });
  expect((await guess()).headers).toMatchObject({ 'ratelimit-limit': '1000' });
});

test('a stream of events shows nothing that happens after its member was removed or has signed out', async () => {
  const { partnerId } = await h.givenPartner();
  const owner = await givenMember(h, partnerId, 'owner');
  const ends = [
    (memberId: string) => owner.client.send({ method: 'DELETE', url: `/v1/members/${memberId}` }),
    (_: string, client: Client) => client.send({ method: 'DELETE', url: '/v1/session' }),
  ];
  for (const end of ends) {
    const { client, cookie, memberId } = await givenMember(h, partnerId, 'viewer');
    const stream = await followStream(url, { cookie });
    await happen(h, partnerId);
    await stream.first(1);
    expectStatus(await end(memberId, client), 200);
    await happen(h, partnerId);
    expect(await stream.ended).toBe('in order');
    expect(stream.events).toHaveLength(1);
  }
});

test('strangers from many networks who send passwords leave threads to what else needs one', async () => {
  let done = 0;
  const body = { token: 'f'.repeat(64), name: 'Sana Malik', password };
  const flood = Array.from({ length: 150 }, async () => {
    const url = '/v1/members/invitations/accept';
    await open(h).send({ method: 'POST', url, remoteAddress: newAddress(), ...withPage(json(body)) });
    done += 1;
  });
  await eventually(() => expect(done).toBeGreaterThan(0));
  // As every new connection to a Solana node or a receiver of webhooks does.
  await lookup('localhost');
  expect(done).toBeLessThan(75);
  await Promise.all(flood);
});

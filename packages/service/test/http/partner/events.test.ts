import { randomBytes } from 'node:crypto';
import { IntegratorStatus } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIndexer } from '../../../src/indexer/index.js';
import { type Client, expectStatus, type Harness, harness, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { type Operators, send, startOperators } from '../../operators.js';

interface Told {
  id: string;
  sequence: number;
  type: string;
  created_at: string;
  request_id: string | null;
  data: { object_type: string; object: Record<string, unknown> };
}

const logOf = async (client: Client, query = ''): Promise<Told[]> =>
  expectStatus(await client.get(`/v1/events${query}`), 200).body.events;
const withId = () => {
  const requestId = randomBytes(6).toString('hex');
  return { requestId, headers: { 'x-request-id': requestId } };
};

describe('events of what people do', () => {
  let h: Harness;
  let operators: Operators;
  beforeAll(async () => {
    h = await harness();
    operators = await startOperators(h);
  });
  afterAll(async () => {
    await operators.close();
    await h.close();
  });
  const kyc = {
    country: 'PK',
    full_name: 'Ayesha Khan',
    // Text that PostgreSQL holds in no JSON column but one.
    kyc_provider: 'sum\0sub',
    kyc_level: 'full',
    kyc_verified_at: '2025-03-01T12:00:00+05:00',
    kyc_data: { id_type: 'cnic' },
  };
  const register = async (client: Client, headers = {}) => {
    const user_id = randomBytes(5).toString('hex');
    const body = { user_id, wallet_address: newWallet().address, kyc };
    return expectStatus(await client.post('/v1/users', body, headers), 201).body.service_user_id as string;
  };

  test('a user’s life is in the log, each event with the response of GET of the user', async () => {
    const { client } = await h.givenPartner();
    const { requestId, headers } = withId();
    const id = await register(client, headers);
    const views = [(await client.get(`/v1/users/${id}`)).body];
    const { compliance } = operators.by;
    const steps = [
      ['suspend', { reason: 'r' }],
      ['resume', undefined],
      ['kyc-level', { kyc_level: 'basic', reason: 'r' }],
    ] as const;
    const requests: (string | null)[] = [requestId];
    for (const [step, body] of steps) {
      const by = withId();
      expectStatus(await send(compliance.client, 'POST', `/users/${id}/${step}`, body, by.headers), 200);
      views.push((await client.get(`/v1/users/${id}`)).body);
      requests.push(by.requestId);
    }
    const events = await logOf(client);
    expect(events).toEqual(
      ['user.created', 'user.suspended', 'user.resumed', 'user.kyc_level_changed'].map((type, at) => ({
        id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
        sequence: at + 1,
        type,
        created_at: new Date(h.clock.now()).toISOString(),
        request_id: requests[at],
        data: { object_type: 'user', object: views[at] },
      })),
    );
  });

  test('a request that came to nothing leaves no event, and a repeated one leaves one', async () => {
    const { client } = await h.givenPartner();
    const body = { user_id: 'twice', wallet_address: newWallet().address, kyc };
    const key = { 'idempotency-key': randomBytes(8).toString('hex') };
    for (const _ of [1, 2]) expectStatus(await client.post('/v1/users', body, key), 201);
    expectStatus(await client.post('/v1/users', body), 409);
    expect(await logOf(client)).toHaveLength(1);
  });

  test('keys of a partner that come and go have their events', async () => {
    const partner = await h.givenPartner();
    const { body: minted } = (await h.mintKey(partner, 'second')).response;
    const listed = async () =>
      (await partner.client.get('/v1/partner/api-keys')).body.api_keys.find(
        (key: { key_id: string }) => key.key_id === minted.key_id,
      );
    const created = await listed();
    expectStatus(await partner.client.post(`/v1/partner/api-keys/${minted.key_id}/revoke`), 200);
    const revoked = await listed();
    const shown = (await logOf(partner.client)).map(({ type, data }) => [type, data]);
    expect(shown).toEqual([
      ['api_key.created', { object_type: 'api_key', object: created }],
      ['api_key.revoked', { object_type: 'api_key', object: revoked }],
    ]);
    expect(JSON.stringify(shown)).not.toContain(minted.api_key);
  });

  test('a key that an operator revokes, of either API, has its event', async () => {
    const partner = await h.givenPartner();
    const tradebook = await h.givenPartner({ scope: 'PARTNER_UPDATE_AUTHORITY' });
    await h.ctx.sql`update api_keys set partner_id = ${partner.partnerId} where id = ${tradebook.keyId}`;
    const { client } = operators.by.admin;
    const by = withId();
    const path = `/api-keys/${tradebook.keyId}/revoke`;
    expectStatus(await send(client, 'POST', path, { reason: 'r' }, by.headers), 200);
    expect(await logOf(partner.client)).toMatchObject([
      {
        type: 'api_key.revoked',
        request_id: by.requestId,
        data: { object_type: 'api_key', object: { id: tradebook.keyId, status: 'revoked' } },
      },
    ]);
  });

  test('a partner that is suspended and resumed has its events, with its terms', async () => {
    const { client, partnerId } = await h.givenPartner();
    const { admin } = operators.by;
    const by = withId();
    const path = `/partners/${partnerId}`;
    expectStatus(await send(admin.client, 'POST', `${path}/suspend`, { reason: 'r' }, by.headers), 200);
    expectStatus(await send(admin.client, 'POST', `${path}/resume`), 200);
    const events = await logOf(client);
    expect(events).toMatchObject([
      { type: 'partner.suspended', request_id: by.requestId, data: { object_type: 'partner' } },
      { type: 'partner.resumed', data: { object_type: 'partner' } },
    ]);
    expect(events[0]?.data.object).toEqual({ ...events[1]?.data.object, status: 'suspended' });
    expect(events[1]?.data.object).toMatchObject({ partner_id: partnerId, status: 'active', limits: {} });
    expect(events[1]?.data.object).not.toHaveProperty('key');
  });

  test('events are listed by pages, types and objects', async () => {
    const { client } = await h.givenPartner();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push(await register(client));
    const path = `/users/${ids[0]}/suspend`;
    expectStatus(await send(operators.by.compliance.client, 'POST', path, { reason: 'r' }), 200);
    const first = expectStatus(await client.get('/v1/events?limit=4'), 200).body;
    expect(first).toMatchObject({ has_more: true, events: [1, 2, 3, 4].map((sequence) => ({ sequence })) });
    const after = first.events[3].id;
    const rest = expectStatus(await client.get(`/v1/events?limit=4&after=${after}`), 200).body;
    expect(rest).toMatchObject({ has_more: false, events: [{ sequence: 5 }, { sequence: 6 }] });
    const sequences = async (query: string) => (await logOf(client, query)).map(({ sequence }) => sequence);
    expect(await sequences('?types=user.suspended')).toEqual([6]);
    expect(await sequences('?types=user.suspended,user.created&limit=2')).toEqual([1, 2]);
    expect(await sequences(`?object_id=${ids[0]}`)).toEqual([1, 6]);
    expect(await sequences(`?object_id=${ids[0]}&types=user.created`)).toEqual([1]);
    expect(await sequences('?object_id=nothing')).toEqual([]);
    expect(await sequences(`?after=${rest.events[1].id}`)).toEqual([]);
  });

  test.each([
    ['after=evt_01890000-0000-7000-8000-000000000000', 'after', /is no event of this log/],
    ['after=nonsense', 'after', /is no event of this log/],
    ['after=', 'after', /is no event of this log/],
    ['types=user.created,user.gone', 'types', /"user.gone", which is no type/],
    ['types=', 'types', /"", which is no type/],
    ['limit=0', 'limit', /1 to 100/],
    ['limit=101', 'limit', /1 to 100/],
  ])('the query ?%s is refused', async (query, field, message) => {
    const { status, body } = await h.partner.get(`/v1/events?${query}`);
    expect([status, body]).toEqual([
      400,
      {
        error: 'invalid_request',
        field,
        message: expect.stringMatching(message),
        doc_url: expect.stringContaining('/errors/'),
      },
    ]);
  });

  test('an event of another partner is none of this log', async () => {
    const [one, other] = [await h.givenPartner(), await h.givenPartner()];
    await register(one.client);
    const [event] = await logOf(one.client);
    expect(await other.client.get(`/v1/events?after=${event?.id}`)).toMatchObject({
      status: 400,
      body: { field: 'after' },
    });
    expect(await logOf(other.client)).toEqual([]);
  });
});

describe('events of what the chain does', () => {
  let t: Karat;
  let indexer: ReturnType<typeof startIndexer>;
  beforeAll(async () => {
    t = await startKarat();
    indexer = startIndexer(t.service.ctx, {
      pollMs: 50,
      idlePollMs: 1_000,
      finalAfterMs: 0,
      finalizeMs: 200,
    });
  });
  afterAll(async () => {
    await indexer.stop();
    await t.stop();
  });

  test('a trade that lands and one that fails have their events within the transaction that writes the record', async () => {
    const good = await t.buy.quoted();
    expectStatus(await t.buy.submit(good.tradeId, t.signed(good.transaction)), 200);
    const bad = await t.buy.quoted({ usdc_amount: 50, min_gold_out: 1 });
    await t.chain.landed(await t.chain.sendStraight(t.signed(bad.transaction)));
    await finalize(t.chain, t.service.ctx);
    for (const [{ tradeId }, status] of [
      [good, 'confirmed'],
      [bad, 'failed'],
    ] as const) {
      const record = await eventually(
        async () => expectStatus(await t.partner.client.get(`/v1/trades/${tradeId}`), 200).body,
        10_000,
      );
      const types = `trade.confirmed,trade.failed`;
      const events = await logOf(t.partner.client, `?object_id=${tradeId}&types=${types}`);
      expect(events).toMatchObject([
        { type: `trade.${status}`, request_id: null, created_at: record.created_at },
      ]);
      expect(events[0]?.data).toEqual({ object_type: 'trade', object: record });
    }
  });

  test('a partner whose trades are stopped, on chain or by an operator, gets one event when its status changes', async () => {
    const { partner, integrator, chain } = t;
    const operators = await startOperators(t.service);
    const wallet = newWallet().address;
    const terms = { partnerId: partner.partnerId, wallet, openFeeBps: 61, closedFeeBps: 122 };
    const reported = async () => logOf(partner.client, '?types=partner.suspended,partner.resumed');
    const isReported = (count: number) =>
      eventually(async () => {
        const events = await reported();
        expect(events).toHaveLength(count);
        const { key: _key, ...me } = expectStatus(await partner.client.get('/v1/me'), 200).body;
        expect(events.at(-1)?.data).toEqual({ object_type: 'partner', object: me });
        return events.at(-1);
      }, 10_000);
    /** Changes the partner on chain, and resolves once the indexer has recorded it and the service has heard of it. */
    const recorded = async (status: IntegratorStatus, changed: typeof terms) => {
      const known = await recordedEvents();
      await chain.changePartner(integrator, changed, status);
      const lastStatus = () => t.service.ctx.chain.program.lastIntegrator(partner.partnerId)?.data.status;
      await eventually(async () => {
        expect([await recordedEvents(), lastStatus()]).toEqual([known + 1, status]);
      }, 10_000);
    };
    const recordedEvents = async () =>
      (await t.service.ctx.sql`select from program_events where partner_id = ${partner.partnerId}`).length;
    const decide = async (step: 'suspend' | 'resume') =>
      expectStatus(
        await send(operators.by.admin.client, 'POST', `/partners/${partner.partnerId}/${step}`, {
          reason: 'r',
        }),
        200,
      );
    await chain.changePartner(integrator, terms, IntegratorStatus.Suspended);
    expect(await isReported(1)).toMatchObject({
      type: 'partner.suspended',
      request_id: null,
      data: { object: { status: 'suspended', open_fee_bps: 61, closed_fee_bps: 122 } },
    });
    // New terms, and another reason for the same status, are no change of it.
    await recorded(IntegratorStatus.Suspended, { ...terms, openFeeBps: 50 });
    await decide('suspend');
    await recorded(IntegratorStatus.Active, terms);
    await decide('resume');
    expect(await isReported(2)).toMatchObject({
      type: 'partner.resumed',
      data: { object: { status: 'active' } },
    });
    await operators.close();
  });
});

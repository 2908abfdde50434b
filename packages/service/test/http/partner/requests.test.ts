import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepRequestLog } from '../../../src/actions/requests/keep-request-log.js';
import { newId } from '../../../src/domain/ids.js';
import { maxLoggedBodyBytes } from '../../../src/domain/request-log.js';
import { errorAdvice, errorTexts } from '../../../src/http/openapi/error-texts.js';
import { cosign } from '../../chain/signed-trade.js';
import { type ApiResponse, type Client, expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';

const dayMs = 24 * 60 * 60_000;

let t: Karat;
beforeAll(async () => {
  t = await startKarat({ redeems: true, config: { webhooksAllowLocal: true } });
});
afterAll(() => t.stop());

// biome-ignore lint/suspicious/noExplicitAny: rows of responses
type Row = any;
const listOf = async (client: Client, query = ''): Promise<Row[]> =>
  expectStatus(await client.get(`/v1/requests${query}`), 200).body.requests;
const detailOf = async (client: Client, { request_id }: Row): Promise<Row> =>
  expectStatus(await client.get(`/v1/requests/${request_id}`), 200).body;
/** The row of a request, by the id of its response. */
async function rowOf(client: Client, { headers }: ApiResponse): Promise<Row> {
  const [row] = await listOf(client, `?q=${headers['x-request-id']}`);
  return row && detailOf(client, row);
}
const endpoint = { url: 'http://127.0.0.1:1024/hook?token=hidden-in-the-url', description: 'a secret text' };

test('request log: a request that changes something is in it with both bodies, and what is secret is not', async () => {
  const { client, keyId } = t.partner;
  const created = expectStatus(await client.post('/v1/webhook-endpoints', endpoint), 201);
  t.service.secrets.add(created.body.secret).add(endpoint.url).add(endpoint.description);
  const row = await rowOf(client, created);
  const { request_body, response_body, ...rest } = row;
  expect(rest).toEqual({
    request_id: expect.stringMatching(/^req_/),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    method: 'POST',
    path: '/v1/webhook-endpoints',
    status: 201,
    duration_ms: expect.any(Number),
    key_id: keyId,
    member_id: null,
    x_request_id: created.headers['x-request-id'],
    error_code: null,
    reason: null,
    object_id: created.body.endpoint_id,
    service_user_id: null,
    usdc_amount: null,
    gold_amount: null,
    meaning: null,
    advice: null,
  });
  expect(JSON.parse(request_body)).toEqual({ url: '[redacted]', description: '[redacted]' });
  expect(JSON.parse(response_body)).toMatchObject({
    endpoint_id: created.body.endpoint_id,
    secret: '[redacted]',
    url: '[redacted]',
    status: 'active',
  });
  const path = `/v1/webhook-endpoints/${created.body.endpoint_id}`;
  const rotated = expectStatus(await client.post(`${path}/rotate-secret`, { overlap_hours: 1 }), 200);
  t.service.secrets.add(rotated.body.secret);
  expect(await rowOf(client, rotated)).toMatchObject({ path: `${path}/rotate-secret` });
  const deleted = await client.send({ method: 'DELETE', url: path });
  expect(await rowOf(client, deleted)).toMatchObject({
    method: 'DELETE',
    path,
    status: 200,
    request_body: null,
  });
});

test('request log: a GET is in it only if it failed', async () => {
  const { client } = t.partner;
  const good = expectStatus(await client.get('/v1/trades?limit=1'), 200);
  const bad = expectStatus(await client.get('/v1/trades?limit=a-hidden-limit'), 400);
  const unknown = expectStatus(await client.get(`/v1/trades/${newId('trd')}`), 404);
  expect(await rowOf(client, good)).toBeUndefined();
  const row = await rowOf(client, bad);
  expect(row).toMatchObject({
    method: 'GET',
    path: '/v1/trades',
    status: 400,
    error_code: 'invalid_request',
  });
  expect(JSON.parse(row.response_body)).toMatchObject({ field: 'limit', doc_url: '/errors/invalid_request' });
  expect(row).toMatchObject({ meaning: errorTexts.invalid_request, advice: errorAdvice.invalid_request });
  expect(await rowOf(client, unknown)).toMatchObject({ error_code: 'trade_not_found', request_body: null });
  t.service.secrets.add('a-hidden-limit');
});

test('request log: a user is registered without a trace of the KYC record, also where the request fails', async () => {
  const { client } = t.partner;
  const kyc = {
    country: 'PK',
    full_name: 'A name of nobody else',
    kyc_provider: 'provider-of-nobody',
    kyc_level: 'full',
    kyc_verified_at: '2026-02-27T09:30:00.000Z',
    kyc_data: { id_type: 'cnic', id_number: '42101-7654321-1' },
  };
  for (const secret of [kyc.full_name, kyc.kyc_provider, kyc.kyc_data.id_number])
    t.service.secrets.add(secret);
  const wallet_address = newWallet().address;
  const user = { user_id: 'customer of nobody', wallet_address };
  t.service.secrets.add(user.user_id);
  const created = expectStatus(await client.post('/v1/users', { ...user, kyc }), 201);
  const row = await rowOf(client, created);
  expect(row).toMatchObject({
    object_id: created.body.service_user_id,
    service_user_id: created.body.service_user_id,
  });
  expect(JSON.parse(row.request_body)).toEqual({ user_id: '[redacted]', wallet_address, kyc: '[redacted]' });
  const wrong = [
    { ...user, kyc: { ...kyc, full_name: [kyc.full_name], [kyc.full_name]: kyc.full_name } },
    { ...user, Kyc: kyc, kyc: kyc.full_name },
    { ...user, wallet_address: kyc.full_name, kyc: { ...kyc, kyc_level: kyc.full_name } },
    [{ kyc }],
    JSON.stringify({ ...user, kyc }).slice(0, -1),
  ];
  for (const body of wrong) {
    const failed = expectStatus(await client.post('/v1/users', body), 400);
    expect(await rowOf(client, failed)).toMatchObject({ status: 400, error_code: failed.body.error });
  }
});

test('request log: values that a validation error quotes are hidden in its message', async () => {
  const { client } = t.partner;
  const password = 'hunter2-of-somebody';
  t.service.secrets.add(password);
  const sent = { service_user_id: t.user.id, usdc_amount: password };
  const failed = expectStatus(await client.post('/v1/buy', sent), 400);
  expect(failed.body.message).toContain(password);
  const row = await rowOf(client, failed);
  expect(JSON.parse(row.response_body).message).toContain('not the text "[redacted]"');
  expect(JSON.parse(row.request_body)).toEqual({ service_user_id: t.user.id, usdc_amount: '[redacted]' });
  expect(row).toMatchObject({ object_id: t.user.id, service_user_id: t.user.id });
});

test('request log: a key in any other place than its header is hidden', async () => {
  const { client, apiKey } = t.partner;
  const json = { 'content-type': 'application/json' };
  for (const options of [
    { method: 'GET', url: `/v1/trades/${apiKey}` },
    { method: 'GET', url: `/v1/trades?limit=${apiKey}` },
    { method: 'GET', url: `/v1/trades?${apiKey}=1` },
    {
      method: 'POST',
      url: '/v1/buy',
      payload: JSON.stringify({ [apiKey]: 1, service_user_id: apiKey }),
      headers: json,
    },
    { method: 'POST', url: '/v1/buy', payload: apiKey, headers: json },
    {
      method: 'POST',
      url: '/v1/users',
      headers: { 'idempotency-key': apiKey.repeat(4), 'x-request-id': apiKey },
    },
    { method: 'POST', url: '/v1/users', headers: { 'x-request-id': apiKey, host: `${apiKey}.example` } },
  ] as const)
    expect((await client.send(options)).status).toBeGreaterThanOrEqual(400);
  const rows = await listOf(client, '?limit=7');
  expect(rows.map(({ path }) => path)).toContain('/v1/trades/[redacted]');
  expect(rows.map((row) => row.x_request_id)).toContain('[redacted]');
  for (const row of rows) expect(JSON.stringify(await detailOf(client, row))).not.toContain(apiKey);
});

test('request log: a quote is in it without bodies, by its ids and amounts, and its submit without the transaction', async () => {
  const { client } = t.partner;
  const quoted = expectStatus(await t.buy.quote(), 200);
  const { trade_id, quote, partially_signed_transaction } = quoted.body;
  expect(await rowOf(client, quoted)).toMatchObject({
    method: 'POST',
    path: '/v1/buy',
    status: 200,
    object_id: trade_id,
    service_user_id: t.user.id,
    usdc_amount: quote.usdc_amount,
    gold_amount: quote.gold_amount,
    request_body: null,
    response_body: null,
  });
  const bytes = Buffer.from(partially_signed_transaction, 'base64');
  const signed_tx = Buffer.from(cosign(bytes, [t.partner.wallet, t.user.wallet])).toString('base64');
  t.service.secrets.add(signed_tx).add(partially_signed_transaction);
  const submitted = expectStatus(await client.post(`/v1/buy/${trade_id}/submit`, { signed_tx }), 200);
  const row = await rowOf(client, submitted);
  expect(row).toMatchObject({ path: `/v1/buy/${trade_id}/submit`, object_id: trade_id });
  expect(JSON.parse(row.request_body)).toEqual({ signed_tx: '[redacted]' });
  expect(JSON.parse(row.response_body)).toEqual(submitted.body);
  const both = await listOf(client, `?object_id=${trade_id}`);
  expect(both.map(({ path }) => path)).toEqual([`/v1/buy/${trade_id}/submit`, '/v1/buy']);
});

test('request log: a body is cut at 16 KiB, behind what was hidden in it', async () => {
  const { client } = t.partner;
  const types = Array.from({ length: 2_000 }, () => 'trade.confirmed');
  const failed = expectStatus(await client.post('/v1/webhook-endpoints', { types, ...endpoint }), 400);
  const { request_body } = await rowOf(client, failed);
  expect(Buffer.byteLength(request_body)).toBeLessThanOrEqual(maxLoggedBodyBytes);
  expect(request_body).toMatch(/^\{"types":\["trade\.confirmed",.*…$/);
});

test('request log: the same x-request-id finds every request that chose it, each with an id of its own', async () => {
  const { client } = t.partner;
  const named = { 'x-request-id': 'one id for all' };
  for (let count = 0; count < 3; count += 1) await client.post('/v1/users', {}, named);
  const rows = await listOf(client, '?q=one%20id%20for%20all');
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(3);
});

test('request log: every filter finds what it names, together too, and pages have every request once', async () => {
  const party = await t.service.givenPartner();
  const { client, keyId } = party;
  const mine = t.service.givenUser(party.partnerId);
  const { id: user } = await mine;
  for (let count = 0; count < 5; count += 1) await client.post('/v1/users', {});
  await client.get('/v1/trades?limit=0');
  await client.get(`/v1/users/${newId('gu')}`);
  await client.post('/v1/buy', { service_user_id: user, usdc_amount: 0 });
  const all = await listOf(client);
  expect(all.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/buy',
    expect.stringMatching(/^GET \/v1\/users\/gu_/),
    'GET /v1/trades',
    ...Array.from({ length: 5 }, () => 'POST /v1/users'),
  ]);
  const found = async (query: string) => (await listOf(client, query)).length;
  const path = encodeURIComponent(all[1].path);
  const counts: [string, number][] = [
    ['?status=400', 7],
    ['?status=404', 1],
    ['?status=200', 0],
    ['?status=nonsense', 0],
    ['?method=get', 2],
    ['?method=PATCH', 0],
    ['?method=nonsense', 0],
    ['?path=/v1/users', 5],
    [`?path=${encodeURIComponent('/v1/users/{service_user_id}')}`, 1],
    [`?path=${path}`, 1],
    [`?path=${path}&status=400`, 0],
    [`?key_id=${keyId}`, 8],
    [`?key_id=${t.partner.keyId}`, 0],
    ['?key_id=nonsense', 0],
    [`?object_id=${user}`, 1],
    [`?object_id=${user}&status=400&method=POST&path=/v1/buy&key_id=${keyId}`, 1],
    [`?q=${all[0].x_request_id}`, 1],
    ['?q=nonsense', 0],
    ['?q=%00', 0],
  ];
  for (const [query, count] of counts) expect([query, await found(query)]).toEqual([query, count]);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await client.get(`/v1/requests?limit=3${cursor && `&cursor=${cursor}`}`);
    paged.push(...body.requests.map((row: Row) => row.request_id));
    cursor = body.next_cursor;
  }
  expect(paged).toEqual(all.map(({ request_id }) => request_id));
});

test('request log: what another partner did is in no list and no response', async () => {
  const [one, other] = [await t.service.givenPartner(), await t.service.givenPartner()];
  const failed = await one.client.post('/v1/users', {}, { 'x-request-id': 'shared by two' });
  const row = await rowOf(one.client, failed);
  for (const query of ['', '?q=shared%20by%20two', `?key_id=${one.keyId}`, `?object_id=${row.request_id}`])
    expect(await listOf(other.client, query)).toEqual([]);
  expect(await other.client.get(`/v1/requests/${row.request_id}`)).toMatchObject({
    status: 403,
    body: { error: 'partner_mismatch' },
  });
  for (const id of [newId('req'), 'nonsense', 'shared by two'])
    expect(await one.client.get(`/v1/requests/${encodeURIComponent(id)}`)).toMatchObject({
      status: 404,
      body: { error: 'request_not_found' },
    });
  expect((await other.client.get('/v1/requests')).body.days).toEqual([
    // The request to another partner's failed, and so is in one's own log.
    { date: new Date(t.chain.clock.now()).toISOString().slice(0, 10), requests: 1, logged: 1 },
  ]);
});

describe('request log: who is in it', () => {
  test('requests without a good key are not in it, whichever partner they name', async () => {
    const party = await t.service.givenPartner();
    const { anonymous } = t.service;
    await anonymous.post('/v1/users', {});
    await anonymous.post('/v1/users', {}, { 'x-api-key': `${party.apiKey}0` });
    const { partnerId, wallet } = party;
    await anonymous.post('/v1/auth/challenge', { wallet_address: wallet.address, partner_id: partnerId });
    expect(await listOf(party.client)).toEqual([]);
  });

  test('requests of a suspended partner are, also those to the tradebook API, and are read once it is resumed', async () => {
    const party = await t.service.givenPartner();
    const suspend = (status: string) =>
      t.service.ctx.sql`update partners set status = ${status}::partner_status where id = ${party.partnerId}`;
    await suspend('suspended');
    const refused = [await party.client.post('/v1/users', {}), await party.client.get('/v1/requests')];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    await party.client.get('/api/trading/price');
    await suspend('active');
    const rows = await listOf(party.client);
    expect(rows.map(({ path, reason }) => [path, reason])).toEqual([
      ['/v1/requests', 'partner_suspended'],
      ['/v1/users', 'partner_suspended'],
    ]);
  });

  test('requests to the tradebook API are, with the error of its envelope', async () => {
    const treasury = await t.given.treasury();
    const { executive, partner } = treasury;
    const failed = await executive.post('/api/trading/purchases/partner', { goldAmount: 'hidden-gold' });
    t.service.secrets.add('hidden-gold');
    const placed = expectStatus(
      await executive.post('/api/trading/purchases/partner', { goldAmount: 1, maxUsdcAmount: 5_000 }),
      201,
    );
    expect(await rowOf(partner.client, failed)).toMatchObject({
      key_id: executive.keyId,
      path: '/api/trading/purchases/partner',
      error_code: 'invalid_request',
    });
    const row = await rowOf(partner.client, placed);
    expect(row).toMatchObject({ object_id: placed.body.data.purchaseId });
    expect(JSON.parse(row.response_body).data).toMatchObject({
      goldAmount: 1,
      transaction: { serializedTx: '[redacted]' },
    });
  });
});

test('request log: requests are gone after seven days, with what was counted of them', async () => {
  const party = await t.service.givenPartner();
  const { client, partnerId } = party;
  const { ctx } = t.service;
  expectStatus(await client.post('/v1/users', {}), 400);
  const [row] = await listOf(client);
  const days = async () =>
    (
      await ctx.sql`select day from request_counts where partner_id = ${partnerId} and day < now() - interval '1 day'`
    ).length;
  // The clock of the chain is the service's: the rows become older instead.
  const age = (ms: number) => ctx.sql`
    with moved as (update request_log set created_at = created_at - ${`${ms} ms`}::interval where partner_id = ${partnerId})
    update request_counts set day = day - ${`${ms} ms`}::interval
    where partner_id = ${partnerId} and requests > 0`;
  const kept = async () => {
    await keepRequestLog(ctx);
    return (await ctx.sql`select id from request_log where partner_id = ${partnerId} and status = 400`)
      .length;
  };
  await age(7 * dayMs - 60_000);
  expect([(await listOf(client)).length, await kept(), await days()]).toEqual([1, 1, 1]);
  await age(120_000);
  expect(await listOf(client)).toEqual([]);
  expect((await client.get(`/v1/requests/${row.request_id}`)).status).toBe(404);
  await age(dayMs);
  expect([await kept(), await days()]).toEqual([0, 0]);
});

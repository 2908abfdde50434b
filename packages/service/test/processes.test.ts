import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { pauseBits } from '../src/domain/program-status.js';
import { type ApiResponse, type Client, expectStatus, newAddress, newWallet } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { timeToLead } from './lead-time.js';
import { ownPort } from './own-port.js';
import { type ServiceProcess, startService } from './service-process.js';

/** Two processes of the service on one database and one node, as they run behind a load balancer. */

/** Starting a process takes seconds on a busy machine. */
const patience = { timeout: 150_000 };
const keyLimit = 400;

let t: Karat;
let one: ServiceProcess;
let other: ServiceProcess;
let env: Record<string, string>;
const both = () => [one, other];
beforeAll(async () => {
  // The test's own process leases of the same budgets, and holds what it has leased for a second or two.
  t = await startKarat({ config: { keyRateLimitPerMinute: keyLimit } });
  const { rpcUrls, wsUrls, programId, serviceSignerUrl } = t.chain.config;
  env = {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: rpcUrls.join(),
    KARAT_WS_URL: wsUrls.join(),
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: serviceSignerUrl,
    KARAT_AUTH_RATE_LIMIT: '10',
    KARAT_KEY_RATE_LIMIT: String(keyLimit),
    // Each test speaks from an address of its own.
    KARAT_TRUSTED_PROXIES: '127.0.0.1',
  };
  [one, other] = await Promise.all([startService('serve,index', env), startService('serve,index', env)]);
}, patience.timeout);
afterAll(async () => {
  await Promise.all(both().map((process) => process?.kill()));
  await t.stop();
});

const clients = ({ apiKey } = t.partner): [Client, Client] => [
  one.client({ 'x-api-key': apiKey }),
  other.client({ 'x-api-key': apiKey }),
];
const leads = (process: ServiceProcess) => /leads the indexing/.test(process.output());
const body = () => ({ service_user_id: t.user.id, usdc_amount: 10 });

/** Waits until the record of a trade is there, in every process alike. */
async function recordOf(tradeId: string, processes: ServiceProcess[] = both()): Promise<ApiResponse> {
  const requested = processes.map((process) => process.client({ 'x-api-key': t.partner.apiKey }));
  const responses = await Promise.all(
    requested.map((client) =>
      eventually(async () => expectStatus(await client.get(`/v1/trades/${tradeId}`), 200), 10_000),
    ),
  );
  for (const { text } of responses) expect(text).toBe(responses[0]?.text);
  return responses[0] as ApiResponse;
}

/** A buy that one process quotes and the other submits. */
async function buy(quoting: Client, submitting: Client): Promise<string> {
  const quote = await eventually(
    async () => expectStatus(await quoting.post('/v1/buy', body()), 200),
    10_000,
  );
  const { trade_id: id, partially_signed_transaction: base64 } = quote.body;
  const signed = t.signed(Buffer.from(base64, 'base64'));
  const signed_tx = Buffer.from(signed).toString('base64');
  expectStatus(await submitting.post(`/v1/buy/${id}/submit`, { signed_tx }), 200);
  return id;
}

test('one of two processes leads the indexing, and both are ready', patience, async () => {
  await Promise.race(both().map((process) => process.written('leads the indexing')));
  expect(both().filter(leads)).toHaveLength(1);
  for (const process of both()) {
    await eventually(async () => expectStatus(await process.client({}).get('/ready'), 200), 10_000);
  }
  expect(both().filter(leads)).toHaveLength(1);
});

test('a process knows what the other did: users, repeated requests, pages, trades', async () => {
  const [a, b] = clients();
  const user = {
    user_id: 'of-both',
    wallet_address: newWallet().address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
    },
  };
  const key = { 'idempotency-key': randomBytes(8).toString('hex') };
  const created = expectStatus(await a.post('/v1/users', user, key), 201);
  const repeated = await b.post('/v1/users', user, key);
  expect([repeated.text, repeated.headers['idempotency-replayed']]).toEqual([created.text, 'true']);
  const path = `/v1/users/${created.body.service_user_id}`;
  expect((await b.get(path)).text).toBe((await a.get(path)).text);

  const page = await a.get('/v1/users?limit=1');
  const rest = `/v1/users?cursor=${page.body.next_cursor}`;
  expect((await b.get(rest)).text).toBe((await a.get(rest)).text);

  const record = await recordOf(await buy(a, b));
  expect(record.body).toMatchObject({ side: 'buy', status: 'confirmed', usdc_amount: 10 });
});

test('a key that is revoked in one process is refused by the very next request to the other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const partner = await t.service.givenPartner();
    const [a, b] = clients(partner);
    const from = { 'x-forwarded-for': newAddress() };
    const challenge = await a.post(
      '/v1/auth/challenge',
      { wallet_address: partner.wallet.address, partner_id: partner.partnerId },
      from,
    );
    const minted = await b.post(
      '/v1/auth/api-key',
      {
        challenge_id: challenge.body.challenge_id,
        signature: partner.wallet.sign(challenge.body.message),
        key_name: 'k',
      },
      from,
    );
    const { api_key: apiKey, key_id: keyId } = expectStatus(minted, 201).body;
    const used = clients({ ...partner, apiKey });
    for (const client of used) expectStatus(await client.get('/v1/users'), 200);
    const [revoking, asking] = round % 2 ? [a, used[1]] : [b, used[0]];
    expectStatus(await revoking.post(`/v1/partner/api-keys/${keyId}/revoke`), 200);
    expect(await asking.get('/v1/users')).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  }
});

test('a partner that is suspended is refused by the very next request to either', async () => {
  const partner = await t.service.givenPartner();
  const used = clients(partner);
  for (const client of used) expectStatus(await client.get('/v1/users'), 200);
  await t.service.ctx.sql`update partners set status = 'suspended' where id = ${partner.partnerId}`;
  for (const client of used) expect((await client.get('/v1/users')).body.error).toBe('partner_suspended');
});

test('the auth routes pass ten requests a minute, whichever process they come to', async () => {
  const headers = { 'x-forwarded-for': newAddress() };
  const responses = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      both()[index % 2]?.client({}).post('/v1/auth/challenge', {}, headers),
    ),
  );
  const statuses = responses.map((response) => response?.status);
  expect(statuses.filter((status) => status === 400)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(14);
});

test('a key has one budget in both, and it is used to the end', async () => {
  const used = clients(await t.service.givenPartner());
  let admitted = 0;
  const burst = async (count: number) => {
    const requested = Array.from({ length: count }, (_, index) => used[index % 2]?.get('/v1/users'));
    for (const response of await Promise.all(requested)) if (response?.status === 200) admitted += 1;
  };
  for (let i = 0; i < 5; i += 1) await burst(100);
  expect(admitted).toBeGreaterThanOrEqual(340);
  await eventually(async () => {
    await burst(4);
    expect(admitted).toBe(400);
  }, 15_000);
  await burst(20);
  expect(admitted).toBe(400);
});

test('a killed leader is replaced within 5 s, and no trade is lost or doubled', patience, async () => {
  const [leader, standby] = leads(one) ? [one, other] : [other, one];
  const client = standby.client({ 'x-api-key': t.partner.apiKey });
  const before = await buy(client, client);
  const secondsToLead = await timeToLead(t.service.ctx);
  await leader.kill();
  const [after] = await Promise.all([buy(client, client), standby.written('leads the indexing')]);
  const seconds = await secondsToLead();
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(5);
  for (const id of [before, after]) await recordOf(id, [standby]);

  const again = await startService('serve,index', env);
  [one, other] = [standby, again];
  await eventually(async () => expectStatus(await again.client({}).get('/ready'), 200), 10_000);
  expect(leads(again)).toBe(false);
  const ids = (await again.client({ 'x-api-key': t.partner.apiKey }).get('/v1/trades')).body.trades.map(
    (trade: { trade_id: string }) => trade.trade_id,
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([before, after]));
});

test(
  'a leader that is stopped loses the lead within 15 s, and does nothing twice when it wakes up',
  patience,
  async () => {
    const [leader, standby] = leads(one) ? [one, other] : [other, one];
    const client = standby.client({ 'x-api-key': t.partner.apiKey });
    const start = performance.now();
    leader.child.kill('SIGSTOP');
    await eventually(() => expect(leads(standby)).toBe(true), 60_000);
    expect(performance.now() - start).toBeLessThan(15_000);
    const during = await buy(client, client);
    await recordOf(during, [standby]);
    const epoch = async () =>
      (await t.service.ctx.sql`select epoch from leads where role = 'indexer'`)[0]?.epoch;
    const led = await epoch();

    leader.child.kill('SIGCONT');
    await eventually(
      () => expect(leader.output()).toContain('this process no longer leads the indexing'),
      10_000,
    );
    // For a moment it takes the time in which it was stopped for work that it is busy with.
    const woken = leader.client({ 'x-api-key': t.partner.apiKey });
    await eventually(async () => expectStatus(await woken.get('/v1/users'), 200), 10_000);
    const after = await buy(client, woken);
    await recordOf(after);
    const rows = await t.service.ctx.sql`select from trades where id in (${during}, ${after})`;
    expect(rows).toHaveLength(2);
    const deadLetters = await t.service.ctx.sql`select reason from dead_letters where resolved_at is null`;
    expect(deadLetters).toEqual([]);
    // The one that woke up did not take the lead back.
    expect(await epoch()).toBe(led);
  },
);

test('a pause on chain stops the quotes of every process, and its end lets them go on', async () => {
  const quotes = () => Promise.all(clients().map((client) => client.post('/v1/buy', body())));
  const statuses = async () => (await quotes()).map(({ status }) => status);
  await t.chain.setStatus({ paused: pauseBits.trade });
  try {
    await eventually(async () => expect(await statuses()).toEqual([503, 503]), 20_000);
  } finally {
    await t.chain.setStatus({});
  }
  await eventually(async () => expect(await statuses()).toEqual([200, 200]), 20_000);
});

/** Begins to request a quote; once the process has the head of the request, returns what sends its body. */
async function beginQuote({ url }: ServiceProcess): Promise<() => Promise<number | undefined>> {
  const content = JSON.stringify(body());
  const headers = {
    'x-api-key': t.partner.apiKey,
    'content-type': 'application/json',
    'content-length': content.length,
    expect: '100-continue',
  };
  const sent = request(`${url}/v1/buy`, { method: 'POST', headers, agent: false });
  sent.flushHeaders();
  const responding = once(sent, 'response');
  // A failure before the body is sent rejects when it is sent.
  responding.catch(() => {});
  await once(sent, 'continue');
  return async () => {
    sent.end(content);
    const [response] = await responding;
    await json(response);
    return response.statusCode;
  };
}

test('a process that is stopped in order completes what is under way and ends with code 0, and the other goes on', async () => {
  const finish = await beginQuote(one);
  const stopped = one.stop();
  // No further requests are taken before this one is done.
  const further = () =>
    fetch(`${one.url}/health`, { signal: AbortSignal.timeout(300) }).then(
      () => 'taken',
      (error) => error.cause?.code,
    );
  await eventually(async () => expect(await further()).toBe('ECONNREFUSED'), 10_000);
  expect(await finish()).toBe(200);
  await stopped;
  expect([one.child.exitCode, one.child.signalCode]).toEqual([0, null]);
  const client = other.client({ 'x-api-key': t.partner.apiKey });
  await recordOf(await buy(client, client), [other]);
});

test(
  'a process that a process manager starts as its cluster worker serves, and stops in order',
  patience,
  async () => {
    const manager = `
    import cluster from 'node:cluster';
    cluster.setupPrimary({ exec: ${JSON.stringify(inject('serviceScript'))}, args: ['serve'], execArgv: [] });
    process.on('SIGTERM', () => Object.values(cluster.workers).forEach((each) => each.process.kill()));
    cluster.fork().on('exit', (code) => process.exit(code));`;
    const own = { NODE_ENV: 'production', KARAT_PORT: String(await ownPort()) };
    const managed = await startService(['--input-type=module', '--eval', manager], { ...env, ...own });
    expectStatus(await managed.client({}).get('/health'), 200);
    await managed.stop();
    expect(managed.child.exitCode).toBe(0);
  },
);

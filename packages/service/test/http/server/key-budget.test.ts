import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Budget, type BudgetState } from '../../../src/actions/limits/budget.js';
import { drizzleOn } from '../../../src/db/client.js';
import { newUuid, type Uuid } from '../../../src/domain/index.js';
import { leasedBudget } from '../../../src/domain/limits.js';
import { buildApp } from '../../../src/http/app.js';
import { keepBudgets } from '../../../src/http/server/budgets.js';
import {
  type ApiResponse,
  clientOf,
  type GivenPartner,
  type Harness,
  harness,
  newAddress,
} from '../../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const apps = new Set<FastifyInstance>();
afterEach(async () => {
  for (const app of apps) await app.close();
  apps.clear();
});

/** The application as another process would run it, with that budget. */
async function appOf(keyRateLimitPerMinute: number, parts: Partial<Harness['ctx']> = {}) {
  const ctx = { ...h.ctx, ...parts, config: { ...h.ctx.config, keyRateLimitPerMinute } };
  const app = await buildApp(ctx, { connectWithinMs: 60_000 });
  apps.add(app);
  return app;
}

const path = '/v1/partner/api-keys';
const withKey = (app: FastifyInstance, { apiKey }: GivenPartner) => clientOf(app, { 'x-api-key': apiKey });
const repeat = <T>(times: number, request: () => Promise<T>) =>
  Promise.all(Array.from({ length: times }, request));
const admitted = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 200).length;
const headersOf = ({ headers }: ApiResponse) => [
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
  headers['ratelimit-reset'],
];

test('the default budget of a key is 600 a minute', async () => {
  const { readConfig } = await import('../../../src/config.js');
  const needed = {
    DATABASE_URL: 'postgres://localhost/x',
    KARAT_RPC_URL: 'http://localhost',
    KARAT_PROGRAM_ID: 'x',
    KARAT_SERVICE_SIGNER: 'x',
  };
  expect(readConfig(needed).keyRateLimitPerMinute).toBe(600);
  expect(readConfig({ ...needed, KARAT_KEY_RATE_LIMIT: '7' }).keyRateLimitPerMinute).toBe(7);
});

test('a key’s budget passes, and the next request is 429 until the minute is over', async () => {
  const partner = await h.givenPartner();
  const client = withKey(await appOf(5), partner);
  for (let i = 1; i <= 5; i += 1) {
    const response = await client.get(path);
    expect([response.status, ...headersOf(response)]).toEqual([200, '5', String(5 - i), '60']);
  }
  h.clock.advance(20_000);
  for (let i = 0; i < 2; i += 1) {
    const refused = await client.get(path);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: 'rate_limited',
        message:
          'This key may make 5 reads (GET) a minute, counted apart from writes (limit key_reads); try again in 40 s.',
        reason: 'request_limit_reached',
        doc_url: expect.stringMatching(/\/reasons\/request_limit_reached$/),
      },
      headers: { 'retry-after': '40' },
    });
    expect(headersOf(refused)).toEqual(['5', '0', '40']);
  }
  h.clock.advance(39_999);
  expect((await client.get(path)).status).toBe(429);
  h.clock.advance(1);
  expect(headersOf(await client.get(path))).toEqual(['5', '4', '60']);
});

test('every response of a keyed route reports what is left, also a refusal', async () => {
  const partner = await h.givenPartner();
  const suspended = await h.givenPartner({ status: 'suspended' });
  const foreign = await h.givenPartner({ scope: 'ADMIN' });
  const app = await appOf(100);
  const client = withKey(app, partner);
  const responses: [number, string, ApiResponse][] = [
    [200, '99', await client.get(path)],
    [404, '98', await client.get('/v1/users/gu_x')],
    [400, '97', await client.get(`${path}?limit=0`)],
    // Writes have a budget of their own.
    [400, '99', await client.post('/v1/users', '{')],
    [415, '98', await client.post('/v1/users', 'x', { 'content-type': 'text/plain' })],
    [400, '97', await client.post('/v1/users', {})],
    [403, '99', await withKey(app, suspended).get(path)],
    [403, '99', await withKey(app, foreign).get(path)],
    [401, '100', await clientOf(app, { 'x-api-key': 'nonsense' }).get(path)],
    [401, '100', await clientOf(app, {}).post('/v1/users', '{')],
  ];
  for (const [status, remaining, response] of responses) {
    expect([response.status, ...headersOf(response)]).toEqual([status, '100', remaining, '60']);
  }
  expect((await clientOf(app, {}).get('/health')).headers['ratelimit-limit']).toBeUndefined();
});

test('a suspended partner gets partner_suspended instead of a refusal by its budget', async () => {
  const suspended = await h.givenPartner({ status: 'suspended' });
  const client = withKey(await appOf(1), suspended);
  for (let i = 0; i < 3; i += 1) expect((await client.get(path)).body.error).toBe('partner_suspended');
});

test('polling a record uses up no budget of trading, nor trading that of polling', async () => {
  const partner = await h.givenPartner();
  const client = withKey(await appOf(3), partner);
  const poll = () => client.get('/v1/trades/trd_x');
  const quote = () => client.post('/v1/buy', { service_user_id: 'gu_x', usdc_amount: 1 });
  const statuses: number[] = [];
  for (const send of [poll, poll, poll, poll, quote, quote, quote, quote, poll])
    statuses.push((await send()).status);
  expect(statuses).toEqual([404, 404, 404, 429, 404, 404, 404, 429, 429]);
  const { headers, body } = await quote();
  expect(body.message).toBe(
    'This key may make 3 writes (all but GET) a minute, counted apart from reads (limit key_writes); try again in 60 s.',
  );
  expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0', 'retry-after': '60' });
});

test('each key has a budget of its own', async () => {
  const partner = await h.givenPartner();
  const { response } = await h.mintKey(partner);
  const app = await appOf(2);
  expect(admitted(await repeat(4, () => withKey(app, partner).get(path)))).toBe(2);
  const other = { ...partner, apiKey: response.body.api_key };
  expect(admitted(await repeat(4, () => withKey(app, other).get(path)))).toBe(2);
});

test('all keys of a partner together have the budget of five', async () => {
  const partner = await h.givenPartner();
  const keys = [partner.apiKey];
  for (let i = 0; i < 6; i += 1) keys.push((await h.mintKey(partner)).response.body.api_key);
  const app = await appOf(2);
  const clients = keys.map((apiKey) => withKey(app, { ...partner, apiKey }));
  const responses: ApiResponse[] = [];
  for (const client of clients) responses.push(...(await repeat(2, () => client.get(path))));
  expect(admitted(responses)).toBe(10);
  const refused = responses.at(-1) as ApiResponse;
  expect(headersOf(refused)).toEqual(['10', '0', '60']);
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: 'rate_limited',
      message:
        'All keys and members of a partner together may make 10 reads (GET) a minute, counted apart from writes (limit partner_reads); try again in 60 s.',
    },
    headers: { 'retry-after': '60' },
  });
  // What the partner's budget refused counts against no key.
  h.clock.advance(60_000);
  expect(headersOf((await clients.at(-1)?.get(path)) as ApiResponse)).toEqual(['2', '1', '60']);
});

test('a network that shows invalid keys is refused, but for keys known to be good', async () => {
  const partner = await h.givenPartner();
  const stranger = await h.givenPartner();
  const statements: string[] = [];
  const db = drizzleOn(h.ctx.pool, { logQuery: (text) => void statements.push(text) });
  const config = { ...h.ctx.config, openRateLimitPerMinute: 3 };
  const app = await buildApp({ ...h.ctx, db, config });
  apps.add(app);
  const from = (remoteAddress: string, apiKey: string) =>
    clientOf(app, { 'x-api-key': apiKey }, { remoteAddress }).get(path);
  const guess = () => `service_partner_${randomBytes(32).toString('hex')}`;
  const [network, elsewhere] = [newAddress(), newAddress()];
  expect((await from(network, partner.apiKey)).status).toBe(200);
  for (let i = 0; i < 3; i += 1) expect((await from(network, guess())).status).toBe(401);
  h.clock.advance(20_000);
  const refused = await from(network, guess());
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: 'rate_limited',
      message: 'Too many invalid keys came from your network; try again in 40 s.',
    },
    headers: { 'retry-after': '40', 'ratelimit-limit': '3', 'ratelimit-remaining': '0' },
  });
  statements.length = 0;
  const tried = await repeat(20, () => from(network, guess()));
  expect(new Set(tried.map(({ status }) => status))).toEqual(new Set([429]));
  expect(statements.filter((text) => text.includes('api_keys'))).toEqual([]);
  const { body } = await clientOf(app, { 'x-api-key': guess() }, { remoteAddress: network }).get(
    '/api/distribution/partner/me',
  );
  expect(body).toMatchObject({ success: false, error: { code: 'rate_limited' } });

  expect((await from(network, partner.apiKey)).status).toBe(200);
  expect((await from(network, stranger.apiKey)).status).toBe(429);
  expect((await from(elsewhere, stranger.apiKey)).status).toBe(200);
  expect((await from(network, stranger.apiKey)).status).toBe(200);
  h.clock.advance(40_000);
  expect((await from(network, guess())).status).toBe(401);
});

test('an invalid key is 401 however often it is shown, without a look into the database, and counts once', async () => {
  const partner = await h.givenPartner();
  const statements: string[] = [];
  const db = drizzleOn(h.ctx.pool, { logQuery: (text) => void statements.push(text) });
  const app = await buildApp({ ...h.ctx, db, config: { ...h.ctx.config, openRateLimitPerMinute: 3 } });
  apps.add(app);
  const remoteAddress = newAddress();
  const withKeyOf = (apiKey: string) => clientOf(app, { 'x-api-key': apiKey }, { remoteAddress });
  const unknown = () => `service_partner_${randomBytes(32).toString('hex')}`;
  expect((await withKeyOf(partner.apiKey).post(`${path}/${partner.keyId}/revoke`)).status).toBe(200);
  for (const apiKey of [partner.apiKey, unknown()]) {
    const client = withKeyOf(apiKey);
    expect((await client.get(path)).status).toBe(401);
    statements.length = 0;
    const again = await repeat(10, () => client.get(path));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([401]));
    expect(statements.filter((text) => text.includes('api_keys'))).toEqual([]);
  }
  expect((await withKeyOf(unknown()).get(path)).status).toBe(401);
  expect((await withKeyOf(unknown()).get(path)).status).toBe(429);
  expect((await withKeyOf(partner.apiKey).get(path)).status).toBe(401);
});

test('a budget that is requested one by one holds to the very request across processes', async () => {
  const partner = await h.givenPartner();
  const clients = [withKey(await appOf(15), partner), withKey(await appOf(15), partner)];
  const responses = await repeat(20, () => Promise.all(clients.map((client) => client.get(path))));
  expect(admitted(responses.flat())).toBe(15);
});

test('a leased budget is never exceeded; what lies idle in one process is back in a second', async () => {
  const partner = await h.givenPartner();
  const clients = [withKey(await appOf(400), partner), withKey(await appOf(400), partner)];
  const [one, other] = clients as [(typeof clients)[0], (typeof clients)[0]];
  const first = admitted(await repeat(30, () => one.get(path)));
  expect(first).toBe(30);
  // In turns: of 400 at once on a busy machine some would be 503, which count and are not admitted.
  const racing: ApiResponse[] = [];
  while (racing.length < 400) racing.push(...(await repeat(20, () => other.get(path))));
  expect(racing.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  const soFar = first + admitted(racing);
  expect(soFar).toBeGreaterThanOrEqual(350);
  expect(soFar).toBeLessThanOrEqual(400);
  let total = soFar;
  await expect
    .poll(
      async () => {
        total += admitted(await repeat(5, () => other.get(path)));
        return total;
      },
      { timeout: 5_000 },
    )
    .toBe(400);
  expect((await one.get(path)).status).toBe(429);
});

test('a process that stops gives back what it did not use', async () => {
  const partner = await h.givenPartner();
  const app = await appOf(100);
  expect((await withKey(app, partner).get(path)).status).toBe(200);
  await app.close();
  apps.delete(app);
  expect(admitted(await repeat(120, async () => withKey(await appOf100(), partner).get(path)))).toBe(99);
});

let shared: Promise<FastifyInstance> | undefined;
function appOf100(): Promise<FastifyInstance> {
  shared ??= appOf(100);
  return shared;
}

test('a request seldom waits for its budget: 400 of them, one statement each and few more', async () => {
  const partner = await h.givenPartner();
  const statements: string[] = [];
  const db = drizzleOn(h.ctx.pool, { logQuery: (query) => void statements.push(query) });
  const client = withKey(await appOf(600, { db }), partner);
  for (let i = 0; i < 400; i += 1) expect((await client.get('/v1/users/gu_x')).status).toBe(404);
  const budget = statements.filter((text) => /\bbudgets\b/.test(text));
  const lookups = statements.filter((text) => text.includes('api_keys') && !text.includes('last_used_at'));
  expect(lookups).toHaveLength(400);
  expect(budget.length).toBeLessThanOrEqual(30);
});

test('leases that many owners need at once are taken by one statement', async () => {
  const statements: string[] = [];
  const db = drizzleOn(h.ctx.pool, { logQuery: (query) => void statements.push(query) });
  const budget = new Budget({ ...h.ctx, db }, leasedBudget('key_reads', 600));
  const owners = Array.from({ length: 20 }, () => newUuid());
  const taken = await Promise.all(owners.map((owner) => budget.take(owner)));
  expect(taken.map(({ admitted, remaining }) => [admitted, remaining])).toEqual(
    owners.map(() => [true, 599]),
  );
  expect(statements).toHaveLength(1);
  // Those who need one while a statement is under way share the next one.
  const waiting = owners.slice(0, 1).concat(newUuid(), newUuid());
  h.clock.advance(61_000);
  const [first] = waiting;
  let leased: Promise<unknown> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`select from budgets where owner = ${`key_reads:${first}`} for update`);
    const all: Promise<unknown>[] = [];
    for (const owner of waiting) {
      all.push(budget.take(owner));
      await new Promise((resolve) => setImmediate(resolve));
    }
    leased = Promise.all(all);
  });
  await leased;
  expect(statements).toHaveLength(3);
});

test('leased requests that are being returned count for the next lease', async () => {
  let returning = () => {};
  const returned = new Promise<void>((resolve) => (returning = resolve));
  const logQuery = (query: string) => query.includes('update budgets') && returning();
  const budget = new Budget(
    { ...h.ctx, db: drizzleOn(h.ctx.pool, { logQuery }) },
    leasedBudget('key_reads', 40),
  );
  const [held, owner] = [newUuid(), newUuid()].sort() as [Uuid, Uuid];
  await budget.take(held);
  const [first] = await Promise.all(Array.from({ length: 40 }, () => budget.take(owner)));
  for (let i = 0; i < 10; i += 1) budget.putBack(owner, first?.grantedMs ?? 0);
  const app = Fastify();
  apps.add(app);
  let again: Promise<BudgetState[]> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    // Rows are locked in the order of ids, so what the second owner left waits as well.
    await tx.execute(sql`select from budgets where owner = ${`key_reads:${held}`} for update`);
    keepBudgets(h.ctx, app, [budget]);
    await returned;
    again = Promise.all(Array.from({ length: 10 }, () => budget.take(owner)));
    // Time for a lease that does not wait to be refused.
    await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 500))]);
  });
  expect((await again)?.map(({ admitted }) => admitted)).toEqual(Array(10).fill(true));
});

test('a clock that was set back does not lock a key out', async () => {
  const partner = await h.givenPartner();
  const app = await appOf(2);
  await repeat(3, () => withKey(app, partner).get(path));
  h.clock.advance(-3_600_000);
  try {
    expect((await withKey(app, partner).get(path)).status).toBe(200);
  } finally {
    h.clock.advance(3_600_000);
  }
});

import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { drizzleOn, openDatabase } from '../../../src/db/client.js';
import { findCallers } from '../../../src/db/keys/callers.js';
import { hashApiKey } from '../../../src/domain/api-key.js';
import { buildApp } from '../../../src/http/app.js';
import { CallerLookup } from '../../../src/http/auth/caller-lookup.js';
import { type ApiResponse, type Client, clientOf } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { seedDenominations, tola } from '../../redeeming.js';

let t: Karat;
let app: Awaited<ReturnType<typeof buildApp>>;
let db: ReturnType<typeof drizzleOn>;
let client: Client;
const statements: string[] = [];
beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
  db = drizzleOn(t.service.ctx.pool, { logQuery: (query) => void statements.push(query) });
  app = await buildApp({ ...t.service.ctx, db });
  client = clientOf(app, { 'x-api-key': t.partner.apiKey });
  // The first request of a key waits for its budget; later ones do not.
  await client.get('/v1/users/gu_x');
  for (const route of ['/v1/buy', '/v1/sell'] as const) await client.post(route, quoteOf(t.user.id)[route]);
});
afterAll(async () => {
  await app.close();
  await t.stop();
});
beforeEach(() => void statements.splice(0));
afterEach(() => void statements.splice(0));

/** What requests wait for: budgets, uses of keys and the log of requests are written behind them. */
const requested = () =>
  statements.filter(
    (text) => !/\bbudgets\b|last_used_at|\brequest_(counts|log)\b|^(begin|commit)\b/.test(text),
  );
const quoteOf = (userId: string) => ({
  '/v1/buy': { service_user_id: userId, usdc_amount: 10 },
  '/v1/sell': { service_user_id: userId, gold_amount: 0.01 },
  '/v1/redemptions': { service_user_id: userId, denomination_id: tola.id, city: tola.city },
});

test.each(['/v1/buy', '/v1/sell'] as const)('a quote of %s sends the database one query', async (route) => {
  expect(await client.post(route, quoteOf(t.user.id)[route])).toMatchObject({ status: 200 });
  expect(requested()).toHaveLength(1);
  expect(requested()[0]).toContain('"api_keys"');
  expect(requested()[0]).toContain('"users"');
});

test('a quote of a redemption queries key and user at once, then the offer and open quotes, then writes', async () => {
  const response = await client.post('/v1/redemptions', quoteOf(t.user.id)['/v1/redemptions']);
  expect(response.status).toBe(201);
  expect(requested()[0]).toContain('"users"');
  // The last statement looks whether the user was erased meanwhile.
  expect(requested()).toHaveLength(6);
});

test('requests of one tick are looked up by one statement, each with its own key and user', async () => {
  const other = await t.service.givenPartner();
  const others = await t.service.givenUser(other.partnerId);
  const suspended = await t.service.givenUser(t.partner.partnerId, { status: 'suspended' });
  statements.splice(0);
  const send = (apiKey: string, userId: string) =>
    clientOf(app, { 'x-api-key': apiKey }).post('/v1/buy', quoteOf(userId)['/v1/buy']);
  const unknown = 'gu_01890000-0000-7000-8000-000000000000';
  const responses = await Promise.all([
    send(t.partner.apiKey, t.user.id),
    send(t.partner.apiKey, others.id),
    send(other.apiKey, t.user.id),
    send(other.apiKey, others.id),
    send(t.partner.apiKey, unknown),
    send(t.partner.apiKey, 'gu_x,{}"'),
    send(t.partner.apiKey, suspended.id),
    send('service_partner_unknown', t.user.id),
    send(t.partner.apiKey, t.user.id),
  ]);
  expect(responses.map(({ status, body }) => body.error ?? status)).toEqual([
    200,
    'partner_mismatch',
    'partner_mismatch',
    'onchain_config_missing',
    'user_not_found',
    'user_not_found',
    'user_suspended',
    'unauthorized',
    200,
  ]);
  expect(requested()).toHaveLength(1);
});

test('a look-up of callers takes at most 256 at once', async () => {
  const responses = await Promise.all(Array.from({ length: 300 }, () => client.get('/v1/users/gu_x')));
  expect(responses.every(({ status }) => status === 404)).toBe(true);
  expect(requested()).toHaveLength(2);
});

/** Runs `work` while no key can be read. */
const whileKeysAreLocked = (work: () => Promise<void>) =>
  t.service.ctx.sql.begin(async (tx) => {
    await tx`lock table api_keys in access exclusive mode`;
    await work();
  });

test('a caller whose request no longer waits is not looked up', async () => {
  const lookup = new CallerLookup({ ...t.service.ctx, db });
  const query = { keyHash: hashApiKey(t.partner.apiKey), userId: undefined };
  const responses: Promise<unknown>[] = [];
  await whileKeysAreLocked(async () => {
    for (let i = 0; i < 4; i += 1) {
      responses.push(lookup.find(query, () => true));
      await vi.waitFor(() => expect(requested()).toHaveLength(i + 1));
    }
    let waits = true;
    responses.push(expect(lookup.find(query, () => waits)).rejects.toThrow('The database is slow'));
    waits = false;
  });
  await Promise.all(responses);
  expect(requested()).toHaveLength(4);
});

test('callers who come while four statements are under way share the next one', async () => {
  const responses: Promise<ApiResponse>[] = [];
  await whileKeysAreLocked(async () => {
    for (let i = 0; i < 20; i += 1) {
      responses.push(client.get('/v1/users/gu_x'));
      await vi.waitFor(() => expect(requested()).toHaveLength(Math.min(i + 1, 4)));
    }
  });
  for (const { status } of await Promise.all(responses)) expect(status).toBe(404);
  expect(requested()).toHaveLength(5);
});

test('the statement is prepared once a connection, and planned for any number of callers', async () => {
  const one = openDatabase(t.service.databaseUrl, { poolSize: 1 });
  const query = { keyHash: hashApiKey(t.partner.apiKey), userId: undefined };
  const calls = 20;
  for (let call = 1; call <= calls; call += 1)
    expect(await findCallers(one.db, Array(call).fill(query))).toHaveLength(call);
  const plans = await one.db.execute(
    sql`select generic_plans::int, custom_plans::int from pg_prepared_statements where name = 'find_callers'`,
  );
  // PostgreSQL plans the first five calls of every statement by their values.
  expect([...plans]).toEqual([{ generic_plans: calls - 5, custom_plans: 5 }]);
  await one.close();
});

const broken: [string, Record<string, string>, string, string][] = [
  ['no JSON', { 'content-type': 'application/json' }, '{', 'invalid_request'],
  ['another content type', { 'content-type': 'text/plain' }, 'x', 'unsupported_media_type'],
  ['too large', { 'content-type': 'application/json' }, 'x'.repeat(65 * 1024), 'payload_too_large'],
  ['a list', { 'content-type': 'application/json' }, '[]', 'invalid_request'],
  ['null', { 'content-type': 'application/json' }, 'null', 'invalid_request'],
  ['empty', { 'content-type': 'application/json' }, '', 'invalid_request'],
  [
    'a user that is no text',
    { 'content-type': 'application/json' },
    '{"service_user_id":[1]}',
    'invalid_request',
  ],
];

test.each(['/v1/buy', '/v1/sell', '/v1/redemptions'])(
  'the key is checked first on %s, whatever the body is',
  async (route) => {
    const suspended = await t.service.givenPartner({ status: 'suspended' });
    const foreign = await t.service.givenPartner({ scope: 'ADMIN' });
    const keys: [string | undefined, string][] = [
      [undefined, 'unauthorized'],
      ['nonsense', 'unauthorized'],
      [foreign.apiKey, 'insufficient_scope'],
      [suspended.apiKey, 'partner_suspended'],
    ];
    for (const [name, headers, payload, error] of broken) {
      const send = (apiKey: string | undefined): Promise<ApiResponse> =>
        clientOf(app, apiKey === undefined ? {} : { 'x-api-key': apiKey }).post(route, payload, headers);
      for (const [apiKey, refusal] of keys) {
        expect([name, (await send(apiKey)).body.error]).toEqual([name, refusal]);
      }
      const response = await send(t.partner.apiKey);
      expect([name, response.body.error]).toEqual([name, error]);
      expect(response.headers['ratelimit-remaining']).toBeDefined();
    }
  },
);

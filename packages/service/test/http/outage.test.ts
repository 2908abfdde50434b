import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { drizzleOn } from '../../src/db/client.js';
import { buildApp } from '../../src/http/app.js';
import { type ApiResponse, clientOf, type Harness, harness, newAddress, newWallet } from '../harness.js';
import { TcpProxy } from '../tcp-proxy.js';
import { within, within5s } from '../within.js';

let h: Harness;
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = new TcpProxy();
  await proxy.open();
  h = await harness({
    throughProxy: (databaseUrl) => {
      const url = new URL(databaseUrl);
      proxy.target = { host: url.hostname, port: Number(url.port) };
      url.port = String(proxy.port);
      return url.toString();
    },
  });
});
afterAll(async () => {
  await h.close();
  await proxy.shut();
});

// A test that fails while the database hangs must not take the next ones with it.
afterEach(() => proxy.thaw());

const requests: [string, () => Promise<ApiResponse>][] = [
  ['a keyed read', () => h.partner.get('/v1/partner/api-keys')],
  ['a keyed write', () => h.partner.post('/v1/users', newUser())],
  [
    'an auth route',
    () =>
      clientOf(h.app, {}, { remoteAddress: newAddress() }).post('/v1/auth/challenge', {
        wallet_address: h.main.wallet.address,
        partner_id: h.main.partnerId,
      }),
  ],
];

function newUser() {
  return {
    user_id: `user-${newAddress()}`,
    wallet_address: newWallet().address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
    },
  };
}

/** What the tradebook API returns meanwhile, in its envelope. */
const tradebookRequests: [string, () => Promise<ApiResponse>][] = [
  ['a keyed read', () => h.partner.get('/api/distribution/partner/me')],
  ['submitting', () => clientOf(h.app, {}).post('/api/transactions/submit', { signedTransaction: 'AAAA' })],
];

async function expectUnavailable(): Promise<void> {
  await Promise.all([
    ...tradebookRequests.map(async ([name, send]) => {
      const { status, body } = await within5s(name, send);
      const docUrl = expect.stringContaining('/errors/');
      const error = { code: 'service_unavailable', message: expect.stringMatching(/\S/), docUrl };
      expect([name, status, body]).toEqual([name, 503, { success: false, error }]);
    }),
    ...requests.map(async ([name, send]) => {
      const response = await within5s(name, send);
      expect({ name, ...response }).toMatchObject({
        name,
        status: 503,
        body: { error: 'service_unavailable' },
      });
    }),
  ]);
  expect((await h.anonymous.get('/health')).status).toBe(200);
  const ready = await h.anonymous.get('/ready');
  expect(ready).toMatchObject({
    status: 503,
    body: {
      status: 'failed',
      checks: { database: { status: 'failed', detail: 'the database does not respond' } },
    },
  });
}

async function expectRecovery(withinMs = 5_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (const [name, send] of requests) {
    const timeout = Math.max(1, end - performance.now());
    await expect.poll(async () => (await send()).status, { timeout, message: name }).toBeLessThan(300);
  }
}

test('a database that is gone: 503 within 5 s, and recovery by itself', async () => {
  await expectRecovery();
  await proxy.shut();
  await expectUnavailable();
  // Failing again and again must not make the service slower to come back.
  for (let i = 0; i < 10; i += 1) {
    await Promise.all(Array.from({ length: 20 }, () => h.partner.get('/v1/partner/api-keys')));
  }
  await expectUnavailable();
  await proxy.open();
  await expectRecovery(2_000);
});

test('a database that hangs: 503 within 5 s, and recovery by itself', async () => {
  proxy.freeze();
  await expectUnavailable();
  proxy.thaw();
  await expectRecovery();
});

test.each([
  ['at once', 0],
  // The query then fails just after the time of the request is over.
  ['after 400 ms', 400],
])(
  'a database that hangs in an idempotent request %s: 503 within 5 s, and done at the next request',
  async (when, ms) => {
    let armed = true;
    const logQuery = (query: string) => {
      if (!armed || !query.startsWith('insert into "users"')) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      proxy.freeze();
    };
    const app = await buildApp({ ...h.ctx, db: drizzleOn(h.ctx.pool, { logQuery }) });
    const client = clientOf(app, { 'x-api-key': h.main.apiKey, 'idempotency-key': `hung ${when}` });
    const user = newUser();
    const logged = h.logLines.length;
    const response = await within5s('a write', () => client.post('/v1/users', user));
    armed = false;
    const causes = h.logLines.slice(logged).filter((line) => line.includes('"err"'));
    expect(response, causes.join('\n')).toMatchObject({
      status: 503,
      body: { error: 'service_unavailable' },
    });
    proxy.thaw();
    await expect
      .poll(async () => (await client.post('/v1/users', user)).status, { timeout: 5_000 })
      .toBe(201);
    await app.close();
  },
);

/** Requests over real sockets, on which bodies are read before handlers run. */
const overHttp: [string, string, unknown?][] = [
  ['GET', '/v1/users'],
  ['POST', '/v1/users', newUser()],
  ['POST', '/v1/buy', { service_user_id: 'gu_0192f7a0-0000-7000-8000-000000000000', usdc_amount: 10 }],
  ['POST', '/v1/sell', { service_user_id: 'gu_0192f7a0-0000-7000-8000-000000000000', gold_amount: 1 }],
  [
    'POST',
    '/v1/redemptions',
    { service_user_id: 'gu_0192f7a0-0000-7000-8000-000000000000', denomination_id: 'x', city: 'Lahore' },
  ],
  ['GET', '/api/distribution/partner/me'],
  ['POST', '/api/transactions/submit', { signedTransaction: 'AAAA' }],
];

test('sockets that fall silent for ever: 503 within 5 s on every route, and new connections without a restart', async () => {
  const app = await buildApp(h.ctx);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const arrivals = new Map<unknown, () => void>();
  app.server.prependListener('request', ({ headers }) => arrivals.get(headers['x-request-id'])?.());
  const send = async (method: string, path: string, body?: unknown, id = randomUUID()) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-request-id': id,
        'x-api-key': h.main.apiKey,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, headers: {}, body: await response.json(), text: '' };
  };
  const size = h.ctx.config.databasePoolSize;
  const { pool } = h.ctx;
  await Promise.all(Array.from({ length: size }, () => h.ctx.db.execute('select pg_sleep(0.1)')));
  // A look of the service's own may have one of them for a moment.
  await expect.poll(() => pool.state()).toEqual({ open: size, idle: size, waiting: 0 });
  proxy.freeze();
  // Twice as many as there are connections, and then some that wait in line behind them.
  const refused = async ([method, path, content]: (typeof overHttp)[number]) => {
    const id = randomUUID();
    const arrived = new Promise<void>((resolve) => arrivals.set(id, resolve));
    const { status, body } = await within5s(path, () => send(method, path, content, id), arrived);
    expect([path, status]).toEqual([path, 503]);
    expect(body.error.code ?? body.error).toBe('service_unavailable');
  };
  await Promise.all([...overHttp, ...overHttp, ...overHttp].map(refused));
  await Promise.all(overHttp.map(refused));
  proxy.thawNewOnly();
  const backAtMs = performance.now();
  await expect
    .poll(async () => (await send('GET', '/v1/users')).status, { timeout: 15_000, interval: 100 })
    .toBe(200);
  expect(performance.now() - backAtMs).toBeLessThan(6_000);
  const after = await Promise.all(Array.from({ length: 2 * size }, () => send('GET', '/v1/users')));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
  await app.close();
});

test('idle connections that a firewall forgot: one slow query finds out for all of them', async () => {
  const size = h.ctx.config.databasePoolSize;
  await Promise.all(Array.from({ length: size }, () => h.ctx.db.execute('select pg_sleep(0.1)')));
  proxy.freeze();
  proxy.thawNewOnly();
  // A request is given up 200 ms before its query is: its response alone does not mean that the others were found out.
  const query = within(5_000, 'the query', () => h.ctx.db.execute('select 1'));
  const [request] = await Promise.all([
    within5s('the request', () => h.partner.get('/v1/users')),
    expect(query).rejects.toMatchObject({ cause: { code: 'CONNECTION_SILENT' } }),
  ]);
  expect(request.status).toBe(503);
  for (let request = 0; request < size; request += 1) {
    expect((await h.partner.get('/v1/users')).status).toBe(200);
  }
});

test('the driver sends no query of its own whose failure would go unhandled', async () => {
  expect(proxy.sent).toContain('karat');
  expect(proxy.sent).not.toContain('typarray');
});

test('connections that break while queries run never cause a 500', async () => {
  const responses: ApiResponse[] = [];
  const load = Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const response = await requests[i % 2]?.[1]();
      if (response) responses.push(response);
    }),
  );
  for (let i = 0; i < 5; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await proxy.shut();
    await proxy.open();
  }
  await load;
  const statuses = new Set(responses.map((response) => response.status));
  expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
  await expectRecovery();
});

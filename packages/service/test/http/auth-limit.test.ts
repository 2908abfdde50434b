import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.js';
import { clientOf, type Harness, harness, newAddress } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness({ config: { trustedProxies: ['10.200.0.0/16'] } });
});
afterAll(() => h.close());

const from = (remoteAddress: string, app = h.app) => clientOf(app, {}, { remoteAddress });
const body = () => ({ wallet_address: h.main.wallet.address, partner_id: h.main.partnerId });

test('ten requests a minute pass, whatever their response; the eleventh reports when to come back', async () => {
  const client = from(newAddress());
  for (let left = 9; left >= 0; left -= 1) {
    const response = await client.post(
      left % 2 ? '/v1/auth/challenge' : '/v1/auth/api-key',
      left % 3 ? body() : '{',
    );
    expect(response.status).not.toBe(429);
    expect(response.headers).toMatchObject({
      'ratelimit-limit': '10',
      'ratelimit-remaining': String(left),
      'ratelimit-reset': '60',
    });
  }
  h.clock.advance(20_500);
  const refused = await client.post('/v1/auth/challenge', body());
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(refused.headers).toMatchObject({
    'ratelimit-remaining': '0',
    'ratelimit-reset': '40',
    'retry-after': '40',
  });
  h.clock.advance(39_499);
  expect((await client.post('/v1/auth/challenge', body())).status).toBe(429);
  h.clock.advance(1);
  expect((await client.post('/v1/auth/challenge', body())).status).toBe(200);
});

test('requests for keys of one API leave those of the other API their ten', async () => {
  const client = from(newAddress());
  for (let left = 10; left > 0; left -= 1) await client.post('/api/auth/challenge', {});
  expect((await client.post('/api/auth/challenge', {})).status).toBe(429);
  expect((await client.post('/v1/auth/challenge', body())).status).toBe(200);
});

test('no sixty seconds see more than ten, also across the end of a minute', async () => {
  const client = from(newAddress());
  const admitted: number[] = [];
  for (let step = 0; step < 60; step += 1) {
    const response = await client.post('/v1/auth/challenge', body());
    if (response.status === 200) admitted.push(h.clock.now());
    h.clock.advance(2_500);
  }
  const busiest = Math.max(
    ...admitted.map((at) => admitted.filter((t) => t >= at && t < at + 60_000).length),
  );
  expect(busiest).toBe(10);
  // Refused requests cost nothing: each of the three minutes gives its ten.
  expect(admitted).toHaveLength(30);
});

test('a limit holds across processes, exactly, when requests race', async () => {
  const other = await buildApp(h.ctx);
  const address = newAddress();
  const clients = [from(address), from(address, other)];
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, i) => clients[i % 2]?.post('/v1/auth/challenge', body())),
  );
  await other.close();
  expect(responses.filter((response) => response?.status === 200)).toHaveLength(10);
  expect(responses.filter((response) => response?.status === 429)).toHaveLength(30);
});

test('a caller who goes on after a refusal keeps the database free for the others', async () => {
  const address = newAddress();
  for (let i = 0; i < 11; i += 1) await from(address).post('/v1/auth/challenge', body());
  await h.ctx.db.transaction(async (tx) => {
    // Another request of the address waits for this.
    await tx.execute(sql`select from budgets where owner = ${`auth:${address}`} for update`);
    const refused = await from(address).post('/v1/auth/challenge', body());
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'ratelimit-remaining': '0', 'retry-after': '60' },
    });
  });
  h.clock.advance(60_000);
  expect((await from(address).post('/v1/auth/challenge', body())).status).toBe(200);
});

test('addresses are counted apart, and other routes are not counted', async () => {
  const address = newAddress();
  for (let i = 0; i < 10; i += 1) await from(address).post('/v1/auth/challenge', body());
  expect((await from(address).post('/v1/auth/challenge', body())).status).toBe(429);
  expect((await from(newAddress()).post('/v1/auth/challenge', body())).status).toBe(200);
  const health = await from(address).get('/health');
  expect(health.status).toBe(200);
  expect(health.headers['ratelimit-limit']).toBeUndefined();
});

test('x-forwarded-for counts only when a trusted proxy sends it', async () => {
  const direct = newAddress();
  const spoof = (i: number) => ({ 'x-forwarded-for': `203.0.113.${i}` });
  for (let i = 0; i < 10; i += 1) await from(direct).post('/v1/auth/challenge', body(), spoof(i));
  expect((await from(direct).post('/v1/auth/challenge', body(), spoof(99))).status).toBe(429);

  const proxied = from('10.200.3.4');
  for (let i = 0; i < 11; i += 1) {
    const response = await proxied.post('/v1/auth/challenge', body(), spoof(100 + i));
    expect(response.status).toBe(200);
  }
  for (let i = 0; i < 9; i += 1) await proxied.post('/v1/auth/challenge', body(), spoof(100));
  expect((await proxied.post('/v1/auth/challenge', body(), spoof(100))).status).toBe(429);
  // Whatever a caller writes in front of what the proxy adds is not believed.
  const lied = { 'x-forwarded-for': '198.51.100.1, 203.0.113.100' };
  expect((await proxied.post('/v1/auth/challenge', body(), lied)).status).toBe(429);
});

test('x-forwarded-for: connections of one address share a budget, however a proxy writes port and brackets', async () => {
  const proxied = from('10.200.3.4');
  const challenge = async (forwarded: string) => {
    const response = await proxied.post('/v1/auth/challenge', body(), { 'x-forwarded-for': forwarded });
    return response.status;
  };
  const all = async (forwarded: (port: number) => string) => {
    const found: number[] = [];
    for (let port = 40_000; port < 40_012; port += 1) found.push(await challenge(forwarded(port)));
    return found.filter((status) => status === 200).length;
  };
  expect(await all((port) => `203.0.113.8:${port}`)).toBe(10);
  expect(await challenge('203.0.113.8')).toBe(429);
  expect(await all((port) => `[2001:db8:9:1::7]:${port}`)).toBe(10);
  expect(await challenge('[2001:db8:9:1::8]')).toBe(429);
  expect(await challenge('2001:db8:9:1::9')).toBe(429);
  // A proxy that is trusted may write its own port too.
  expect(await challenge('203.0.113.8:1, 10.200.9.9:443')).toBe(429);
});

test('x-forwarded-for: what is no address counts as the request of the proxy that wrote it', async () => {
  const proxied = from('10.200.3.5');
  const invented = ['unknown', '203.0.113.300', '203.0.113.9:99999', '1', '[::1', '_hidden', '203.0.113.9:'];
  for (let i = 0; i < 10; i += 1) {
    const forwarded = { 'x-forwarded-for': `198.51.100.${i}, ${invented[i % invented.length]}${i}x` };
    expect((await proxied.post('/v1/auth/challenge', body(), forwarded)).status).toBe(200);
  }
  for (const text of invented) {
    const forwarded = { 'x-forwarded-for': `198.51.100.99, ${text}` };
    expect((await proxied.post('/v1/auth/challenge', body(), forwarded)).status).toBe(429);
  }
  expect((await proxied.post('/v1/auth/challenge', body())).status).toBe(429);
});

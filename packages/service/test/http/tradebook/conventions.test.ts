import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, type Harness, harness, newAddress, newWallet } from '../../harness.js';
import { requestWhileClosing } from '../late-request.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const json = { 'content-type': 'application/json' };
const failure = (code: string, field?: string) => ({
  success: false,
  error: { code, message: expect.stringMatching(/\S/), ...(field === undefined ? {} : { field }) },
});

describe('what no route below /api takes is answered in the envelope', () => {
  test.each(['/api', '/api/', '/api?x=1', '/api/v1', '/api/auth', '/api/nowhere/at/all', '/%61pi/nowhere'])(
    '%s is 404',
    async (path) => {
      const answer = await h.anonymous.get(path);
      expect([answer.status, answer.body]).toEqual([404, failure('not_found')]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['x-request-id']).toBeTruthy();
    },
  );

  test.each(['/apis', '/apix/auth', '/', '/v1/api', '/API/auth/challenge'])(
    '%s is none of it: 404 as by the partner API',
    async (path) => {
      const answer = await h.anonymous.get(path);
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    },
  );

  test.each([
    ['GET', '/api/auth/challenge', 'POST'],
    ['DELETE', '/api/auth/api-keys', 'GET, HEAD'],
    ['OPTIONS', '/api/trading/estimate/buy', 'POST'],
    ['POST', '/api/distribution/partner/me', 'GET, HEAD'],
    ['GET', '/api/auth/api-keys/x/revoke', 'POST'],
    ['POST', '/api/distribution/partner/x/executive-authority', 'PUT'],
  ] as const)('%s %s is 405 and names what is allowed', async (method, url, allow) => {
    const { status, body, headers } = await h.anonymous.send({ method, url });
    expect([status, body, headers.allow]).toEqual([405, failure('method_not_allowed'), allow]);
  });

  test.each(['/api/%zz', '/api/auth/api-keys/%zz/revoke', '/api/%ff?x=1'])(
    '%s, which is not validly encoded, is 400',
    async (path) => {
      const answer = await h.anonymous.get(path);
      expect([answer.status, answer.body]).toEqual([400, failure('invalid_request')]);
      expect(answer.headers['x-request-id']).toBeTruthy();
    },
  );

  test('the partner API goes on in its own words', async () => {
    for (const path of ['/v1/%zz', '/v1/nowhere']) {
      const { body } = await h.anonymous.get(path);
      expect(Object.keys(body)).toEqual(['error', 'message']);
    }
  });
});

describe('bodies', () => {
  const post = (payload: string, headers: Record<string, string> = json) =>
    clientOf(h.app, {}, { remoteAddress: newAddress() }).send({
      method: 'POST',
      url: '/api/auth/challenge',
      headers,
      payload,
    });

  test.each(['{', '', 'null', '[]', '"text"', '{"a":NaN}'])('%s is 400', async (payload) => {
    const answer = await post(payload);
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_request')]);
  });

  test.each([
    ['{"walletAddress":1,"keyType":"ADMIN"}', 'walletAddress'],
    ['{"walletAddress":"x","keyType":"OWNER"}', 'keyType'],
    ['{"__proto__":{}}', '__proto__'],
    ['{"constructor":1}', 'constructor'],
  ])('%s is 400, naming the field', async (payload, field) => {
    const answer = await post(payload);
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_request', field)]);
  });

  test('64 KiB pass, one byte more is 413', async () => {
    const fill = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect((await post(fill(65_536))).body).toEqual(failure('invalid_request', 'walletAddress'));
    const larger = await post(fill(65_537));
    expect([larger.status, larger.body]).toEqual([413, failure('payload_too_large')]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'content type %s is 415',
    async (type) => {
      const answer = await post('{}', { 'content-type': type });
      expect([answer.status, answer.body]).toEqual([415, failure('unsupported_media_type')]);
    },
  );
});

test('what nobody foresaw is a 500 that tells nothing', async () => {
  const broken = await buildApp({
    ...h.ctx,
    chain: new Proxy(h.ctx.chain, {
      get: (chain, part) => {
        if (part === 'program') throw new Error('the secret detail');
        return Reflect.get(chain, part);
      },
    }),
  });
  const answer = await clientOf(broken, {}).post('/api/auth/challenge', {
    walletAddress: newWallet().address,
    keyType: 'ADMIN',
  });
  expect([answer.status, answer.body]).toEqual([500, failure('internal_error')]);
  expect(answer.text).not.toContain('secret');
  await broken.close();
});

describe('budgets per IP address', () => {
  const from = (remoteAddress: string, app = h.app) => clientOf(app, {}, { remoteAddress });

  test('the auth routes of both surfaces share one of ten a minute', async () => {
    const client = from(newAddress());
    const paths = ['/v1/auth/challenge', '/api/auth/challenge', '/v1/auth/api-key', '/api/auth/api-key'];
    for (let left = 9; left >= 0; left -= 1) {
      const answer = await client.post(paths[left % 4] ?? '', {});
      expect([answer.status, answer.headers['ratelimit-remaining']]).toEqual([400, String(left)]);
    }
    for (const path of paths) expect((await client.post(path, {})).status).toBe(429);
    const refused = await client.post('/api/auth/challenge', {});
    expect(refused.body).toEqual(failure('rate_limited'));
    expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '60' });
    // Another address has its own, and neither the price nor submitting counts against it.
    expect((await from(newAddress()).post('/api/auth/challenge', {})).status).toBe(400);
  });

  test('the price has one of 60, and submitting another', async () => {
    const config = { ...h.ctx.config, openRateLimitPerMinute: 60 };
    const [app, second] = await Promise.all([buildApp({ ...h.ctx, config }), buildApp({ ...h.ctx, config })]);
    const address = newAddress();
    const asked = await Promise.all(
      Array.from({ length: 70 }, (_, i) =>
        from(address, i % 2 ? app : second).get('/api/trading/gold/price'),
      ),
    );
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(10);
    const submitted = await from(address, app).post('/api/transactions/submit', {});
    expect([submitted.status, submitted.headers['ratelimit-remaining']]).toEqual([400, '59']);
    expect((await from(address, app).post('/api/auth/challenge', {})).headers['ratelimit-limit']).toBe('10');
    await Promise.all([app.close(), second.close()]);
  });

  test('are 60 a minute where nothing else is set', async () => {
    const { readConfig } = await import('../../../src/config.js');
    const needed = {
      DATABASE_URL: 'postgres://127.0.0.1/x',
      KARAT_RPC_URL: 'http://127.0.0.1:1',
      KARAT_PROGRAM_ID: 'x',
      KARAT_SERVICE_KEYPAIR: 'x',
    };
    expect(readConfig(needed).openRateLimitPerMinute).toBe(60);
    expect(readConfig({ ...needed, KARAT_OPEN_RATE_LIMIT: '7' }).openRateLimitPerMinute).toBe(7);
  });
});

test('the requests of a key are counted as on the partner API, refused ones included', async () => {
  const config = { ...h.ctx.config, keyRateLimitPerMinute: 3 };
  const app = await buildApp({ ...h.ctx, config });
  const { apiKey } = await h.givenPartner();
  const client = clientOf(app, { 'x-api-key': apiKey });
  const statuses: (string | number | undefined)[][] = [];
  for (let i = 0; i < 4; i += 1) {
    const { status, headers } = await client.get('/api/distribution/partner/me');
    statuses.push([status, String(headers['ratelimit-limit']), String(headers['ratelimit-remaining'])]);
  }
  // Refused for its scope every time, which has the word before the budget; the budget is counted all the same.
  expect(statuses).toEqual([
    [403, '3', '2'],
    [403, '3', '1'],
    [403, '3', '0'],
    [403, '3', '0'],
  ]);
  await app.close();
});

test.each(['/api/trading/gold/price', '/api/nowhere'])(
  'a request to %s that arrives while the service shuts down is 503 in the envelope',
  async (path) => {
    const app = await buildApp(h.ctx);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const request = { head: `GET ${path} HTTP/1.1\r\n`, rest: 'host: x\r\n\r\n' };
    const answer = await requestWhileClosing(app, request, async () => app.close());
    expect(answer).toContain('HTTP/1.1 503');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      success: false,
      error: { code: 'service_unavailable', message: 'The service is shutting down.' },
    });
  },
);

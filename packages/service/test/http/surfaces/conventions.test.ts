import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.js';
import { buildApp } from '../../../src/http/app.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  type Harness,
  harness,
  newAddress,
  newWallet,
  watchResponses,
} from '../../harness.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { requestWhileClosing } from '../late-request.js';
import { operator, partner, type Surface, tradebook } from './surfaces.js';

/** What holds for every request of a surface, whatever its route: addresses, bodies, headers, errors, the end. */

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators?.close();
  await h?.close();
});

/** That of the partner and of the tradebook API. */
const buildPartnerApp = (ctx: Context) => buildApp(ctx, { extend: watchResponses });
const json = { 'content-type': 'application/json' };

interface Sample {
  surface: Surface;
  client(): Client;
  build(ctx: Context): Promise<FastifyInstance>;
  /** Addresses that no route takes. */
  nowhere: string[];
  /** Methods that a route does not take, and those that it does. */
  wrongMethods: ['GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS', string, string][];
  badlyEncoded: string[];
  /** A route with a body, and the field that an empty one lacks first. */
  route: string;
  required: string;
  /** Bodies with the fields that they are refused for. */
  refused: [string, string][];
  /** A route that needs a caller to be known. */
  keyed: string;
  /** Requests that come while the application closes. */
  whileClosing: [path: string, status: number][];
  /** A request that asks the chain. */
  queriesChain(client: Client): Promise<ApiResponse>;
}

const samples: Sample[] = [
  {
    surface: partner,
    client: () => h.partner,
    build: buildPartnerApp,
    nowhere: [
      ...['/', '/v1', '/v2/users', '/v1/partner', '/healthz', '/v1/users/a/b', '/v1/nowhere'],
      // None of the tradebook API's.
      ...['/apis', '/apix/auth', '/v1/api', '/API/auth/challenge'],
    ],
    wrongMethods: [
      ['GET', '/v1/buy', 'POST'],
      ['DELETE', '/v1/users', 'GET, HEAD, POST'],
      ['PUT', '/v1/users/gu_x', 'GET, HEAD'],
      ['OPTIONS', '/v1/auth/challenge', 'POST'],
      ['POST', '/health', 'GET, HEAD, OPTIONS'],
      ['POST', '/v1/partner/api-keys', 'GET, HEAD'],
      ['GET', '/v1/partner/api-keys/x/revoke', 'POST'],
    ],
    badlyEncoded: ['/v1/users/%zz', '/v1/%zz'],
    route: '/v1/users',
    required: 'user_id',
    refused: [
      ['{"kyc":{"kyc_data":{"list":[{"__proto__":1}]}}}', 'kyc.kyc_data.list.0.__proto__'],
      ['{"kyc":{"constructor":{"prototype":{}}}}', 'kyc.constructor'],
    ],
    keyed: '/v1/partner/api-keys',
    whileClosing: [['/v1/users', 401]],
    async queriesChain(client) {
      const user = await h.givenUser(h.main.partnerId);
      return client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 10 });
    },
  },
  {
    surface: tradebook,
    client: () => clientOf(h.app, {}, { remoteAddress: newAddress() }),
    build: buildPartnerApp,
    nowhere: ['/api', '/api/', '/api?x=1', '/api/v1', '/api/auth', '/api/nowhere/at/all', '/%61pi/nowhere'],
    wrongMethods: [
      ['GET', '/api/auth/challenge', 'POST'],
      ['DELETE', '/api/auth/api-keys', 'GET, HEAD'],
      ['OPTIONS', '/api/trading/estimate/buy', 'POST'],
      ['POST', '/api/distribution/partner/me', 'GET, HEAD'],
      ['GET', '/api/auth/api-keys/x/revoke', 'POST'],
      ['POST', '/api/distribution/partner/x/executive-authority', 'PUT'],
    ],
    badlyEncoded: ['/api/%zz', '/api/auth/api-keys/%zz/revoke', '/api/%ff?x=1'],
    route: '/api/auth/challenge',
    required: 'walletAddress',
    refused: [
      ['{"walletAddress":1,"keyType":"ADMIN"}', 'walletAddress'],
      ['{"walletAddress":"x","keyType":"OWNER"}', 'keyType'],
    ],
    keyed: '/api/auth/api-keys',
    whileClosing: [['/api/nowhere', 404]],
    queriesChain: (client) =>
      client.post('/api/auth/challenge', { walletAddress: newWallet().address, keyType: 'ADMIN' }),
  },
  {
    surface: operator,
    client: () => operators.by.admin.client,
    build: (ctx) => buildOperatorApp(ctx, { extend: watchResponses }),
    nowhere: ['/', '/operator', '/operator/v1', '/operator/v2/me', '/operator/v1/partners/x/y', '/v1/users'],
    wrongMethods: [
      ['GET', '/operator/v1/session', 'DELETE, POST'],
      ['DELETE', '/operator/v1/partners', 'GET, HEAD, POST'],
      ['POST', '/operator/v1/me', 'GET, HEAD'],
    ],
    badlyEncoded: ['/operator/v1/%zz', '/operator/v1/partners/%zz'],
    route: '/operator/v1/partners',
    required: 'name',
    refused: [['{"name":"x","fee_percentage":"1"}', 'fee_percentage']],
    keyed: '/operator/v1/partners',
    whileClosing: [['/operator/v1/me', 401]],
    queriesChain: (client) => client.get('/operator/v1/price'),
  },
];

describe.each(samples)('$surface.name', (sample) => {
  const { surface, client } = sample;
  const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
    client().send({ method: 'POST', url: sample.route, headers, payload });
  const expectFailure = (response: ApiResponse, status: number, code: string, field?: string) => {
    const message = surface.refusalOf(response)?.message;
    const blamed = field ?? surface.refusalOf(response)?.field;
    expect([response.status, response.body]).toEqual([status, surface.failure(code, blamed)]);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['x-request-id']).toBeTruthy();
    return message;
  };

  describe('requests that no route takes', () => {
    test.each(sample.nowhere)('%s is 404', async (path) => {
      expectFailure(await client().get(path), 404, 'not_found');
    });

    test.each(sample.wrongMethods)('%s %s is 405 and names what is allowed', async (method, url, allow) => {
      const response = await client().send({ method, url });
      expectFailure(response, 405, 'method_not_allowed');
      expect(response.headers.allow).toBe(allow);
    });

    test.each(sample.badlyEncoded)('%s, which is not validly encoded, is 400', async (path) => {
      expectFailure(await client().get(path), 400, 'invalid_request');
    });
  });

  describe('bodies', () => {
    test.each([
      ['a brace', '{'],
      ['a trailing comma', '{"user_id":"a",}'],
      ['single quotes', "{'a':1}"],
      ['NaN', '{"a":NaN}'],
      ['two values', '{} {}'],
      ['HTML', '<html></html>'],
      ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ])('%s is 400', async (_name, payload) => {
      const message = expectFailure(await post(payload), 400, 'invalid_request');
      expect(message).toBe('The body is not valid JSON.');
    });

    test.each(['[]', 'null', '"text"', '1', 'true', ''])(
      'a body of %s is no object: 400',
      async (payload) => {
        expectFailure(await post(payload), 400, 'invalid_request');
      },
    );

    test('a missing body is 400', async () => {
      expectFailure(await client().post(sample.route), 400, 'invalid_request');
    });

    test('64 KiB pass, one byte more is 413', async () => {
      const fill = (bytes: number) => {
        const [start, end] = [`{"${sample.required}":"`, '"}'];
        return `${start}${'a'.repeat(bytes - start.length - end.length)}${end}`;
      };
      expectFailure(await post(fill(65_536)), 400, 'invalid_request');
      expectFailure(await post(fill(65_537)), 413, 'payload_too_large');
    });

    test.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ])('content type %s is 415', async (type) => {
      expectFailure(await post('{}', { 'content-type': type }), 415, 'unsupported_media_type');
    });

    test.each([
      ['{}', sample.required],
      ['{"__proto__":{"admin":true}}', '__proto__'],
      ['{"\\u005f_proto__":1}', '__proto__'],
      ['{"constructor":1}', 'constructor'],
      ...sample.refused,
    ])('%s is 400, naming the field', async (payload, field) => {
      expectFailure(await post(payload), 400, 'invalid_request', field);
    });

    test('nesting of any depth is 400 and does no harm', async () => {
      const field = surface === partner ? 'kyc' : sample.required;
      for (const [open, inner, close] of [
        ['[', '', ']'],
        ['{"a":', '1', '}'],
      ] as const) {
        const depth = Math.floor(64_000 / (open.length + close.length));
        const deep = `{"${field}":${open.repeat(depth)}${inner}${close.repeat(depth)}}`;
        expectFailure(await post(deep), 400, 'invalid_request', field);
      }
      expect((await h.anonymous.get('/health')).status).toBe(200);
    });
  });

  describe('x-request-id', () => {
    const path = `${sample.keyed}/nowhere/at/all`;
    const idOf = async (given: string) =>
      (await client().get(path, { 'x-request-id': given })).headers['x-request-id'];

    test('x-request-id is taken when it is 1 to 128 printable characters', async () => {
      for (const id of ['a', 'order 17/e', '~!@#$%^&*()', 'x'.repeat(128)]) expect(await idOf(id)).toBe(id);
    });

    test('x-request-id is made when it is anything else', async () => {
      const seen = new Set<unknown>();
      for (const id of ['', 'x'.repeat(129), 'tab\there', 'é']) seen.add(await idOf(id));
      expect(seen.size).toBe(4);
      for (const id of seen) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    });

    test('x-request-id stands on errors and in the log line of the request', async () => {
      const stranger = surface === operator ? operators.anonymous : h.anonymous;
      for (const [url, status] of [
        [path, 404],
        [sample.keyed, 401],
      ] as const) {
        const id = `trace-${surface.name}-${status}`;
        const response = await stranger.get(url, { 'x-request-id': id });
        expect(response).toMatchObject({ status, headers: { 'x-request-id': id } });
        expect(lineOf(id)).toMatchObject({ status, msg: 'answered' });
      }
    });
  });

  test('an unexpected error is a 500 that reveals nothing', async () => {
    const broken = await sample.build({
      ...h.ctx,
      chain: new Proxy(h.ctx.chain, {
        get: (chain, part) => {
          if (['program', 'blockhash', 'price', 'rpc'].includes(String(part)))
            throw new TypeError('postgres://karat:password@host');
          return Reflect.get(chain, part);
        },
      }),
    });
    const secret = surface === operator ? operators.by.admin.token : h.main.apiKey;
    const response = await sample.queriesChain(clientOf(broken, surface.credentials(secret)));
    expect(expectFailure(response, 500, 'internal_error')).toBe('Something went wrong on our side.');
    expect(response.text).not.toContain('password');
    await broken.close();
  });

  test.each(sample.whileClosing)(
    'a request to %s that is on its way when the service shuts down is served',
    async (path, status) => {
      const app = await sample.build(h.ctx);
      await app.listen({ port: 0, host: '127.0.0.1' });
      const rest = 'host: x\r\nx-request-id: late\r\n\r\n';
      const request = { head: `GET ${path} HTTP/1.1\r\n`, rest };
      const response = await requestWhileClosing(app, request, async () => app.close());
      expect(response).toContain(`HTTP/1.1 ${status}`);
      expect(response).toContain('x-request-id: late');
      expect(response.toLowerCase()).toContain('\r\nconnection: close\r\n');
    },
  );
});

// No route has been found yet, and hence no surface: the errors are not in an envelope.
describe.each(['partner', 'operator'])('malformed requests on the socket of the %s API', (name) => {
  let port: number;
  beforeAll(async () => {
    const app = name === 'partner' ? h.app : operators.app;
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  });

  function exchange(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
  }

  test.each([
    ['what is no HTTP', 400, 'NONSENSE\r\n\r\n'],
    ['headers beyond all measure', 431, `GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['no host', 400, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['another expectation', 417, 'GET /health HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'],
    ['CONNECT', 405, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n'],
  ])('%s has a JSON response with %d', async (_name, status, text) => {
    const response = await exchange(text);
    expect(response).toContain(`HTTP/1.1 ${status}`);
    expect(response).toContain('x-request-id: ');
    expect(bodyOf(response)).toMatchObject({
      error: status === 405 ? 'method_not_allowed' : 'invalid_request',
    });
  });

  test('a request without a host is served as HTTP/1.0', async () => {
    expect(await exchange('GET / HTTP/1.0\r\n\r\n')).toContain('HTTP/1.1 404');
  });
});

const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
const lineOf = (id: string) =>
  h.logLines.map((text) => JSON.parse(text)).find((entry) => entry.request_id === id);

test('a compressed body is 415 on every surface', async () => {
  const body = gzipSync(JSON.stringify({ wallet_address: h.main.wallet.address }));
  for (const [client, url] of [
    [h.anonymous, '/v1/auth/challenge'],
    [h.anonymous, '/api/auth/challenge'],
    [operators.anonymous, `${operatorBase}/session`],
  ] as const) {
    const headers = { ...json, 'content-encoding': 'gzip' };
    const response = await client.send({ method: 'POST', url, headers, payload: body });
    expect(response.status).toBe(415);
    expect(response.text).toContain('unsupported_media_type');
    const plain = {
      method: 'POST',
      url,
      headers: { ...json, 'content-encoding': 'identity' },
      payload: '{}',
    };
    expect((await client.send(plain as Parameters<typeof client.send>[0])).status).toBe(400);
  }
});

test('an id of any length and any characters is unknown', async () => {
  for (const id of [
    'x'.repeat(5_000),
    '%00',
    'gu_%F0%9F%91%91',
    '..',
    'gu_01890000-0000-7000-8000-000000000000',
  ]) {
    expect(await h.partner.get(`/v1/users/${id}`)).toMatchObject({ status: 404 });
  }
});

test('a route without a body takes none, an empty one, and ignores any other', async () => {
  const path = '/v1/partner/api-keys/01890000-0000-7000-8000-000000000000/revoke';
  const empty = { method: 'POST', url: path, headers: json, payload: '' } as const;
  for (const response of [
    await h.partner.post(path),
    await h.partner.send(empty),
    await h.partner.post(path, { x: 1 }),
  ]) {
    expect(response).toMatchObject({ status: 404, body: { error: 'key_not_found' } });
  }
});

test('the log line of a keyed request names its key and partner', async () => {
  await h.partner.get('/v1/users/gu_x', { 'x-request-id': 'whose' });
  expect(lineOf('whose')).toMatchObject({
    method: 'GET',
    route: '/v1/users/:service_user_id',
    status: 404,
    partner_id: h.main.partnerId,
    key_id: h.main.keyId,
    remote_address: '127.0.0.1',
  });
});

describe('order of checks on a keyed route', () => {
  const broken = { method: 'POST', url: '/v1/users', headers: json, payload: '{' } as const;
  const refused = async (client: Client) => {
    const { status, body } = await client.send(broken);
    return [status, body.error];
  };

  test('order of checks: the key comes before the body', async () => {
    for (const key of ['', 'x', `service_partner_${'0'.repeat(64)}`, 'k'.repeat(5_000)]) {
      expect(await refused(clientOf(h.app, { 'x-api-key': key }))).toEqual([401, 'unauthorized']);
    }
    expect(await refused(h.anonymous)).toEqual([401, 'unauthorized']);
  });

  test('order of checks: the scope comes after the key', async () => {
    const other = await h.givenPartner({ scope: 'PARTNER_EXECUTIVE_AUTHORITY', status: 'suspended' });
    expect(await refused(other.client)).toEqual([403, 'insufficient_scope']);
  });

  test('order of checks: the state of the partner comes after the scope', async () => {
    const { client } = await h.givenPartner({ status: 'suspended' });
    expect(await refused(client)).toEqual([403, 'partner_suspended']);
    for (const path of ['/v1/partner/api-keys', '/v1/users/gu_x']) {
      expect(await client.get(path)).toMatchObject({ status: 403, body: { error: 'partner_suspended' } });
    }
  });

  test('order of checks: the body comes last', async () => {
    expect(await refused(h.partner)).toEqual([400, 'invalid_request']);
  });
});

describe('budgets per IP address', () => {
  const from = (remoteAddress: string, app = h.app) => clientOf(app, {}, { remoteAddress });

  test('the auth routes of a surface share one of ten a minute', async () => {
    const client = from(newAddress());
    const surfaces = ['/v1/auth', '/api/auth'].map((path) => [`${path}/challenge`, `${path}/api-key`]);
    for (const paths of surfaces) {
      for (let left = 9; left >= 0; left -= 1) {
        const response = await client.post(paths[left % 2] ?? '', {});
        expect([response.status, response.headers['ratelimit-remaining']]).toEqual([400, String(left)]);
      }
      for (const path of paths) expect((await client.post(path, {})).status).toBe(429);
    }
    const refused = await client.post('/api/auth/challenge', {});
    expect(refused.body).toEqual(tradebook.failure('rate_limited'));
    expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '60' });
    // Another address has its own, and neither the price nor submitting counts against it.
    expect((await from(newAddress()).post('/api/auth/challenge', {})).status).toBe(400);
  });

  test('the price has one of 60, and submitting another', async () => {
    const config = { ...h.ctx.config, openRateLimitPerMinute: 60 };
    const [app, second] = await Promise.all([
      buildPartnerApp({ ...h.ctx, config }),
      buildPartnerApp({ ...h.ctx, config }),
    ]);
    const address = newAddress();
    const requested = await Promise.all(
      Array.from({ length: 70 }, (_, i) =>
        from(address, i % 2 ? app : second).get('/api/trading/gold/price'),
      ),
    );
    expect(requested.filter(({ status }) => status === 429)).toHaveLength(10);
    const submitted = await from(address, app).post('/api/transactions/submit', {});
    expect([submitted.status, submitted.headers['ratelimit-remaining']]).toEqual([400, '59']);
    expect((await from(address, app).post('/api/auth/challenge', {})).headers['ratelimit-limit']).toBe('10');
    await Promise.all([app.close(), second.close()]);
  });
});

test('the requests of a key are counted as on the partner API, refused ones included', async () => {
  const config = { ...h.ctx.config, keyRateLimitPerMinute: 3 };
  const app = await buildPartnerApp({ ...h.ctx, config });
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

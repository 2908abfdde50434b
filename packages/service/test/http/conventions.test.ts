import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleError } from '../../src/http/server/errors.js';
import { clientOf, type Harness, harness } from '../harness.js';
import { requestWhileClosing } from './late-request.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const json = { 'content-type': 'application/json' };

describe('what no route takes', () => {
  test.each(['/', '/v1', '/v2/users', '/v1/partner', '/healthz', '/v1/users/a/b'])(
    '%s is 404 in JSON',
    async (path) => {
      const answer = await h.partner.get(path);
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['x-request-id']).toBeTruthy();
    },
  );

  test.each([
    ['GET', '/v1/buy', 'POST'],
    ['DELETE', '/v1/users', 'GET, HEAD, POST'],
    ['PUT', '/v1/users/gu_x', 'GET, HEAD'],
    ['OPTIONS', '/v1/auth/challenge', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/v1/partner/api-keys', 'GET, HEAD'],
    ['GET', '/v1/partner/api-keys/x/revoke', 'POST'],
  ] as const)('%s %s is 405 and names what is allowed', async (method, url, allow) => {
    const answer = await h.partner.send({ method, url });
    expect(answer).toMatchObject({ status: 405, body: { error: 'method_not_allowed' }, headers: { allow } });
  });

  test('a path that is not validly encoded is 400 in JSON', async () => {
    const answer = await h.partner.get('/v1/users/%zz');
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.headers['x-request-id']).toBeTruthy();
  });

  test('an id of any length and any letters is unknown', async () => {
    for (const id of [
      'x'.repeat(5_000),
      '%00',
      'gu_%F0%9F%91%91',
      '..',
      'gu_01890000-0000-7000-8000-000000000000',
    ]) {
      const answer = await h.partner.get(`/v1/users/${id}`);
      expect(answer).toMatchObject({ status: 404 });
    }
  });
});

describe('bodies', () => {
  const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
    h.partner.send({ method: 'POST', url: '/v1/users', headers, payload });

  test.each([
    ['a brace', '{'],
    ['a trailing comma', '{"user_id":"a",}'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['two values', '{} {}'],
    ['HTML', '<html></html>'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is 400', async (_name, payload) => {
    expect(await post(payload)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: 'The body is not valid JSON.' },
    });
  });

  test.each(['[]', 'null', '"text"', '1', 'true', ''])('a body of %s is no object: 400', async (payload) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('no body at all is 400', async () => {
    expect(await h.partner.post('/v1/users')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  test('64 KiB pass, one byte more is 413', async () => {
    const fill = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect(await post(fill(65_536))).toMatchObject({ status: 400, body: { field: 'user_id' } });
    expect(await post(fill(65_537))).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('content type %s is 415', async (type) => {
    expect(await post('{}', { 'content-type': type })).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type' },
    });
  });

  test.each([
    ['{"__proto__":{"admin":true}}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"constructor":1}', 'constructor'],
    ['{"kyc":{"kyc_data":{"list":[{"__proto__":1}]}}}', 'kyc.kyc_data.list.0.__proto__'],
    ['{"kyc":{"constructor":{"prototype":{}}}}', 'kyc.constructor'],
  ])('%s is 400', async (payload, field) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { error: 'invalid_request', field } });
  });

  test('nesting of any depth is 400 and harms nobody', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const depth = Math.floor(64_000 / (open.length + close.length));
      const deep = `{"kyc":${open.repeat(depth)}${open === '[' ? '' : '1'}${close.repeat(depth)}}`;
      expect(await post(deep)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field: 'kyc' },
      });
    }
    expect((await h.anonymous.get('/health')).status).toBe(200);
  });

  test('a route without a body takes none, an empty one, and ignores any other', async () => {
    const path = '/v1/partner/api-keys/01890000-0000-7000-8000-000000000000/revoke';
    for (const [payload, headers] of [
      [undefined, {}],
      ['', json],
      ['{"x":1}', json],
    ] as const) {
      const answer = await h.partner.send({
        method: 'POST',
        url: path,
        headers,
        ...(payload === undefined ? {} : { payload }),
      });
      expect(answer).toMatchObject({ status: 404, body: { error: 'key_not_found' } });
    }
  });
});

describe('x-request-id', () => {
  const idOf = async (given: string) =>
    (await h.anonymous.get('/health', { 'x-request-id': given })).headers['x-request-id'];

  test('is taken when it is 1 to 128 printable characters', async () => {
    for (const id of ['a', 'order 17/é'.replace('é', 'e'), '~!@#$%^&*()', 'x'.repeat(128)])
      expect(await idOf(id)).toBe(id);
  });

  test('is made when it is anything else', async () => {
    const seen = new Set<unknown>();
    for (const id of ['', 'x'.repeat(129), 'tab\there', 'é']) seen.add(await idOf(id));
    expect(seen.size).toBe(4);
    for (const id of seen) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('stands on errors and in the log line of the request', async () => {
    for (const [url, status] of [
      ['/nowhere', 404],
      ['/v1/partner/api-keys', 401],
    ] as const) {
      const id = `trace-${status}`;
      const answer = await h.anonymous.get(url, { 'x-request-id': id });
      expect(answer).toMatchObject({ status, headers: { 'x-request-id': id } });
      const line = h.logLines.map((text) => JSON.parse(text)).find((entry) => entry.request_id === id);
      expect(line).toMatchObject({ status, msg: 'answered' });
    }
  });
});

test('the log line of a keyed request says whose it was', async () => {
  await h.partner.get('/v1/users/gu_x', { 'x-request-id': 'whose' });
  const line = h.logLines.map((text) => JSON.parse(text)).find((entry) => entry.request_id === 'whose');
  expect(line).toMatchObject({
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

  test('the key comes before the body', async () => {
    for (const key of ['', 'x', `service_partner_${'0'.repeat(64)}`, 'k'.repeat(5_000)]) {
      const client = clientOf(h.app, { 'x-api-key': key });
      expect(await client.send(broken)).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    }
    expect(await h.anonymous.send(broken)).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test('then its scope', async () => {
    const other = await h.givenPartner({ scope: 'PARTNER_EXECUTIVE_AUTHORITY', status: 'suspended' });
    expect(await other.client.send(broken)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
  });

  test('then the state of its partner', async () => {
    const suspended = await h.givenPartner({ status: 'suspended' });
    expect(await suspended.client.send(broken)).toMatchObject({
      status: 403,
      body: { error: 'partner_suspended' },
    });
    for (const path of ['/v1/partner/api-keys', '/v1/users/gu_x']) {
      expect(await suspended.client.get(path)).toMatchObject({
        status: 403,
        body: { error: 'partner_suspended' },
      });
    }
  });

  test('then the body', async () => {
    expect(await h.partner.send(broken)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

test('what nobody foresaw is a 500 that tells nothing', async () => {
  const app = Fastify({ loggerInstance: h.ctx.log });
  app.setErrorHandler(handleError);
  app.get('/boom', async () => {
    throw new TypeError('postgres://karat:password@host');
  });
  const answer = await clientOf(app as never, {}).get('/boom');
  expect(answer).toMatchObject({ status: 500 });
  expect(answer.body).toEqual({ error: 'internal_error', message: 'Something went wrong on our side.' });
  await app.close();
});

describe('on a socket', () => {
  async function exchange(text: string): Promise<string> {
    const { port } = new URL(await listening());
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
  }
  let url: Promise<string> | undefined;
  const listening = () => {
    url ??= h.app.listen({ port: 0, host: '127.0.0.1' });
    return url;
  };
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

  test('what is no HTTP is answered in JSON', async () => {
    const answer = await exchange('NONSENSE\r\n\r\n');
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('x-request-id: ');
    expect(bodyOf(answer)).toMatchObject({ error: 'invalid_request' });
  });

  test('headers beyond all measure are answered in JSON', async () => {
    const answer = await exchange(`GET /health HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 431');
    expect(bodyOf(answer)).toMatchObject({ error: 'invalid_request' });
  });

  // Last: it closes the application.
  test('while it shuts down, a request on an open connection is 503', async () => {
    await listening();
    const request = { head: 'GET /health HTTP/1.1\r\n', rest: 'host: x\r\nx-request-id: late\r\n\r\n' };
    const answer = await requestWhileClosing(h.app, request, async () => h.app.close());
    expect(answer).toContain('HTTP/1.1 503');
    expect(answer).toContain('x-request-id: late');
    expect(bodyOf(answer)).toMatchObject({
      error: 'service_unavailable',
      message: 'The service is shutting down.',
    });
  });
});

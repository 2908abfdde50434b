import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness({ config: { openRateLimitPerMinute: 10 } });
});
afterAll(() => h.close());

const origin = 'https://shop.example';
const grantsOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
const preflight = (url: string, method: string) =>
  h.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    },
  });

test.each([
  ['GET', '/health'],
  ['GET', '/openapi.json'],
  ['GET', '/api/openapi.json'],
  ['GET', '/v1/network'],
  ['GET', '/v1/reserves/live'],
  ['GET', '/v1/reserves/statements/none'],
  ['GET', '/token/gold.svg'],
  ['GET', '/api/trading/gold/price'],
  ['POST', '/api/transactions/submit'],
] as const)('a page of any site may read what %s %s responds, errors included', async (method, url) => {
  const response = await h.app.inject({ method, url, headers: { origin } });
  expect(grantsOf(response.headers)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('retry-after'),
  });
  const before = await preflight(url, method);
  expect(before.statusCode).toBe(204);
  expect(grantsOf(before.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': expect.stringContaining(method),
    'access-control-allow-headers': expect.stringContaining('content-type'),
  });
});

test('a page of any site may read that it has to wait', async () => {
  const fetchBars = () =>
    h.app.inject({
      url: '/v1/reserves/statements/none/bars',
      headers: { origin },
      remoteAddress: '192.0.2.77',
    });
  for (let sent = 0; sent < 10; sent += 1) expect((await fetchBars()).statusCode).toBe(404);
  const response = await fetchBars();
  expect([response.statusCode, Number(response.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  expect(grantsOf(response.headers)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('retry-after'),
  });
});

test('a route that takes a key or mints one, or signs in, is open to no page', async () => {
  const routes = [
    ['GET', '/v1/trades'],
    ['POST', '/v1/buy'],
    ['POST', '/v1/auth/challenge'],
    ['POST', '/v1/auth/api-key'],
    ['POST', '/v1/session'],
    ['POST', '/v1/session/challenge'],
    ['POST', '/v1/session/second-factor'],
    ['POST', '/v1/members/invitations/accept'],
    ['POST', '/api/auth/challenge'],
    ['POST', '/api/trading/estimate/buy'],
  ] as const;
  for (const [method, url] of routes) {
    const response = await h.app.inject({ method, url, headers: { origin, 'x-api-key': h.main.apiKey } });
    expect(grantsOf(response.headers)).toEqual({});
    expect(grantsOf((await preflight(url, method)).headers)).toEqual({});
  }
});

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { type AppParts, buildApp } from '../../../src/http/app.js';
import { CallerLookup } from '../../../src/http/auth/caller-lookup.js';
import type { Metrics } from '../../../src/metrics/metrics.js';
import { eventually } from '../../karat-chain.js';
import { startTrading, type Trading } from '../../trading.js';
import { within } from '../../within.js';

/**
 * The quick path against the framework: the same request is sent over a socket, where the quick path stands in front, and
 * injected, where it does not. Everything that a caller or an operator sees of it has to be the same.
 */
let t: Trading;
let app: Awaited<ReturnType<typeof buildApp>>;
let port: number;
/** Requests that the framework has got since the test began. */
let framed = 0;
/** What is counted of responses, and of quotes. */
let answered: MockInstance<Metrics['answered']>;
let quoted: MockInstance<Metrics['quotes']['add']>;
const foreign: Record<string, string> = {};

beforeAll(async () => {
  t = await startTrading();
  answered = vi.spyOn(t.service.ctx.metrics, 'answered');
  quoted = vi.spyOn(t.service.ctx.metrics.quotes, 'add');
  const extend = (instance: typeof app) =>
    void instance.addHook('onRequest', async () => {
      framed += 1;
    });
  app = await buildApp(t.service.ctx, { extend, maxTurnMs: 0 });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
  const suspended = await t.service.givenPartner({ status: 'suspended' });
  const other = await t.service.givenPartner();
  foreign.suspendedKey = suspended.apiKey;
  foreign.otherKey = other.apiKey;
  foreign.suspendedUser = (await t.service.givenUser(t.partner.partnerId, { status: 'suspended' })).id;
  foreign.othersUser = (await t.service.givenUser(other.partnerId)).id;
  // From then on the keys are known, and what they may request has been leased.
  for (const key of [t.partner.apiKey, other.apiKey]) await overSocket(usual({ 'x-api-key': key }));
  for (const side of ['buy', 'sell'] as const) await overSocket(usual({}, side));
});
afterAll(async () => {
  await app.close();
  await t.stop();
});
beforeEach(() => {
  framed = 0;
});

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Seen {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

function usual(headers: Record<string, string> = {}, side: 'buy' | 'sell' = 'buy', body: object = {}): Sent {
  const amount = side === 'buy' ? { usdc_amount: 10 } : { gold_amount: 0.01 };
  return {
    path: `/v1/${side}`,
    headers: {
      host: 'karat.test',
      'content-type': 'application/json',
      'x-api-key': t.partner.apiKey,
      ...headers,
    },
    body: JSON.stringify({ service_user_id: t.user.id, ...amount, ...body }),
  };
}

async function overSocket({ path, headers, body }: Sent, agent?: Agent): Promise<Seen> {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const sent = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { ...headers, ...length },
    agent,
  });
  const response = new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    sent.on('response', resolve).on('error', reject),
  );
  sent.end(body);
  const { statusCode: status = 0, headers: received } = await response.then(async (message) => message);
  return { status, headers: received, text: await text(await response) };
}

async function injected({ path, headers, body }: Sent): Promise<Seen> {
  const response = await app.inject({
    method: 'POST',
    url: path,
    headers,
    payload: body,
    remoteAddress: '127.0.0.1',
  });
  return {
    status: response.statusCode,
    headers: response.headers as IncomingHttpHeaders,
    text: response.body,
  };
}

const changing = new Set([
  'date',
  'connection',
  'keep-alive',
  'x-request-id',
  'ratelimit-remaining',
  'ratelimit-reset',
  'content-length',
]);

/** What of a response has to be the same however it came about. */
function shownOf({ status, headers, text: body }: Seen) {
  const kept = Object.entries(headers)
    .filter(([name]) => !changing.has(name))
    .map(
      ([name, value]) =>
        [name, name === 'retry-after' ? String(value).replace(/^\d+$/, 'in s') : value] as const,
    );
  const fixed = body
    .replace(/trd_[0-9a-f-]{36}/g, 'trd_')
    .replace(
      /"(partially_signed_transaction)":"([A-Za-z0-9+/]+=*)"/,
      (_all, name, base64) => `"${name}":${base64.length}`,
    )
    .replace(/"(expires_at)":"[^"]+"/, '"$1":""')
    .replace(/"(last_valid_block_height)":\d+/, '"$1":0')
    .replace(/in \d+ s\b/, 'in s');
  return { status, headers: Object.fromEntries(kept.sort()), body: fixed };
}

/** The last line of the log without what differs each time. */
function lineOf(lines: string[]): string {
  const line = lines.findLast((each) => each.includes('"msg":"answered"')) ?? '';
  return line.replace(/"(time|request_id)":"[^"]+"/g, '"$1":""').replace(/"ms":\d+/, '"ms":0');
}

/** How many sessions of this database wait for a lock to do what has these words. */
async function waitingFor(words: string): Promise<number> {
  const found = await t.service.ctx.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${words}%`}`;
  return found.length;
}

/** How many responses Prometheus is shown. */
async function shownCount(): Promise<number> {
  const shown = await t.service.ctx.metrics.text();
  const counts = shown.matchAll(/^karat_http_request_duration_seconds_count\{.*?\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count = '']) => sum + Number.parseInt(count, 10), 0);
}

async function watched(send: () => Promise<Seen>) {
  const [lines, answers, quotes] = [
    t.service.logLines.length,
    answered.mock.calls.length,
    quoted.mock.calls.length,
  ];
  const seen = await send();
  await eventually(() => {
    if (lineOf(t.service.logLines.slice(lines)) === '')
      throw new Error('the line of the response is missing');
  }, 5_000);
  return {
    ...shownOf(seen),
    line: lineOf(t.service.logLines.slice(lines)),
    answered: answered.mock.calls.slice(answers).map(([{ seconds: _, ...labels }]) => labels),
    quoted: quoted.mock.calls.slice(quotes),
  };
}

async function expectBothAlike(sent: Sent): Promise<number> {
  const framework = await watched(() => injected(sent));
  expect(await watched(() => overSocket(sent))).toEqual(framework);
  return framework.status;
}

test('the usual request does not come to the framework, and its response is the same', async () => {
  const given = { 'x-request-id': 'a "given" \\ id' };
  const [shownBefore, before] = [await shownCount(), answered.mock.calls.length];
  for (const sent of [
    usual(),
    usual({}, 'sell'),
    usual({ 'content-type': 'application/json; charset=utf-8' }),
    usual(given, 'sell', { slippage_bps: 0, min_usdc_out: 0 }),
    usual({}, 'buy', { usdc_amount: undefined, gold_amount: 0.5 }),
  ]) {
    framed = 0;
    const quick = await watched(() => overSocket(sent));
    expect(framed).toBe(0);
    expect(quick.status).toBe(200);
    expect(await watched(() => injected(sent))).toEqual(quick);
  }
  expect((await shownCount()) - shownBefore).toBe(answered.mock.calls.length - before);
  expect((await overSocket(usual(given))).headers['x-request-id']).toBe(given['x-request-id']);
});

test('a request whose budget has to be leased first does not come to the framework either', async () => {
  const { answer } = await t.service.mintKey(t.partner);
  const key = { 'x-api-key': answer.body.api_key };
  await overSocket(usual(key));
  // A minute later nothing of it is left, and the partner's is over, too.
  t.chain.node.warp({ seconds: 61 });
  // Until there is a blockhash and a price of that time.
  await eventually(async () => expect((await t.quote()).status).toBe(200), 10_000);
  framed = 0;
  expect((await overSocket(usual(key))).status).toBe(200);
  expect(framed).toBe(0);
});

test('a budget is counted once for each request, whichever way it goes', async () => {
  const left = async (sent: Sent, send = overSocket) =>
    Number((await send(sent)).headers['ratelimit-remaining']);
  // Of a key of its own, whose minute begins now.
  const { answer } = await t.service.mintKey(t.partner);
  const key = { 'x-api-key': answer.body.api_key };
  const first = await left(usual(key));
  expect(await left(usual(key))).toBe(first - 1);
  // An error after the request was counted, and one before.
  expect(await left(usual(key, 'buy', { usdc_amount: 0 }))).toBe(first - 2);
  expect(await left(usual(key, 'buy', { usdc_amount: '1' }))).toBe(first - 3);
  expect(await left(usual(key), injected)).toBe(first - 4);
});

test('any request is served alike by both', async () => {
  const of = <T>(...values: T[]) => fc.constantFrom(...values);
  const mostly = <T>(value: T, ...others: T[]) =>
    fc.oneof({ arbitrary: fc.constant(value), weight: 6 }, { arbitrary: of(...others), weight: 1 });
  const amounts = [undefined, 10, 1.5, 0.000001, 0.0000001, 0, -1, 1e15, 1e300, '1', null, [1], true];
  const body = fc.record(
    {
      service_user_id: mostly<unknown>(
        t.user.id,
        foreign.suspendedUser,
        foreign.othersUser,
        'gu_x',
        'é',
        '',
        7,
        null,
        {},
      ),
      usdc_amount: mostly<unknown>(10, ...amounts),
      gold_amount: mostly<unknown>(undefined, ...amounts),
      slippage_bps: mostly<unknown>(undefined, 0, 100, 10_000, 10_001, -1, 0.5, '5'),
      min_gold_out: mostly<unknown>(undefined, ...amounts),
      min_usdc_out: mostly<unknown>(undefined, 1, 'x'),
      usdc_amont: mostly<unknown>(undefined, 1),
      note: mostly<unknown>(undefined, 'x', { deep: { er: 1 } }),
    },
    { requiredKeys: ['service_user_id'] },
  );
  const raw = of(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"service_user_id":"a","__proto__":{}}',
    `{"service_user_id":"${'x'.repeat(2_000)}"}`,
  );
  const request = fc.record({
    path: mostly('/v1/buy', '/v1/sell', '/v1/buy?a=1', '/v1/Buy', '/v1/buy/'),
    key: mostly(t.partner.apiKey, foreign.suspendedKey, foreign.otherKey, 'unknown', ''),
    type: mostly(
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'text/plain',
    ),
    id: of(undefined, 'mine', 'x'.repeat(129)),
    body: fc.oneof(
      { arbitrary: body.map((value) => JSON.stringify(value)), weight: 8 },
      { arbitrary: raw, weight: 1 },
    ),
  });
  // One for each status, which random ones alone need not have.
  const good = {
    path: '/v1/buy',
    key: t.partner.apiKey,
    type: 'application/json',
    id: undefined,
    body: usual().body,
  };
  const forbidden = { ...good, body: usual({}, 'buy', { service_user_id: foreign.suspendedUser }).body };
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ path, key, type, id, body: content }) => {
      const headers = {
        host: 'karat.test',
        'content-type': type,
        'x-api-key': key ?? '',
        ...(id === undefined ? {} : { 'x-request-id': id }),
      };
      statuses.add(await expectBothAlike({ path, headers, body: content }));
    }),
    {
      numRuns: 150,
      examples: [[good], [{ ...good, body: '{' }], [forbidden], [{ ...good, path: '/v1/Buy' }]],
    },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 403, 404]));
  // Enough of them were usual ones: about 45 are.
  expect(150 * 2 - framed).toBeGreaterThan(15);
});

test('a key that was revoked is refused by the next request, and so is a user who was suspended', async () => {
  const partner = await t.service.givenPartner();
  const sent = usual({ 'x-api-key': partner.apiKey });
  expect((await overSocket(sent)).status).toBe(403);
  await t.service.ctx
    .sql`update api_keys set status = 'revoked', revoked_at = now() where partner_id = ${partner.partnerId}`;
  expect((await overSocket(sent)).status).toBe(401);
  await t.service.ctx.sql`update users set status = 'suspended' where id = ${t.user.id.slice(3)}`;
  expect(JSON.parse((await overSocket(usual())).text).error).toBe('user_suspended');
  await t.service.ctx.sql`update users set status = 'active' where id = ${t.user.id.slice(3)}`;
  expect((await overSocket(usual())).status).toBe(200);
});

/** Does `work` with another application in front. */
async function withApp(
  config: Partial<Trading['service']['ctx']['config']>,
  parts: AppParts,
  work: () => Promise<void>,
): Promise<void> {
  const { ctx } = t.service;
  const extend = (instance: typeof app) =>
    void instance.addHook('onRequest', async () => {
      framed += 1;
    });
  const other = await buildApp(
    { ...ctx, config: { ...ctx.config, ...config } },
    { maxTurnMs: 0, extend, ...parts },
  );
  await other.listen({ host: '127.0.0.1', port: 0 });
  const [usualApp, usualPort] = [app, port];
  app = other;
  port = (other.server.address() as { port: number }).port;
  try {
    await work();
  } finally {
    [app, port] = [usualApp, usualPort];
    await other.close();
  }
}

/** Does it with one that responds within 3 s. */
const whileHurried = (work: () => Promise<void>) =>
  withApp({}, { answerWithinMs: 3_000 }, async () => {
    expect((await overSocket(usual())).status).toBe(200);
    await work();
    await eventually(async () => expect((await overSocket(usual())).status).toBe(200), 10_000);
  });

test('a budget that is used up refuses alike, after one look at the key', async () => {
  const { answer } = await t.service.mintKey(t.partner);
  const sent = usual({ 'x-api-key': answer.body.api_key });
  // What the other application has leased is more than this one allows.
  await t.service.ctx.sql`delete from key_budgets`;
  await withApp({ keyRateLimitPerMinute: 2 }, {}, async () => {
    for (const status of [200, 200, 429]) expect((await overSocket(sent)).status).toBe(status);
    const looks = vi.spyOn(CallerLookup.prototype, 'add');
    try {
      expect(await expectBothAlike(sent)).toBe(429);
      expect(looks).toHaveBeenCalledTimes(2);
    } finally {
      looks.mockRestore();
    }
  });
});

const tookTooLong = { status: 503, text: expect.stringContaining('This took too long') };

test('work that takes too long ends with 503, and what it comes to later with nothing', async () => {
  await whileHurried(async () => {
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      expect(await overSocket(usual())).toMatchObject(tookTooLong);
    });
  });
});

test('a request that waits too long for its budget is logged with its partner and key', async () => {
  const { answer } = await t.service.mintKey(t.partner);
  const sent = usual({ 'x-api-key': answer.body.api_key });
  await whileHurried(async () => {
    expect((await overSocket(sent)).status).toBe(200);
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table key_budgets in access exclusive mode`;
      t.chain.node.warp({ seconds: 61 });
      expect(await watched(() => overSocket(sent))).toMatchObject({
        status: 503,
        line: expect.stringMatching(new RegExp(`"partner_id":"${t.partner.partnerId}","key_id":"[^"]+"`)),
      });
    });
  });
});

test('what goes to the framework after a slow look-up has only the rest of its time', async () => {
  const partner = await t.service.givenPartner();
  const sent = usual({ 'x-api-key': partner.apiKey });
  const { sql } = t.service.ctx;
  await whileHurried(async () => {
    expect((await overSocket(sent)).status).toBe(403);
    let response: Promise<Seen> | undefined;
    let second: Promise<unknown> | undefined;
    const begunMs = performance.now();
    await sql.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      // The time of the first look and a whole one after it would be five seconds.
      response = within(4_500, 'the response', () => overSocket(sent));
      await eventually(async () => expect(await waitingFor('holders')).toBe(1), 2_000);
      // Behind it in the queue: the second look waits for this one.
      second = sql.begin(async (next) => {
        await next`lock table api_keys in access exclusive mode`;
        await response;
      });
      await new Promise((resolve) => setTimeout(resolve, begunMs + 2_000 - performance.now()));
      await tx`update api_keys set status = 'revoked', revoked_at = now() where partner_id = ${partner.partnerId}`;
    });
    expect(await response).toMatchObject(tookTooLong);
    await second;
  });
});

test('behind trusted proxies both log the address of the caller', async () => {
  await withApp({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }, {}, async () => {
    await overSocket(usual());
    for (const [forwarded, address] of [
      ['203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['no address', 'no address'],
    ]) {
      framed = 0;
      const sent = usual({ 'x-forwarded-for': forwarded ?? '' });
      const { line } = await watched(() => overSocket(sent));
      expect(line).toContain(`"remote_address":"${address}"`);
      expect(framed).toBe(0);
      await expectBothAlike(sent);
    }
  });
});

test('a caller whose connection would stay open is asked to close it while the service stops', async () => {
  const stopping = await buildApp(t.service.ctx, { maxTurnMs: 0 });
  await stopping.listen({ host: '127.0.0.1', port: 0 });
  const usualPort = port;
  port = (stopping.server.address() as { port: number }).port;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    expect((await overSocket(usual(), agent)).headers.connection).not.toBe('close');
    let late: Promise<Seen> | undefined;
    let closed: Promise<unknown> | undefined;
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      late = overSocket(usual(), agent);
      await eventually(async () => expect(await waitingFor('holders')).toBe(1), 2_000);
      closed = stopping.close();
    });
    expect(await late).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closed;
  } finally {
    port = usualPort;
    agent.destroy();
    await stopping.close();
  }
});

test('where traces are made, what none records is quoted here too', async () => {
  await withApp({ otlpEndpoint: 'http://127.0.0.1:9' }, {}, async () => {
    framed = 0;
    // The first shows which key it is.
    for (const _ of [1, 2]) expect((await overSocket(usual())).status).toBe(200);
    expect(framed).toBe(1);
  });
});

test('a mistake of ours is a 500, as from the framework', async () => {
  const broken = vi.spyOn(t.service.ctx.chain.price, 'current').mockImplementation(() => {
    throw new TypeError('planted');
  });
  try {
    expect(await expectBothAlike(usual())).toBe(500);
  } finally {
    broken.mockRestore();
  }
});

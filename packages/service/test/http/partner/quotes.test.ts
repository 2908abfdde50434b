import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, type MockInstance, test, vi } from 'vitest';
import { type AppParts, buildApp } from '../../../src/http/app.js';
import { CallerLookup } from '../../../src/http/auth/caller-lookup.js';
import { secureHeaders } from '../../../src/http/server/secure-headers.js';
import type { Metrics } from '../../../src/metrics/metrics.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';

/** Requests for quotes over sockets, as callers make them. */
let t: Karat;
let app: Awaited<ReturnType<typeof buildApp>>;
let port: number;
/** What is counted of responses, and of quotes. */
let answered: MockInstance<Metrics['answered']>;
let quoted: MockInstance<Metrics['quotes']['add']>;

beforeAll(async () => {
  t = await startKarat();
  answered = vi.spyOn(t.service.ctx.metrics, 'answered');
  quoted = vi.spyOn(t.service.ctx.metrics.quotes, 'add');
  app = await buildApp(t.service.ctx, { maxTurnMs: 0 });
  port = await listen(app);
});
afterAll(async () => {
  await app.close();
  await t.stop();
});

async function listen(one: typeof app): Promise<number> {
  await one.listen({ host: '127.0.0.1', port: 0 });
  return (one.server.address() as { port: number }).port;
}

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
    headers: { 'content-type': 'application/json', 'x-api-key': t.partner.apiKey, ...headers },
    body: JSON.stringify({ service_user_id: t.user.id, ...amount, ...body }),
  };
}

async function send({ path, headers, body }: Sent, agent?: Agent): Promise<Seen> {
  const sent = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    agent,
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.on('response', resolve).on('error', reject).end(body),
  );
  const { statusCode: status = 0, headers: received } = response;
  return { status, headers: received, text: await text(response) };
}

/** The line of the log with that id of a request, which is written after the response was sent. */
async function lineOf(id: string): Promise<string> {
  let line: string | undefined;
  await eventually(() => {
    line = t.service.logLines.find((each) => each.includes(`"request_id":"${id}"`));
    if (line === undefined) throw new Error('the line of the response is missing');
  }, 5_000);
  return line ?? '';
}

/** How many sessions of this database wait for a lock to do what has these words. */
async function waitingFor(words: string): Promise<number> {
  const found = await t.service.ctx.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${words}%`}`;
  return found.length;
}

/** Does `work` with another application in front. */
async function withApp(
  config: Partial<Karat['service']['ctx']['config']>,
  parts: AppParts,
  work: () => Promise<void>,
): Promise<void> {
  const { ctx } = t.service;
  const other = await buildApp({ ...ctx, config: { ...ctx.config, ...config } }, { maxTurnMs: 0, ...parts });
  const usualPort = port;
  port = await listen(other);
  try {
    await work();
  } finally {
    port = usualPort;
    await other.close();
  }
}

/** Does it with one that responds within 3 s. */
const whileHurried = (work: () => Promise<void>) =>
  withApp({}, { respondWithinMs: 3_000 }, async () => {
    expect((await send(usual())).status).toBe(200);
    await work();
    await eventually(async () => expect((await send(usual())).status).toBe(200), 10_000);
  });

test.each(['buy', 'sell'] as const)(
  'a quote of a %s has its headers, text, line in the log and counts',
  async (side) => {
    const counts = [answered.mock.calls.length, quoted.mock.calls.length] as const;
    const { status, headers, text: body } = await send(usual({ 'x-request-id': `one ${side}` }, side));
    expect(status).toBe(200);
    const { date, connection, 'keep-alive': keepAlive, ...shown } = headers;
    expect(shown).toEqual({
      ...secureHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      'x-request-id': `one ${side}`,
      'ratelimit-limit': String(t.service.ctx.config.keyRateLimitPerMinute),
      'ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'ratelimit-reset': expect.stringMatching(/^\d+$/),
    });
    const number = '[0-9.]+';
    const figures =
      side === 'buy'
        ? `"usdc_amount":10,"gold_amount":${number},"price_per_troy_oz":${number},"fee_bps":\\d+,"fee_usd":${number},"min_gold_out":${number},"max_gold_out":${number}`
        : `"gold_amount":0.01,"usdc_amount":${number},"price_per_troy_oz":${number},"fee_bps":\\d+,"fee_usd":${number},"min_usdc_out":${number},"max_usdc_out":${number}`;
    expect(body).toMatch(
      new RegExp(
        `^\\{"trade_id":"trd_[0-9a-f-]{36}","side":"${side}","quote":\\{${figures}\\},"partially_signed_transaction":` +
          `"[A-Za-z0-9+/]+=*","expires_at":"[0-9TZ:.-]{24}","last_valid_block_height":\\d+\\}$`,
      ),
    );
    const { trade_id: id } = JSON.parse(body) as { trade_id: string };
    expect(
      (await lineOf(`one ${side}`)).replace(/"time":"[^"]+"/, '"time":""').replace(/"ms":\d+/, '"ms":0'),
    ).toBe(
      `{"level":"info","time":"","request_id":"one ${side}","partner_id":"${t.partner.partnerId}","key_id":"${t.partner.keyId}"` +
        `,"trade_id":"${id}","method":"POST","route":"/v1/${side}","status":200,"ms":0,"remote_address":"127.0.0.1","msg":"answered"}\n`,
    );
    expect(answered.mock.calls.slice(counts[0])).toEqual([
      [{ method: 'POST', route: `/v1/${side}`, status: 200, seconds: expect.any(Number) }],
    ]);
    expect(quoted.mock.calls.slice(counts[1])).toEqual([[side, 'ok']]);
  },
);

test('a quote whose budget has to be leased first is made', async () => {
  const { response } = await t.service.mintKey(t.partner);
  const key = { 'x-api-key': response.body.api_key };
  expect((await send(usual(key))).status).toBe(200);
  // A minute later nothing of it is left, and the partner's is over, too.
  t.chain.node.warp({ seconds: 61 });
  // Until there is a blockhash and a price of that time.
  await eventually(async () => expect((await t.buy.quote()).status).toBe(200), 10_000);
  expect((await send(usual(key))).status).toBe(200);
});

test('a request for a quote counts once against its budget, whatever becomes of it', async () => {
  const left = async (sent: Sent) => Number((await send(sent)).headers['ratelimit-remaining']);
  // Of a key of its own, whose minute begins now.
  const { response } = await t.service.mintKey(t.partner);
  const key = { 'x-api-key': response.body.api_key };
  const first = await left(usual(key));
  expect(await left(usual(key))).toBe(first - 1);
  expect(await left(usual(key, 'buy', { usdc_amount: 0 }))).toBe(first - 2);
  expect(await left(usual(key, 'buy', { usdc_amount: '1' }))).toBe(first - 3);
  expect(await left({ ...usual(key), body: '{' })).toBe(first - 4);
});

test('a key that was revoked is refused by the next request, and so is a user who was suspended', async () => {
  const partner = await t.service.givenPartner();
  const sent = usual({ 'x-api-key': partner.apiKey });
  expect((await send(sent)).status).toBe(403);
  await t.service.ctx
    .sql`update api_keys set status = 'revoked', revoked_at = now() where partner_id = ${partner.partnerId}`;
  expect((await send(sent)).status).toBe(401);
  await t.service.ctx.sql`update users set status = 'suspended' where id = ${t.user.id.slice(3)}`;
  expect(JSON.parse((await send(usual())).text).error).toBe('user_suspended');
  await t.service.ctx.sql`update users set status = 'active' where id = ${t.user.id.slice(3)}`;
  expect((await send(usual())).status).toBe(200);
});

test('a budget that is used up refuses a quote, after one look at the key', async () => {
  const { response } = await t.service.mintKey(t.partner);
  const sent = usual({ 'x-api-key': response.body.api_key });
  // What the other application has leased is more than this one allows.
  await t.service.ctx.sql`delete from budgets`;
  await withApp({ keyRateLimitPerMinute: 2 }, {}, async () => {
    for (const status of [200, 200, 429]) expect((await send(sent)).status).toBe(status);
    const looks = vi.spyOn(CallerLookup.prototype, 'find');
    try {
      expect((await send(sent)).status).toBe(429);
      expect(looks).toHaveBeenCalledTimes(1);
    } finally {
      looks.mockRestore();
    }
  });
});

const tookTooLong = { status: 503, text: expect.stringContaining('This took too long') };

test('a quote that takes too long ends with 503, and what it comes to later with nothing', async () => {
  await whileHurried(async () => {
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      expect(await send(usual())).toMatchObject(tookTooLong);
    });
  });
});

test('a request that waits too long for its budget is logged with its partner and key', async () => {
  const { response } = await t.service.mintKey(t.partner);
  const sent = usual({ 'x-api-key': response.body.api_key, 'x-request-id': 'waits' });
  await whileHurried(async () => {
    expect((await send(usual({ 'x-api-key': response.body.api_key }))).status).toBe(200);
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table budgets in access exclusive mode`;
      t.chain.node.warp({ seconds: 61 });
      expect(await send(sent)).toMatchObject(tookTooLong);
      expect(await lineOf('waits')).toMatch(
        new RegExp(`"partner_id":"${t.partner.partnerId}","key_id":"[^"]+"`),
      );
    });
  });
});

test('a quote through trusted proxies is logged with the address of its caller', async () => {
  await withApp({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }, {}, async () => {
    for (const [forwarded, address] of [
      ['203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.8, 10.1.2.3', '203.0.113.8'],
      ['198.51.100.1, no address', '127.0.0.1'],
      ['203.0.113.9:40001', '203.0.113.9'],
    ] as const) {
      await send(usual({ 'x-forwarded-for': forwarded, 'x-request-id': `by ${forwarded}` }));
      expect(await lineOf(`by ${forwarded}`)).toContain(`"remote_address":"${address}"`);
    }
  });
});

test('a caller whose connection would stay open is requested to close it while the service stops', async () => {
  const stopping = await buildApp(t.service.ctx, { maxTurnMs: 0 });
  const usualPort = port;
  port = await listen(stopping);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    expect((await send(usual(), agent)).headers.connection).not.toBe('close');
    let late: Promise<Seen> | undefined;
    let closed: Promise<unknown> | undefined;
    await t.service.ctx.sql.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      late = send(usual(), agent);
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

test('a quote that fails by a mistake of the service is a 500 without details', async () => {
  const broken = vi.spyOn(t.service.ctx.chain.price, 'current').mockImplementation(() => {
    throw new TypeError('planted');
  });
  try {
    const { status, text: body } = await send(usual());
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({
      error: 'internal_error',
      message: 'Something went wrong on our side.',
      doc_url: expect.stringContaining('/errors/'),
    });
  } finally {
    broken.mockRestore();
  }
});

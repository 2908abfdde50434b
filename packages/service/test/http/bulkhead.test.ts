import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leastPoolSize } from '../../src/domain/limits.js';
import { buildOperatorApp } from '../../src/http/operator/app.js';
import { type ApiResponse, clientOf, type GivenPartner, newAddress, watchResponses } from '../harness.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually } from '../karat-chain.js';
import { operatorBase, startOperators } from '../operators.js';
import { userBody } from './surfaces/world.js';

/** What one caller does, whatever it waits for, while another partner quotes. */

let t: Karat;
let operatorApp: FastifyInstance;
let url: string;
beforeAll(async () => {
  // The limit of requests is not what is tried here: an attacker stays within it.
  t = await startKarat({
    // The smallest pool of which karat doctor does not warn.
    config: { keyRateLimitPerMinute: 6_000, databasePoolSize: leastPoolSize },
    connectWithinMs: 2_000,
  });
  operatorApp = await buildOperatorApp(t.service.ctx, { extend: watchResponses });
  url = await t.service.app.listen({ port: 0, host: '127.0.0.1' });
  // What is loaded and connected with the first requests is not what takes long under an attack.
  for (let at = 0; at < 10; at += 1) await quote();
});
afterAll(async () => {
  await operatorApp.close();
  await t.stop();
});

const perSecond = 60;
/** Longer than a statement may take, and than anything waits for a connection. */
const attackMs = 5_000;

interface Received {
  status: number;
  retryAfter: string | null;
  replayed: boolean;
  text: string;
}

/** Sends requests at a rate until the time is up, and returns what they got. A stream is left once it has begun. */
async function attack(send: (signal: AbortSignal) => Promise<Response>): Promise<Received[]> {
  const under: Promise<Received>[] = [];
  const startMs = performance.now();
  const one = async (): Promise<Received> => {
    const leave = new AbortController();
    const response = await send(leave.signal);
    const { status, headers } = response;
    const text = isStream(response) ? '' : await response.text();
    leave.abort();
    const replayed = headers.get('idempotency-replayed') === 'true';
    return { status, retryAfter: headers.get('retry-after'), replayed, text };
  };
  for (let sent = 0; performance.now() - startMs < attackMs; ) {
    for (; sent < ((performance.now() - startMs) / 1_000) * perSecond; sent += 1) under.push(one());
    await wait(5);
  }
  return Promise.all(under);
}

const isStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream');

/**
 * Counts the connections of the service that wait for a lock of a table, for longer than a busy machine takes to get it, and
 * what waits for a connection, until `stop`.
 */
function watchConnections(table: string) {
  let maxLocked = 0;
  let maxWaiting = 0;
  let stopped = false;
  const look = async () => {
    while (!stopped) {
      const [row] = await t.service.ctx.sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name = 'karat' and wait_event_type = 'Lock'
          and query ~ ${table} and query_start < clock_timestamp() - interval '500 ms'`;
      maxLocked = Math.max(maxLocked, row?.count);
      maxWaiting = Math.max(maxWaiting, t.service.ctx.pool.state().waiting);
      await wait(20);
    }
  };
  const looking = look();
  return {
    locked: () => maxLocked,
    async stop() {
      stopped = true;
      await looking;
      return { maxLocked, maxWaiting };
    },
  };
}

async function quote(): Promise<Response> {
  const body = JSON.stringify({ service_user_id: t.user.id, usdc_amount: 10 });
  const response = await fetch(`${url}/v1/buy`, { method: 'POST', headers: headersOf(t.partner), body });
  await response.arrayBuffer();
  return response;
}

/** Quotes for another partner until `work` is done; returns the quotes and how long each took, in milliseconds. */
async function quoteDuring<T>(
  work: Promise<T>,
): Promise<{ result: T; quotes: Response[]; tookMs: number[] }> {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  const quotes: Response[] = [];
  const tookMs: number[] = [];
  while (!done) {
    const startMs = performance.now();
    quotes.push(await quote());
    tookMs.push(performance.now() - startMs);
    await wait(20);
  }
  return { result: await ended, quotes, tookMs };
}

const statusesOf = (responses: readonly { status: number }[]) =>
  [...new Set(responses.map(({ status }) => status))].sort();
const p99 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)];

/** Holds locks by a session of another process while `work` is done. */
async function whileLocked<T>(statement: string, work: () => Promise<T>): Promise<T> {
  return t.service.ctx.sql.begin(async (tx) => {
    await tx.unsafe(statement);
    return work();
  }) as Promise<T>;
}

const headersOf = ({ apiKey }: Pick<GivenPartner, 'apiKey'>, more: Record<string, string> = {}) => ({
  'x-api-key': apiKey,
  'content-type': 'application/json',
  ...more,
});

/** Attacks, holds locks of a table meanwhile or until one waits for them, and returns what the attacker got; nothing of it may reach the other partner. */
async function attackUnder(
  { table, statement, untilLocked = false }: { table: string; statement: string; untilLocked?: boolean },
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<{ attacker: Received[]; maxLocked: number }> {
  const watch = watchConnections(table);
  let attacking: ReturnType<typeof quoteDuring<Received[]>> | undefined;
  await whileLocked(statement, async () => {
    attacking = quoteDuring(attack(send));
    if (untilLocked) await eventually(() => expect(watch.locked()).toBeGreaterThan(0), attackMs);
    else await wait(attackMs);
  });
  if (!attacking) throw new Error('nothing was attacked');
  const { result: attacker, quotes, tookMs } = await attacking;
  const { maxLocked, maxWaiting } = await watch.stop();
  expect(quotes.length).toBeGreaterThan(0);
  expect(statusesOf(quotes)).toEqual([200]);
  expect(maxWaiting).toBe(0);
  if (process.env.KARAT_SHOW_P99) console.info(`${quotes.length} quotes, p99 ${p99(tookMs)?.toFixed(1)} ms`);
  return { attacker, maxLocked };
}

test('a partner that opens 60 streams a second holds no connection while its row is locked', async () => {
  const attacker = await t.service.givenPartner();
  const { attacker: got, maxLocked } = await attackUnder(
    { table: 'partners', statement: `select from partners where id = '${attacker.partnerId}' for update` },
    (signal) => fetch(`${url}/v1/events/stream`, { headers: headersOf(attacker), signal }),
  );
  expect(maxLocked).toBe(0);
  expect(got.length).toBeGreaterThan(100);
  for (const { status } of got) expect([200, 429]).toContain(status);
  expect(statusesOf(got)).toContain(200);
});

test('a partner that repeats one Idempotency-Key 60 times a second waits for no lock of its first request', async () => {
  const attacker = await t.service.givenPartner();
  const body = JSON.stringify(userBody());
  const headers = headersOf(attacker, { 'idempotency-key': randomBytes(8).toString('hex') });
  const send = () => fetch(`${url}/v1/users`, { method: 'POST', headers, body });
  expect((await send()).status).toBe(201);
  const { attacker: got, maxLocked } = await attackUnder(
    {
      table: 'idempotency_keys',
      statement: `select from idempotency_keys where owner_id = '${attacker.partnerId}' for update`,
    },
    send,
  );
  expect(maxLocked).toBe(0);
  expect(statusesOf(got)).toEqual([201]);
  expect(got.every(({ replayed }) => replayed)).toBe(true);
});

test('twins of a request that waits for a lock wait in memory, and get its response', async () => {
  const attacker = await t.service.givenPartner();
  const body = JSON.stringify(userBody());
  const headers = headersOf(attacker, { 'idempotency-key': randomBytes(8).toString('hex') });
  const { attacker: got, maxLocked } = await attackUnder(
    { table: 'users', statement: 'lock table users in share mode', untilLocked: true },
    () => fetch(`${url}/v1/users`, { method: 'POST', headers, body }),
  );
  expect(maxLocked).toBe(1);
  // On a busy machine, one may have waited as long as it may.
  for (const { status } of got) expect([201, 409]).toContain(status);
  expect(got.filter(({ status, replayed }) => status === 201 && !replayed)).toHaveLength(1);
  expect(new Set(got.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
});

test('a partner uses three connections at once, and what gets none within 2 s is 429 with retry-after', async () => {
  const attacker = await t.service.givenPartner();
  const { attacker: got, maxLocked } = await attackUnder(
    { table: 'users', statement: 'lock table users in share mode' },
    () =>
      fetch(`${url}/v1/users`, {
        method: 'POST',
        headers: headersOf(attacker),
        body: JSON.stringify(userBody()),
      }),
  );
  expect(maxLocked).toBe(3);
  const refused = got.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { retryAfter, text } of refused) {
    expect([retryAfter, JSON.parse(text)]).toEqual([
      '1',
      {
        error: 'rate_limited',
        message: 'Too many of your requests came at once, and this one was not begun; try again in 1 s.',
        doc_url: expect.stringContaining('/errors/'),
      },
    ]);
  }
});

test('a caller of the tradebook API has the same three connections', async () => {
  const treasury = await t.given.treasury();
  const { attacker: got, maxLocked } = await attackUnder(
    { table: 'orders', statement: 'lock table orders in access exclusive mode' },
    () =>
      fetch(`${url}/api/trading/purchases/01890000-0000-7000-8000-000000000000`, {
        headers: headersOf(treasury.executive),
      }),
  );
  expect(maxLocked).toBe(3);
  const refused = got.find(({ status }) => status === 429);
  expect([refused?.retryAfter, JSON.parse(refused?.text ?? '').success]).toEqual(['1', false]);
});

test('keys that are not known yet take four connections of both APIs together', async () => {
  const send = (path: string) =>
    clientOf(
      t.service.app,
      { 'x-api-key': `service_${randomBytes(32).toString('hex')}` },
      {
        remoteAddress: newAddress(),
      },
    ).get(path);
  const watch = watchConnections('api_keys');
  const under: Promise<ApiResponse>[] = [];
  await whileLocked('lock table api_keys in access exclusive mode', async () => {
    for (let sent = 0; sent < 40; sent += 1) {
      under.push(send('/v1/users/gu_x'), send('/api/distribution/partner/me'));
      await wait(20);
    }
    expect(t.service.ctx.pool.state().waiting).toBe(0);
  });
  await Promise.all(under);
  const { maxLocked, maxWaiting } = await watch.stop();
  // One of them writes down when keys were last used.
  expect(maxLocked).toBeLessThanOrEqual(5);
  expect(maxWaiting).toBe(0);
});

test('requests without a key use three connections at once, and what gets none within 2 s is 503 with retry-after', async () => {
  const watch = watchConnections('challenges');
  const responses = await whileLocked('lock table challenges in access exclusive mode', () =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        clientOf(t.service.app, {}, { remoteAddress: newAddress() }).post('/v1/auth/challenge', {
          wallet_address: t.partner.wallet.address,
          partner_id: t.partner.partnerId,
        }),
      ),
    ),
  );
  const { maxLocked, maxWaiting } = await watch.stop();
  expect([maxLocked, maxWaiting]).toEqual([3, 0]);
  expect(responses.filter(({ headers }) => headers['retry-after'] === '1').length).toBeGreaterThan(10);
  expect(statusesOf(responses)).toEqual([503]);
});

test('counting the requests of networks uses two connections, whatever they request', async () => {
  const send = (method: 'GET' | 'POST', path: string) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': `service_${randomBytes(32).toString('hex')}` },
    });
  const watch = watchConnections('insert into budgets');
  await whileLocked('lock table budgets in access exclusive mode', async () => {
    const under = [
      send('POST', '/v1/auth/challenge'),
      send('POST', '/api/transactions/submit'),
      send('GET', '/api/trading/gold/price'),
      send('GET', '/v1/reserves/statements/none/bars'),
      send('GET', '/v1/users'),
    ];
    return Promise.all(under);
  });
  expect((await watch.stop()).maxLocked).toBe(2);
});

test('tokens of operators that are not known yet take three connections', async () => {
  const watch = watchConnections('operator_tokens');
  const responses = await whileLocked('lock table operator_tokens in access exclusive mode', () =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        clientOf(operatorApp, {
          authorization: `Bearer karat_operator_${randomBytes(32).toString('hex')}`,
        }).get(`${operatorBase}/summary`),
      ),
    ),
  );
  const { maxLocked, maxWaiting } = await watch.stop();
  expect([maxLocked, maxWaiting]).toEqual([3, 0]);
  expect(statusesOf(responses)).toEqual([503]);
});

test('sign-ins that wait leave connections to operators who are known', async () => {
  const operators = await startOperators(t.service);
  const { token } = operators.by.viewer;
  const signIn = () =>
    clientOf(operatorApp, {}).post(`${operatorBase}/session`, { email: 'a@example.com', password: 'b' });
  const statuses: number[] = [];
  const signIns = await whileLocked('lock table sign_in_attempts in access exclusive mode', async () => {
    const under = Array.from({ length: 20 }, signIn);
    await wait(100);
    const client = clientOf(operatorApp, { authorization: `Bearer ${token}` });
    for (let at = 0; at < 3; at += 1) statuses.push((await client.get(`${operatorBase}/me`)).status);
    return Promise.all(under);
  });
  await operators.close();
  expect(statuses).toEqual([200, 200, 200]);
  expect(statusesOf(signIns)).toEqual([503]);
});

test('streams hold no connection while nothing happens', async () => {
  const partner = await t.service.givenPartner();
  const leave = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: 5 }, () =>
      fetch(`${url}/v1/events/stream`, { headers: headersOf(partner), signal: leave.signal }),
    ),
  );
  expect(statusesOf(streams)).toEqual([200]);
  await eventually(() => {
    const { open, idle } = t.service.ctx.pool.state();
    expect(open - idle).toBe(0);
  }, 5_000);
  leave.abort();
});

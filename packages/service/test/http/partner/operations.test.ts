import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';
import { newId } from '../../../src/domain/ids.js';
import { txSignatureOf } from '../../../src/domain/solana.js';
import { ChangeFeed } from '../../../src/events/change-feed.js';
import { buildApp } from '../../../src/http/app.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { cosign } from '../../chain/signed-trade.js';
import { type Client, clientOf, expectStatus, newWallet, watchResponses } from '../../harness.js';
import { hang, type Lie, type LyingNode, neverFinal, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { seedDenominations, tola } from '../../redeeming.js';

let t: Karat;
let indexer: ReturnType<typeof startIndexer>;
let node: LyingNode;
/** Another process on the same database, as far as those who wait can tell. */
let other: FastifyInstance;
let otherFeed: ChangeFeed;

beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  await seedDenominations(t.service);
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
  otherFeed = new ChangeFeed(t.service.ctx);
  other = await buildApp({ ...t.service.ctx, feed: otherFeed }, { extend: watchResponses });
  const times = {
    pollMs: 50,
    idlePollMs: 1_000,
    finalAfterMs: 0,
    finalizeMs: 300,
    lapseMs: 300,
    electionMs: 1_000,
  };
  indexer = startIndexer(t.service.ctx, times);
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await indexer.stop();
  await other.close();
  await otherFeed.stop();
  await t.stop();
  await node.close();
});

const get = (id: string, query = '', client: Client = t.partner.client) =>
  client.get(`/v1/operations/${id}${query}`);
const operationOf = async (id: string, query = '') => expectStatus(await get(id, query), 200).body;
/** Returns an operation once it is final, which is found in another round of the indexer than what expires. */
const becomesFinal = (id: string) =>
  eventually(async () => {
    const found = await operationOf(id, '?wait=30');
    expect(found.status).toBe('finalized');
    return found;
  }, 10_000);
const eventsOf = async (id: string) =>
  expectStatus(await t.partner.client.get(`/v1/events?object_id=${id}`), 200).body.events;
const hashOf = (transaction: Uint8Array) => txSignatureOf(transaction.subarray(1, 65));

/** The node takes transactions and loses them. */
const losing: Lie = async ({ method, params }, ask) =>
  method === 'sendTransaction' ? hashOf(Buffer.from(params[0], 'base64')) : ask();

/** A quote: after time was moved, as soon as the service has a blockhash of the new time. */
const quoted = (side: 'buy' | 'sell' = 'buy', body: object = {}) =>
  eventually(() => t[side].quoted(body), 10_000);

/** A buy that was submitted and that the node has lost. */
async function lost() {
  const quote = await quoted();
  const transaction = t.signed(quote.transaction);
  node.lie = losing;
  expectStatus(await t.buy.submit(quote.tradeId, transaction), 200);
  return { ...quote, transaction, txHash: hashOf(transaction) };
}

test('a buy is submitted until the chain has it, then confirmed, then finalized', async () => {
  const { tradeId, transaction, txHash, response } = await lost();
  const submitted = {
    id: tradeId,
    kind: 'buy',
    status: 'submitted',
    tx_hash: txHash,
    expires_at: response.body.expires_at,
    record: null,
  };
  expect(await operationOf(tradeId)).toEqual(submitted);
  expect(await eventsOf(tradeId)).toMatchObject([
    { type: 'trade.submitted', data: { object_type: 'operation', object: submitted } },
  ]);
  expect((await eventsOf(tradeId))[0].request_id).toEqual(expect.any(String));
  // Again: the same, and no event more.
  expectStatus(await t.buy.submit(tradeId, transaction), 200);
  expect(await eventsOf(tradeId)).toHaveLength(1);
  const key = { 'x-api-key': t.partner.apiKey };
  const waits = [t.partner.client, clientOf(other, key)].map(async (client) => {
    const { body } = expectStatus(await get(tradeId, '?wait=10', client), 200);
    return { body, atMs: performance.now() };
  });
  // A client that looks late finds it confirmed as well.
  node.lie = neverFinal;
  await t.chain.sendStraight(transaction);
  const found = await Promise.all(waits);
  node.lie = undefined;
  const record = expectStatus(await t.partner.client.get(`/v1/trades/${tradeId}`), 200).body;
  for (const { body } of found) expect(body).toMatchObject({ ...submitted, status: 'confirmed', record });
  const final = get(tradeId, '?wait=30');
  await finalize(t.chain, t.service.ctx);
  expect((await final).body).toEqual({ ...submitted, status: 'finalized', record: expect.anything() });
  // It has ended, so nothing is waited for: not even as long as for another one.
  const waits30s = operationOf(tradeId, '?wait=30');
  const waits1s = operationOf(newId('trd'), '?wait=1');
  expect(await Promise.race([waits30s, waits1s])).toMatchObject({ id: tradeId, status: 'finalized' });
  await waits1s;
});

test('a caller who names the status that it knows does not wait for a trade that confirmed before', async () => {
  const { tradeId, transaction } = await quoted();
  node.lie = neverFinal;
  await t.chain.sendStraight(t.signed(transaction));
  await eventually(async () => expect((await operationOf(tradeId)).status).toBe('confirmed'), 10_000);
  const known = operationOf(tradeId, '?wait=30&status=submitted');
  const waits1s = operationOf(newId('trd'), '?wait=1&status=unknown');
  expect(await Promise.race([known, waits1s])).toMatchObject({ id: tradeId, status: 'confirmed' });
  await waits1s;
  const waiting = operationOf(tradeId, '?wait=30&status=confirmed');
  node.lie = undefined;
  await finalize(t.chain, t.service.ctx);
  expect(await waiting).toMatchObject({ status: 'finalized' });
  expect((await get(tradeId, '?wait=1&status=landed')).body).toMatchObject({
    error: 'invalid_request',
    field: 'status',
  });
});

test('a trade that was sent directly to a node is found all the same, one that fails with its reason', async () => {
  const good = await quoted('sell');
  const bad = await quoted('buy', { usdc_amount: 50, min_gold_out: 1 });
  for (const { tradeId } of [good, bad])
    expect(await operationOf(tradeId)).toEqual({
      id: tradeId,
      kind: null,
      status: 'unknown',
      tx_hash: null,
      expires_at: null,
      record: null,
    });
  node.lie = neverFinal;
  const waits = [good, bad].map(({ tradeId }) => operationOf(tradeId, '?wait=20'));
  await t.chain.sendStraight(t.signed(good.transaction));
  const sold = await waits[0];
  node.lie = undefined;
  await t.chain.landed(await t.chain.sendStraight(t.signed(bad.transaction)));
  // Before it is final, a failure is not recorded.
  expect(await operationOf(bad.tradeId)).toMatchObject({ status: 'unknown' });
  t.chain.node.warp({ slots: 40 });
  const failed = await waits[1];
  const record = expectStatus(await t.partner.client.get(`/v1/trades/${bad.tradeId}`), 200).body;
  expect(sold).toMatchObject({
    kind: 'sell',
    status: 'confirmed',
    tx_hash: hashOf(t.signed(good.transaction)),
  });
  expect(failed).toEqual({
    id: bad.tradeId,
    kind: 'buy',
    status: 'failed',
    tx_hash: record.submitted_tx_hash,
    reason: 'slippage_exceeded',
    message: record.message,
    expires_at: null,
    record,
  });
});

test('an operation that the node refuses stays submitted, with the reason, until it is sent again', async () => {
  const { tradeId, transaction } = await quoted();
  const signed = t.signed(transaction);
  const balance = await t.chain.balance(t.user.wallet.address, t.chain.usdcMint);
  await t.chain.fund(t.user.wallet.address, 0n);
  const { body } = expectStatus(await t.buy.submit(tradeId, signed), 400);
  const { reason, message } = body;
  expect(await operationOf(tradeId)).toMatchObject({ status: 'submitted', reason, message });
  expect(reason).toBe('insufficient_usdc');
  await t.chain.fund(t.user.wallet.address, balance);
  node.lie = losing;
  expectStatus(await t.buy.submit(tradeId, signed), 200);
  expect(await operationOf(tradeId)).not.toHaveProperty('reason');
});

test('an operation that may have arrived at a node that did not respond counts as submitted', async () => {
  const { tradeId, transaction } = await quoted();
  node.lie = async ({ method }, ask) => (method === 'sendTransaction' ? hang : ask());
  const { body } = expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 503);
  expect(body.reason).toBe('node_unavailable');
  expect(await operationOf(tradeId)).toMatchObject({ kind: 'buy', status: 'submitted' });
});

describe('a trade that can no longer land', () => {
  test('a trade that can no longer land expires, with an event for its partner, and one that landed does not', async () => {
    const landed = await quoted();
    expectStatus(await t.buy.submit(landed.tradeId, t.signed(landed.transaction)), 200);
    const { tradeId, txHash } = await lost();
    const waiting = operationOf(tradeId, '?wait=30');
    t.chain.node.warp({ slots: 400 });
    const expired = await waiting;
    expect(expired).toMatchObject({ status: 'expired', tx_hash: txHash, record: null });
    const events = await eventsOf(tradeId);
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['trade.submitted', 'trade.expired']);
    expect(events[1]).toMatchObject({
      request_id: null,
      data: { object_type: 'operation', object: expired },
    });
    await becomesFinal(landed.tradeId);
    const reported = (await eventsOf(landed.tradeId)).map(({ type }: { type: string }) => type);
    expect(reported).toEqual(['trade.submitted', 'trade.confirmed']);
  });

  test('a trade that can no longer land is forgotten a week later', async () => {
    const { tradeId } = await lost();
    t.chain.node.warp({ slots: 400 });
    await eventually(async () => expect((await operationOf(tradeId)).status).toBe('expired'), 10_000);
    const signal = new AbortController().signal;
    const { ctx } = t.service;
    const sweepAt = async (days: number) => {
      const clock = { now: () => ctx.clock.now() + days * 24 * 60 * 60_000 };
      await sweepExpired({ ...ctx, clock }, signal);
    };
    await sweepAt(6);
    expect((await operationOf(tradeId)).status).toBe('expired');
    await sweepAt(8);
    expect((await operationOf(tradeId)).status).toBe('unknown');
  });
});

test('a redemption: unknown as a quote, submitted, confirmed, and expired if it was never paid', async () => {
  const redemption = async () => {
    const body = { service_user_id: t.user.id, denomination_id: tola.id, city: tola.city };
    const { body: quote } = await eventually(
      async () => expectStatus(await t.partner.client.post('/v1/redemptions', body), 201),
      10_000,
    );
    const bytes = Buffer.from(quote.partially_signed_transaction, 'base64');
    return { id: quote.redemption_id as string, transaction: cosign(bytes, [t.user.wallet]), quote };
  };
  const [paid, unpaid] = [await redemption(), await redemption()];
  expect(await operationOf(paid.id)).toMatchObject({ kind: 'redemption', status: 'unknown', record: null });
  node.lie = losing;
  const signed_tx = Buffer.from(paid.transaction).toString('base64');
  expectStatus(await t.partner.client.post(`/v1/redemptions/${paid.id}/submit`, { signed_tx }), 200);
  const submitted = await operationOf(paid.id);
  expect(submitted).toEqual({
    id: paid.id,
    kind: 'redemption',
    status: 'submitted',
    tx_hash: hashOf(paid.transaction),
    expires_at: paid.quote.expires_at,
    record: null,
  });
  node.lie = neverFinal;
  const waiting = operationOf(paid.id, '?wait=10');
  await t.chain.sendStraight(paid.transaction);
  const record = async () => (await t.partner.client.get(`/v1/redemptions/${paid.id}`)).body;
  expect(await waiting).toEqual({ ...submitted, status: 'confirmed', record: await record() });
  node.lie = undefined;
  t.chain.node.warp({ slots: 400 });
  await eventually(async () => expect((await operationOf(unpaid.id)).status).toBe('expired'), 10_000);
  expect(await becomesFinal(paid.id)).toMatchObject({ record: await record() });
});

test('an operation of another partner is not visible, and an invalid id is 404', async () => {
  const { tradeId } = await lost();
  const stranger = await t.service.givenPartner();
  const refused = await get(tradeId, '?wait=30', stranger.client);
  expect([refused.status, refused.body.error]).toEqual([403, 'partner_mismatch']);
  const redemption = newId('red');
  expect(await operationOf(redemption)).toMatchObject({
    id: redemption,
    kind: 'redemption',
    status: 'unknown',
  });
  for (const [id, error] of [
    ['trd_1', 'trade_not_found'],
    ['red_1', 'redemption_not_found'],
    [tradeId.slice(4), 'trade_not_found'],
  ] as const) {
    const response = await get(id);
    expect([response.status, response.body.error]).toEqual([404, error]);
  }
});

test.each(['31', '-1', '1.5', 'x', '', '007'])('wait=%s is refused', async (wait) => {
  const { status, body } = await get(newId('trd'), `?wait=${wait}`);
  expect([status, body.error, body.field]).toEqual([400, 'invalid_request', 'wait']);
});

test('a partner has 100 requests waiting in a process, and another partner its own', async () => {
  const [one, two] = [await t.service.givenPartner(), await t.service.givenPartner()];
  const gone = new AbortController();
  const url = await other.listen({ port: 0, host: '127.0.0.1' });
  const ask = ({ apiKey }: { apiKey: string }, wait: number) =>
    fetch(`${url}/v1/operations/${newId('trd')}?wait=${wait}`, {
      headers: { 'x-api-key': apiKey },
      signal: wait === 30 ? gone.signal : null,
    });
  const waiting = Array.from({ length: 101 }, () => ask(one, 30).catch(() => undefined));
  // The first response is to the one that finds the others waiting, whichever that is.
  const refused = await Promise.race(waiting);
  expect([refused?.status, refused?.headers.get('retry-after'), await refused?.json()]).toEqual([
    429,
    '1',
    {
      error: 'rate_limited',
      message: expect.stringContaining('100 requests waiting'),
      doc_url: expect.stringContaining('/errors/'),
    },
  ]);
  expect((await ask(one, 0)).status).toBe(200);
  expect((await ask(two, 1)).status).toBe(200);
  gone.abort();
  await Promise.all(waiting);
  await eventually(async () => expect((await ask(one, 1)).status).toBe(200), 20_000);
});

describe('a trade that nothing is known of', () => {
  let counted: FastifyInstance;
  let reads = 0;
  beforeAll(async () => {
    const { ctx } = t.service;
    const db = new Proxy(ctx.db, {
      get(target, name) {
        if (name !== 'select') return Reflect.get(target, name);
        return (fields?: Parameters<typeof target.select>[0]) => {
          if (fields && 'submission' in fields) reads += 1;
          return fields ? target.select(fields) : target.select();
        };
      },
    });
    counted = await buildApp({ ...ctx, db });
  });
  beforeEach(() => {
    reads = 0;
  });
  afterAll(() => counted.close());
  /**
   * At the start, when the log of the partner is first looked at, and at the end; and once more if the timer of the end was a
   * fraction of a millisecond early.
   */
  const maxReads = 4;
  /** Waits for one of a partner for 6 s. */
  const wait = async ({ apiKey }: { apiKey: string }) =>
    expectStatus(await get(newId('trd'), '?wait=6', clientOf(counted, { 'x-api-key': apiKey })), 200);

  test('an unknown trade is read when an event may be of it, not every second', async () => {
    await wait(await t.service.givenPartner());
    expect(reads).toBeGreaterThan(1);
    expect(reads).toBeLessThanOrEqual(maxReads);
  });

  test('an unknown trade is not read again at events about something else', async () => {
    const partner = await t.service.givenPartner();
    const register = async (userId: string) => {
      const kyc = { country: 'PK', full_name: 'A Customer', kyc_provider: 'sumsub', kyc_level: 'full' };
      const user = {
        user_id: userId,
        wallet_address: newWallet().address,
        kyc: { ...kyc, kyc_verified_at: '2026-01-01T00:00:00Z' },
      };
      expectStatus(await partner.client.post('/v1/users', user), 201);
    };
    await register('first');
    const waiting = wait(partner);
    // Until the log of the partner is first looked at.
    await eventually(() => expect(reads).toBeGreaterThan(1), 5_000);
    for (let users = 0; users < 20; users += 1) await register(`other-${users}`);
    await waiting;
    expect(reads).toBeLessThanOrEqual(maxReads);
  });
});

test('a waiting request without news gets a response after that long, and when the process stops', async () => {
  const { ctx } = t.service;
  const stopping = await buildApp(ctx);
  const url = await stopping.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (seconds: number) => {
    const startedMs = performance.now();
    const headers = { 'x-api-key': t.partner.apiKey };
    const response = await fetch(`${url}/v1/operations/${newId('trd')}?wait=${seconds}`, { headers });
    const { status } = (await response.json()) as { status: string };
    return { status: `${response.status} ${status}`, ms: performance.now() - startedMs };
  };
  // Longer than a request may take that waits for nothing.
  const long = ask(30);
  const short = await ask(6);
  expect(short.status).toBe('200 unknown');
  expect(short.ms).toBeGreaterThanOrEqual(6_000);
  await stopping.close();
  const { status, ms } = await long;
  expect(status).toBe('200 unknown');
  expect(ms).toBeLessThan(20_000);
});

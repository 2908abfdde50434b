import { SWEEP_ESCROW_DISCRIMINATOR, TREASURY_WITHDRAW_DISCRIMINATOR } from '@karat/program-client';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createContext } from '../../src/create-context.js';
import { chainEffects } from '../../src/db/indexing/chain-effects.js';
import { insertDeadLetter } from '../../src/db/indexing/dead-letters.js';
import { configEvents } from '../../src/db/indexing/program-events.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { saveReconciliation } from '../../src/db/treasury/reconciliations.js';
import { errorStatus } from '../../src/errors.js';
import { buildOperatorApp } from '../../src/http/operator/app.js';
import { buildMetricsApp } from '../../src/http/server/metrics.js';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { type Keeper, startKeeper } from '../../src/keeper/index.js';
import { createLogger } from '../../src/log.js';
import { watchLeads } from '../../src/metrics/watch-leads.js';
import { run } from '../../src/run.js';
import { version } from '../../src/version.js';
import { expectStatus, newWallet, type Wallet } from '../harness.js';
import { givenKey, type Karat, startKarat } from '../karat.js';
import { eventually } from '../karat-chain.js';
import { signatureNamed } from '../named-keys.js';
import { paths } from '../ordering.js';
import { givenRedemption, seedDenominations, tola } from '../redeeming.js';
import { type Exposition, parseExposition } from './exposition.js';

/** The service as it runs: both APIs, indexer and keeper, over a node with the program. */
let t: Karat;
let operatorApp: FastifyInstance;
let indexer: Indexer;
let keeper: Keeper;
beforeAll(async () => {
  t = await startKarat();
  const { ctx } = t.service;
  await seedDenominations(t.service);
  operatorApp = await buildOperatorApp(ctx);
  indexer = startIndexer(ctx, { pollMs: 50, idlePollMs: 100, finalizeMs: 200, electionMs: 100 });
  keeper = startKeeper(ctx, { pollMs: 100, electionMs: 100 });
  watchLeads(ctx, { indexer, keeper });
});
afterAll(async () => {
  await keeper.stop();
  await indexer.stop();
  await operatorApp.close();
  await t.stop();
});

/** A look in which the database had responded in time, which it may not on a busy machine. */
function look(): Promise<Exposition> {
  return eventually(async () => {
    const response = await operatorApp.inject({ method: 'GET', url: '/metrics' });
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const seen = parseExposition(response.body);
    expect(seen.find('karat_database_up', {})).toBe(1);
    return seen;
  }, 20_000);
}

/** By how much a sample grew while `work` was done; one that is not there counts as 0. */
async function growthOf(name: string, labels: Record<string, string>, work: () => Promise<unknown>) {
  const before = (await look()).find(name, labels) ?? 0;
  await work();
  return ((await look()).find(name, labels) ?? 0) - before;
}

test('metrics have the names and units of Prometheus', async () => {
  const { families } = await look();
  const own = [...families.values()].filter(({ name }) => name.startsWith('karat_'));
  expect(own.length).toBeGreaterThan(20);
  for (const { name, type, help } of own) {
    expect(name).toMatch(/^karat_[a-z]+(_[a-z]+)*$/);
    expect(help, name).toMatch(/^[A-Z].{15,}[^.]$/);
    expect(name.endsWith('_total'), `${name} is a ${type}`).toBe(type === 'counter');
    // Base units: seconds and bytes, no thousandth and no multiple of them.
    expect(name).not.toMatch(/_(ms|milliseconds?|minutes|hours|kb|mb|percent)(_|$)/);
  }
  expect(families.get('karat_http_request_duration_seconds')?.type).toBe('histogram');
  for (const standard of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) {
    expect(families.has(standard)).toBe(true);
  }
  expect((await look()).find('karat_build_info', { version })).toBe(1);
});

test('requests are counted and timed by the pattern of their route, their method and status', async () => {
  const name = 'karat_http_request_duration_seconds';
  const found = { method: 'GET', route: '/v1/users/:service_user_id', status: '200' };
  const grown = growthOf(`${name}_count`, found, async () => {
    for (let i = 0; i < 3; i += 1) expectStatus(await t.partner.client.get(`/v1/users/${t.user.id}`), 200);
  });
  expect(await grown).toBe(3);
  const after = await look();
  const buckets = after.samples.filter((s) => s.name === `${name}_bucket` && s.labels.route === found.route);
  expect(buckets.find(({ labels }) => labels.le === '+Inf')?.value).toBe(after.find(`${name}_count`, found));
  const seconds = after.find(`${name}_sum`, found) ?? 0;
  // In seconds: three look-ups take more than three microseconds and less than a minute.
  expect(seconds).toBeGreaterThan(0.000_003);
  expect(seconds).toBeLessThan(60);
  const operators = { method: 'GET', route: '/operator/v1/partners', status: '401' };
  expect(
    await growthOf(`${name}_count`, operators, () =>
      operatorApp.inject({ method: 'GET', url: '/operator/v1/partners' }),
    ),
  ).toBe(1);
});

test('unknown paths are one label, whatever they hold, and so are methods', async () => {
  const count = 'karat_http_request_duration_seconds_count';
  const series = async () =>
    (await look()).samples.filter(({ name }) => name.startsWith('karat_http_')).length;
  const before = await series();
  const unknown = { method: 'GET', route: 'unknown', status: '404' };
  const paths = [
    '/wp-admin',
    '/api/none/of/these',
    `/v1/${newWallet().address}`,
    '/v1/users/x/y/z?key=secret',
  ];
  const requested = async () => {
    for (const path of paths) expectStatus(await t.partner.client.get(path), 404);
    for (let i = 0; i < 30; i += 1) await t.partner.client.get(`/scan-${i}`);
  };
  expect(await growthOf(count, unknown, requested)).toBe(34);
  const others = { method: 'other', route: 'unknown', status: '404' };
  const odd = (method: string) => t.service.app.inject({ method: method as 'GET', url: '/nowhere' });
  expect(await growthOf(count, others, () => Promise.all(['TRACE', 'PROPFIND', 'MKCOL'].map(odd)))).toBe(3);
  // What three routes take, the one of the metrics among them; one a path would be more than 500.
  expect((await series()) - before).toBeLessThan(60);
});

test('quotes, orders and submits are counted by how they ended', async () => {
  const quote = (outcome: string, kind = 'buy') => ({ kind, outcome });
  const { service_user_id, ...more } = { service_user_id: t.user.id, usdc_amount: 10 };
  expect(await growthOf('karat_quotes_total', quote('ok'), () => t.buy.quoted())).toBe(1);
  expect(
    await growthOf('karat_quotes_total', quote('user_not_found'), () =>
      t.partner.client.post('/v1/buy', { ...more, service_user_id: 'gu_nobody' }),
    ),
  ).toBe(1);
  const { tradeId, transaction } = await t.buy.quoted();
  expect(
    await growthOf('karat_submits_total', quote('broadcast_failed'), () =>
      t.buy.submit(tradeId, transaction),
    ),
  ).toBe(1);
  expect(
    await growthOf('karat_submits_total', quote('ok'), () => t.buy.submit(tradeId, t.signed(transaction))),
  ).toBe(1);
  const redeem = { service_user_id, denomination_id: tola.id, city: tola.city };
  expect(
    await growthOf('karat_quotes_total', quote('ok', 'redemption'), () =>
      t.partner.client.post('/v1/redemptions', redeem),
    ),
  ).toBe(1);
  const submitted = { signed_tx: Buffer.from(transaction).toString('base64') };
  expect(
    await growthOf('karat_submits_total', quote('redemption_not_found', 'redemption'), () =>
      t.partner.client.post('/v1/redemptions/red_none/submit', submitted),
    ),
  ).toBe(1);
  expect(
    await growthOf('karat_submits_total', quote('invalid_request', 'order'), () =>
      t.partner.client.post('/api/transactions/submit', { signedTransaction: 'no base64' }),
    ),
  ).toBe(1);
  // Each of a batch is one.
  const batch = { signedTransactions: ['x', 'y', 'z'] };
  expect(
    await growthOf('karat_submits_total', quote('invalid_request', 'order'), () =>
      t.partner.client.post('/api/transactions/submit-batch', batch),
    ),
  ).toBe(3);
});

test('orders of vaults are counted by how they ended', async () => {
  const { partnerId } = t.partner;
  const { roles } = await t.given.onChain(t.partner);
  const keyFor = (wallet: Wallet, scope: string) => givenKey(t.service, { partnerId, wallet, scope });
  const executive = await keyFor(roles.executive, 'PARTNER_EXECUTIVE_AUTHORITY');
  const withdrawer = await keyFor(roles.withdrawal, 'PARTNER_WITHDRAWAL_AUTHORITY');
  const ordered = (outcome: string, order: () => Promise<unknown>, kind: string) =>
    growthOf('karat_orders_total', { kind, outcome }, order);
  const purchase = (goldAmount: number) => () =>
    executive.post(paths.purchases, { goldAmount, maxUsdcAmount: 10 });
  expect(await ordered('max_usdc_exceeded', purchase(1), 'purchase')).toBe(1);
  expect(await ordered('insufficient_reserve', purchase(0.001), 'purchase')).toBe(1);
  const vault = findVault();
  await t.chain.node.setTokenBalance(vault, t.chain.usdcMint, 10_000_000n);
  expect(await ordered('ok', purchase(0.001), 'purchase')).toBe(1);
  const withdraw = () => withdrawer.post(paths.withdrawals, { amount: 1, tokenType: 'gold' });
  expect(await ordered('insufficient_reserve', withdraw, 'withdrawal')).toBe(1);
});

function findVault() {
  const entry = t.service.ctx.chain.program.integrator(t.partner.partnerId);
  if (!entry) throw new Error('the partner is not on chain');
  return entry.address;
}

test('metrics report price, market, chain, indexer, keeper and books', async () => {
  // The keeper looks again and again: what it saw last may be from before the trade of another test.
  await eventually(async () => {
    const now = await look();
    expect(now.find('karat_keeper_status', { watch: 'node', status: 'ok' })).toBe(1);
    expect(now.find('karat_leads', { role: 'indexer' })).toBe(1);
    expect(now.find('karat_leads', { role: 'keeper' })).toBe(1);
    expect(now.find('karat_indexer_slot', {})).toBeGreaterThan(0);
    expect(now.find('karat_indexer_lag_seconds', {})).toBeLessThan(15);
    await expectReported(now);
  }, 20_000);
});

async function expectReported(now: Exposition): Promise<void> {
  for (const part of ['program', 'blockhash', 'price']) {
    expect(now.find('karat_chain_usable', { part })).toBe(1);
  }
  expect(now.find('karat_price_usd_per_troy_ounce', {})).toBe(4100.12);
  const age = now.find('karat_price_age_seconds', {}) ?? -1;
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(60);
  expect(now.find('karat_market_open', {})).toBe(1);
  expect(now.find('karat_paused', { kind: 'trade' })).toBe(0);
  expect(now.find('karat_led', { role: 'keeper' })).toBe(1);
  expect(now.find('karat_database_up', {})).toBe(1);
  expect(now.find('karat_database_pool_size', {})).toBe(20);
  const pool = (state: string) => now.find('karat_database_pool_connections', { state }) ?? -1;
  expect(pool('idle')).toBeGreaterThanOrEqual(0);
  expect(pool('used')).toBeGreaterThanOrEqual(0);
  expect(pool('idle') + pool('used')).toBeLessThanOrEqual(20);
  const { treasuryAuthority } = t.chain.addresses;
  const held = await t.chain.balance(treasuryAuthority, t.chain.goldMint);
  expect(now.find('karat_treasury_tokens', { token: 'gold' })).toBe(Number(held) / 1e6);
  expect(now.find('karat_key_sol', { key: 'service_signer' })).toBeGreaterThan(0);
}

test('metrics show a stale price, a pause and a closed market', async () => {
  const { chain } = t;
  chain.price.freeze();
  chain.node.warp({ seconds: 100 });
  await eventually(async () => {
    const now = await look();
    expect(now.find('karat_price_age_seconds', {})).toBeGreaterThan(90);
    expect(now.find('karat_chain_usable', { part: 'price' })).toBe(0);
    expect(now.find('karat_keeper_status', { watch: 'price_age_seconds', status: 'critical' })).toBe(1);
    expect(now.find('karat_keeper_status', { watch: 'price_age_seconds', status: 'ok' })).toBe(0);
  }, 20_000);
  chain.price.thaw();
  await chain.setStatus({ paused: 0b001 });
  await eventually(async () => {
    expect((await look()).find('karat_paused', { kind: 'trade' })).toBe(1);
    expect((await look()).find('karat_chain_usable', { part: 'price' })).toBe(1);
  }, 10_000);
  await chain.setStatus({ paused: 0 });
  await eventually(async () => {
    expect((await look()).find('karat_paused', { kind: 'trade' })).toBe(0);
  }, 10_000);
});

test('metrics report the admin’s withdrawals and sweeps of the last 24 hours', async () => {
  const { db } = t.service.ctx;
  const shown = async (from: string) => (await look()).find('karat_admin_withdrawals', { from });
  expect([await shown('treasury'), await shown('escrow')]).toEqual([0, 0]);
  const now = t.chain.clock.now();
  const event = { partnerId: configEvents, txSignature: signatureNamed('w'), slot: 1n };
  const withdrawn = { ...event, kind: TREASURY_WITHDRAW_DISCRIMINATOR };
  await db.insert(chainEffects).values([
    { ...withdrawn, seq: 901n, createdAt: new Date(now - 90_000_000) },
    { ...withdrawn, seq: 902n, createdAt: new Date(now - 80_000_000) },
    { ...withdrawn, seq: 903n, createdAt: new Date(now) },
    { ...event, kind: SWEEP_ESCROW_DISCRIMINATOR, seq: 904n, createdAt: new Date(now) },
  ]);
  expect([await shown('treasury'), await shown('escrow')]).toEqual([2, 1]);
});

test('metrics report dead letters by kind, and what waits for the vault', async () => {
  const { db } = t.service.ctx;
  const deadLetters = async (kind: string) => (await look()).find('karat_dead_letters', { kind });
  expect(await deadLetters('undecodable')).toBeUndefined();
  const at = new Date(t.chain.clock.now());
  await db.transaction(async (tx) => {
    for (const signature of [signatureNamed('a'), signatureNamed('b')]) {
      await insertDeadLetter(tx, { signature, slot: 1n, reason: 'undecodable', detail: {} }, at);
    }
  });
  expect(await deadLetters('undecodable')).toBe(2);
  await t.service.ctx
    .sql`update dead_letters set resolved_at = now() where signature = ${signatureNamed('a')}`;
  expect(await deadLetters('undecodable')).toBe(1);

  const compared = async () => (await look()).find('karat_reconciliation_age_seconds', {});
  // Newer than any that the keeper makes meanwhile.
  const comparison = {
    slot: 10n ** 12n,
    goldDifference: -1n,
    usdcDifference: 0n,
    differences: 1,
  };
  const minuteAgo = new Date(t.chain.clock.now() - 60_000);
  await db.transaction((tx) => saveReconciliation(tx, { ...comparison, at: minuteAgo }));
  expect(await compared()).toBeGreaterThanOrEqual(60);
  const short = { token: 'gold' };
  expect((await look()).find('karat_reconciliation_difference_tokens', short)).toBe(-0.000_001);

  const owner = { partner: t.partner, user: t.user };
  const old = new Date(t.chain.clock.now() - 3_600_000);
  await givenRedemption(t.service, owner, { status: 'submitted', at: old });
  await givenRedemption(t.service, owner, { status: 'submitted' });
  await givenRedemption(t.service, owner, { status: 'collected', at: old });
  const now = await look();
  expect(now.find('karat_redemptions_waiting', { status: 'submitted' })).toBe(2);
  expect(now.find('karat_redemptions_waiting', { status: 'ready' })).toBe(0);
  expect(now.find('karat_redemptions_waiting', { status: 'collected' })).toBeUndefined();
  const age = now.find('karat_redemption_oldest_age_seconds', { status: 'submitted' }) ?? 0;
  expect(age).toBeGreaterThanOrEqual(3_600);
  expect(age).toBeLessThan(3_700);
});

test('the oldest record that is not final is reported by kind, without those that dead letters report', async () => {
  const owner = { partner: t.partner, user: t.user };
  const at = (agoMs: number) => new Date(t.chain.clock.now() - agoMs);
  // In a slot that the chain has yet to finalize: the indexer would find out that no transaction is there, and report it.
  const open = { finalized: false, slot: 10n ** 12n } as const;
  await givenRedemption(t.service, owner, { ...open, at: at(7_200_000) });
  const reported = await givenRedemption(t.service, owner, { ...open, at: at(36_000_000) });
  await givenRedemption(t.service, owner, { status: 'quoted', at: at(36_000_000) });
  const { txSignature } = (await findRedemption(t.service.ctx.db, reported)) ?? {};
  const deadLetter = {
    signature: txSignature ?? signatureNamed('none'),
    slot: 5n,
    reason: 'vanished',
    detail: {},
  } as const;
  await t.service.ctx.db.transaction((tx) => insertDeadLetter(tx, deadLetter, at(0)));
  const name = 'karat_unfinalized_oldest_age_seconds';
  const now = await look();
  expect(now.find(name, { kind: 'redemption' })).toBeGreaterThanOrEqual(7_200);
  expect(now.find(name, { kind: 'redemption' })).toBeLessThan(7_300);
  expect(now.find(name, { kind: 'operator_transaction' })).toBeUndefined();
});

test('no label holds a key, a wallet, an id or KYC data: only words of closed lists', async () => {
  const { samples } = await look();
  const labels = new Map<string, Set<string>>();
  for (const sample of samples.filter(({ name }) => name.startsWith('karat_'))) {
    for (const [label, value] of Object.entries(sample.labels)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  }
  const known = [
    'by',
    'from',
    'key',
    'kind',
    'le',
    'method',
    'node',
    'outcome',
    'part',
    'result',
    'role',
    'route',
    'rule',
    'scope',
    'stage',
  ];
  expect([...labels.keys()].sort()).toEqual(
    [...known, 'state', 'status', 'token', 'version', 'watch'].sort(),
  );
  expect([...(labels.get('scope') ?? [])].sort()).toEqual(['partner', 'user']);
  expect([...(labels.get('stage') ?? [])].sort()).toEqual([
    'key',
    'order',
    'quote',
    'registration',
    'submit',
  ]);
  for (const outcome of labels.get('outcome') ?? []) {
    expect(['ok', 'pending', ...Object.keys(errorStatus)]).toContain(outcome);
  }
  for (const [label, values] of labels) {
    for (const value of values) {
      const shape = label === 'route' ? /^(unknown|\/[a-z0-9_./:*-]*)$/i : /^[A-Za-z0-9_.+-]{1,30}$/;
      expect(value, label).toMatch(shape);
      expect(value).not.toMatch(/[0-9a-f]{8}-|[1-9A-HJ-NP-Za-km-z]{32}|(gu|trd|red|ch)_[0-9a-f]/);
    }
  }
});

test('a database that is down is reported, and what it knew is no longer reported', async () => {
  const { config, clock } = t.service.ctx;
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  const ctx = await createContext(config, { clock, log, chain: t.service.ctx.chain });
  const app = await buildMetricsApp(ctx);
  const seen = async () => parseExposition((await app.inject({ method: 'GET', url: '/metrics' })).body);
  await eventually(async () => {
    const before = await seen();
    expect(before.find('karat_database_up', {})).toBe(1);
    expect(before.find('karat_led', { role: 'indexer' })).toBe(1);
  }, 20_000);
  await ctx.pool.end(5_000);
  const after = await seen();
  expect(after.find('karat_database_up', {})).toBe(0);
  for (const name of [
    'karat_led',
    'karat_indexer_lag_seconds',
    'karat_dead_letters',
    'karat_keeper_status',
  ]) {
    expect(after.samples.filter((sample) => sample.name === name)).toEqual([]);
  }
  expect(lines.join('')).toContain('the database does not respond to the metrics');
  // The rest goes on.
  expect(after.find('karat_price_usd_per_troy_ounce', {})).toBe(4100.12);
  await app.close();
});

test('metrics on the operator port are for this machine alone', async () => {
  const ask = (remoteAddress: string, headers: Record<string, string> = {}) =>
    operatorApp.inject({ method: 'GET', url: '/metrics', remoteAddress, headers });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect((await ask(address)).statusCode).toBe(200);
  }
  for (const host of ['localhost', 'LOCALHOST:8090', '127.0.0.1', '127.0.0.1:8090', '[::1]', '[::1]:8090']) {
    expect((await ask('127.0.0.1', { host })).statusCode, host).toBe(200);
  }
  const forwarded: Record<string, string>[] = [
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=203.0.113.7' },
  ];
  const refused = [await ask('203.0.113.7'), await ask('::ffff:10.0.0.1')];
  for (const headers of forwarded) refused.push(await ask('127.0.0.1', headers));
  // A page of somebody else, whose name was made to lead to this machine.
  for (const host of ['evil.test', 'evil.test:8090', '127.0.0.1.evil.test', 'localhost.evil.test:8090']) {
    refused.push(await ask('127.0.0.1', { host }));
    refused.push(await ask('127.0.0.1', { host, 'x-forwarded-host': 'localhost' }));
  }
  for (const response of refused) {
    expect(response.statusCode).toBe(403);
    expect(response.json()).toEqual({
      error: 'forbidden',
      message: 'Metrics are served to this machine only; see KARAT_METRICS_PORT.',
      doc_url: expect.stringMatching(/\/errors\/forbidden$/),
    });
  }
  expect((await t.partner.client.get('/metrics')).status).toBe(404);
  // Looks are no news for the log, refusals neither; what fails is.
  const logged = t.service.logLines.filter((line) => line.includes('"route":"/metrics"'));
  expect(logged).toEqual([]);
});

test('a process without an operator port serves metrics on a port of their own, and nothing else there', async () => {
  const config = { ...t.service.ctx.config, metricsPort: 0, logLevel: 'silent' as const };
  const keeping = await run(new Set(['keep'] as const), config);
  try {
    expect(keeping).toMatchObject({ url: undefined, operatorUrl: undefined });
    await eventually(async () => {
      const response = await fetch(`${keeping.metricsUrl}/metrics`);
      expect(response.status).toBe(200);
      const seen = parseExposition(await response.text());
      // The keeper of this test leads.
      expect(seen.find('karat_leads', { role: 'keeper' })).toBe(0);
      expect(seen.find('karat_leads', { role: 'indexer' })).toBeUndefined();
      expect(seen.find('karat_led', { role: 'keeper' })).toBe(1);
      expect(seen.find('karat_build_info', { version })).toBe(1);
    }, 20_000);
    const other = await fetch(`${keeping.metricsUrl}/operator/v1/me`);
    expect([other.status, await other.json()]).toMatchObject([404, { error: 'not_found' }]);
    const posted = await fetch(`${keeping.metricsUrl}/metrics`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  } finally {
    await keeping.stop();
  }
  await expect(fetch(`${keeping.metricsUrl}/metrics`)).rejects.toThrow();
});

test('a port for metrics is opened only where it is named', async () => {
  const config = { ...t.service.ctx.config, metricsPort: undefined, logLevel: 'silent' as const };
  const keeping = await run(new Set(['keep'] as const), config);
  expect(keeping.metricsUrl).toBeUndefined();
  await keeping.stop();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drizzleOn } from '../../../src/db/client.js';
import { noteProgress } from '../../../src/db/indexing/indexer-progress.js';
import { advisoryLocks } from '../../../src/db/locks.js';
import { buildApp } from '../../../src/http/app.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { clientOf, type Harness, harness } from '../../harness.js';
import { eventually, type KaratChain, startKaratChain } from '../../karat-chain.js';

test('health reports who it is and touches nothing', async () => {
  const h = await harness();
  const response = await h.anonymous.get('/health');
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    status: 'ok',
    service: 'karat',
    version: '0.1.0',
    time: new Date(h.clock.now()).toISOString(),
  });
  await h.close();
});

test('health responds on the port of operators, to any name and outside their document', async () => {
  const h = await harness();
  const operators = await buildOperatorApp(h.ctx);
  const response = await operators.inject({ url: '/health', headers: { host: 'operators.example' } });
  expect([response.statusCode, response.json()]).toMatchObject([200, { status: 'ok', service: 'karat' }]);
  const document = await operators.inject({ url: '/operator/v1/openapi.json' });
  expect(Object.keys(document.json().paths)).not.toContain('/health');
  await operators.close();
  await h.close();
});

test('probes of load balancers leave no lines in the log', async () => {
  const h = await harness();
  await h.anonymous.get('/nowhere');
  const before = h.logLines.length;
  expect(before).toBeGreaterThan(0);
  for (const path of ['/health', '/ready']) await h.anonymous.get(path);
  expect(h.logLines.slice(before).filter((line) => line.includes('"route"'))).toEqual([]);
  await h.close();
});

test('ready reports what is wrong while nothing has come up', async () => {
  const h = await harness();
  const response = await h.anonymous.get('/ready');
  expect(response).toMatchObject({
    status: 503,
    body: {
      status: 'failed',
      checks: {
        database: { status: 'ok' },
        chain: { status: 'failed', detail: expect.any(String) },
        price: { status: 'failed', detail: expect.any(String) },
        indexer: { status: 'failed', detail: 'no process is indexing' },
      },
    },
  });
  await h.close();
});

test('ready queries the database once a second, however often it is requested', async () => {
  const h = await harness();
  let looks = 0;
  const logQuery = (query: string) => {
    if (query.includes('indexer_progress')) looks += 1;
  };
  const app = await buildApp({ ...h.ctx, db: drizzleOn(h.ctx.pool, { logQuery }) });
  const client = clientOf(app, {});
  const start = performance.now();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 40 }, () => client.get('/ready')));
  }
  const seconds = (performance.now() - start) / 1_000;
  expect(looks).toBeGreaterThanOrEqual(1);
  expect(looks).toBeLessThanOrEqual(1 + seconds);
  await app.close();
  await h.close();
});

describe('over a chain', () => {
  let chain: KaratChain;
  let h: Harness;
  beforeAll(async () => {
    chain = await startKaratChain();
    h = await harness({ config: chain.config, clock: chain.clock });
    await h.ctx.chain.start();
  });
  afterAll(async () => {
    await h.close();
    await chain.stop();
  });

  const note = (progress: { slot: bigint; missing?: string } = { slot: 7n }) =>
    h.ctx.db.transaction((tx) =>
      noteProgress(tx, { completeSlot: undefined, missing: undefined, ...progress }),
    );
  const checks = async () => (await h.anonymous.get('/ready')).body.checks;
  /** What the database knows is looked at once a second. */
  const indexerBecomes = (wanted: object) =>
    eventually(async () => expect((await checks()).indexer).toEqual(wanted), 10_000);

  test('ready is 200 once everything that a quote needs is there', async () => {
    const session = await h.ctx.sql.reserve();
    await session`select pg_advisory_lock(${advisoryLocks.indexer}::bigint)`;
    await indexerBecomes({ status: 'failed', detail: 'the indexer has not completed a round yet' });
    await note();
    await eventually(async () => {
      expect(await h.anonymous.get('/ready')).toMatchObject({
        status: 200,
        body: {
          status: 'ok',
          checks: {
            database: { status: 'ok' },
            chain: { status: 'ok' },
            price: { status: 'ok' },
            indexer: { status: 'ok' },
          },
        },
      });
    }, 10_000);
    await h.ctx.sql`update indexer_progress set round_at = now() - interval '16 seconds'`;
    // By the time of the database, which goes on between the two statements.
    await indexerBecomes({
      status: 'failed',
      detail: expect.stringMatching(/^the indexer has not completed a round for (1[6-9]|2\d) s$/),
    });
    await note({ slot: 7n, missing: 'Event 3 of escrow is not recorded.' });
    await indexerBecomes({ status: 'ok' });
    await h.ctx.sql`update indexer_progress set missing_since = now() - interval '31 seconds'`;
    await indexerBecomes({
      status: 'failed',
      detail: expect.stringMatching(
        /^Event 3 of escrow is not recorded\. It has been missing for (3[1-9]|4\d) s\.$/,
      ),
    });
    await note();
    await indexerBecomes({ status: 'ok' });
    await session`select pg_advisory_unlock(${advisoryLocks.indexer}::bigint)`;
    session.release();
    await indexerBecomes({ status: 'failed', detail: 'no process is indexing' });
  });

  test('a process without an indexer sees that another one gets on, and that it no longer does', async () => {
    const indexer = startIndexer(h.ctx, { pollMs: 50, idlePollMs: 100, electionMs: 100 });
    await eventually(async () => expect((await checks()).indexer).toEqual({ status: 'ok' }), 10_000);
    await h.ctx.sql`update indexer_progress set round_at = now() - interval '1 hour'`;
    await eventually(async () => {
      const [row] = await h.ctx
        .sql`select round_at > now() - interval '1 minute' as fresh from indexer_progress`;
      expect(row?.fresh).toBe(true);
    }, 10_000);
    // One that has not looked yet: the other may still have what it saw before.
    const app = await buildApp(h.ctx);
    expect((await clientOf(app, {}).get('/ready')).body.checks.indexer).toEqual({ status: 'ok' });
    await app.close();
    await indexer.stop();
    await indexerBecomes({ status: 'failed', detail: 'no process is indexing' });
  });

  test('the indexer of the process reports for itself', async () => {
    const app = await buildApp(h.ctx, { indexer: { fault: () => 'it lost its cursor' } });
    const response = await clientOf(app, {}).get('/ready');
    expect(response.body.checks.indexer).toEqual({ status: 'failed', detail: 'it lost its cursor' });
    await app.close();
  });

  test('ready reports when trading is paused, and which pauses leave quotes alone', async () => {
    const chainBecomes = (wanted: object) =>
      eventually(async () => expect((await checks()).chain).toEqual(wanted), 10_000);
    await chain.setStatus({ paused: 6 });
    await chainBecomes({ status: 'ok', detail: 'Paused: trades of partners, withdrawals.' });
    await chain.setStatus({ paused: 1 });
    await chainBecomes({ status: 'failed', detail: 'Trading is paused.' });
    expect((await h.anonymous.get('/ready')).status).toBe(503);
    await chain.setStatus({ paused: 0 });
    await chainBecomes({ status: 'ok' });
  });

  test('a price that stands still fails the price and nothing else', async () => {
    chain.price.set({
      price: 410_012_000_000n,
      confidence: 80_000_000n,
      exponent: -8,
      publishTimeSeconds: 1n,
    });
    await eventually(async () => expect((await checks()).price.status).toBe('failed'), 10_000);
    expect((await checks()).chain).toEqual({ status: 'ok' });
    chain.price.set({ price: 410_012_000_000n, confidence: 80_000_000n, exponent: -8 });
    await eventually(async () => expect((await checks()).price).toEqual({ status: 'ok' }), 10_000);
  });
});

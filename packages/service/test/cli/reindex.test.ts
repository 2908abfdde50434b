import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { findProgress } from '../../src/db/indexing/indexer-progress.js';
import { findAuditRowsAfter } from '../../src/db/operators/audit-log.js';
import * as schema from '../../src/db/schema.js';
import { uuidOf } from '../../src/domain/ids.js';
import { startIndexer } from '../../src/indexer/index.js';
import { reindex } from '../../src/indexer/reindex.js';
import { following, never } from '../indexer/following.js';
import { eventually } from '../karat-chain.js';
import { callKarat, type Env, runKarat } from './run-karat.js';

const f = following();
const { trade, written, tradeOf } = f;
/** Has the indexer record everything, what failed too. */
const catchUp = async () => {
  f.world.node.warp({ slots: 40 });
  await f.catchUp(await f.newIndexing({ finalAfterMs: 0 }));
};
let env: Env;

beforeAll(() => {
  const { config } = f.ctx;
  env = {
    DATABASE_URL: config.databaseUrl.reveal(),
    KARAT_RPC_URL: config.rpcUrls.join(),
    KARAT_WS_URL: config.wsUrls.join(),
    KARAT_PROGRAM_ID: config.programId,
    KARAT_SERVICE_SIGNER: config.serviceSignerUrl ?? '',
  };
});

/** A trade that was recorded and whose record is lost; the slot it landed in. */
async function lostTrade() {
  const sent = await trade();
  await catchUp();
  const slot = (await tradeOf(sent.id))?.slot;
  if (slot === undefined) throw new Error('the trade is not recorded');
  return {
    id: sent.id,
    slot,
    lose: () => f.ctx.db.execute(sql`delete from trades where id = ${uuidOf(sent.id)}`),
  };
}

test('karat reindex: everything is read again, nothing is doubled, and the progress stays', {
  timeout: 90_000,
}, async () => {
  await trade();
  await trade({ minAmountOut: 10n ** 12n });
  const lost = await lostTrade();
  const before = await written();
  expect([before.trades.length, before.deadLetters]).toEqual([3, []]);

  const run = await runKarat(['reindex', '--from-slot', '0'], env);
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(JSON.parse(run.stdout)).toMatchObject({ from_slot: 0 });
  expect(JSON.parse(run.stdout).transactions).toBeGreaterThanOrEqual(3);
  expect(await written()).toEqual(before);

  await lost.lose();
  expect((await written()).trades.length).toBe(2);
  expect((await callKarat(['reindex', '--from-slot', String(lost.slot)], env)).code).toBe(0);
  expect(await written()).toEqual(before);
  const rows = await findAuditRowsAfter(f.ctx.db, 0, 1_000);
  expect(rows.map(({ action, after, personId }) => [action, after, personId])).toEqual([
    ['indexer.reindex', { from_slot: '0' }, null],
    ['indexer.reindex', { from_slot: lost.slot.toString() }, null],
  ]);
});

test('karat reindex: what lies before the slot is not read', { timeout: 60_000 }, async () => {
  const lost = await lostTrade();
  f.world.node.warp({ slots: 400 });
  const later = await trade();
  await catchUp();
  await lost.lose();
  const slot = (await tradeOf(later.id))?.slot ?? 0n;
  expect(slot).toBeGreaterThan(lost.slot + 300n);
  await reindex(f.ctx, slot, never);
  expect(await tradeOf(lost.id)).toBeUndefined();
  await reindex(f.ctx, lost.slot, never);
  expect(await tradeOf(lost.id)).toMatchObject({ slot: lost.slot });
});

test('karat reindex: a failure that is not final yet is left to the indexer, without a dead letter', async () => {
  const { node } = f.world;
  const failed = await trade({ minAmountOut: 10n ** 12n });
  node.pause();
  expect(await reindex(f.ctx, 0n, never)).toMatchObject({ unread: 0 });
  expect([await tradeOf(failed.id), (await written()).deadLetters]).toEqual([undefined, []]);
  node.resume();
  node.warp({ slots: 40 });
  await reindex(f.ctx, 0n, never);
  expect(await tradeOf(failed.id)).toMatchObject({ status: 'failed' });
});

test('karat reindex: a database that was never indexed does not count as indexed up to there', async () => {
  const first = await trade();
  f.world.node.warp({ slots: 400 });
  const second = await trade();
  await catchUp();
  const slot = (await tradeOf(second.id))?.slot ?? 0n;
  await f.forgetEverything();
  await reindex(f.ctx, slot, never);
  expect([await tradeOf(first.id), await findProgress(f.ctx.db)]).toEqual([undefined, undefined]);
  expect(await tradeOf(second.id)).toBeDefined();
  await catchUp();
  expect(await tradeOf(first.id)).toBeDefined();
});

test('karat reindex: a run does not get in the way of an indexer at work', { timeout: 120_000 }, async () => {
  const sent = await Promise.all([trade(), trade(), trade()]);
  const indexer = startIndexer(f.ctx, { electionMs: 50, pollMs: 50 });
  try {
    await Promise.all([reindex(f.ctx, 0n, never), reindex(f.ctx, 0n, never)]);
    await eventually(() => expect(indexer.status().role).toBe('leader'), 60_000);
    const last = await trade();
    await eventually(async () => expect(await tradeOf(last.id)).toBeDefined(), 60_000);
  } finally {
    await indexer.stop();
  }
  const trades = await f.ctx.db.select().from(schema.trades);
  for (const { id } of sent) expect(trades.filter((row) => row.id === id)).toHaveLength(1);
  expect((await written()).deadLetters.filter(({ resolvedAt }) => resolvedAt === null)).toEqual([]);
});

test('karat reindex: an invalid slot, and one that the chain has not reached, are refused', async () => {
  const runs = [
    await callKarat(['reindex'], env),
    await callKarat(['reindex', '--from-slot', '-1'], env),
    await callKarat(['reindex', '--from-slot', '1e3'], env),
    await callKarat(['reindex', '--from-slot', '9'.repeat(16)], env),
    await callKarat(['reindex', '--from-slot', '999999999'], env),
    await callKarat(['reindex', '--from-slot', '0'], { ...env, KARAT_RPC_URL: 'http://127.0.0.1:1' }),
  ];
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
    [2, '--from-slot SLOT is missing (or KARAT_FROM_SLOT in the environment)\n'],
    [2, '--from-slot must be a slot, a whole number, not "-1"\n'],
    [2, '--from-slot must be a slot, a whole number, not "1e3"\n'],
    [2, expect.stringMatching(/^--from-slot must be a slot, a whole number, not "9+"\n$/)],
    [
      1,
      expect.stringMatching(/^The chain is at slot \d+, so there is nothing from slot 999999999 on yet\n$/),
    ],
    [1, expect.stringMatching(/karat doctor shows what to do\.\n$/)],
  ]);
});

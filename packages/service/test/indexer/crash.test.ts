import { SettlementMode } from '@karat/program-client';
import { beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.js';
import { drizzleOn } from '../../src/db/client.js';
import * as schema from '../../src/db/schema.js';
import { newUuid } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import { goldUnits, usdcUnits } from '../../src/domain/money.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { givenVault, settleRedemption, token } from './vault.js';
import { landed, memoInstruction, send } from './world.js';

const f = following();
const { forgetEverything, newIndexing, catchUpFinal, trade, written } = f;
/** Each starts and stops the indexer dozens of times, on a machine that may be busy. */
const slow = 300_000;
/** Crashes are this many statements apart: batches repeat the same ones in other places, so that each kind has its turn. */
const everyNth = process.env.KARAT_THOROUGH ? 1 : 7;
const everyNthCall = process.env.KARAT_THOROUGH ? 1 : 3;
/** Several database transactions a round, so that a crash may fall between them. */
const small = { batchSize: 3, finalAfterMs: 0 };

/** A history with a bit of everything: records, failures, dead letters, a trade id used twice, orders and a settlement. */
beforeAll(async () => {
  const first = await trade();
  await trade({ side: 'sell', amountIn: 2_000_000n });
  await trade({ minAmountOut: 10n ** 12n });
  await trade({ memo: null });
  await trade({ id: first.id, amountIn: 7_000_000n });
  const memo = formatMemo({ kind: 'buy', id: first.id, amount: 100_000_000n });
  await trade({ more: [memoInstruction(memo, [f.world.service])] });
  await givenOrders();
  await givenSettlement();
});

/** An order that is carried out, one that fails, one that a call only names, and a movement without any. */
async function givenOrders(): Promise<void> {
  const vault = await givenVault(f.world);
  const carry = async (...instructions: Parameters<typeof send>[1]) =>
    landed(f.world, await send(f.world, instructions, vault.signer));
  await vault.order();
  await carry(vault.purchase(token, 5_000n * token), vault.withdrawal('gold', 5n));
  await vault.order({ usdcLimit: usdcUnits(1n) });
  await carry(vault.purchase(token, 1n));
  await vault.order();
  await carry(vault.purchase(token, 6_000n * token));
}

/** Gold of escrow that a row waits for. */
async function givenSettlement(): Promise<void> {
  const { node, program, goldMint, trader, h, admin } = f.world;
  await node.setTokenBalance(program.escrowAuthority, goldMint, 10n * token);
  await seedDenominations(h);
  const owner = { partner: trader.partner, user: { id: trader.userId, wallet: trader.wallet } };
  const redemptionId = await givenRedemption(h, owner, { status: 'collected' });
  const [id, at] = [newUuid(), new Date(f.ctx.clock.now())];
  const row = {
    id,
    kind: 'burn',
    redemptionId,
    amount: goldUnits(380_625n),
    lastValidBlockHeight: 10n ** 7n,
  } as const;
  await f.ctx.db.insert(schema.operatorTransactions).values({ ...row, createdAt: at, updatedAt: at });
  const burn = await settleRedemption(f.world, SettlementMode.Burn, redemptionId);
  await landed(f.world, await send(f.world, [burn], admin));
}

/**
 * A process that leads, until something fails. It notes its progress while most of the history is still to be read, and
 * again while what failed waits to be tried.
 */
async function lead(context: Context = f.ctx, tuning = {}): Promise<void> {
  const pages = { firstPage: 4, laterPages: 4, pages: 1, finalAfterMs: 60_000 };
  const { tail, completeness, note, complete } = await newIndexing(
    { ...small, ...pages, ...tuning },
    context,
  );
  await tail.round(never);
  await completeness.look(never);
  await note();
  await tail.readHistories(never);
  await complete();
}

/** What a process leaves that goes on where the one before it noted its progress. */
async function afterAnother() {
  const indexing = await catchUpFinal(await newIndexing(small));
  const { incomplete } = await indexing.complete();
  expect([...incomplete]).toEqual([]);
  return written();
}

test('crash: a run from the first slot over what is written, and over nothing, leaves the same', async () => {
  await catchUpFinal();
  const first = await written();
  expect(first.trades.length).toBe(3);
  expect(first.deadLetters.map(({ reason }) => reason).sort()).toEqual([
    'conflicting_record',
    'memo_missing',
    'order_mismatch',
    'several_memos',
  ]);
  expect(first.orders.map(({ status }) => status).sort()).toEqual([
    ...['confirmed', 'confirmed', 'confirmed', 'failed', 'pending_signature'],
  ]);
  expect(first.operations).toMatchObject([{ status: 'confirmed', kind: 'burn' }]);
  const times = await f.ctx.db.select().from(schema.trades);
  await catchUpFinal();
  expect(await written()).toEqual(first);
  expect(await f.ctx.db.select().from(schema.trades)).toEqual(expect.arrayContaining(times));
  await forgetEverything();
  await catchUpFinal();
  expect(await written()).toEqual(first);
});

test(
  'crash: a process that dies at any statement to the database loses and doubles nothing',
  async () => {
    const expected = await afterAnother();
    let crashes = 0;
    for (let at = 1; ; at += everyNth) {
      await forgetEverything();
      const finished = await lead(crashingAt(at)).then(
        () => true,
        () => false,
      );
      expect(await afterAnother(), `after a crash at statement ${at}`).toEqual(expected);
      if (finished) break;
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(60 / everyNth);
  },
  slow,
);

test(
  'crash: a node that is gone from any call on loses and doubles nothing',
  async () => {
    const expected = await afterAnother();
    let crashes = 0;
    for (let at = 1; ; at += everyNthCall) {
      await forgetEverything();
      let calls = 0;
      f.node.lie = async ({ method }, ask) => {
        if (method !== 'getSignaturesForAddress' && method !== 'getTransaction') return ask();
        calls += 1;
        if (calls >= at) throw new Error('the node is gone');
        return ask();
      };
      // One request at a time, or which of several gets the last response is a matter of luck.
      await lead(f.ctx, { concurrency: 1 }).catch(() => {});
      f.node.lie = undefined;
      if (calls < at) break;
      crashes += 1;
      expect(await afterAnother(), `after a crash at call ${at}`).toEqual(expected);
    }
    expect(crashes).toBeGreaterThan(10 / everyNthCall);
  },
  slow,
);

/** The context over a database whose `at`-th statement, and all after it, never happen. */
function crashingAt(at: number): Context {
  let statements = 0;
  const logger = {
    logQuery() {
      statements += 1;
      if (statements >= at) throw new Error('the process died');
    },
  };
  return { ...f.ctx, db: drizzleOn(f.ctx.pool, logger) };
}

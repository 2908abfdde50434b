import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.js';
import { drizzleOn } from '../../src/db/client.js';
import * as schema from '../../src/db/schema.js';
import { formatMemo } from '../../src/domain/memo.js';
import { following, never } from './following.js';
import { memoInstruction } from './world.js';

const f = following();
const { forgetEverything, newFollower, catchUp, trade, written } = f;
/** Each starts and stops the indexer dozens of times, on a machine that may be busy. */
const slow = 120_000;
/** Several database transactions a round, so that a crash may fall between them. */
const small = { batchSize: 3 };
/** Without the overlap, which would hide a cursor that went ahead of its effects. */
const strict = { overlapSlots: 0n };

/** A history with a bit of everything: records, failures, dead letters, a trade id used twice. */
beforeAll(async () => {
  const first = await trade();
  await trade({ side: 'sell', amountIn: 2_000_000n });
  await trade({ minAmountOut: 10n ** 12n });
  await trade({ memo: null });
  await trade({ id: first.id, amountIn: 7_000_000n });
  const memo = formatMemo({ kind: 'buy', id: first.id, amount: 100_000_000n });
  await trade({ more: [memoInstruction(memo, [f.world.service])] });
});

test('after a run from slot 0 over what is written, and over nothing', async () => {
  await catchUp();
  const first = await written();
  expect(first.trades.length).toBe(3);
  expect(first.letters.length).toBe(3);
  const times = await f.ctx.db.select().from(schema.trades);
  await f.ctx.db.execute(sql`delete from indexer_cursors`);
  await catchUp();
  expect(await written()).toEqual(first);
  expect(await f.ctx.db.select().from(schema.trades)).toEqual(expect.arrayContaining(times));
  await forgetEverything();
  await catchUp();
  expect(await written()).toEqual(first);
});

test(
  'after a crash at any statement to the database',
  async () => {
    await catchUp();
    const expected = await written();
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      await forgetEverything();
      const finished = await newFollower(small, crashingAt(at))
        .round(never)
        .then(
          () => true,
          () => false,
        );
      if (finished) break;
      crashes += 1;
      await catchUp(newFollower(strict));
      expect(await written(), `after a crash at statement ${at}`).toEqual(expected);
    }
    expect(crashes).toBeGreaterThan(40);
  },
  slow,
);

test(
  'after a crash at any answer of the node',
  async () => {
    await catchUp();
    const expected = await written();
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      await forgetEverything();
      let calls = 0;
      f.node.lie = async ({ method }, ask) => {
        if (method !== 'getSignaturesForAddress' && method !== 'getTransaction') return ask();
        calls += 1;
        if (calls >= at) throw new Error('the node is gone');
        return ask();
      };
      await newFollower(small)
        .round(never)
        .catch(() => {});
      f.node.lie = undefined;
      if (calls < at) break;
      crashes += 1;
      await catchUp(newFollower(strict));
      expect(await written(), `after a crash at call ${at}`).toEqual(expected);
    }
    expect(crashes).toBeGreaterThan(10);
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
  return { ...f.ctx, db: drizzleOn(f.ctx.sql.pool, logger) };
}

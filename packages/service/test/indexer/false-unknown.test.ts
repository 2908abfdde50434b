import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { prepareTransaction } from '../../src/chain/build/prepare-transaction.js';
import type { Context } from '../../src/context.js';
import { findSeenChain } from '../../src/db/indexing/indexer-rounds.js';
import { uuidOf } from '../../src/domain/ids.js';
import { Follower } from '../../src/indexer/follower.js';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { openSource } from '../../src/indexer/open-source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { following } from './following.js';
import { dropping, type Lie, listsFinal, Refused } from './lying-node.js';
import { twoNodes } from './two-nodes.js';
import { eventually, landed } from './world.js';

/** What an indexer that runs makes of nodes which do not know what they have confirmed before. */

const f = following();
let indexer: Indexer | undefined;
afterEach(async () => {
  f.node.lie = undefined;
  await indexer?.stop();
  indexer = undefined;
});

const run = (ctx: Context = f.ctx) => {
  indexer = startIndexer(ctx, { pollMs: 50, idlePollMs: 100, settleMs: 50, sweepMs: 500, electionMs: 100 });
};

/** A trade that the running indexer has recorded. Where the node is to lie about it, the chain stands still until it does. */
async function recorded(lieAbout?: (signature: string) => Lie) {
  const { id, signature } = await f.trade();
  if (lieAbout) f.world.node.pause();
  try {
    await eventually(() => f.tradeOf(id));
    if (lieAbout) f.node.lie = lieAbout(signature);
  } finally {
    f.world.node.resume();
  }
  return { id, signature };
}

const isFinal = (id: string) => eventually(async () => ((await f.tradeOf(id))?.finalized ? true : undefined));

/** The node answers null wherever it is asked for a transaction by its signature, and counts how often it was. */
function forgetting(signature: string): { lie: Lie; asked(): number } {
  let asked = 0;
  const lie: Lie = async ({ method, params }, ask) => {
    if (method === 'getTransaction' && params[0] === signature) return null;
    const answer = await ask();
    if (listsFinal({ method, params }))
      return answer.filter((line: { signature: string }) => line.signature !== signature);
    if (method !== 'getSignatureStatuses' || !params[0].includes(signature)) return answer;
    asked += 1;
    const value = params[0].map((key: string, at: number) => (key === signature ? null : answer.value[at]));
    return { ...answer, value };
  };
  return { lie, asked: () => asked };
}

test.each<[string, Lie]>([
  ['whose block lists the trade', async (_, ask) => ask()],
  [
    'that has no blocks of that time any more',
    async ({ method }, ask) => {
      if (method === 'getBlock' || method.startsWith('getBlocks')) throw new Refused(-32001, 'cleaned up');
      return ask();
    },
  ],
  [
    'that gives the block behind for the one of the slot',
    async ({ method, params }, ask) => {
      const answer = await ask();
      if (!method.startsWith('getBlocks')) return answer;
      return answer.filter((slot: number) => slot > params[0]);
    },
  ],
])('a trade survives a node %s and that does not know it', async (_, blocks) => {
  run();
  let asked = () => 0;
  const { id, signature } = await recorded((of) => {
    const forgetful = forgetting(of);
    asked = forgetful.asked;
    return (call, ask) => forgetful.lie(call, () => blocks(call, ask));
  });
  let checkAt = 0;
  for (let look = 1; look <= 4; look += 1) {
    // Past the life of its blockhash, and past the pause between two looks.
    f.world.node.warp({ slots: 400 });
    const before = checkAt;
    await eventually(async () => {
      checkAt = (await f.tradeOf(id))?.checkAt?.getTime() ?? before;
      return checkAt > before ? true : undefined;
    });
    expect(asked()).toBeGreaterThanOrEqual(2 * look);
  }
  expect(await f.tradeOf(id)).toMatchObject({ txSignature: signature, finalized: false });
  expect(await f.reasonsOf(signature)).not.toContain('vanished');
  f.node.lie = undefined;
  f.world.node.warp({ slots: 400 });
  await isFinal(id);
});

/** An answer to `getSignatureStatuses` that gives everything which has landed this confirmation status. */
// biome-ignore lint/suspicious/noExplicitAny: as the node gives it
function calling(answer: any, confirmationStatus: string) {
  const value = answer.value.map((status: object | null) => status && { ...status, confirmationStatus });
  return { ...answer, value };
}

describe('of two nodes', () => {
  const two = twoNodes(f);

  /** Past the look at a row that is about to be due. */
  async function looked(id: string): Promise<void> {
    const before = (await f.tradeOf(id))?.checkAt?.getTime() ?? 0;
    f.world.node.warp({ slots: 400 });
    await eventually(async () =>
      ((await f.tradeOf(id))?.checkAt?.getTime() ?? 0) > before ? true : undefined,
    );
  }

  test('one that has dropped a transaction, blocks and all, has nothing taken back', async () => {
    run(two.ctx);
    const { id, signature } = await recorded(dropping);
    const slot = (await f.tradeOf(id))?.slot ?? 0n;
    f.world.node.warp({ slots: 400 });
    await eventually(async () =>
      ((await findSeenChain(two.ctx.db))?.slot ?? 0n) > slot + 200n ? true : undefined,
    );
    for (let look = 0; look < 2; look += 1) await looked(id);
    expect(await f.tradeOf(id)).toMatchObject({ txSignature: signature, finalized: false });
    f.node.lie = undefined;
    f.world.node.warp({ slots: 400 });
    await isFinal(id);
  });

  test('one that understates how long a blockhash serves makes no transaction of an operator expire early', async () => {
    f.node.lie = async ({ method }, ask) => {
      const answer = await ask();
      if (method === 'getBlockHeight') return 1;
      if (method !== 'getLatestBlockhash') return answer;
      return { ...answer, value: { ...answer.value, lastValidBlockHeight: 1 } };
    };
    // A height that is late counts with the blockhash after it: nothing happens meanwhile.
    f.world.node.pause();
    try {
      const height = await two.ctx.chain.rpc.getEpochInfo({ commitment: 'confirmed' }).send();
      // It reads those with each blockhash, and is the only one to read them there.
      const read = () => two.second.calls.get('getBlockHeight') ?? 0;
      const before = read();
      await eventually(async () => read() > before + 2 || undefined);
      const config = two.ctx.chain.program.config();
      const draft = { instructions: [], payer: config.admin };
      const { lastValidBlockHeight } = await prepareTransaction(two.ctx.chain, config, draft);
      expect(lastValidBlockHeight).toBeGreaterThanOrEqual(height.blockHeight + 150n);
    } finally {
      f.world.node.resume();
    }
  });

  test('one that calls final what is not makes nothing final', async () => {
    run(two.ctx);
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      // Finalized is what a node answers when nothing else is asked for.
      if (method === 'getSlot' && params[0]?.commitment !== 'confirmed') return answer + 10_000;
      return method === 'getSignatureStatuses' ? calling(answer, 'finalized') : answer;
    };
    // However long this takes, the other one does not call it final yet.
    two.second.lie = async (call, ask) => {
      if (listsFinal(call)) return [];
      return call.method === 'getSignatureStatuses' ? calling(await ask(), 'confirmed') : ask();
    };
    const { id } = await recorded();
    await eventually(async () => ((await f.tradeOf(id))?.checkAt?.getTime() ? true : undefined));
    expect(await f.tradeOf(id)).toMatchObject({ finalized: false });
    two.second.lie = undefined;
    f.world.node.warp({ slots: 400 });
    await isFinal(id);
  });

  test('one that lists a success where the other lists a failure makes nothing final', async () => {
    run(two.ctx);
    two.second.lie = async (call, ask) => {
      const answer = await ask();
      const err = { InstructionError: [3, { Custom: 1 }] };
      if (listsFinal(call)) return answer.map((line: object) => ({ ...line, err }));
      return call.method === 'getSignatureStatuses' ? calling(answer, 'confirmed') : answer;
    };
    const { id } = await recorded();
    f.world.node.warp({ slots: 40 });
    await eventually(async () => ((await f.tradeOf(id))?.checkAt?.getTime() ? true : undefined));
    expect(await f.tradeOf(id)).toMatchObject({ finalized: false });
    two.second.lie = undefined;
    f.world.node.warp({ slots: 400 });
    await isFinal(id);
  });

  test('what one gives in bytes that are not the transaction is recorded from the other', async () => {
    const first = await f.trade();
    const { id, signature } = await f.trade();
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      if (method !== 'getTransaction' || params[0] !== signature || !answer) return answer;
      return { ...answer, transaction: [Buffer.from(first.signature).toString('base64'), 'base64'] };
    };
    await f.catchUp(new Follower(two.ctx, openSource(two.ctx), { ...defaultTuning, sweepMs: 0 }));
    expect(await f.tradeOf(id)).toMatchObject({ txSignature: signature, status: 'confirmed' });
    expect(await f.reasonsOf(signature)).toEqual([]);
  });

  test('what one keeps back is recorded from the other, and nothing expires without both', async () => {
    const { id, signature } = await f.trade();
    f.node.lie = dropping(signature);
    const follower = new Follower(two.ctx, openSource(two.ctx), { ...defaultTuning, sweepMs: 0 });
    await f.catchUp(follower);
    expect(await f.tradeOf(id)).toMatchObject({ txSignature: signature, status: 'confirmed' });
    f.world.node.warp({ slots: 40 });
    await f.catchUp(follower);
    const seen = follower.seen();
    expect(seen).toBeDefined();
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getSignaturesForAddress' && params[1]?.minContextSlot)
        throw new Refused(-32016, 'behind');
      return ask();
    };
    f.world.node.warp({ slots: 40 });
    await f.catchUp(follower);
    expect(follower.seen()).toEqual(seen);
  });
});

test('rows that cannot be resolved hold up no newer one, and cost few calls', async () => {
  run();
  const first = await recorded();
  await indexer?.stop();
  // 300 rows of a time of which the node has nothing.
  await f.ctx.db.execute(sql`
    insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usdc,
        tx_signature, slot, event_seq, created_at, updated_at)
      select gen_random_uuid(), partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz,
        fee_bps, fee_usdc, sha512(n::text::bytea), 0, 1000000 + n, created_at, updated_at
      from trades, generate_series(111, 410) n where id = ${uuidOf(first.id)}`);
  f.node.lie = async ({ method }, ask) => {
    if (method === 'getBlock' || method.startsWith('getBlocks')) throw new Refused(-32001, 'cleaned up');
    return method === 'getFirstAvailableBlock' ? 1_000 : ask();
  };
  const { calls } = f.node;
  calls.clear();
  run();
  const { id, signature } = await recorded();
  f.world.node.warp({ slots: 40 });
  await landed(f.world, signature, 'finalized');
  await isFinal(id);
  const rows = await f.written();
  expect(rows.trades.filter(({ finalized }) => !finalized)).toHaveLength(300);
  // One close look at eight of them a round, a round every two seconds in production.
  const rounds = calls.get('getSlot') ?? 0;
  expect(calls.get('getBlocksWithLimit') ?? 0).toBeLessThanOrEqual(8 * rounds);
  expect(calls.get('getSignatureStatuses') ?? 0).toBeLessThanOrEqual(8 * rounds + 50);
  expect(calls.get('getFirstAvailableBlock') ?? 0).toBe(0);
}, 60_000);

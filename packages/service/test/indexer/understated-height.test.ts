import { createSolanaRpc, getBase58Decoder } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PollingBlockhashKeeper, type RecentBlockhash } from '../../src/chain/node/blockhash.js';
import { redemptions, submissions } from '../../src/db/schema.js';
import { Follower } from '../../src/indexer/follower.js';
import { openSource } from '../../src/indexer/open-source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { Demand } from '../../src/runtime/demand.js';
import { Freshness } from '../../src/runtime/freshness.js';
import { seedDenominations, tola } from '../redeeming.js';
import { expectStatus, startTrading, type Trading } from '../trading.js';
import { never } from './following.js';
import { hang, type LyingNode, startLyingNode } from './lying-node.js';
import { settlingOf } from './settling.js';
import { eventually } from './world.js';

/** What becomes of quotes where the first of two nodes understates how long a blockhash serves. */

let t: Trading;
let first: LyingNode;
let second: LyingNode;

beforeAll(async () => {
  t = await startTrading({
    reroute: async ({ rpcUrl, wsUrl }) => {
      [first, second] = [await startLyingNode(rpcUrl), await startLyingNode(rpcUrl)];
      return { rpcUrl: `${first.url},${second.url}`, wsUrl };
    },
  });
  await seedDenominations(t.service);
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 10_000_000n);
});
afterAll(async () => {
  [first.lie, second.lie] = [undefined, undefined];
  await t.stop();
  await Promise.all([first.close(), second.close()]);
});

/** It keeps what it is to send, and says that its blockhashes serve no longer than the first block of the chain. */
async function understate(): Promise<void> {
  first.lie = async ({ method, params }, ask) => {
    if (method === 'sendTransaction') {
      return getBase58Decoder().decode(Buffer.from(params[0], 'base64').subarray(1, 65));
    }
    if (method === 'getBlockHeight') return 1;
    const answer = await ask();
    if (method !== 'getLatestBlockhash') return answer;
    return { ...answer, value: { ...answer.value, lastValidBlockHeight: 1 } };
  };
  await renewed(2);
}

/** Resolves once the blockhash was read so many times more. */
async function renewed(times: number): Promise<void> {
  const read = () => first.calls.get('getLatestBlockhash') ?? 0;
  const before = read();
  await eventually(async () => {
    t.service.ctx.chain.blockhash.current();
    return read() >= before + times || undefined;
  });
}

test('nothing that was sent or quoted is ended before it can land no longer', async () => {
  const { ctx } = t.service;
  await understate();
  const { tradeId, transaction } = await t.quoted();
  expectStatus(await t.submit(tradeId, t.signed(transaction)), 200);
  const body = { service_user_id: t.user.id, denomination_id: tola.id, city: 'karachi' };
  expectStatus(await t.partner.client.post('/v1/redemptions', body), 201);
  const rows = async () => {
    const [submission] = await ctx.db.select().from(submissions);
    const [redemption] = await ctx.db.select().from(redemptions);
    return [submission?.status, redemption?.status];
  };
  const follower = new Follower(ctx, openSource(ctx), { ...defaultTuning, sweepMs: 0 });
  const settling = settlingOf(ctx, follower, { lapseMs: 0 });
  const settled = async () => {
    for (let round = await follower.round(never); round.waiting > 0 || round.behind; ) {
      round = await follower.round(never);
    }
    await settling.round(never);
    return rows();
  };
  await settled();
  // What is final lies 31 blocks behind: it is above the height that the first node stated, and far below the true one.
  t.chain.node.warp({ slots: 60 });
  expect(await settled()).toEqual(['submitted', 'quoted']);
  t.chain.node.warp({ slots: 300 });
  expect(await settled()).toEqual(['expired', 'lapsed']);
}, 60_000);

test('what the other node said counts while it is silent, and no blockhash waits for it', async () => {
  const { clock, log, chain } = t.service.ctx;
  const demand = new Demand();
  const { blockHeight } = await chain.rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  await understate();
  // Their calls have no limit: what waits for the silent one waits for ever.
  const nodes = [createSolanaRpc(first.url), createSolanaRpc(second.url)] as const;
  let take = (_latest: RecentBlockhash): void => {};
  const keeper = new PollingBlockhashKeeper({
    rpc: nodes[0],
    witnesses: nodes,
    clock,
    node: new Freshness(),
    demand,
    publish: ({ latest }) => take(latest),
  });
  demand.use();
  try {
    await keeper.start(log);
    second.lie = async ({ method }, ask) => (method === 'getBlockHeight' ? hang : ask());
    for (const _ of [1, 2, 3]) {
      const { lastValidBlockHeight } = await new Promise<RecentBlockhash>((resolve) => {
        take = resolve;
      });
      expect(lastValidBlockHeight).toBeGreaterThanOrEqual(blockHeight + 150n);
    }
  } finally {
    await keeper.stop();
  }
}, 60_000);

import { sql } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { following } from './following.js';
import { type Lie, Refused } from './lying-node.js';
import { eventually, landed } from './world.js';

/** What an indexer that runs makes of nodes which do not know what they have confirmed before. */

const f = following();
let indexer: Indexer | undefined;
afterEach(async () => {
  f.node.lie = undefined;
  await indexer?.stop();
  indexer = undefined;
});

const run = () => {
  indexer = startIndexer(f.ctx, { pollMs: 50, idlePollMs: 100, settleMs: 50, sweepMs: 500, electionMs: 100 });
};

/** A trade that the running indexer has recorded. */
async function recorded() {
  const { id, signature } = await f.trade();
  await eventually(() => f.tradeOf(id));
  return { id, signature };
}

const isFinal = (id: string) => eventually(async () => ((await f.tradeOf(id))?.finalized ? true : undefined));

/** The node answers null wherever it is asked for a transaction by its signature, and counts how often it was. */
function forgetting(signature: string): { lie: Lie; asked(): number } {
  let asked = 0;
  const lie: Lie = async ({ method, params }, ask) => {
    if (method === 'getTransaction' && params[0] === signature) return null;
    const answer = await ask();
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
  const { id, signature } = await recorded();
  const { lie, asked } = forgetting(signature);
  f.node.lie = (call, ask) => lie(call, () => blocks(call, ask));
  let checkAt = 0;
  for (let look = 1; look <= 4; look += 1) {
    // Past the life of its blockhash, and past the pause between two looks.
    f.world.node.warp({ slots: 400 });
    const before = checkAt;
    await eventually(async () => {
      checkAt = (await f.tradeOf(id))?.finalityCheckAt.getTime() ?? before;
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

test('rows that cannot be resolved hold up no newer one, and cost few calls', async () => {
  run();
  const first = await recorded();
  await indexer?.stop();
  // 300 rows of a time of which the node has nothing.
  await f.ctx.db.execute(sql`
    insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usdc,
        tx_signature, slot, event_seq, created_at, updated_at)
      select 'trd_' || gen_random_uuid(), partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz,
        fee_bps, fee_usdc, left(tx_signature, -3) || translate(lpad(n::text, 3, '1'), '0', 'z'), 0, 1000000 + n, created_at, updated_at
      from trades, generate_series(111, 410) n where id = ${first.id}`);
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

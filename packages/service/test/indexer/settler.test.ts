import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '../../src/context.js';
import { deadLetters, programEvents, trades } from '../../src/db/schema.js';
import { Follower } from '../../src/indexer/follower.js';
import { Settler } from '../../src/indexer/settler.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { type LyingNode, startLyingNode } from './lying-node.js';
import { givenWorld, landed, sendTrade, type TradeOptions, type World } from './world.js';

let world: World;
let node: LyingNode;
let ctx: Context;
const never = new AbortController().signal;
const tuning = { ...defaultTuning, retryLettersMs: 0, unavailableAfterMs: 0 };

beforeAll(async () => {
  world = await givenWorld({
    throughNode: async (url) => {
      node = await startLyingNode(url);
      return node.url;
    },
  });
  ctx = world.h.ctx;
  await ctx.chain.start();
});

afterAll(async () => {
  node.lie = undefined;
  await world.close();
  await node.close();
});

beforeEach(async () => {
  node.lie = undefined;
  await ctx.db.execute(sql`truncate trades, program_events, dead_letters`);
});

/** A trade that is recorded, and a settler as it runs beside the follower that did it. */
async function recorded(options: TradeOptions = {}, before: (signature: string) => void = () => {}) {
  const follower = new Follower(ctx, tuning);
  const sent = await sendTrade(world, options);
  await landed(world, sent.signature);
  before(sent.signature);
  await follower.round(never);
  return { ...sent, settler: new Settler(ctx, tuning, () => follower.view()) };
}

async function rowOf(id: string) {
  return (await ctx.db.select().from(trades)).find((row) => row.id === id);
}

async function reasonsOf(signature: string) {
  const letters = (await ctx.db.select().from(deadLetters)).filter(
    (letter) => letter.signature === signature,
  );
  // A test begins without the events before it, so that the first number it sees may show a gap.
  return letters
    .filter(({ reason }) => reason !== 'sequence_gap')
    .map(({ reason, resolvedAt }) => (resolvedAt ? `${reason} (settled)` : reason))
    .sort();
}

test('a trade is looked at until its transaction is final; its record does not change by that', async () => {
  const { id, settler, signature } = await recorded();
  const before = await rowOf(id);
  await settler.round(never);
  expect(before).toMatchObject({ finalized: false });
  expect(await rowOf(id)).toEqual(before);
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  await settler.round(never);
  expect(await rowOf(id)).toEqual({ ...before, finalized: true });
});

test('a failed trade becomes final too', async () => {
  const { id, settler, signature } = await recorded({ minAmountOut: 10n ** 12n });
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  await settler.round(never);
  expect(await rowOf(id)).toMatchObject({ status: 'failed', finalized: true });
});

/** A node on whose chain these transactions are not. */
function without(...signatures: string[]) {
  node.lie = async ({ method, params }, ask) => {
    if (method === 'getTransaction' && signatures.includes(params[0])) return null;
    const answer = await ask();
    if (method !== 'getSignatureStatuses') return answer;
    const value = params[0].map((key: string, index: number) =>
      signatures.includes(key) ? null : answer.value[index],
    );
    return { ...answer, value };
  };
}

test('a trade whose transaction the chain dropped is taken back once it cannot land any more', async () => {
  const { id, settler, signature } = await recorded();
  without(signature);
  for (let look = 0; look < 5; look += 1) await settler.round(never);
  expect(await rowOf(id)).toBeDefined();
  world.node.warp({ slots: 250 });
  await settler.round(never);
  expect(await rowOf(id)).toBeUndefined();
  expect(await reasonsOf(signature)).toEqual(['vanished']);
  const events = await ctx.db.select().from(programEvents);
  expect(events.filter(({ txSignature }) => txSignature === signature)).toEqual([]);
  const letters = await ctx.db.select().from(deadLetters);
  const letter = letters.find(({ reason }) => reason === 'vanished');
  expect(letter).toMatchObject({ signature, detail: { trade_id: id, usdc: '100000000', gold: '24267' } });
});

test('one look that misses it, or a node without blocks of that time, takes nothing back', async () => {
  const { id, settler, signature } = await recorded();
  world.node.warp({ slots: 250 });
  without(signature);
  await settler.round(never);
  await settler.round(never);
  const lie = node.lie;
  node.lie = async (call, ask) =>
    call.method === 'getFirstAvailableBlock' ? 1_000_000 : lie ? lie(call, ask) : ask();
  for (let look = 0; look < 5; look += 1) await settler.round(never);
  expect(await rowOf(id)).toBeDefined();
  node.lie = undefined;
  await settler.round(never);
  expect(await rowOf(id)).toMatchObject({ finalized: true });
});

test('a transaction that ended in another block is recorded as it is there', async () => {
  const { id, settler, signature } = await recorded();
  const before = await rowOf(id);
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  node.lie = async ({ method, params }, ask) => {
    const answer = await ask();
    if (method === 'getTransaction' && params[0] === signature) return { ...answer, slot: answer.slot + 2 };
    if (method !== 'getSignatureStatuses') return answer;
    const value = params[0].map((key: string, index: number) => {
      const status = answer.value[index];
      return key === signature && status ? { ...status, slot: status.slot + 2 } : status;
    });
    return { ...answer, value };
  };
  await settler.round(never);
  const after = await rowOf(id);
  expect(after).toMatchObject({ finalized: true, status: 'confirmed', goldAmount: before?.goldAmount });
  expect(after?.slot).toBe((before?.slot ?? 0n) + 2n);
  expect(await reasonsOf(signature)).toEqual([]);
});

test('a dead letter for want of an answer is settled when the node knows the transaction', async () => {
  const { id, settler, signature } = await recorded({}, without);
  expect(await reasonsOf(signature)).toEqual(['transaction_unavailable']);
  await settler.round(never);
  expect(await reasonsOf(signature)).toEqual(['transaction_unavailable']);
  node.lie = undefined;
  await settler.round(never);
  expect(await rowOf(id)).toMatchObject({ txSignature: signature, status: 'confirmed' });
  expect(await reasonsOf(signature)).toEqual(['transaction_unavailable (settled)']);
});

test('a dead letter whose transaction turns out undecodable is settled as such and holds up no other', async () => {
  const { settler, signature } = await recorded({}, without);
  const next = await recorded({}, (later) => without(signature, later));
  node.lie = async ({ method, params }, ask) => {
    const answer = await ask();
    if (method !== 'getTransaction' || params[0] !== signature) return answer;
    return { ...answer, transaction: ['AAAA', 'base64'] };
  };
  await settler.round(never);
  expect(await reasonsOf(signature)).toEqual(['transaction_unavailable (settled)', 'undecodable']);
  expect(await rowOf(next.id)).toMatchObject({ txSignature: next.signature });
});

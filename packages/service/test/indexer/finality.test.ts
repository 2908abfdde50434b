import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findEvents } from '../../src/db/events/events.js';
import { deadLetters, programEvents } from '../../src/db/schema.js';
import { uuidOf } from '../../src/domain/ids.js';
import { FinalityWatch } from '../../src/indexer/finality/finality.js';
import { watchedKinds } from '../../src/indexer/finality/watched-kinds.js';
import { Follower } from '../../src/indexer/follower.js';
import { openSource } from '../../src/indexer/open-source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { withObjects } from '../../src/partner-events.js';
import { kitSigner, newWallet, type TestContext } from '../harness.js';
import {
  dropping,
  type Lie,
  type LyingNode,
  listsFinal,
  neverFinal,
  Refused,
  startLyingNode,
} from './lying-node.js';
import { type Settling, settlingOf } from './settling.js';
import { watchedTrades } from './watched.js';
import { givenWorld, landed, sendTrade, type TradeOptions, type World } from './world.js';

let world: World;
let node: LyingNode;
let ctx: TestContext;
const never = new AbortController().signal;
const tuning = { ...defaultTuning, retryDeadLettersMs: 0, unavailableAfterMs: 0, sweepMs: 0 };

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
  world.node.resume();
  await ctx.db.execute(sql`truncate trades, unfinalized, chain_effects, dead_letters`);
});

/** A trade that is recorded, and what runs beside the follower that did it. */
async function recorded(options: TradeOptions = {}, before: (signature: string) => void = () => {}) {
  const follower = new Follower(ctx, openSource(ctx), tuning);
  const sent = await sendTrade(world, options);
  await landed(world, sent.signature);
  before(sent.signature);
  await follower.round(never);
  return { ...sent, follower, settler: settlingOf(ctx, follower, tuning) };
}

async function rowOf(id: string) {
  return (await watchedTrades(ctx)).find((row) => row.id === id);
}

/** The events about a trade, as its partner reads them. */
async function eventsOf(id: string) {
  const page = { after: 0n, limit: 10 };
  return withObjects(ctx, await findEvents(ctx.db, world.trader.partner.partnerId, { objectId: id }, page));
}

async function reasonsOf(signature: string) {
  const deadLetterRows = (await ctx.db.select().from(deadLetters)).filter(
    (deadLetter) => deadLetter.signature === signature,
  );
  // A test begins without the events before it, so that the first number it sees may show a gap.
  return deadLetterRows
    .filter(({ reason }) => reason !== 'sequence_gap')
    .map(({ reason, resolvedAt }) => (resolvedAt ? `${reason} (settled)` : reason))
    .sort();
}

test('a trade is looked at until its transaction is final; its record does not change by that', async () => {
  node.lie = neverFinal;
  const { id, settler, signature } = await recorded();
  const before = await rowOf(id);
  world.node.warp({ slots: 40 });
  await settler.round(never);
  // It was looked at, and only when it is looked at again has changed.
  expect(before).toMatchObject({ finalized: false, checkAt: new Date(0) });
  expect(await rowOf(id)).toEqual({ ...before, checkAt: expect.any(Date) });
  expect(await rowOf(id)).not.toMatchObject({ checkAt: new Date(0) });
  node.lie = undefined;
  await landed(world, signature, 'finalized');
  await ctx.sql`update unfinalized set check_at = 'epoch'`;
  await settler.round(never);
  expect(await rowOf(id)).toEqual({ ...before, finalized: true, checkAt: null });
});

test('a trade that becomes final stays where it is in its table and in every index', async () => {
  const { id, settler, signature } = await recorded();
  const place = async () => ctx.sql`select ctid, xmin from trades where id = ${uuidOf(id)}`;
  const before = await place();
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  await settler.round(never);
  expect(await rowOf(id)).toMatchObject({ finalized: true });
  expect(before).toHaveLength(1);
  expect(await place()).toEqual(before);
});

test('what the node lists as final becomes final a page at a time, whatever lies above and between', async () => {
  const sent = [await recorded(), await recorded(), await recorded({ minAmountOut: 10n ** 12n })];
  const follower = new Follower(ctx, openSource(ctx), tuning);
  for (let more = 0; more < 5; more += 1) await landed(world, (await sendTrade(world)).signature);
  const later = await recorded();
  await ctx.sql`delete from trades where id not in ${ctx.sql([...sent, later].map(({ id }) => id.slice(4)))}`;
  world.node.warp({ slots: 40 });
  await landed(world, later.signature, 'finalized');
  node.lie = async (call, ask) => {
    const answer = await ask();
    return listsFinal(call) ? answer.slice(0, 2) : answer;
  };
  node.calls.clear();
  await settlingOf(ctx, follower, tuning).round(never);
  for (const { id } of [...sent, later]) expect(await rowOf(id)).toMatchObject({ finalized: true });
  // One at which a page began; the others were not looked at by themselves.
  expect(node.calls.get('getSignatureStatuses') ?? 0).toBeLessThanOrEqual(1);
});

test('the room of entries is given back though something held them when the last one went', async () => {
  const { settler } = await recorded();
  await ctx.sql`
    insert into unfinalized (id, slot, landed_at, kind, failed, tx_signature)
    select gen_random_uuid(), n, now(), 'trade', false, sha512(n::text::bytea) from generate_series(1, 5000) n`;
  const sizeOf = async () =>
    (await ctx.sql<{ size: number }[]>`select pg_total_relation_size('unfinalized')::int as size`)[0]?.size;
  const full = await sizeOf();
  await ctx.sql`delete from unfinalized`;
  await ctx.sql.begin(async (tx) => {
    await tx`lock table unfinalized in access share mode`;
    await settler.round(never);
  });
  expect(await sizeOf()).toBe(full);
  await settler.round(never);
  expect(await sizeOf()).toBeLessThan(100_000);
});

test.each<[string, (signature: string) => Lie]>([
  ['that calls it confirmed for ever', () => neverFinal],
  [
    'that does not know it and has no block of that time',
    (signature) => async (call, ask) => {
      if (['getBlock', 'getBlocksWithLimit'].includes(call.method)) throw new Refused(-32001, 'cleaned up');
      return dropping(signature)(call, ask);
    },
  ],
])('a trade that cannot be resolved by a node %s is logged each hour', async (_, lieAbout) => {
  const { id, signature, follower } = await recorded();
  node.lie = lieAbout(signature);
  world.node.warp({ slots: 400 });
  let laterMs = 0;
  const clock = { ...ctx.clock, now: () => ctx.clock.now() + laterMs };
  const watch = new FinalityWatch({ ...ctx, clock }, follower, watchedKinds);
  const logged = () =>
    world.h.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /agree neither that a transaction is final/.test(msg));
  const counts: number[] = [];
  for (const minutes of [1, 11, 20, 60, 72, 80]) {
    laterMs = minutes * 60_000;
    await watch.round(never);
    counts.push(logged().filter(({ tx }) => tx === signature).length);
  }
  expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
  expect(logged().at(-1)).toMatchObject({ level: 'warn', record: 'trade', id: uuidOf(id) });
});

test('a node that does not list what is final holds nothing up', async () => {
  const { id, signature } = await recorded();
  const { id: lost, signature: dropped, follower, settler } = await recorded();
  const drop = dropping(dropped);
  world.node.pause();
  node.lie = async (call, ask) => {
    if (listsFinal(call)) throw new Refused(-32601, 'Method not found');
    return drop(call, ask);
  };
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  await settler.round(never);
  expect(await rowOf(id)).toMatchObject({ finalized: true });
  world.node.warp({ slots: 300 });
  await follower.round(never);
  world.node.warp({ slots: 150 });
  await ctx.sql`update unfinalized set check_at = 'epoch'`;
  await settler.round(never);
  expect(await rowOf(lost)).toBeUndefined();
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
  // However long a step takes, it does not become too old to land.
  const { id, settler, signature, follower } = await recorded({}, () => world.node.pause());
  node.lie = dropping(signature);
  const before = await eventsOf(id);
  world.node.warp({ slots: 150 });
  await follower.round(never);
  await settler.round(never);
  expect(await rowOf(id)).toBeDefined();
  world.node.warp({ slots: 150 });
  // The finalized chain is past it, and the indexer has not looked since.
  await settler.round(never);
  expect(await rowOf(id)).toBeDefined();
  await follower.round(never);
  world.node.warp({ slots: 150 });
  await settler.round(never);
  expect(await rowOf(id)).toBeUndefined();
  expect(await reasonsOf(signature)).toEqual(['vanished']);
  const events = await ctx.db.select().from(programEvents);
  expect(events.filter(({ txSignature }) => txSignature === signature)).toEqual([]);
  // What was announced is still shown as it was.
  expect(before).toMatchObject([{ type: 'trade.confirmed', object: { trade_id: id, usdc_amount: 100 } }]);
  const [confirmed, reverted, ...more] = await eventsOf(id);
  expect(confirmed).toEqual(before[0]);
  expect(reverted).toMatchObject({ type: 'trade.reverted', object: confirmed?.object });
  expect(more).toEqual([]);
  const deadLetterRows = await ctx.db.select().from(deadLetters);
  const deadLetter = deadLetterRows.find(({ reason }) => reason === 'vanished');
  expect(deadLetter).toMatchObject({ signature, detail: { trade_id: id, usdc: '100000000', gold: '24267' } });
});

test('a trade whose slot the chain skipped is taken back as well', async () => {
  const { id, settler, signature, follower } = await recorded();
  const slot = Number((await rowOf(id))?.slot);
  node.lie = async (call, ask) => {
    const { method, params } = call;
    const answer = await dropping(signature)(call, ask);
    if (method === 'getBlocksWithLimit') return answer.map((one: number) => one + 1);
    return method === 'getBlock' && params[0] === slot + 1 ? { ...answer, parentSlot: slot - 1 } : answer;
  };
  world.node.warp({ slots: 300 });
  await follower.round(never);
  await settler.round(never);
  expect(await rowOf(id)).toBeUndefined();
  expect(await reasonsOf(signature)).toEqual(['vanished']);
});

test('a transaction that ended in another block is recorded as it is there', async () => {
  const { id, settler, signature } = await recorded();
  const before = await rowOf(id);
  world.node.warp({ slots: 40 });
  await landed(world, signature, 'finalized');
  node.lie = async ({ method, params }, ask) => {
    const answer = await ask();
    if (method === 'getTransaction' && params[0] === signature) return { ...answer, slot: answer.slot + 2 };
    if (listsFinal({ method, params }))
      return answer.map((line: { signature: string; slot: number }) =>
        line.signature === signature ? { ...line, slot: line.slot + 2 } : line,
      );
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
  // When it was written again shows as its last change.
  expect(before?.updatedAt).toBeNull();
  expect(after?.createdAt).toEqual(before?.createdAt);
  expect(after?.updatedAt?.getTime()).toBeGreaterThan(before?.createdAt.getTime() ?? Number.NaN);
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

describe('what an operator wants to be taken once more', () => {
  async function deadLetterOf(signature: string, reason: string) {
    const deadLetterRows = await ctx.db.select().from(deadLetters);
    return deadLetterRows.find(
      (deadLetter) => deadLetter.signature === signature && deadLetter.reason === reason,
    );
  }

  async function retry(signature: string, reason: string, settler: Settling) {
    await ctx.sql`
      update dead_letters set retry_requested_at = now() where signature = ${signature} and reason = ${reason}`;
    await settler.round(never);
    return deadLetterOf(signature, reason);
  }

  test('is recorded once nothing is wrong any more, and settles then alone', async () => {
    const wallet = newWallet();
    const user = await kitSigner(wallet);
    await world.node.setTokenBalance(user.address, world.usdcMint, 1_000_000_000n);
    await world.node.setTokenBalance(user.address, world.goldMint, 1n);
    const { id, signature, settler } = await recorded({ trader: { ...world.trader, user } });
    const again = await retry(signature, 'unknown_user', settler);
    expect(again).toMatchObject({
      resolvedAt: null,
      retryRequestedAt: null,
      retriedAt: expect.any(Date),
    });
    await world.h.givenUser(world.trader.partner.partnerId, { wallet });
    expect(await retry(signature, 'unknown_user', settler)).toMatchObject({
      resolvedAt: expect.any(Date),
      resolution: null,
      retryRequestedAt: null,
    });
    expect(await rowOf(id)).toMatchObject({ txSignature: signature, status: 'confirmed' });
  });

  test('waits while the node fails, and stays open when no node knows it', async () => {
    const { signature, settler } = await recorded({ memo: null });
    node.lie = async ({ method }, ask) => {
      if (method === 'getTransaction') throw new Error('closed');
      return ask();
    };
    expect(await retry(signature, 'memo_missing', settler)).toMatchObject({
      resolvedAt: null,
      retriedAt: null,
      retryRequestedAt: expect.any(Date),
    });
    node.lie = async ({ method, params }, ask) =>
      method === 'getTransaction' && params[0] === signature ? null : ask();
    await settler.round(never);
    expect(await deadLetterOf(signature, 'memo_missing')).toMatchObject({
      resolvedAt: null,
      retriedAt: expect.any(Date),
      retryRequestedAt: null,
    });
  });

  test('settles nothing that is said only once', async () => {
    const { signature, settler } = await recorded();
    await ctx.sql`
      insert into dead_letters (id, signature, slot, reason, detail, created_at)
      values (gen_random_uuid(), ${signature}, 1, 'order_mismatch', '{}', now())`;
    expect(await retry(signature, 'order_mismatch', settler)).toMatchObject({
      resolvedAt: null,
      retriedAt: expect.any(Date),
    });
  });
});

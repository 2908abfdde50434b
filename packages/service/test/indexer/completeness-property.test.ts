import { fetchConfig, fetchIntegrator } from '@karat/program-client';
import type { Instruction, TransactionSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.js';
import { drizzleOn } from '../../src/db/client.js';
import { configEvents } from '../../src/db/indexing/program-events.js';
import { deadLetters, orders, programEvents, redemptions, submissions, trades } from '../../src/db/schema.js';
import { newId, type TradeId, type Uuid, uuidOf } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import { asTxSignature, type TxSignature } from '../../src/domain/solana.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import type { Indexing } from './indexing.js';
import type { Lie } from './lying-node.js';
import { skippingTime } from './skipped-time.js';
import { twoNodes } from './two-nodes.js';
import { attestation, givenVault, redemption, token, type Vault } from './vault.js';
import { givenSubmission } from './waiting.js';
import { landed, memoInstruction, prepared, tradeInstruction } from './world.js';

/** Whatever nodes hid, and wherever processes died: once the nodes are honest, everything is recorded once. */

const f = following();
const two = twoNodes(f);
const skip = skippingTime();
let vault: Vault;
/** No two calls are alike. */
let calls = 0n;

beforeAll(async () => {
  await seedDenominations(f.world.h);
  vault = await givenVault(f.world);
});

const kinds = ['buy', 'sell', 'failing buy', 'purchase', 'withdrawal', 'redemption', 'attestation'] as const;
/** How a node has a transaction: listed and there; left out of listings; listed and not there; not at all. */
const views = ['honest', 'unlisted', 'unknown', 'dropped'] as const;
type View = (typeof views)[number];

interface Sent {
  kind: (typeof kinds)[number];
  /** Of the trade or redemption. */
  id: string;
  signature: string;
}

/** A call that is signed and not sent yet, with what the service writes before it is. */
async function signed(kind: (typeof kinds)[number]) {
  calls += 1n;
  const { trader, service, admin, program, h } = f.world;
  const build = async (instructions: Instruction[], payer: TransactionSigner, id: string) => {
    const { signature, post } = await prepared(f.world, instructions, payer);
    return { sent: { kind, id, signature } satisfies Sent, post };
  };
  if (kind === 'purchase') return build([vault.purchase(token / 100n + calls)], vault.signer, '');
  if (kind === 'withdrawal') return build([vault.withdrawal('gold', calls)], vault.signer, '');
  if (kind === 'attestation') return build([await attestation(f.world, 10n ** 15n + calls)], admin, '');
  if (kind === 'redemption') {
    const id = newId('red');
    const payment = await build([await redemption(f.world, id, 380_625n)], service, id);
    const quoteTxSignature = asTxSignature(payment.sent.signature) as TxSignature;
    const owner = { partner: trader.partner, user: { id: trader.userId, wallet: trader.wallet } };
    await givenRedemption(h, owner, {
      ...{ id, status: 'quoted', escrowAccount: program.escrowGold },
      ...{ quoteTxSignature, lastValidBlockHeight: 1n },
    });
    return payment;
  }
  const id: TradeId = newId('trd');
  const side = kind === 'sell' ? 'sell' : 'buy';
  const amount = side === 'buy' ? 10n * token + calls : 10_000n + calls;
  const limit = kind === 'failing buy' ? { minAmountOut: 10n ** 15n } : {};
  const call = await tradeInstruction(f.world, { id, side, amountIn: amount, ...limit });
  const memo = memoInstruction(formatMemo({ kind: side, id, amount }), [service]);
  const trade = await build([call, memo], service, id);
  await givenSubmission(f, 1n, { id: uuidOf(id), signature: trade.sent.signature });
  return trade;
}

/** A node with such views of transactions, that lists lines twice, or those of a slot in another order. */
const viewing =
  (
    viewOf: (signature: string) => View,
    { doubled, reordered }: { doubled: boolean; reordered: boolean },
  ): Lie =>
  async ({ method, params }, ask) => {
    const has = (signature: string) => ['honest', 'unlisted'].includes(viewOf(signature));
    if (method === 'getTransaction' && !has(params[0])) return null;
    const response = await ask();
    if (method === 'getSignatureStatuses') {
      const isDropped = (at: number) => viewOf(params[0][at]) === 'dropped';
      return {
        ...response,
        value: response.value.map((status: unknown, at: number) => (isDropped(at) ? null : status)),
      };
    }
    if (method !== 'getSignaturesForAddress') return response;
    type Line = { signature: string; slot: number };
    const lines = (response as Line[]).filter(({ signature }) =>
      ['honest', 'unknown'].includes(viewOf(signature)),
    );
    const ordered = reordered ? lines.toReversed().toSorted((a, b) => b.slot - a.slot) : lines;
    return doubled ? ordered.flatMap((line) => [line, line]) : ordered;
  };

/** A process whose `at`-th statement to the database, and all after it, never happen. */
function dying(ctx: Context, at: number): Context {
  let statements = 0;
  const logQuery = () => {
    statements += 1;
    if (statements >= at) throw new Error('the process died');
  };
  return { ...ctx, db: drizzleOn(ctx.pool, { logQuery }) };
}

const steps = ['round', 'history', 'complete', 'settle', 'restart', 'later', 'show'] as const;
const scenario = fc.record({
  twoNodes: fc.boolean(),
  fromNothing: fc.boolean(),
  oneSlot: fc.boolean(),
  calls: fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      first: fc.constantFrom(...views),
      second: fc.constantFrom(...views),
    }),
    {
      minLength: 2,
      maxLength: 8,
    },
  ),
  doubled: fc.boolean(),
  reordered: fc.boolean(),
  paged: fc.boolean(),
  batchSize: fc.integer({ min: 1, max: 4 }),
  deaths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
  steps: fc.array(fc.constantFrom(...steps), { minLength: 3, maxLength: 10 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Sends the calls, in one slot or one after the other. */
async function sendAll(given: Scenario): Promise<Sent[]> {
  const all = [];
  for (const { kind } of given.calls) all.push(await signed(kind));
  if (given.oneSlot) f.world.node.pause();
  for (const { post } of all) await post();
  f.world.node.resume();
  const sent = all.map((each) => each.sent);
  for (const { signature } of sent) await landed(f.world, signature as TxSignature);
  return sent;
}

async function run(given: Scenario): Promise<void> {
  if (given.fromNothing) await f.forgetEverything();
  const base = given.twoNodes ? two.ctx : f.ctx;
  const sent = await sendAll(given);
  const hidden = [new Map<string, View>(), new Map<string, View>()] as const;
  for (const [at, { first, second }] of given.calls.entries()) {
    // What the only node denies has not happened.
    const deny = (view: View) => (view === 'dropped' && !given.twoNodes ? 'unlisted' : view);
    hidden[0].set(sent[at]?.signature ?? '', deny(first));
    // Of two, one is honest about what is there.
    hidden[1].set(sent[at]?.signature ?? '', second === 'dropped' ? 'unlisted' : second);
  }
  const viewOf = (node: 0 | 1) => (signature: string) => hidden[node].get(signature) ?? 'honest';
  f.node.lie = viewing(viewOf(0), given);
  two.second.lie = viewing(viewOf(1), { doubled: given.reordered, reordered: given.doubled });

  const pages = given.paged ? { firstPage: 2, laterPages: 3, pages: 2 } : {};
  const deaths = [...given.deaths];
  const begin = async (): Promise<Indexing> => {
    const at = deaths.shift();
    const ctx = at === undefined ? base : dying(base, at);
    const tuning = { ...pages, batchSize: given.batchSize, finalAfterMs: 0 };
    return f.newIndexing(tuning, ctx).catch(begin);
  };
  let leader = await begin();
  const work: Record<(typeof steps)[number], () => Promise<unknown>> = {
    round: () => leader.tail.round(never),
    history: () => leader.tail.readHistories(never),
    complete: () => leader.complete(),
    settle: () => leader.settle(),
    restart: () => Promise.reject(new Error('the process ends')),
    later: async () => {
      f.world.node.warp({ seconds: 50 });
      skip(3_000);
    },
    show: async () => {
      for (const node of hidden) node.delete([...node.keys()][0] ?? '');
    },
  };
  for (const step of given.steps) {
    await work[step]().catch(async () => {
      leader = await begin();
    });
  }

  [f.node.lie, two.second.lie] = [undefined, undefined];
  deaths.length = 0;
  // The one that was left goes on, if it lives, and the next ones.
  for (let round = 0; round < 3; round += 1) {
    if (round > 0) leader = await begin();
    f.world.node.warp({ seconds: 50 });
    skip(2_001);
    await leader.round().catch(() => {});
    await leader.complete().catch(() => {});
    await leader.settle().catch(() => {});
  }
  await leader.round();
  await expectAll(sent, leader);
}

async function expectAll(sent: readonly Sent[], { completeness, tail }: Indexing): Promise<void> {
  expect(completeness.missing()).toBeUndefined();
  expect(tail.waiting).toBe(0);
  const { rpc } = f.ctx.chain;
  const [config, integrator] = await Promise.all([
    fetchConfig(rpc, f.world.program.config, { commitment: 'finalized' }),
    fetchIntegrator(rpc, f.world.trader.integrator, { commitment: 'finalized' }),
  ]);
  const last = new Map<Uuid, bigint>([
    [configEvents, config.data.seq],
    [f.world.trader.partner.partnerId, integrator.data.seq],
  ]);
  const events = await f.ctx.db.select().from(programEvents);
  for (const [counter, seq] of last) {
    const own = events.filter(({ partnerId }) => partnerId === counter).map((event) => Number(event.seq));
    expect(own.sort((a, b) => a - b)).toEqual(Array.from({ length: Number(seq) }, (_, at) => at + 1));
  }
  const rows = [
    ...(await f.ctx.db.select().from(trades)),
    ...(await f.ctx.db.select().from(orders)),
    ...(await f.ctx.db.select().from(redemptions)),
  ];
  const found = sent.map(({ signature }) =>
    rows.filter(({ txSignature }) => txSignature === signature).map(({ status }) => status as string),
  );
  const expected = { 'failing buy': ['failed'], redemption: ['submitted'], attestation: [] };
  expect(found).toEqual(
    sent.map(({ kind }) => (expected as Record<string, string[]>)[kind] ?? ['confirmed']),
  );
  const open = (await f.ctx.db.select().from(deadLetters)).filter(({ resolvedAt }) => resolvedAt === null);
  expect(open.map(({ reason, signature }) => ({ reason, signature }))).toEqual([]);
  const ids = sent.flatMap(({ id }) => (id.startsWith('trd_') ? [uuidOf(id as TradeId)] : []));
  const ended = (await f.ctx.db.select().from(submissions)).filter(
    ({ status, quoteId }) => status === 'expired' && ids.includes(quoteId),
  );
  expect(ended).toEqual([]);
}

test('completeness: any history is recorded once without a gap, whatever nodes hid and wherever processes died', async () => {
  // Once a night many more.
  const numRuns = process.env.KARAT_THOROUGH ? 200 : 6;
  await fc.assert(fc.asyncProperty(scenario, run), { seed: 20_261_128, numRuns, endOnFailure: true });
}, 600_000);

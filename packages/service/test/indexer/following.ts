import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Context } from '../../src/context.js';
import * as schema from '../../src/db/schema.js';
import type { Tuning } from '../../src/indexer/tuning.js';
import type { TestContext } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { type Indexing, indexingOf } from './indexing.js';
import { type LyingNode, startLyingNode } from './lying-node.js';
import { watchedOperatorTransactions, watchedOrders, watchedTrades } from './watched.js';
import { givenWorld, landed, sendTrade, type TradeOptions, type World } from './world.js';

/** What the indexer alone writes. */
const indexed = [
  schema.trades,
  schema.chainEffects,
  schema.deadLetters,
  schema.indexerProgress,
  schema.programCounters,
  schema.treasuryBaselines,
];

export { never } from './indexing.js';

/**
 * A world whose node may be made to lie, for the tests of one file; what is indexed is forgotten before each of them.
 * Rounds are run by hand, one after the other. A test that would find more than `historyMax` transactions on the chain,
 * which it reads from the first on, gets another world; default: all share one. `begun` prepares a world for the file's tests.
 */
export function following({
  historyMax = Number.POSITIVE_INFINITY,
  begun = async (): Promise<void> => {},
} = {}) {
  let world: World;
  let node: LyingNode;
  let ctx: TestContext;

  async function begin(): Promise<void> {
    world = await givenWorld({
      throughNode: async (url) => {
        node = await startLyingNode(url);
        return node.url;
      },
    });
    ctx = world.h.ctx;
    await ctx.chain.start();
    await begun();
  }

  async function end(): Promise<void> {
    node.lie = undefined;
    await world.close();
    await node.close();
  }

  beforeAll(begin);
  afterAll(end);

  beforeEach(async () => {
    if ((node.calls.get('sendTransaction') ?? 0) > historyMax) {
      await end();
      await begin();
    }
    node.lie = undefined;
    await forgetEverything();
  });

  /** Leaves what the service itself wrote, as it was before the indexer saw anything. */
  async function forgetEverything(): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      // `truncate` makes new files of every table and index, which takes longer than a few rows do.
      for (const table of indexed) await tx.delete(table);
      await tx.execute(sql`delete from orders where key_id is null`);
      await tx.execute(sql`delete from operator_transactions where last_valid_block_height = 0`);
      // What failed stays so for every other writer.
      for (const table of ['orders', 'operator_transactions'])
        await tx.execute(sql.raw(`alter table ${table} disable trigger ${table}_end`));
      await tx.execute(sql`
        update orders set status = 'pending_signature', tx_signature = null, slot = null, executed_gold = null,
          executed_usdc = null, fee_usdc = null, executed_price = null, event_seq = null, failure_reason = null, reason = null, program_error_name = null`);
      await tx.execute(sql`
        update operator_transactions set status = 'pending', slot = null, failure_reason = null,
          tx_signature = case when redemption_id is null then tx_signature end
        where status in ('confirmed', 'failed')`);
      for (const table of ['orders', 'operator_transactions'])
        await tx.execute(sql.raw(`alter table ${table} enable trigger ${table}_end`));
    });
  }

  /** An indexer as a process that has just become the leader has it; it knows the program's configuration. */
  async function newIndexing(tuning: Partial<Tuning> = {}, context: Context = ctx): Promise<Indexing> {
    const indexing = await indexingOf(context, tuning);
    await eventually(() => indexing.recorder.view());
    return indexing;
  }

  /** Rounds until everything is read and nothing waits. The first one needs a node that has responded lately. */
  async function catchUp(given?: Indexing): Promise<Indexing> {
    const indexing = given ?? (await newIndexing());
    await eventually(() => indexing.recorder.view());
    for (;;) {
      const found = await indexing.round();
      if (found === 0 && indexing.tail.waiting === 0) return indexing;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** As `catchUp`, once everything on the chain is final: what failed is recorded then, too. */
  async function catchUpFinal(given?: Indexing): Promise<Indexing> {
    const indexing = given ?? (await newIndexing({ finalAfterMs: 0 }));
    world.node.warp({ slots: 40 });
    await catchUp(indexing);
    while (indexing.tail.nextTryMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(indexing.tail.nextTryMs ?? 0, 100)));
      await catchUp(indexing);
    }
    return indexing;
  }

  /** Sends a trade and waits until the node lists it. */
  async function trade(options: TradeOptions = {}) {
    const sent = await sendTrade(world, options);
    await landed(world, sent.signature);
    return sent;
  }

  /** All that the indexer writes, in an order of its own; times of writing are left out. */
  async function written() {
    const [trades, orders, operations, movements, events, deadLetters] = await Promise.all([
      watchedTrades(ctx),
      watchedOrders(ctx),
      watchedOperatorTransactions(ctx),
      ctx.db.select().from(schema.treasuryMovements),
      ctx.db.select().from(schema.programEvents),
      ctx.db.select().from(schema.deadLetters),
    ]);
    return {
      trades: sorted(trades),
      orders: sorted(orders),
      operations: sorted(operations),
      movements: sorted(movements),
      events: sorted(events),
      deadLetters: sorted(deadLetters.map(({ id: _id, ...row }) => row)),
    };
  }

  async function tradeOf(id: string) {
    return (await watchedTrades(ctx)).find((row) => row.id === id);
  }

  async function orderOf(id: string) {
    return (await watchedOrders(ctx)).find((row) => row.id === id);
  }

  async function ordersOf(signature: string) {
    const orders = await watchedOrders(ctx);
    return orders
      .filter((row) => row.txSignature === signature)
      .sort((a, b) => Number((a.eventSeq ?? 0n) - (b.eventSeq ?? 0n)));
  }

  /** The one dead letter of a transaction for a reason. */
  async function deadLetterOf(signature: string, reason: string) {
    const deadLetters = await ctx.db.select().from(schema.deadLetters);
    const found = deadLetters.find(
      (deadLetter) => deadLetter.signature === signature && deadLetter.reason === reason,
    );
    if (!found) throw new Error(`no ${reason} of ${signature}`);
    return found;
  }

  async function reasonsOf(signature: string) {
    const deadLetters = await ctx.db.select().from(schema.deadLetters);
    return deadLetters
      .filter((deadLetter) => deadLetter.signature === signature)
      .map(({ reason, resolvedAt }) => (resolvedAt ? `${reason} (settled)` : reason))
      .sort();
  }

  return {
    get world() {
      return world;
    },
    get node() {
      return node;
    },
    get ctx() {
      return ctx;
    },
    forgetEverything,
    newIndexing,
    catchUp,
    catchUpFinal,
    trade,
    written,
    tradeOf,
    orderOf,
    ordersOf,
    deadLetterOf,
    reasonsOf,
  };
}

function sorted(rows: Record<string, unknown>[]): Record<string, unknown>[] {
  const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
  return rows
    .map(({ createdAt: _created, updatedAt: _updated, checkAt: _check, ...row }) =>
      JSON.stringify(row, plain),
    )
    .sort()
    .map((line) => JSON.parse(line));
}

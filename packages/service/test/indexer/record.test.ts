import { EVENT_DISCRIMINATOR } from '@karat/program-client';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sessionUrlOf } from '../../src/config.js';
import { type Db, drizzleOn, openLeadDatabase } from '../../src/db/client.js';
import { LostLeadError } from '../../src/db/leads.js';
import { reindex } from '../../src/indexer/reindex.js';
import { eventually } from '../karat-chain.js';
import { following, never } from './following.js';
import { dropping, type Lie } from './lying-node.js';
import { twoNodes } from './two-nodes.js';
import { landed, sendTrade } from './world.js';

const f = following();
const two = twoNodes(f);
const { forgetEverything, newIndexing, catchUp, trade, written } = f;
/** Each transaction is a batch of its own, of which the next one is read while one is written. */
const alone = { batchSize: 1 };

let expected: Awaited<ReturnType<typeof written>>;

beforeAll(async () => {
  for (let count = 0; count < 4; count += 1) await trade();
  await catchUp();
  expected = await written();
  expect(expected.trades.length).toBe(4);
});
beforeEach(forgetEverything);

/** A database that does `then` behind the transaction with which the second trade is there. */
function afterTwo(db: Db, then: () => Promise<void> | void): Db {
  const get = (target: Db, name: keyof Db) => {
    if (name !== 'transaction') return target[name];
    const transaction: Db['transaction'] = async (work, options) => {
      const before = await count();
      const result = await target.transaction(work, options);
      if (before < 2 && (await count()) === 2) await then();
      return result;
    };
    return transaction;
  };
  return new Proxy(db, { get: (target, name) => get(target, name as keyof Db) });
}

async function count(): Promise<number> {
  const [row] = await f.ctx.db.execute<{ count: number }>(sql`select count(*)::int as count from trades`);
  return row?.count ?? -1;
}

/** What was written is whole, and the next process goes on from there. */
async function expectTwoThenAll(): Promise<void> {
  expect(await count()).toBe(2);
  await catchUp();
  expect(await written()).toEqual(expected);
}

test('record: nothing is written behind a batch that cannot be written, and the next round goes on', async () => {
  let inserts = 0;
  const logger = {
    logQuery(query: string) {
      if (!query.includes('insert into "trades"')) return;
      inserts += 1;
      if (inserts === 3) throw new Error('the disk is full');
    },
  };
  const indexing = await newIndexing(alone, { ...f.ctx, db: drizzleOn(f.ctx.pool, logger) });
  await expect(indexing.round()).rejects.toThrow('the disk is full');
  expect(await count()).toBe(2);
  await catchUp(indexing);
  expect(await written()).toEqual(expected);
});

test('record: a batch read when the lead was lost is not written', async () => {
  const lead = { role: 'indexer', epoch: 1_000 } as const;
  await f.ctx.db.execute(sql`insert into leads (role, epoch, since) values ('indexer', 1000, now())
    on conflict (role) do update set epoch = excluded.epoch`);
  const own = openLeadDatabase(sessionUrlOf(f.ctx.config), lead, { poolSize: 2 });
  const db = afterTwo(own.db, async () => {
    await f.ctx.db.execute(sql`update leads set epoch = epoch + 1`);
  });
  try {
    const indexing = await newIndexing(alone, { ...f.ctx, db });
    await expect(indexing.round()).rejects.toThrow(LostLeadError);
  } finally {
    await own.close();
  }
  await expectTwoThenAll();
});

test('record: a batch read when the process was stopped is not written', async () => {
  const end = new AbortController();
  const db = afterTwo(f.ctx.db, () => end.abort(new Error('stopped')));
  const { tail } = await newIndexing(alone, { ...f.ctx, db });
  await expect(tail.round(end.signal)).rejects.toThrow('stopped');
  await expectTwoThenAll();
});

test('record: a batch is written by as many statements as four trades, however many it has', async () => {
  /** Returns the statements of the round that records the whole history. */
  const recorded = async (trades: number) => {
    await forgetEverything();
    const statements: string[] = [];
    const db = drizzleOn(f.ctx.pool, { logQuery: (query) => void statements.push(query) });
    await (await newIndexing({}, { ...f.ctx, db })).tail.round(never);
    expect(await count()).toBe(trades);
    return statements;
  };
  const ofFour = await recorded(4);
  expect(ofFour.filter((text) => text.includes('insert into "trades"'))).toHaveLength(1);
  for (let more = 0; more < 8; more += 1) await trade();
  expect(await recorded(12)).toEqual(ofFour);
});

test('record: a trade that the database refuses is a dead letter, and its event and what is around it are recorded', async () => {
  const [before, bad, after] = [await trade(), await trade({ amountIn: 123_456_789n }), await trade()];
  await f.ctx.sql`alter table trades add constraint refusing check (usdc_amount <> 123456789) not valid`;
  try {
    const indexing = await catchUp();
    expect(await f.tradeOf(bad.id)).toBeUndefined();
    expect((await f.deadLetterOf(bad.signature, 'record_refused')).detail).toMatchObject({
      sqlstate: '23514',
      trade_id: bad.id,
    });
    for (const { id } of [before, after]) expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
    const { events } = await written();
    expect(events.map(({ txSignature }) => txSignature)).toContain(bad.signature);
    f.world.node.warp({ slots: 40 });
    await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
  } finally {
    await f.ctx.sql`alter table trades drop constraint refusing`;
  }
  await reindex(f.ctx, 0n, never);
  expect(await f.tradeOf(bad.id)).toMatchObject({ status: 'confirmed' });
  expect(await f.reasonsOf(bad.signature)).toEqual(['record_refused (settled)']);
});

/** A node that returns another event number of a transaction. */
const numbering =
  (signature: string, another: (own: bigint) => bigint): Lie =>
  async ({ method, params }, ask) => {
    const response = await ask();
    if (method !== 'getTransaction' || params[0] !== signature) return response;
    for (const instruction of response.meta.innerInstructions[0].instructions) {
      const data = Buffer.from(getBase58Encoder().encode(instruction.data));
      if (data[0] !== EVENT_DISCRIMINATOR) continue;
      // Behind the discriminator, the version, the kind and the partner.
      data.writeBigUInt64LE(another(data.readBigUInt64LE(19)), 19);
      instruction.data = getBase58Decoder().decode(data);
    }
    return response;
  };

test('record: an event that the database refuses is a dead letter, and stops nothing around it', async () => {
  const [before, bad, after] = [await trade(), await trade(), await trade()];
  // The program never writes number 0, and the table refuses it.
  f.node.lie = numbering(bad.signature, () => 0n);
  await catchUp();
  expect(await f.reasonsOf(bad.signature)).toEqual(['record_refused']);
  for (const { id } of [before, after]) expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
});

test('record: a node that gives a trade the event number of the next displaces neither', async () => {
  const [before, one, next, after] = [await trade(), await trade(), await trade(), await trade()];
  f.node.lie = numbering(one.signature, (own) => own + 1n);
  await catchUp();
  for (const { id, signature } of [before, one, next, after])
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  expect(await f.reasonsOf(one.signature)).toEqual([]);
  expect(await f.reasonsOf(next.signature)).toEqual(['conflicting_event']);
  expect(await f.reasonsOf(after.signature)).toEqual([]);
});

test('record: a failed trade is recorded once it is final and both nodes report that it failed', async () => {
  const { id, signature } = await sendTrade(f.world, { minAmountOut: 10n ** 12n });
  await landed(f.world, signature);
  const { recorder } = await newIndexing({}, two.ctx);
  await eventually(() => two.ctx.chain.program.config());
  const line = { signature, slot: await two.ctx.chain.rpc.getSlot().send(), failed: true };
  const waits = async () => [...(await recorder.take([line], never)).values()];
  expect(await waits()).toEqual(['not_final']);
  f.world.node.warp({ slots: 40 });
  two.second.lie = dropping(signature);
  expect(await waits()).toEqual(['not_final']);
  expect(await f.tradeOf(id)).toBeUndefined();
  two.second.lie = undefined;
  expect(await waits()).toEqual([]);
  expect(await f.tradeOf(id)).toMatchObject({ status: 'failed', finalized: true });
});

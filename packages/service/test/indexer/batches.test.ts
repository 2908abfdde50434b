import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sessionUrlOf } from '../../src/config.js';
import { type Db, drizzleOn, openLeadDatabase } from '../../src/db/client.js';
import { LostLeadError } from '../../src/db/leads.js';
import { following, never } from './following.js';

const f = following();
const { forgetEverything, newFollower, catchUp, trade, written, cursorSlot } = f;
/** Each transaction is a batch of its own, of which the next one is read while one is written. */
const alone = { batchSize: 1 };
const strict = { overlapSlots: 0n };

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

/** What was written is whole, its cursor does not stand behind it, and the next process goes on from there. */
async function expectTwoThenAll(): Promise<void> {
  expect(await count()).toBe(2);
  const slots = (
    await f.ctx.db.execute<{ slot: string }>(sql`select slot::text from trades order by slot`)
  ).map(({ slot }) => BigInt(slot));
  expect((await cursorSlot()) <= (slots[1] ?? 0n)).toBe(true);
  await catchUp(newFollower(strict));
  expect(await written()).toEqual(expected);
}

test('a batch that cannot be written stops the one that was read behind it, and the next round goes on', async () => {
  let inserts = 0;
  const logger = {
    logQuery(query: string) {
      if (!query.includes('insert into "trades"')) return;
      inserts += 1;
      if (inserts === 3) throw new Error('the disk is full');
    },
  };
  const follower = newFollower(alone, { ...f.ctx, db: drizzleOn(f.ctx.pool, logger) });
  await expect(follower.round(never)).rejects.toThrow('the disk is full');
  expect(await count()).toBe(2);
  await catchUp(follower);
  expect(await written()).toEqual(expected);
});

test('what was read when the lead was lost is not written', async () => {
  const lead = { role: 'indexer', epoch: 1_000 } as const;
  await f.ctx.db.execute(sql`insert into leads (role, epoch, since) values ('indexer', 1000, now())
    on conflict (role) do update set epoch = excluded.epoch`);
  const own = openLeadDatabase(sessionUrlOf(f.ctx.config), lead, { poolSize: 2 });
  const db = afterTwo(own.db, async () => {
    await f.ctx.db.execute(sql`update leads set epoch = epoch + 1`);
  });
  try {
    await expect(newFollower(alone, { ...f.ctx, db }).round(never)).rejects.toThrow(LostLeadError);
  } finally {
    await own.close();
  }
  await expectTwoThenAll();
});

test('what was read when the process was stopped is not written', async () => {
  const end = new AbortController();
  const db = afterTwo(f.ctx.db, () => end.abort(new Error('stopped')));
  await expect(newFollower(alone, { ...f.ctx, db }).round(end.signal)).rejects.toThrow('stopped');
  await expectTwoThenAll();
});

test('a batch is written by as many statements as four trades, however many it has', async () => {
  /** Returns the statements of the round that records the whole history. */
  const recorded = async (trades: number) => {
    await forgetEverything();
    const statements: string[] = [];
    const db = drizzleOn(f.ctx.pool, { logQuery: (query) => void statements.push(query) });
    await newFollower({}, { ...f.ctx, db }).round(never);
    expect(await count()).toBe(trades);
    return statements;
  };
  const ofFour = await recorded(4);
  expect(ofFour.filter((text) => text.includes('insert into "trades"'))).toHaveLength(1);
  for (let more = 0; more < 8; more += 1) await trade();
  expect(await recorded(12)).toEqual(ofFour);
});

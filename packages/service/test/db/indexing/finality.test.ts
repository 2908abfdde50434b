import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { openDatabase } from '../../../src/db/client.js';
import { noFailure } from '../../../src/db/failure.js';
import {
  findUnfinalizedOf,
  markFinalized,
  shrinkUnfinalized,
  type Unfinalized,
  unfinalized,
} from '../../../src/db/indexing/finality.js';
import { findRedemption } from '../../../src/db/redemptions/redemptions.js';
import { trades } from '../../../src/db/schema.js';
import { deleteTrade, findTrade, insertTrades, type TradeRecord } from '../../../src/db/trades/trades.js';
import { newId, newUuid, type UserId, uuidOf } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';
import { givenRuntimeRole } from '../../runtime-role.js';

let h: Harness;
let userId: UserId;
let count = 0;
beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  userId = (await h.givenUser(h.main.partnerId)).id;
});
afterAll(() => h.close());
beforeEach(() => h.ctx.sql`truncate trades, unfinalized`);

const at = new Date('2025-01-01T00:00:00.000Z');
/** Once its slot is usually final. */
const firstCheck = new Date('2025-01-01T00:00:12.000Z');

async function givenTrade(changes: Partial<TradeRecord> = {}): Promise<TradeRecord> {
  count += 1;
  const trade: TradeRecord = {
    id: newId('trd'),
    partnerId: h.main.partnerId,
    userId,
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_000_000n),
    goldAmount: goldUnits(24_267n),
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: usdcUnits(500_000n),
    txSignature: signatureNamed(`trade ${count}`),
    slot: BigInt(count),
    eventSeq: BigInt(count),
    ...noFailure,
    ...changes,
  };
  await h.ctx.db.transaction((tx) => insertTrades(tx, [trade], at));
  return trade;
}

/** Notes what was read before the transaction began. */
const finalize = (tx: Tx, record: Unfinalized | undefined) => markFinalized(tx, record ? [record] : []);
const entryOf = async ({ txSignature }: TradeRecord) => (await findUnfinalizedOf(h.ctx.db, txSignature))[0];
const watched = async () => (await h.ctx.db.select().from(unfinalized)).map(({ id }) => id);

/** Resolves once a transaction waits for what another one holds. */
const oneWaits = () =>
  eventually(async () => {
    const waiting = await h.ctx.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(waiting).toHaveLength(1);
  }, 15_000);

test('a landed transaction is watched until it is final, and is final only if it landed', async () => {
  const trade = await givenTrade();
  const owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  const paid = await givenRedemption(h, owner, { finalized: false });
  await givenRedemption(h, owner, { status: 'quoted' });
  expect((await watched()).sort()).toEqual([uuidOf(trade.id), uuidOf(paid)].sort());
  expect(await findTrade(h.ctx.db, trade.id)).toMatchObject({ finalized: false });
  const record = await entryOf(trade);
  await h.ctx.db.transaction((tx) => finalize(tx, record));
  expect(await findTrade(h.ctx.db, trade.id)).toMatchObject({ finalized: true });
  expect(await watched()).toEqual([uuidOf(paid)]);
});

test('a record that failed is final at once', async () => {
  const failure = { failureReason: 'SlippageExceeded: x', reason: 'slippage_exceeded' } as const;
  const nothing = { goldAmount: goldUnits(0n), pricePerTroyOz: '0', feeBps: 0, feeUsdc: usdcUnits(0n) };
  const trade = await givenTrade({ ...failure, ...nothing, status: 'failed', eventSeq: null });
  const owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  const redemption = await givenRedemption(h, owner, { status: 'failed', finalized: false });
  expect(await watched()).toEqual([]);
  expect(await findTrade(h.ctx.db, trade.id)).toMatchObject({ finalized: true });
  expect(await findRedemption(h.ctx.db, redemption)).toMatchObject({ finalized: true });
});

test('a transaction that lands in another slot is watched from the beginning', async () => {
  const trade = await givenTrade();
  await h.ctx.sql`update unfinalized set check_at = now()`;
  await h.ctx.db.transaction((tx) => tx.update(trades).set({ slot: 77n }).where(eq(trades.id, trade.id)));
  expect(await h.ctx.db.select().from(unfinalized)).toMatchObject([{ slot: 77n, checkAt: firstCheck }]);
});

test('a trade that is being taken back does not become final, and is gone', async () => {
  const trade = await givenTrade();
  const record = await entryOf(trade);
  let finalizing: Promise<void> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    expect(await deleteTrade(tx, trade)).toBe(true);
    finalizing = h.ctx.db.transaction((other) => finalize(other, record));
    await oneWaits();
  });
  await finalizing;
  expect(await findTrade(h.ctx.db, trade.id)).toBeUndefined();
  expect(await watched()).toEqual([]);
});

test('a trade that is becoming final is not taken back', async () => {
  const trade = await givenTrade();
  const record = await entryOf(trade);
  let taking: Promise<boolean> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    await finalize(tx, record);
    taking = h.ctx.db.transaction((other) => deleteTrade(other, trade));
    await oneWaits();
  });
  expect(await taking).toBe(false);
  expect(await findTrade(h.ctx.db, trade.id)).toMatchObject({ finalized: true });
});

test('the room of entries is given back once none is left, and no entry is lost by that', async () => {
  const sizeOf = async () => {
    const [row] = await h.ctx.sql<
      { size: number }[]
    >`select pg_total_relation_size('unfinalized')::int as size`;
    return row?.size ?? 0;
  };
  const many = () => h.ctx.sql`
    insert into unfinalized (id, slot, landed_at, check_at, kind, tx_signature)
    select gen_random_uuid(), n, now(), now(), 'trade', sha512(n::text::bytea) from generate_series(1, 5000) n`;
  const role = await givenRuntimeRole(h.databaseUrl);
  const runtime = openDatabase(role.url, { poolSize: 1 });
  const shrink = () => shrinkUnfinalized(runtime.db);
  try {
    const empty = await sizeOf();
    await many();
    const full = await sizeOf();
    await shrink();
    expect(await watched()).toHaveLength(5_000);
    await h.ctx.sql`delete from unfinalized`;
    // One that is being written is not there to be seen, and one that is being read may not go.
    await h.ctx.db.transaction(async (tx) => {
      const [trade] = await tx.insert(unfinalized).values(entry()).returning();
      await shrink();
      expect(trade).toBeDefined();
    });
    expect(await watched()).toHaveLength(1);
    expect(await sizeOf()).toBeGreaterThanOrEqual(full);
    await h.ctx.sql`delete from unfinalized`;
    await expect(
      runtime.db.transaction((tx) => tx.execute(sql`select shrink_unfinalized()`), {
        isolationLevel: 'repeatable read',
      }),
    ).rejects.toThrow();
    await shrink();
    expect(await sizeOf()).toBe(empty);
    await givenTrade();
    expect(await watched()).toHaveLength(1);
  } finally {
    await runtime.close();
    await role.drop();
  }
});

/** An entry of a record that nothing else knows. */
const entry = (): typeof unfinalized.$inferInsert => ({
  id: newUuid(),
  slot: 1n,
  landedAt: at,
  checkAt: at,
  kind: 'trade',
  txSignature: signatureNamed('entry'),
});

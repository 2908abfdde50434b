import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ChainRecord } from '../../../src/actions/indexing/record-chain.js';
import type { OrderFacts } from '../../../src/actions/orders/record-landed-order.js';
import type { RedemptionFacts } from '../../../src/actions/redemptions/record-landed-redemption.js';
import { Connection } from '../../../src/db/connections.js';
import { noFailure } from '../../../src/db/failure.js';
import { findSignerChanges } from '../../../src/db/indexing/program-events.js';
import {
  deadLetters,
  orders,
  programEvents,
  redemptions,
  trades,
  treasuryMovements,
} from '../../../src/db/schema.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { Recorder } from '../../../src/indexer/record.js';
import { Source } from '../../../src/indexer/source.js';
import { defaultTuning } from '../../../src/indexer/tuning.js';
import { newWallet } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';
import { givenTradeRecords, type TradeRecords } from './trade-records.js';

let t: TradeRecords;
let { ctx, partnerId, user, facts, record, write, deadLetterRows } = {} as TradeRecords;

beforeAll(async () => {
  t = await givenTradeRecords();
  ({ ctx, partnerId, user, facts, record, write, deadLetterRows } = t);
  await seedDenominations(t.h);
});

afterAll(() => t.h.close());

beforeEach(async () => {
  await ctx.db.execute(sql`truncate trades, unfinalized, chain_effects, dead_letters`);
});

test('record chain: a trade that is recorded twice is written once, without change', async () => {
  const one = record(facts());
  await write(one);
  const rows = await ctx.db.select().from(trades);
  expect(rows).toMatchObject([
    { id: one.trade?.id, userId: user.id, partnerId, txSignature: one.signature, slot: 10n },
  ]);
  t.h.clock.advance(60_000);
  await write(one);
  await write(one, one);
  expect(await ctx.db.select().from(trades)).toEqual(rows);
  expect(await deadLetterRows()).toEqual([]);
});

test('record chain: a record that the database refuses takes the others of its batch back with it', async () => {
  const beyond = record(facts({ eventSeq: 2n, usdcAmount: usdcUnits(2n ** 63n) }));
  await expect(write(record(facts()), beyond)).rejects.toThrow();
  expect(await ctx.db.select().from(trades)).toEqual([]);
  expect(await ctx.db.select().from(programEvents)).toEqual([]);
});

test('record chain: a taken number among the other events of a trade is a conflict, and the trade is written', async () => {
  const other = { partnerId: newUuid(), seq: 1n, kind: 7 };
  await write(record(undefined, { events: [other] }));
  const one = record(facts());
  await write({ ...one, events: [...one.events, other] });
  expect((await ctx.db.select().from(trades)).map(({ txSignature }) => txSignature)).toEqual([one.signature]);
  expect(await deadLetterRows()).toEqual([
    { signature: one.signature, reason: 'conflicting_event', open: true },
  ]);
});

test('record chain: two partners may have events of the same number', async () => {
  const other = { partnerId: newUuid(), seq: 1n, kind: 7 };
  await write(record(undefined, { events: [other] }), record(facts({ eventSeq: 1n })));
  expect(await deadLetterRows()).toEqual([]);
});

test('record chain: a dead letter that comes again is written once', async () => {
  const deadLetter = {
    signature: signatureNamed('x'),
    slot: 1n,
    reason: 'memo_missing',
    detail: {},
  } as const;
  const one = record(undefined, { signature: signatureNamed('x'), deadLetters: [deadLetter] });
  await write(one);
  await write(one);
  expect(await deadLetterRows()).toEqual([
    { signature: signatureNamed('x'), reason: 'memo_missing', open: true },
  ]);
});

test('record chain: service signers of an event count from its slot on, oldest first', async () => {
  const change = (seq: bigint, slot: bigint, name: string) => {
    const events = [{ partnerId, seq, kind: 9, serviceSigners: [addressNamed(name)] }];
    return record(undefined, { slot, events });
  };
  await write(change(2n, 20n, 'new'), change(1n, 10n, 'old'));
  expect(await findSignerChanges(ctx.db)).toEqual([
    { seq: 1n, slot: 10n, marks: [addressNamed('old')] },
    { seq: 2n, slot: 20n, marks: [addressNamed('new')] },
  ]);
});

test('record chain: five writers of the same records write them once', async () => {
  const records = [1n, 2n, 3n, 4n].map((eventSeq) => record(facts({ eventSeq })));
  await Promise.all(Array.from({ length: 5 }, () => write(...records)));
  expect((await ctx.db.select().from(trades)).length).toBe(4);
  expect(await deadLetterRows()).toEqual([]);
});

/** Records of every sort that a batch may hold: good ones in any order, and each thing that may be wrong with one. */
async function mixedRecords(): Promise<ChainRecord[]> {
  const account = addressNamed('treasury');
  const movements = [{ account, role: 'treasury_usdc' as const, change: 5n, due: 5n }];
  const good = [3n, 1n, 2n, 7n, 6n].map((eventSeq) => record(facts({ eventSeq }), { movements }));
  const [first] = good;
  const dust = { sender: 'somebody', amounts: { treasury_usdc: 1n } };
  const owner = { partner: t.h.main, user };
  const paid: RedemptionFacts = {
    id: await givenRedemption(t.h, owner, { status: 'quoted', escrowAccount: account }),
    partnerId,
    amount: goldUnits(380_625n),
    userWallet: user.wallet.address,
    escrowAccount: account,
    reclaimableAt: new Date(t.h.ctx.clock.now()),
    ...noFailure,
  };
  const executives: OrderFacts = {
    movementId: newUuid(),
    order: {
      kind: 'executive_update',
      integrator: facts().integrator,
      signer: addressNamed('signer'),
      added: [account],
      removed: [],
    },
    token: null,
    executed: { partnerId, eventSeq: 13n, gold: null, usdc: null, feeUsdc: null, price: null },
  };
  return [
    ...good,
    record({ ...facts({ eventSeq: 20n }), id: first?.trade?.id ?? newId('trd') }),
    record(facts({ eventSeq: 2n })),
    record(facts({ userWallet: newWallet().address, eventSeq: 8n })),
    record(facts({ partnerId: newUuid(), eventSeq: 9n })),
    record(facts({ integrator: addressNamed('integrator'), eventSeq: 10n })),
    record(undefined, { movements, dust }),
    record(undefined, { events: [{ partnerId, seq: 11n, kind: 9, serviceSigners: [addressNamed('new')] }] }),
    record(facts({ eventSeq: 12n, side: 'sell' })),
    record(undefined, { redemption: paid }),
    record(undefined, { redemption: paid }),
    record(undefined, { events: [{ partnerId, seq: 13n, kind: 18 }], orders: [executives] }),
    record(undefined, { events: [{ partnerId, seq: 13n, kind: 18 }], orders: [executives] }),
  ];
}

test('record chain: a batch leaves what its records leave one by one, in any order, and again', async () => {
  const left = async () => ({
    trades: await ctx.db.select().from(trades).orderBy(trades.id),
    events: await ctx.db.select().from(programEvents).orderBy(programEvents.partnerId, programEvents.seq),
    movements: await ctx.db.select().from(treasuryMovements).orderBy(treasuryMovements.txSignature),
    orders: await ctx.db.select().from(orders),
    redemptions: await ctx.db.select().from(redemptions),
    open: (await ctx.db.select().from(deadLetters))
      .filter(({ resolvedAt }) => resolvedAt === null)
      .map(({ signature, reason, detail }) => JSON.stringify({ signature, reason, detail }))
      .sort(),
  });
  const forget = async () => {
    await ctx.db.execute(sql`truncate trades, unfinalized, chain_effects, dead_letters, orders`);
    await t.h.ctx.sql`delete from redemption_history where from_status is not null`;
    await t.h.ctx
      .sql`update redemptions set status = 'quoted', reclaimable_at = null, tx_signature = null, slot = null`;
  };
  const records = await mixedRecords();
  await forget();
  for (const one of records) await write(one);
  const apart = await left();
  expect(apart.trades).toHaveLength(7);
  expect(apart.orders).toHaveLength(1);
  expect(apart.redemptions).toMatchObject([{ status: 'submitted' }]);
  expect(apart.open).toHaveLength(9);
  for (const one of records) await write(one);
  expect(await left()).toEqual(apart);
  await forget();
  await write(...records);
  expect(await left()).toEqual(apart);
  await write(...records, ...records);
  expect(await left()).toEqual(apart);
  await write(...records.toReversed());
  expect(await left()).toEqual(apart);
  await forget();
});

test('record chain: a batch of 200 trades takes as many statements as one of 2', async () => {
  const query = vi.spyOn(Connection.prototype, 'query');
  try {
    let seq = 0n;
    const statements = async (count: number) => {
      const records = Array.from({ length: count }, () => {
        seq += 1n;
        const movements = [
          { account: addressNamed('treasury'), role: 'treasury_usdc' as const, change: 5n, due: 5n },
        ];
        return record(facts({ eventSeq: seq }), { movements });
      });
      query.mockClear();
      await write(...records);
      const { calls, contexts } = query.mock;
      const written = calls.findIndex(([statement]) =>
        statement.text.includes('insert into "chain_effects"'),
      );
      expect(written).toBeGreaterThan(0);
      // Notices of what is committed, and what they have others read, go by other connections whenever their turn comes.
      return contexts.filter((connection) => connection === contexts[written]).length;
    };
    expect(await statements(2)).toBe(await statements(200));
    expect(await deadLetterRows()).toEqual([]);
  } finally {
    query.mockRestore();
  }
});

test('record chain: an amount beyond 63 bits is a dead letter that keeps its event, and holds up no other record', async () => {
  const beyond = record(facts({ eventSeq: 1n, usdcAmount: usdcUnits(2n ** 63n) }));
  const good = record(facts({ eventSeq: 2n }));
  await new Recorder(ctx, new Source(ctx.chain), defaultTuning).write([beyond, good]);
  expect((await ctx.db.select().from(trades)).map(({ txSignature }) => txSignature)).toEqual([
    good.signature,
  ]);
  expect((await ctx.db.select().from(programEvents)).map(({ seq }) => seq).sort()).toEqual([1n, 2n]);
  expect(await deadLetterRows()).toEqual([
    { signature: beyond.signature, reason: 'record_refused', open: true },
  ]);
});

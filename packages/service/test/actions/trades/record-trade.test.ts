import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { OrderFacts } from '../../../src/actions/orders/settle-landed-order.js';
import type { RedemptionFacts } from '../../../src/actions/redemptions/settle-landed-redemption.js';
import {
  type ChainRecord,
  emptyRecord,
  recordTrades,
  type TradeFacts,
} from '../../../src/actions/trades/record-trade.js';
import type { Context } from '../../../src/context.js';
import { Connection } from '../../../src/db/connections.js';
import { noFailure } from '../../../src/db/failure.js';
import {
  deadLetters,
  indexerCursors,
  orders,
  programEvents,
  redemptions,
  trades,
  treasuryMovements,
} from '../../../src/db/schema.js';
import { findKnownTransactions } from '../../../src/db/treasury/treasury-differences.js';
import { newId, newUuid, type UserId, type Uuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import type { Address } from '../../../src/domain/solana.js';
import { applyBatch } from '../../../src/indexer/record/apply.js';
import { harness, newWallet, type Wallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Awaited<ReturnType<typeof harness>>;
let ctx: Context;
let partnerId: Uuid;
let user: { id: UserId; wallet: Wallet };
let integrator: Address;

beforeAll(async () => {
  h = await harness();
  ctx = h.ctx;
  partnerId = h.main.partnerId;
  user = await h.givenUser(partnerId);
  await seedDenominations(h);
  integrator = await ctx.chain.program.integratorAddress(partnerId);
});

afterAll(() => h.close());

beforeEach(async () => {
  await ctx.db.execute(sql`truncate trades, unfinalized, chain_effects, dead_letters, indexer_cursors`);
});

function facts(changes: Partial<TradeFacts> = {}): TradeFacts {
  return {
    id: newId('trd'),
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_000_000n),
    goldAmount: goldUnits(24_267n),
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: usdcUnits(500_000n),
    eventSeq: 1n,
    ...noFailure,
    userWallet: user.wallet.address,
    integrator,
    partnerId,
    ...changes,
  };
}

let signatures = 0;
const program = addressNamed('program');

function record(trade: TradeFacts | undefined, changes: Partial<ChainRecord> = {}): ChainRecord {
  signatures += 1;
  const events = trade?.eventSeq ? [{ partnerId, seq: trade.eventSeq, kind: 14 }] : [];
  const signature = signatureNamed(`signature-${signatures}`);
  return {
    ...emptyRecord(signature, 10n),
    trade,
    events,
    ...changes,
  };
}

const write = (...records: ChainRecord[]) => recordTrades(ctx, { records, cursors: [] });
const deadLetterRows = async () =>
  (await ctx.db.select().from(deadLetters)).map(({ signature, reason, resolvedAt }) => ({
    signature,
    reason,
    open: resolvedAt === null,
  }));

test('a trade and the cursor behind it are written together, twice without change', async () => {
  const trade = facts();
  const one = record(trade);
  const cursors = [{ address: program, signature: one.signature, slot: 10n, treasury: false }];
  await recordTrades(ctx, { records: [one], cursors });
  const rows = await ctx.db.select().from(trades);
  expect(rows).toMatchObject([{ id: trade.id, userId: user.id, partnerId, txSignature: one.signature }]);
  h.clock.advance(60_000);
  await recordTrades(ctx, { records: [one], cursors });
  expect(await ctx.db.select().from(trades)).toEqual(rows);
  expect(await deadLetterRows()).toEqual([]);
  expect(await ctx.db.select().from(indexerCursors)).toMatchObject([{ signature: one.signature, slot: 10n }]);
});

test('a cursor that cannot be written takes its trades back with it', async () => {
  const cursor = { address: program, signature: signatureNamed('x'), slot: 10n ** 25n, treasury: false };
  await expect(recordTrades(ctx, { records: [record(facts())], cursors: [cursor] })).rejects.toThrow();
  expect(await ctx.db.select().from(trades)).toEqual([]);
  expect(await ctx.db.select().from(programEvents)).toEqual([]);
});

test('a cursor never moves back', async () => {
  await recordTrades(ctx, {
    records: [],
    cursors: [{ address: program, signature: signatureNamed('new'), slot: 20n, treasury: false }],
  });
  await recordTrades(ctx, {
    records: [],
    cursors: [{ address: program, signature: signatureNamed('old'), slot: 19n, treasury: false }],
  });
  expect(await ctx.db.select().from(indexerCursors)).toMatchObject([
    { signature: signatureNamed('new'), slot: 20n },
  ]);
});

const differences: [string, Partial<TradeFacts>][] = [
  ['another amount of USDC', { usdcAmount: usdcUnits(100_000_001n) }],
  ['another amount of gold', { goldAmount: goldUnits(1n) }],
  ['another price', { pricePerTroyOz: '4100.13' }],
  ['another fee', { feeUsdc: usdcUnits(1n) }],
  ['another fee rate', { feeBps: 51 }],
  ['another side', { side: 'sell' }],
  ['another event number', { eventSeq: 2n }],
];
test.each(differences)(
  'the same transaction told with %s is a conflict; the row stays',
  async (_name, change) => {
    const one = record(facts());
    await write(one);
    const rows = await ctx.db.select().from(trades);
    await write({ ...one, events: [], trade: one.trade && { ...one.trade, ...change } });
    expect(await ctx.db.select().from(trades)).toEqual(rows);
    expect(await deadLetterRows()).toEqual([
      { signature: one.signature, reason: 'conflicting_record', open: true },
    ]);
  },
);

test('another transaction for a trade id is a conflict; so is a taken event number, but that trade is written', async () => {
  const one = record(facts());
  await write(one);
  const sameId = record({ ...facts({ eventSeq: 2n }), id: one.trade?.id ?? newId('trd') });
  const sameEvent = record(facts());
  await write(sameId, sameEvent);
  expect(await deadLetterRows()).toEqual([
    { signature: sameId.signature, reason: 'conflicting_record', open: true },
    { signature: sameEvent.signature, reason: 'conflicting_event', open: true },
  ]);
  const written = (await ctx.db.select().from(trades)).map(({ txSignature }) => txSignature);
  expect(written.sort()).toEqual([one.signature, sameEvent.signature].sort());
});

test('a number that is taken among the other events of a trade is a conflict; the trade is written', async () => {
  const other = { partnerId: newUuid(), seq: 1n, kind: 7 };
  await write(record(undefined, { events: [other] }));
  const one = record(facts());
  await write({ ...one, events: [...one.events, other] });
  expect((await ctx.db.select().from(trades)).map(({ txSignature }) => txSignature)).toEqual([one.signature]);
  expect(await deadLetterRows()).toEqual([
    { signature: one.signature, reason: 'conflicting_event', open: true },
  ]);
});

test('a gap in the numbers is a dead letter until what was missing arrives', async () => {
  const [first, second, third] = [1n, 2n, 3n].map((eventSeq) => record(facts({ eventSeq })));
  if (!first || !second || !third) throw new Error('no records');
  await write(first, third);
  expect(await deadLetterRows()).toEqual([
    { signature: third.signature, reason: 'sequence_gap', open: true },
  ]);
  expect((await ctx.db.select().from(trades)).length).toBe(2);
  await write(second);
  expect(await deadLetterRows()).toEqual([
    { signature: third.signature, reason: 'sequence_gap', open: false },
  ]);
});

test('what is missing and what comes behind it leave no gap when two write them at once', async () => {
  const [first, second, third] = [1n, 2n, 3n].map((eventSeq) => record(facts({ eventSeq })));
  if (!first || !second || !third) throw new Error('no records');
  await write(first);
  const waiting = async () =>
    (
      await ctx.db.execute(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    ).length;
  const written: Promise<void>[] = [];
  let ended = false;
  await h.ctx.sql.begin(async (tx) => {
    // Whoever sees a gap cannot say so yet, nor end its transaction.
    await tx`lock table dead_letters in share row exclusive mode`;
    written.push(write(third));
    await eventually(async () => expect(await waiting()).toBe(1), 10_000);
    const last = write(second).finally(() => {
      ended = true;
    });
    written.push(last);
    await eventually(async () => expect(ended || (await waiting()) === 2).toBe(true), 10_000);
  });
  await Promise.all(written);
  expect((await deadLetterRows()).filter(({ open }) => open)).toEqual([]);
  expect((await ctx.db.select().from(programEvents)).length).toBe(3);
});

test('events are counted for each partner by itself', async () => {
  const other = { partnerId: newUuid(), seq: 1n, kind: 7 };
  await write(record(undefined, { events: [other] }), record(facts({ eventSeq: 1n })));
  expect(await deadLetterRows()).toEqual([]);
});

test('a partner, user or integrator that does not fit is a dead letter', async () => {
  const stranger = newWallet().address;
  const other = await h.givenPartner();
  const unknownPartner = record(facts({ partnerId: newUuid() }), { events: [] });
  const unknownUser = record(facts({ userWallet: stranger }), { events: [] });
  const foreign = record(facts({ partnerId: other.partnerId }), { events: [] });
  const wrong = record(facts({ integrator: stranger }), { events: [] });
  await write(unknownPartner, unknownUser, foreign, wrong);
  expect(await ctx.db.select().from(trades)).toEqual([]);
  expect(await deadLetterRows()).toEqual([
    { signature: unknownPartner.signature, reason: 'unknown_partner', open: true },
    { signature: unknownUser.signature, reason: 'unknown_user', open: true },
    { signature: foreign.signature, reason: 'user_partner_mismatch', open: true },
    { signature: wrong.signature, reason: 'integrator_mismatch', open: true },
  ]);
});

test('the same dead letter is written once', async () => {
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

test('service signers that the chain registers are followed from their first transaction', async () => {
  await write(record(undefined, { serviceSigners: [addressNamed('signer-a')] }));
  expect(await ctx.db.select().from(indexerCursors)).toMatchObject([
    { address: addressNamed('signer-a'), signature: '', slot: 0n, treasury: false },
  ]);
  await recordTrades(ctx, {
    records: [],
    cursors: [
      { address: addressNamed('signer-a'), signature: signatureNamed('s'), slot: 5n, treasury: false },
    ],
  });
  await write(record(undefined, { serviceSigners: [addressNamed('signer-a')] }));
  expect(await ctx.db.select().from(indexerCursors)).toMatchObject([
    { signature: signatureNamed('s'), slot: 5n },
  ]);
});

test('two indexers that write the same at once write it once', async () => {
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
  const owner = { partner: h.main, user };
  const paid: RedemptionFacts = {
    id: await givenRedemption(h, owner, { status: 'quoted', escrowAccount: account }),
    partnerId,
    amount: goldUnits(380_625n),
    userWallet: user.wallet.address,
    escrowAccount: account,
    ...noFailure,
  };
  const executives: OrderFacts = {
    movementId: newUuid(),
    order: {
      kind: 'executive_update',
      integrator,
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

test('a batch leaves what its records leave one by one, in any order, and again', async () => {
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
    await ctx.db.execute(
      sql`truncate trades, unfinalized, chain_effects, dead_letters, indexer_cursors, orders`,
    );
    await h.ctx.sql`delete from redemption_history where from_status is not null`;
    await h.ctx.sql`update redemptions set status = 'quoted', tx_signature = null, slot = null`;
  };
  const records = await mixedRecords();
  await forget();
  for (const one of records) await write(one);
  const apart = await left();
  expect(apart.trades).toHaveLength(7);
  expect(apart.orders).toHaveLength(1);
  expect(apart.redemptions).toMatchObject([{ status: 'submitted' }]);
  expect(apart.open).toHaveLength(11);
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

test('a batch takes as many statements as a record', async () => {
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

test('the row of a trade that succeeded, written ahead of the rest, does not make its transaction known', async () => {
  const whole = record(facts(), {
    movements: [{ account: addressNamed('treasury'), role: 'treasury_usdc', change: 5n, due: 5n }],
  });
  const ahead = { ...emptyRecord(whole.signature, whole.slot), trade: whole.trade };
  const failed = record(
    facts({
      ...{
        status: 'failed',
        goldAmount: goldUnits(0n),
        feeUsdc: usdcUnits(0n),
        feeBps: 0,
        pricePerTroyOz: '0',
      },
      ...{ eventSeq: null, failureReason: 'too late', reason: 'slippage_exceeded', partnerId: undefined },
    }),
  );
  const known = () => findKnownTransactions(ctx.db, [whole.signature, failed.signature]);
  await write(ahead, failed);
  expect(await ctx.db.select().from(trades)).toHaveLength(2);
  expect(await known()).toEqual(new Set([failed.signature]));
  await write(whole);
  expect(await known()).toEqual(new Set([whole.signature, failed.signature]));
});

test('an amount beyond 63 bits is a dead letter, and holds up no other record', async () => {
  const beyond = record(facts({ eventSeq: 1n, usdcAmount: usdcUnits(2n ** 63n) }));
  const good = record(facts({ eventSeq: 2n }));
  const writeSome = (records: ChainRecord[]) => write(...records);
  await applyBatch([beyond, good], writeSome, writeSome);
  expect((await ctx.db.select().from(trades)).map(({ txSignature }) => txSignature)).toEqual([
    good.signature,
  ]);
  expect(await deadLetterRows()).toContainEqual({
    signature: beyond.signature,
    reason: 'record_refused',
    open: true,
  });
});

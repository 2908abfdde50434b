import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TradeFacts } from '../../../src/actions/trades/write-trades.js';
import { findUsage } from '../../../src/db/limits/velocity.js';
import { trades } from '../../../src/db/schema.js';
import { newId, newUuid, uuidOf } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { usedOf } from '../../../src/domain/velocity.js';
import { newWallet } from '../../harness.js';
import { givenTradeRecords, type TradeRecords } from '../indexing/trade-records.js';

let t: TradeRecords;
beforeAll(async () => {
  t = await givenTradeRecords();
});
afterAll(() => t.h.close());
beforeEach(async () => {
  await t.ctx.db.execute(sql`truncate trades, unfinalized, chain_effects, dead_letters`);
});

test.each<[string, Partial<TradeFacts>]>([
  ['another amount of USDC', { usdcAmount: usdcUnits(100_000_001n) }],
  ['another amount of gold', { goldAmount: goldUnits(1n) }],
  ['another price', { pricePerTroyOz: '4100.13' }],
  ['another fee', { feeUsdc: usdcUnits(1n) }],
  ['another fee rate', { feeBps: 51 }],
  ['another side', { side: 'sell' }],
  ['another event number', { eventSeq: 2n }],
])(
  'write trades: a recorded transaction that comes again with %s is a conflict, and the row stays',
  async (_name, change) => {
    const one = t.record(t.facts());
    await t.write(one);
    const rows = await t.ctx.db.select().from(trades);
    await t.write({ ...one, events: [], trade: one.trade && { ...one.trade, ...change } });
    expect(await t.ctx.db.select().from(trades)).toEqual(rows);
    expect(await t.deadLetterRows()).toEqual([
      { signature: one.signature, reason: 'conflicting_record', open: true },
    ]);
  },
);

test('write trades: another transaction for a trade id is a conflict; with a taken event number it is written too', async () => {
  const one = t.record(t.facts());
  await t.write(one);
  const sameId = t.record({ ...t.facts({ eventSeq: 2n }), id: one.trade?.id ?? newId('trd') });
  const sameEvent = t.record(t.facts());
  await t.write(sameId, sameEvent);
  expect(await t.deadLetterRows()).toEqual([
    { signature: sameId.signature, reason: 'conflicting_record', open: true },
    { signature: sameEvent.signature, reason: 'conflicting_event', open: true },
  ]);
  const written = (await t.ctx.db.select().from(trades)).map(({ txSignature }) => txSignature);
  expect(written.sort()).toEqual([one.signature, sameEvent.signature].sort());
});

test('write trades: a second transaction of one quote counts once, for the limits of its user and the budget of fees', async () => {
  await t.ctx.db.execute(sql`truncate velocity_usage, fee_spending`);
  const cost = { lamports: 1_000_000n, landedMs: undefined };
  const one = t.record(t.facts(), { cost });
  const second = t.record({ ...t.facts({ eventSeq: 2n }), id: one.trade?.id ?? newId('trd') }, { cost });
  const nothing = {
    goldAmount: goldUnits(0n),
    pricePerTroyOz: '0',
    feeBps: 0,
    feeUsdc: usdcUnits(0n),
    eventSeq: null,
  };
  const why = { failureReason: 'x', reason: 'program_error', programErrorName: 'Unknown' } as const;
  const failure = t.facts({ status: 'failed', partnerId: undefined, ...nothing, ...why });
  const failed = t.record({ ...failure, id: one.trade?.id ?? newId('trd') }, { cost });
  for (let times = 0; times < 2; times += 1) await t.write(one, second, failed);
  await t.write(second);
  // The same transaction as a node that lies has it is none.
  await t.write({ ...one, events: [], trade: one.trade && { ...one.trade, goldAmount: goldUnits(1n) } });
  const window = await findUsage(t.ctx.db, uuidOf(t.user.id));
  expect(usedOf(window, 'usdc', t.ctx.clock.now())).toBe(200_000_000n);
  const [spent] = await t.ctx.db.execute<{ lamports: string }>(sql`select lamports from fee_spending`);
  expect(BigInt(spent?.lamports ?? 0)).toBe(3_000_000n - 2n * 500_000n);
});

test('write trades: a partner, user or integrator that does not fit is a dead letter, and no trade', async () => {
  const stranger = newWallet().address;
  const other = await t.h.givenPartner();
  const unknownPartner = t.record(t.facts({ partnerId: newUuid() }), { events: [] });
  const unknownUser = t.record(t.facts({ userWallet: stranger }), { events: [] });
  const foreign = t.record(t.facts({ partnerId: other.partnerId }), { events: [] });
  const wrong = t.record(t.facts({ integrator: stranger }), { events: [] });
  await t.write(unknownPartner, unknownUser, foreign, wrong);
  expect(await t.ctx.db.select().from(trades)).toEqual([]);
  expect(await t.deadLetterRows()).toEqual([
    { signature: unknownPartner.signature, reason: 'unknown_partner', open: true },
    { signature: unknownUser.signature, reason: 'unknown_user', open: true },
    { signature: foreign.signature, reason: 'user_partner_mismatch', open: true },
    { signature: wrong.signature, reason: 'integrator_mismatch', open: true },
  ]);
});

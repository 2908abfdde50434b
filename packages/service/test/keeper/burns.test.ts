import { getRedemptionEncoder } from '@karat/program-client';
import { getMintDecoder } from '@solana-program/token';
import { and, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { carryOut, readyOperation, writeOperation } from '../../src/actions/approvals/carry-out.js';
import { inChange } from '../../src/actions/change.js';
import { requireGold } from '../../src/actions/redemptions/held-redemption.js';
import { planBurn, planBurnCancellation } from '../../src/actions/redemptions/plan-burn.js';
import { planSettlement } from '../../src/actions/redemptions/plan-settlement.js';
import { settleDueBurns } from '../../src/actions/redemptions/settle-burns.js';
import { readOpenRedemption } from '../../src/chain/program/open-redemption.js';
import { findKeeperReports } from '../../src/db/market/keeper-reports.js';
import { findBurn, findDueBurns } from '../../src/db/redemptions/burns.js';
import { findLongestWaiting } from '../../src/db/redemptions/redemptions.js';
import { findSettlement } from '../../src/db/redemptions/settlements.js';
import { bars, redemptions } from '../../src/db/schema.js';
import { commandLine } from '../../src/domain/audit.js';
import type { RedemptionId } from '../../src/domain/ids.js';
import { type RedemptionStatus, reclaimableStatuses } from '../../src/domain/redemption.js';
import { keepBurns } from '../../src/keeper/burns.js';
import { startLedLoop } from '../../src/runtime/loop.js';
import { never } from '../indexer/following.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually, finalize } from '../karat-chain.js';

const tokens = 380_625n;
const daySeconds = 86_400;

let t: Karat;
beforeAll(async () => {
  t = await startKarat({ indexes: true, signs: true, redeems: true });
  const { addresses, goldMint } = t.chain;
  await t.chain.node.setTokenBalance(addresses.escrowAuthority, goldMint, 1_000_000_000n);
});
afterAll(() => t.stop());

const ctx = () => t.service.ctx;
const now = () => new Date(t.chain.clock.now());
const burnOf = (id: RedemptionId) => findBurn(ctx().db, id, now());
const supply = () => {
  const mint = t.chain.node.getAccount(t.chain.goldMint);
  return getMintDecoder().decode(mint?.data ?? new Uint8Array()).supply;
};

/** Announces the burn of a collected redemption, and waits until it is recorded. */
async function announced(id: RedemptionId) {
  const outcome = await carryOut(ctx(), commandLine, await planBurn(ctx(), { redemptionId: id }));
  await eventually(async () => expect(await burnOf(id)).toBeDefined(), 20_000);
  return outcome;
}

const reportOf = async (name: string) =>
  (await findKeeperReports(ctx().db)).find((report) => report.name === name);
/** Gold that is collected is the bar that was reserved for it. */
const setStatus = (id: RedemptionId, status: RedemptionStatus) =>
  ctx().db.transaction(async (tx) => {
    await tx.update(redemptions).set({ status }).where(eq(redemptions.id, id));
    const reserved = and(eq(bars.redemptionId, id), eq(bars.status, 'reserved'));
    if (status === 'collected') await tx.update(bars).set({ status: 'handed_over' }).where(reserved);
  });

async function passDays(days: number): Promise<void> {
  t.chain.node.warp({ seconds: days * daySeconds + 10 });
  await t.ready();
}

const keepingBurns = () =>
  startLedLoop({ log: ctx().log, lead: never }, 'burns', 200, (end) => keepBurns(ctx(), end));

test('burns: an announced burn is done when it is due, once, however many keepers try', async () => {
  const { id } = await t.given.redemption('collected');
  const before = supply();
  const outcome = await announced(id);
  const dueAt = now().getTime() + daySeconds * 1_000;
  const burn = outcome.kind === 'done' ? outcome.burn : undefined;
  expect(Math.abs((burn?.dueAt.getTime() ?? 0) - dueAt)).toBeLessThan(60_000);
  expect((await burnOf(id))?.dueAt).toEqual(burn?.dueAt);
  expect(await settleDueBurns(ctx(), never)).toBe(0);
  await expect(planBurn(ctx(), { redemptionId: id })).rejects.toThrow(/already announced, and due at/);
  await passDays(1);
  const tries = await Promise.all([1, 2, 3].map(() => settleDueBurns(ctx(), never)));
  expect(tries.reduce((sum, burned) => sum + burned)).toBe(1);
  expect(before - supply()).toBe(tokens);
  await eventually(async () => {
    expect(await findSettlement(ctx().db, id)).toMatchObject({ kind: 'burn', status: 'confirmed' });
  }, 20_000);
  expect(await settleDueBurns(ctx(), never)).toBe(0);
  expect(before - supply()).toBe(tokens);
});

test('burns: a cancelled announcement burns nothing, and can be announced again', async () => {
  const { id } = await t.given.redemption('collected');
  const before = supply();
  await announced(id);
  const cancellation = { redemptionId: id, reason: 'The bar came back.' };
  await carryOut(ctx(), commandLine, await planBurnCancellation(ctx(), cancellation));
  await eventually(async () => expect(await burnOf(id)).toBeUndefined(), 20_000);
  await expect(planBurnCancellation(ctx(), cancellation)).rejects.toThrow(/No burn .* is announced/);
  await passDays(1);
  expect(await settleDueBurns(ctx(), never)).toBe(0);
  expect(supply()).toBe(before);
  await announced(id);
  await passDays(1);
  expect(await settleDueBurns(ctx(), never)).toBe(1);
  expect(before - supply()).toBe(tokens);
});

test('burns: an announcement that is not done within 14 days is void, and can be announced again', async () => {
  const { id } = await t.given.redemption('collected');
  await announced(id);
  await passDays(16);
  expect(await burnOf(id)).toBeUndefined();
  expect(await settleDueBurns(ctx(), never)).toBe(0);
  await announced(id);
  await passDays(1);
  expect(await settleDueBurns(ctx(), never)).toBe(1);
});

test('burns: a keeper that dies before it sends leaves a burn that is done later, once', async () => {
  const { id } = await t.given.redemption('collected');
  await announced(id);
  await passDays(1);
  const before = supply();
  const ready = await readyOperation(ctx(), await planSettlement(ctx(), { kind: 'burn', redemptionId: id }));
  await inChange(ctx(), commandLine, (change) => writeOperation(ctx(), change, ready));
  expect(await settleDueBurns(ctx(), never)).toBe(0);
  expect(supply()).toBe(before);
  t.chain.node.warp({ slots: 400, seconds: 400 });
  await t.ready();
  await eventually(async () => expect(await settleDueBurns(ctx(), never)).toBe(1), 30_000);
  expect(before - supply()).toBe(tokens);
});

test('burns: redemptions that wait for half of their timeout are a warning, and one that is burned is not', async () => {
  const loop = keepingBurns();
  try {
    await eventually(async () =>
      expect(await reportOf('burn_overdue_seconds')).toMatchObject({ status: 'ok' }),
    );
    const { id } = await t.given.redemption('preparing');
    await eventually(async () =>
      expect(await reportOf('redemption_age_seconds')).toMatchObject({ status: 'ok' }),
    );
    await passDays(15);
    await eventually(async () => {
      const report = await reportOf('redemption_age_seconds');
      expect(report).toMatchObject({ status: 'warning', detail: expect.stringContaining(id) });
    }, 20_000);
  } finally {
    await loop.stop();
  }
});

/** Has the account of a redemption say that its burn is announced, whatever the records say. */
async function announceOnChain(id: RedemptionId): Promise<void> {
  const held = await readOpenRedemption(ctx().chain, id, never);
  if (!held) throw new Error('the redemption is not open');
  const data = { ...held.data, burnReadyAt: BigInt(Math.floor(t.chain.clock.now() / 1_000) + daySeconds) };
  const account = t.chain.node.getAccount(held.address);
  if (!account) throw new Error('the redemption has no account');
  t.chain.node.setAccount(held.address, {
    ...account,
    data: new Uint8Array(getRedemptionEncoder().encode({ ...data, wasAnnounced: 1 })),
  });
  await finalize(t.chain, ctx());
}

const later = (days: number) => ({
  ...ctx(),
  clock: { now: () => t.chain.clock.now() + days * daySeconds * 1_000 },
});

test('gold: none is handed out less than two days before the user can take the tokens back', async () => {
  const { id: redemptionId } = await t.given.redemption('ready');
  const move = { redemptionId, event: 'collect', byCode: true } as const;
  await requireGold(later(27), move);
  await expect(requireGold(later(29), move)).rejects.toThrow(/can take the tokens of this redemption back/);
});

test('gold: none is handed out, and nothing refunded, while the chain has a burn announced', async () => {
  const { id: redemptionId } = await t.given.redemption('ready');
  await announceOnChain(redemptionId);
  await expect(requireGold(ctx(), { redemptionId, event: 'collect', byCode: true })).rejects.toThrow(
    /A burn of this redemption is announced/,
  );
  const { id: cancelled } = await t.given.redemption('cancelled');
  await announceOnChain(cancelled);
  const plan = await planSettlement(ctx(), { kind: 'refund', redemptionId: cancelled });
  await expect(carryOut(ctx(), commandLine, plan)).rejects.toThrow(/A burn of this redemption is announced/);
});

test('burns: one that is announced for gold that was not handed over is critical at once, and keeps no other from its place', async () => {
  const { id } = await t.given.redemption('collected');
  await announced(id);
  const burns = () => findDueBurns(ctx().db, { now: now(), limit: 100 });
  expect(await burns()).toEqual([]);
  const loop = keepingBurns();
  const report = () => reportOf('burns_uncollected');
  try {
    await eventually(async () => expect(await report()).toMatchObject({ status: 'ok', value: '0' }));
    // As a database has it that was restored to before the hand-over.
    await setStatus(id, 'ready');
    await eventually(async () =>
      expect(await report()).toMatchObject({
        status: 'critical',
        value: '1',
        detail: expect.stringContaining(id),
      }),
    );
    await loop.stop();
    await passDays(1);
    expect(await burns()).toEqual([]);
    await setStatus(id, 'collected');
    expect(await burns()).toMatchObject([{ redemptionId: id }]);
  } finally {
    await loop.stop();
  }
});

test('burns: each redemption is compared with its own time, whatever the settings are by now', async () => {
  const at = (days: number) => new Date(now().getTime() + days * daySeconds * 1_000);
  // Those of other tests have all the time.
  await ctx()
    .db.update(redemptions)
    .set({ reclaimableAt: at(10_000) })
    .where(inArray(redemptions.status, [...reclaimableStatuses]));
  /** One that was opened so many days ago, under settings by which it can be reclaimed in so many. */
  const opened = async (daysAgo: number, days: number) => {
    const { id } = await t.given.redemption('preparing');
    const times = { createdAt: at(-daysAgo), reclaimableAt: at(days) };
    await ctx().db.update(redemptions).set(times).where(eq(redemptions.id, id));
    return id;
  };
  const [old, recent] = [await opened(210, 200), await opened(1, 20)];
  const waiting = async () => (await findLongestWaiting(ctx().db, now()))?.id;
  const loop = keepingBurns();
  try {
    await eventually(async () =>
      expect(await reportOf('redemption_age_seconds')).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining(old),
      }),
    );
    expect(await waiting()).toBe(old);
    await setStatus(old, 'collected');
    await eventually(async () =>
      expect(await reportOf('redemption_age_seconds')).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining(recent),
      }),
    );
  } finally {
    await loop.stop();
  }
});

import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Effects,
  forgetProgramEvent,
  forgetTreasuryMovements,
  keepEffects,
} from '../../../src/db/indexing/keep-effects.js';
import { chainEffects, programEvents, treasuryMovements } from '../../../src/db/schema.js';
import {
  sumTreasuryMovements,
  type TreasuryMovementFacts,
} from '../../../src/db/treasury/treasury-movements.js';
import { newUuid } from '../../../src/domain/ids.js';
import { type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());
beforeEach(async () => {
  await h.ctx.sql`truncate chain_effects`;
});

const at = new Date('2025-01-01T00:00:00.000Z');
const usdc = { account: addressNamed('usdc'), role: 'treasury_usdc' } as const;
const fees = { account: addressNamed('fees'), role: 'fee_usdc' } as const;
/** An account with two roles. */
const feesOfUsdc = { account: usdc.account, role: 'fee_usdc' } as const;

const moves = (name: string, slot: bigint, ...movements: TreasuryMovementFacts[]): Effects => ({
  signature: signatureNamed(name),
  slot,
  events: [],
  movements,
});
const keep = (...transactions: Effects[]) => h.ctx.db.transaction((tx) => keepEffects(tx, transactions, at));
const all = (change: bigint) => ({ change, due: change });

test('the sum of an account is the sum of its movements in the view', async () => {
  await keep(
    moves('a', 1n, { ...usdc, ...all(5n) }, { ...fees, ...all(7n) }),
    moves('b', 2n, { ...fees, ...all(-3n) }),
    moves('c', 3n, { ...fees, ...all(11n) }, { ...usdc, change: 13n, due: 0n, byAdmin: 13n }),
    moves('d', 4n, { ...usdc, ...all(17n) }, { ...feesOfUsdc, ...all(19n), dust: true }),
    moves('e', 5n, { ...feesOfUsdc, ...all(-23n) }),
  );
  const { account: moved, slot, change } = treasuryMovements;
  for (const { account } of [usdc, fees, { account: addressNamed('another') }]) {
    for (const [after, upTo] of [
      [0n, 9n],
      [1n, 4n],
      [4n, 5n],
      [5n, 9n],
    ] as const) {
      const [row] = await h.ctx.db
        .select({ sum: sql<string>`coalesce(sum(${change}), 0)::text` })
        .from(treasuryMovements)
        .where(and(eq(moved, account), gt(slot, after), lte(slot, upTo)));
      expect(await sumTreasuryMovements(h.ctx.db, account, { after, slot: upTo })).toBe(
        BigInt(row?.sum ?? 0),
      );
    }
  }
  const whole = { after: 0n, slot: 9n };
  expect(await sumTreasuryMovements(h.ctx.db, usdc.account, whole)).toBe(5n + 13n + 17n + 19n - 23n);
  expect(await sumTreasuryMovements(h.ctx.db, fees.account, whole)).toBe(7n - 3n + 11n);
});

test('concurrent writes of the same transactions are kept once, in whatever order they have them', async () => {
  const one = moves('a', 1n, { ...usdc, ...all(5n) });
  const other = moves('b', 2n, { ...usdc, ...all(7n) });
  const waits = async () => {
    const [row] = await h.ctx.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.count;
  };
  let second: ReturnType<typeof keep> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    expect((await keepEffects(tx, [one, other], at)).known).toEqual(new Set());
    second = keep(other, one);
    second.catch(() => {});
    await eventually(async () => expect(await waits()).toBe(1), 10_000);
  });
  expect((await second)?.known).toEqual(new Set([one.signature, other.signature]));
  expect(await h.ctx.db.select().from(chainEffects)).toHaveLength(2);
});

test('an event and the movements of its transaction are one row, of which either may be new, or go', async () => {
  const [event, other] = [1n, 2n].map((seq) => ({ partnerId: newUuid(), seq, kind: 8 }));
  if (!event || !other) throw new Error('no events');
  const moved = moves('a', 1n, { ...usdc, ...all(5n) });
  const whole = { ...moved, events: [event, other] };
  const { signature } = moved;
  const left = async () => ({
    rows: (await h.ctx.db.select().from(chainEffects)).length,
    events: (await h.ctx.db.select().from(programEvents)).map(({ seq }) => seq).sort(),
    changes: (await h.ctx.db.select().from(treasuryMovements)).map(({ change }) => change),
  });
  const everything = { events: [1n, 2n], changes: [5n] };
  const forget = (...seqs: bigint[]) =>
    h.ctx.db.transaction(async (tx) => {
      for (const { partnerId, seq } of [event, other].filter((each) => seqs.includes(each.seq)))
        await forgetProgramEvent(tx, { partnerId, seq, txSignature: signature });
      if (seqs.length === 0) await forgetTreasuryMovements(tx, signature);
    });
  expect(await keep(whole)).toEqual({ kept: new Set([event, other]), known: new Set() });
  expect(await left()).toEqual({ rows: 2, ...everything });
  expect(await keep(whole)).toEqual({ kept: new Set(), known: new Set([signature]) });
  await forget();
  expect(await left()).toEqual({ rows: 2, events: [1n, 2n], changes: [] });
  expect(await keep(whole)).toEqual({ kept: new Set(), known: new Set() });
  expect(await left()).toEqual({ rows: 3, ...everything });
  await forget(1n, 2n);
  expect(await left()).toEqual({ rows: 1, events: [], changes: [5n] });
  expect(await keep(whole)).toEqual({ kept: new Set([event, other]), known: new Set([signature]) });
  expect(await left()).toEqual({ rows: 3, ...everything });
  await forget();
  await forget(1n, 2n);
  expect(await left()).toEqual({ rows: 0, events: [], changes: [] });
  await keep(whole);
  await forget(1n);
  expect(await left()).toEqual({ rows: 2, events: [2n], changes: [5n] });
  // Of two transactions with an event of one number, the first has it; what both moved is kept.
  const rival = { ...moves('b', 2n, { ...usdc, ...all(7n) }), events: [{ ...other }] };
  const third = { ...moves('c', 3n, { ...usdc, ...all(9n) }), events: [event] };
  const late = { ...moves('d', 4n, { ...usdc, ...all(11n) }), events: [{ ...event }] };
  expect((await keep(rival, third, late)).kept).toEqual(new Set([event]));
  expect((await left()).changes.sort()).toEqual([11n, 5n, 7n, 9n]);
  const holders = (await h.ctx.db.select().from(programEvents)).map(({ txSignature }) => txSignature);
  expect(holders.sort()).toEqual([signature, third.signature].sort());
});

test('a kept movement has the place of its account, and an empty one is not kept', async () => {
  const of = { ...moves('a', 1n, { ...usdc, ...all(5n) }, { ...fees, ...all(7n) }) };
  await keep(of);
  const change = (to: string) => h.ctx.sql.unsafe(`update chain_effects set ${to}`);
  for (const [column, value] of [
    ['dues', '1::bigint'],
    ['by_admin', '1::bigint'],
    ['dust', 'true'],
  ]) {
    const like = (low: number, more: number) =>
      change(
        `${column} = array_fill(${value}, array[array_length(changes, 1) + ${more}], array[array_lower(changes, 1) + ${low}])`,
      );
    await like(0, 0);
    for (const [low, more] of [
      [0, -1],
      [0, 1],
      [1, 0],
    ] as const)
      await expect(like(low, more)).rejects.toThrow('chain_effects_arrays');
    await expect(change(`${column} = '{}'`)).rejects.toThrow('chain_effects_arrays');
    await expect(change('changes = null, seq = 1, kind = 1, partner_id = gen_random_uuid()')).rejects.toThrow(
      'chain_effects_arrays',
    );
    await change(`${column} = null`);
  }
  await expect(change(`changes = '{}'`)).rejects.toThrow('chain_effects_arrays');
  await expect(change('changes = null')).rejects.toThrow('chain_effects_any');
  await expect(change('seq = 1')).rejects.toThrow('chain_effects_event');
});

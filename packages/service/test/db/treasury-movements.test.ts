import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { treasuryMovements, treasuryTransactions } from '../../src/db/schema.js';
import {
  keepTreasuryMovements,
  sumTreasuryMovements,
  type TreasuryMovementFacts,
  type TreasuryMoves,
} from '../../src/db/treasury/treasury-movements.js';
import { type Harness, harness } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { addressNamed, signatureNamed } from '../named-keys.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());
beforeEach(async () => {
  await h.ctx.sql`truncate treasury_transactions`;
});

const at = new Date('2025-01-01T00:00:00.000Z');
const usdc = { account: addressNamed('usdc'), role: 'treasury_usdc' } as const;
const fees = { account: addressNamed('fees'), role: 'fee_usdc' } as const;
/** An account with two roles. */
const feesOfUsdc = { account: usdc.account, role: 'fee_usdc' } as const;

const moves = (name: string, slot: bigint, ...movements: TreasuryMovementFacts[]): TreasuryMoves => ({
  signature: signatureNamed(name),
  slot,
  movements,
});
const keep = (...transactions: TreasuryMoves[]) =>
  h.ctx.db.transaction((tx) => keepTreasuryMovements(tx, transactions, at));
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

test('what two write at once of the same transactions is kept once, in whatever order they have it', async () => {
  const one = moves('a', 1n, { ...usdc, ...all(5n) });
  const other = moves('b', 2n, { ...usdc, ...all(7n) });
  const waits = async () => {
    const [row] = await h.ctx.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.count;
  };
  let second: Promise<Set<string>> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    expect(await keepTreasuryMovements(tx, [one, other], at)).toEqual(new Set());
    second = keep(other, one);
    second.catch(() => {});
    await eventually(async () => expect(await waits()).toBe(1), 10_000);
  });
  expect(await second).toEqual(new Set([one.signature, other.signature]));
  expect(await h.ctx.db.select().from(treasuryTransactions)).toHaveLength(2);
});

test.each(['changes', 'dues', 'by_admin', 'dust'])(
  'a row with too few or too many %s is refused',
  async (column) => {
    await keep(moves('a', 1n, { ...usdc, ...all(5n) }, { ...fees, ...all(7n) }));
    const values = column === 'dust' ? ['true', 'false', 'true'] : ['1', '2', '3'];
    const setTo = (count: number) =>
      h.ctx.sql.unsafe(`update treasury_transactions set ${column} = '{${values.slice(0, count).join()}}'`);
    await setTo(2);
    for (const count of [0, 1, 3]) await expect(setTo(count)).rejects.toThrow('treasury_transactions_arrays');
  },
);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Budget } from '../../../src/actions/limits/budget.js';
import { drizzleOn } from '../../../src/db/client.js';
import { newUuid } from '../../../src/domain/ids.js';
import { type BudgetRule, exactBudget, leasedBudget } from '../../../src/domain/limits.js';
import { type Harness, harness } from '../../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

/** The same budget as so many processes have it. */
const processesWith = (rule: BudgetRule, processes = 2) =>
  Array.from({ length: processes }, () => new Budget(h.ctx, rule));
const admittedOf = (taken: readonly { admitted: boolean }[]) =>
  taken.filter(({ admitted }) => admitted).length;
const rowOf = async (owner: string) => {
  const [row] = await h.ctx.sql<{ counts: number[] }[]>`select counts from budgets where owner = ${owner}`;
  return row?.counts;
};

test('an exact budget grants a request that counts as several in whole or not at all', async () => {
  const processes = processesWith(exactBudget('submit', 10));
  const id = newUuid();
  const taken = await Promise.all(processes.flatMap((each) => [each.take(id, 3), each.take(id, 3)]));
  expect(admittedOf(taken)).toBe(3);
  expect(await rowOf(`submit:${id}`)).toEqual([9]);
  const [one, other] = processes as [Budget, Budget];
  expect(await other.take(id, 2)).toMatchObject({ admitted: false, remaining: 1 });
  expect(await one.take(id)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await other.take(id)).toMatchObject({ admitted: false, remaining: 0 });
});

test('an exact budget is not exceeded by requests of different sizes that race in one process and in others', async () => {
  const processes = processesWith(exactBudget('submit', 20), 3);
  const id = newUuid();
  const sizes = [1, 3, 1, 4, 2];
  const requested = processes.flatMap((each) => sizes.map((size) => ({ each, size })));
  const taken = await Promise.all(requested.map(({ each, size }) => each.take(id, size)));
  const counted = requested.reduce((sum, { size }, index) => sum + (taken[index]?.admitted ? size : 0), 0);
  expect(counted).toBeLessThanOrEqual(20);
  const row = (await rowOf(`submit:${id}`)) ?? [];
  // What a smaller request took of a grant for a larger one is held until it is used or given back.
  await Promise.all(processes.map((each) => each.giveBack(true)));
  expect((await rowOf(`submit:${id}`))?.reduce((sum, count) => sum + count, 0)).toBe(counted);
  expect(row.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20);
});

test.each([
  ['exact', exactBudget('price', 6)],
  ['leased', leasedBudget('key_reads', 6)],
])('a budget that is %s admits no more than its limit in any 60 seconds', async (_, rule) => {
  const [one, other] = processesWith(rule) as [Budget, Budget];
  const id = newUuid();
  const admittedMs: number[] = [];
  for (let step = 0; step < 50; step += 1) {
    const { admitted } = await (step % 2 ? one : other).take(id);
    if (admitted) admittedMs.push(h.clock.now());
    // What is believed of a leased budget for a moment is forgotten with this.
    h.clock.advance(5_000);
    await Promise.all([one.giveBack(false), other.giveBack(false)]);
    await Promise.all([one.giveBack(false), other.giveBack(false)]);
    if (!rule.isExact && !admitted) await new Promise((resolve) => setTimeout(resolve, 260));
  }
  const busiest = admittedMs.map((ms) => admittedMs.filter((at) => at >= ms && at < ms + 60_000).length);
  expect(Math.max(...busiest)).toBe(6);
  // Each of four minutes gives its six.
  expect(admittedMs.length).toBeGreaterThanOrEqual(24);
});

test('leases of several processes never add up to more than the budget', async () => {
  const rule = leasedBudget('key_reads', 200);
  const processes = processesWith(rule, 4);
  const id = newUuid();
  const taken = await Promise.all(
    Array.from({ length: 100 }, () => processes.map((each) => each.take(id))).flat(),
  );
  const admitted = admittedOf(taken);
  expect(admitted).toBeLessThanOrEqual(200);
  // The rest lies idle, in leases that were fetched early.
  expect(admitted).toBeGreaterThanOrEqual(200 - 2 * processes.length * rule.leaseSize);
  await Promise.all(processes.map((each) => each.giveBack(true)));
  expect((await rowOf(`key_reads:${id}`))?.reduce((sum, count) => sum + count, 0)).toBe(admitted);
});

test('the lease of a process that was killed counts until its minute is over', async () => {
  const [killed, other] = processesWith(leasedBudget('key_reads', 100)) as [Budget, Budget];
  const id = newUuid();
  expect(await killed.take(id)).toMatchObject({ admitted: true, remaining: 99 });
  const takeAll = async () =>
    admittedOf(await Promise.all(Array.from({ length: 100 }, () => other.take(id))));
  expect(await takeAll()).toBe(95);
  h.clock.advance(60_000);
  expect(await takeAll()).toBe(100);
});

test('a process does not use what it leased once its minute is over', async () => {
  const [one, other] = processesWith(leasedBudget('key_reads', 100)) as [Budget, Budget];
  const id = newUuid();
  await one.take(id);
  h.clock.advance(60_000);
  expect(one.takeNow(id)).toBeUndefined();
  expect(admittedOf(await Promise.all(Array.from({ length: 101 }, () => other.take(id))))).toBe(100);
});

test('what is given back is there for another process, and nothing is given back twice', async () => {
  const [one, other] = processesWith(leasedBudget('key_reads', 100)) as [Budget, Budget];
  const id = newUuid();
  await one.take(id);
  await other.take(id);
  // Both were granted theirs in the same millisecond of the clock.
  expect(await rowOf(`key_reads:${id}`)).toEqual([10]);
  for (let i = 0; i < 3; i += 1) await one.giveBack(true);
  expect(await rowOf(`key_reads:${id}`)).toEqual([6]);
  await other.giveBack(true);
  expect(await rowOf(`key_reads:${id}`)).toEqual([2]);
  expect(admittedOf(await Promise.all(Array.from({ length: 100 }, () => other.take(id))))).toBe(98);
});

test('budgets of one owner are counted apart', async () => {
  const id = newUuid();
  const [auth, price] = [exactBudget('auth', 1), exactBudget('price', 1)].map(
    (rule) => new Budget(h.ctx, rule),
  ) as [Budget, Budget];
  expect(await auth.take(id)).toMatchObject({ admitted: true });
  expect(await auth.take(id)).toMatchObject({ admitted: false });
  expect(await price.take(id)).toMatchObject({ admitted: true });
});

test('owners whose long names begin alike share a budget, and break no statement of others', async () => {
  const budget = new Budget(h.ctx, exactBudget('submit', 2));
  const long = 'a'.repeat(70);
  const taken = await Promise.all(
    [`${long}1`, `${long}2`, `${long}3`, newUuid()].map((id) => budget.take(id)),
  );
  expect(taken.map(({ admitted }) => admitted)).toEqual([true, true, false, true]);
});

test('an owner of an exact budget that goes on after a refusal causes no statement until there is room again', async () => {
  const statements: string[] = [];
  const db = drizzleOn(h.ctx.pool, { logQuery: (query) => void statements.push(query) });
  const budget = new Budget({ ...h.ctx, db }, exactBudget('auth', 2));
  const id = newUuid();
  for (let i = 0; i < 3; i += 1) await budget.take(id);
  expect(budget.refusalOf(id)).toMatchObject({ remaining: 0, resetSeconds: 60 });
  const before = statements.length;
  for (let i = 0; i < 20; i += 1) expect(await budget.take(id)).toMatchObject({ admitted: false });
  // Idle shares are looked at meanwhile, as every second.
  for (let i = 0; i < 3; i += 1) await budget.giveBack(false);
  expect(await budget.take(id)).toMatchObject({ admitted: false });
  expect(statements).toHaveLength(before);
  h.clock.advance(60_000);
  expect(budget.refusalOf(id)).toBeUndefined();
  expect(await budget.take(id)).toMatchObject({ admitted: true, remaining: 1 });
});

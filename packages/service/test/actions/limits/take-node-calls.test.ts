import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeNodeCalls } from '../../../src/actions/limits/take-node-calls.js';
import { CallerBudget } from '../../../src/chain/node/caller-budget.js';
import type { Context } from '../../../src/context.js';
import { type Harness, harness } from '../../harness.js';

/** How requests wait for room in the budget of calls to the nodes. */
let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

/** A budget of 10 calls a second, of which one caller gets 5, at a time that stands still until the test moves it. */
function budget() {
  const time = { nowMs: 0 };
  const callBudget = new CallerBudget(10, () => time.nowMs);
  const ctx: Context = { ...h.ctx, chain: { ...h.ctx.chain, callBudget } };
  const take = (until?: AbortSignal) => takeNodeCalls(ctx, { caller: 'one', use: 'trade', calls: 5 }, until);
  return { time, take };
}

const refused = { code: 'rate_limited', retryAfterSeconds: 1 };

test('node calls: a request without patience and without room is refused at once', async () => {
  const { time, take } = budget();
  await take();
  await expect(take()).rejects.toMatchObject(refused);
  time.nowMs = 1_000;
  await take();
});

test('node calls: a request with patience waits for its turn', async () => {
  const { time, take } = budget();
  await take();
  const next = take(new AbortController().signal);
  time.nowMs = 1_000;
  await next;
});

test('node calls: a request whose patience is over is refused, and takes nothing', async () => {
  const { time, take } = budget();
  await take();
  const patience = new AbortController();
  const next = take(patience.signal);
  patience.abort();
  await expect(next).rejects.toMatchObject(refused);
  time.nowMs = 1_000;
  await take();
});

test('node calls: calls that a request does not need leave room for the next', async () => {
  const { take } = budget();
  const { spare } = await take();
  spare(5);
  await take();
});

import { beforeAll, describe, expect, test } from 'vitest';
import { findEvents } from '../../src/db/events/events.js';
import { guardedTransactions } from '../../src/db/schema.js';
import { newId, newUuid, type Uuid, uuidOf } from '../../src/domain/ids.js';
import { asTxSignature, type TxSignature } from '../../src/domain/solana.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following } from './following.js';
import type { Indexing } from './indexing.js';
import { forgetting, hiding, lying } from './lying-node.js';
import { skippingTime } from './skipped-time.js';
import { twoNodes } from './two-nodes.js';
import { redemption, token } from './vault.js';
import { ended, givenPause, givenSubmission, givenWaiting, heightOf, waiting } from './waiting.js';
import { landed, prepared } from './world.js';

/** What can no longer land ends, and nothing else does. `lying-nodes.test.ts` has what a node cannot end by lying. */

const f = following();
const two = twoNodes(f);
const skip = skippingTime();
const slipping = { minAmountOut: 10n ** 12n };

beforeAll(async () => {
  await seedDenominations(f.world.h);
});

/** Everything that was listed is recorded, and what can have ended ends. */
async function settled(indexing: Indexing): Promise<void> {
  await f.catchUp(indexing);
  await indexing.settle();
}

const submissionOf = async (id: Uuid) =>
  (await f.ctx.sql`select status from submissions where quote_id = ${id}`)[0]?.status;

describe('expiry: operations that end', () => {
  test('a transaction of operators, an order, a quote and a trade end when they can land no more, not before', async () => {
    const indexing = await f.catchUp();
    const height = await heightOf(f);
    const [early, late] = [await givenWaiting(f, height + 10n), await givenWaiting(f, height + 5_000n)];
    // Past the height, and not yet so old that it surely can land no more.
    f.world.node.warp({ seconds: 80 });
    await settled(indexing);
    expect(await early()).toEqual(waiting);
    f.world.node.warp({ seconds: 15 });
    await settled(indexing);
    expect(await early()).toEqual(ended);
    expect(await late()).toEqual(waiting);
    // Its block is confirmed and not final.
    f.world.node.pause();
    f.world.node.warp({ slots: Number(height + 5_010n - (await heightOf(f))) });
    await settled(indexing);
    expect(await late()).toEqual(waiting);
    f.world.node.warp({ slots: 40 });
    f.world.node.resume();
    await settled(indexing);
    expect(await late()).toEqual(ended);
  });

  test('a partner is notified of a trade and of an order that ended, once', async () => {
    const indexing = await f.catchUp();
    const trade = await givenSubmission(f, 1n);
    await givenWaiting(f, 1n);
    f.world.node.warp({ seconds: 100 });
    const { partnerId } = f.world.trader.partner;
    const page = { after: 0n, limit: 1_000 };
    const before = (await findEvents(f.ctx.db, partnerId, {}, page)).length;
    for (let round = 0; round < 3; round += 1) await settled(indexing);
    const news = (await findEvents(f.ctx.db, partnerId, {}, page)).slice(before);
    const own = news.filter(({ objectId }) => objectId === `trd_${trade}`);
    expect(own.map(({ type }) => type)).toEqual(['trade.expired']);
    // What other tests left may end with it.
    for (const type of ['trade.expired', 'purchase.expired']) {
      const ids = news.filter((event) => event.type === type).map(({ objectId }) => objectId);
      expect(ids).not.toEqual([]);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  test('a trade that was sent is over once its record is final', async () => {
    const indexing = await f.catchUp();
    const sent = await f.trade();
    const id = await givenSubmission(f, 1n, { ...sent, id: uuidOf(sent.id) });
    await settled(indexing);
    expect(await submissionOf(id)).toBe('submitted');
    f.world.node.warp({ seconds: 100 });
    await settled(indexing);
    await settled(indexing);
    expect(await submissionOf(id)).toBe('landed');
  });

  test('the nodes get no call while nothing waits', async () => {
    const indexing = await f.catchUp();
    f.world.node.warp({ seconds: 100 });
    await settled(indexing);
    await givenWaiting(f, 1n);
    f.node.calls.clear();
    const read = () => f.node.calls.get('getEpochInfo') ?? 0;
    // It waits and cannot have ended yet.
    await indexing.settle();
    expect(read()).toBe(0);
    f.world.node.warp({ seconds: 100 });
    await indexing.settle();
    expect(read()).toBeGreaterThan(0);
  });
});

describe('expiry: operations that landed', () => {
  test('a failed trade that no listing showed is recorded by its signature, and does not expire', async () => {
    const indexing = await f.catchUp();
    const sent = await f.trade(slipping);
    const id = await givenSubmission(f, 1n, { ...sent, id: uuidOf(sent.id) });
    f.node.lie = hiding(sent.signature);
    f.world.node.warp({ seconds: 80 });
    await settled(indexing);
    expect(await f.tradeOf(sent.id)).toBeUndefined();
    f.world.node.warp({ seconds: 20 });
    await settled(indexing);
    expect(await f.tradeOf(sent.id)).toMatchObject({ status: 'failed', reason: 'slippage_exceeded' });
    expect(await submissionOf(id)).not.toBe('expired');
    expect(await f.reasonsOf(sent.signature)).toEqual([]);
  });

  test('a failed payment with guards that no listing showed is recorded by its second signature', async () => {
    const indexing = await f.catchUp();
    const { trader, program, node, goldMint, h } = f.world;
    const id = newId('red');
    const call = await prepared(f.world, [await redemption(f.world, id, 380_625n)], f.world.service);
    const owner = { partner: trader.partner, user: { id: trader.userId, wallet: trader.wallet } };
    const quote = {
      id,
      status: 'quoted',
      escrowAccount: program.escrowGold,
      lastValidBlockHeight: 1n,
    } as const;
    await givenRedemption(h, owner, quote);
    const createdAt = new Date(f.ctx.clock.now());
    const txSignature = asTxSignature(call.signature) as TxSignature;
    await f.ctx.db.insert(guardedTransactions).values({ quoteId: uuidOf(id), txSignature, createdAt });
    await node.setTokenBalance(trader.user.address, goldMint, 0n);
    await call.post();
    await landed(f.world, call.signature);
    await node.setTokenBalance(trader.user.address, goldMint, 1_000n * token);
    f.node.lie = hiding(call.signature);
    f.world.node.warp({ seconds: 100 });
    await settled(indexing);
    const [row] = await f.ctx.sql`select status, failure_reason from redemptions where id = ${uuidOf(id)}`;
    expect(row).toMatchObject({ status: 'failed', failure_reason: expect.any(String) });
  });

  test('a transaction that the nodes know and do not return holds up nothing but itself', async () => {
    const indexing = await f.catchUp();
    const stuck = await f.trade(slipping);
    const id = await givenSubmission(f, 1n, { ...stuck, id: uuidOf(stuck.id) });
    const statuses = await givenWaiting(f, 2n);
    f.node.lie = lying(hiding(stuck.signature), forgetting(stuck.signature));
    f.world.node.warp({ seconds: 100 });
    await settledOnce(indexing);
    expect(await statuses()).toEqual(ended);
    expect(await submissionOf(id)).toBe('submitted');
    // A person sees it, and it goes on being looked for.
    skip(61_000);
    await settledOnce(indexing);
    expect(await f.reasonsOf(stuck.signature)).toEqual(['transaction_unavailable']);
    f.node.lie = undefined;
    skip(16_000);
    await settledOnce(indexing);
    expect(await f.tradeOf(stuck.id)).toMatchObject({ status: 'failed' });
    expect(await f.reasonsOf(stuck.signature)).toEqual(['transaction_unavailable (settled)']);
  });

  /** One round, after which something may still wait. */
  async function settledOnce(indexing: Indexing): Promise<void> {
    await indexing.round();
    await indexing.settle();
  }

  test('a trade about which two nodes differ holds up nothing but itself', async () => {
    const indexing = await two.caughtUp();
    const known = await f.trade(slipping);
    const id = await givenSubmission(f, 1n, { ...known, id: uuidOf(known.id) });
    const pause = await givenPause(f, 1n);
    const statuses = await givenWaiting(f, 2n);
    two.second.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method === 'getSignaturesForAddress') return [];
      if (method !== 'getSignatureStatuses' || !params[0].includes(known.signature)) return response;
      const value = response.value.map((status: object | null, at: number) =>
        params[0][at] === known.signature ? null : status,
      );
      return { ...response, value };
    };
    f.node.lie = hiding(known.signature);
    f.world.node.warp({ seconds: 100 });
    await settledOnce(indexing);
    expect(await statuses()).toEqual(ended);
    expect(await submissionOf(id)).toBe('submitted');
    const [row] = await f.ctx.sql`select status from operator_transactions where id = ${pause}`;
    expect(row?.status).toBe('expired');
  });

  test('a node that lags behind proves nothing by not knowing a transaction', async () => {
    const indexing = await two.caughtUp();
    const id = await givenSubmission(f, 1n, { id: newUuid() });
    two.second.lie = async ({ method }, ask) => {
      const response = await ask();
      return method === 'getSignatureStatuses' ? { ...response, context: { slot: 1 } } : response;
    };
    f.world.node.warp({ seconds: 100 });
    await settled(indexing);
    expect(await submissionOf(id)).toBe('submitted');
    two.second.lie = undefined;
    await settled(indexing);
    expect(await submissionOf(id)).toBe('expired');
  });
});

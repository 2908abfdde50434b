import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { prepareTransaction } from '../../src/chain/build/prepare-transaction.js';
import { operatorTransactions, orders, redemptions, submissions } from '../../src/db/schema.js';
import { newUuid } from '../../src/domain/ids.js';
import { goldUnits } from '../../src/domain/money.js';
import { signatureNamed } from '../named-keys.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { settlingOf } from './settling.js';
import { twoNodes } from './two-nodes.js';
import { givenVault } from './vault.js';
import { eventually } from './world.js';

const f = following();
const two = twoNodes(f);

beforeAll(async () => {
  await seedDenominations(f.world.h);
});

/** One of everything that waits for the chain, until it can land no longer. */
async function givenWaiting(lastValidBlockHeight: bigint) {
  const { trader, h } = f.world;
  const { partnerId } = trader.partner;
  const user = { id: trader.userId, wallet: trader.wallet };
  const at = new Date(f.ctx.clock.now());
  const cancelled = await givenRedemption(h, { partner: trader.partner, user }, { status: 'cancelled' });
  const refund = newUuid();
  await f.ctx.db.insert(operatorTransactions).values({
    ...{ id: refund, kind: 'refund', redemptionId: cancelled, amount: goldUnits(380_625n) },
    ...{ txSignature: signatureNamed(refund), lastValidBlockHeight, createdAt: at, updatedAt: at },
  });
  const order = (await (await givenVault(f.world)).order({ lastValidBlockHeight })).id;
  const quoted = { status: 'quoted', lastValidBlockHeight } as const;
  const quote = await givenRedemption(h, { partner: trader.partner, user }, quoted);
  const trade = newUuid();
  const sent = {
    kind: 'buy',
    status: 'submitted',
    partnerId,
    userWallet: trader.wallet.address,
    traceparent: null,
  } as const;
  await f.ctx.db.insert(submissions).values({
    ...{ ...sent, quoteId: trade, txSignature: signatureNamed(trade), lastValidBlockHeight },
    ...{ createdAt: at, expiresAt: at },
  });
  return async () => {
    const [operation] = await f.ctx.db
      .select()
      .from(operatorTransactions)
      .where(eq(operatorTransactions.id, refund));
    const [placed] = await f.ctx.db.select().from(orders).where(eq(orders.id, order));
    const [redemption] = await f.ctx.db.select().from(redemptions).where(eq(redemptions.id, quote));
    const [submission] = await f.ctx.db.select().from(submissions).where(eq(submissions.quoteId, trade));
    return [operation?.status, placed?.status, redemption?.status, submission?.status];
  };
}

const waiting = ['pending', 'pending_signature', 'quoted', 'submitted'];
const ended = ['expired', 'expired', 'lapsed', 'expired'];

test('one node that overstates the height once keeps nothing waiting for ever, and ends nothing early', async () => {
  f.node.lie = async ({ method }, ask) => {
    const answer = await ask();
    if (method === 'getBlockHeight') return 2 ** 64;
    if (method !== 'getLatestBlockhash') return answer;
    return { ...answer, value: { ...answer.value, lastValidBlockHeight: 2 ** 64 } };
  };
  await eventually(
    async () => two.ctx.chain.blockhash.current().lastValidBlockHeight > 2n ** 50n || undefined,
  );
  const config = two.ctx.chain.program.config();
  const draft = { instructions: [], payer: config.admin };
  const { lastValidBlockHeight } = await prepareTransaction(two.ctx.chain, config, draft);
  expect(lastValidBlockHeight).toBeGreaterThan(2n ** 50n);
  const overstated = await givenWaiting(lastValidBlockHeight);
  f.node.lie = undefined;
  const { blockHeight } = await two.ctx.chain.rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  const truthful = await givenWaiting(blockHeight + 450n);

  const follower = f.newFollower({ sweepMs: 0 }, two.ctx);
  const settling = settlingOf(two.ctx, follower, { lapseMs: 0 });
  const settled = async () => {
    await f.catchUp(follower);
    await settling.round(never);
  };
  await settled();
  // What is final lies 31 blocks behind; the rest is for a machine that takes its time.
  f.world.node.warp({ slots: 300 });
  await settled();
  expect(await truthful()).toEqual(waiting);
  expect(await overstated()).toEqual(waiting);
  f.world.node.warp({ slots: 250 });
  await settled();
  expect(await truthful()).toEqual(ended);
  expect(await overstated()).toEqual(waiting);
  f.world.node.warp({ slots: 1_000 });
  await settled();
  expect(await overstated()).toEqual(ended);
}, 60_000);

test('one node that understates how far the chain is ends nothing early', async () => {
  const { blockHeight } = await two.ctx.chain.rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  const statuses = await givenWaiting(blockHeight + 450n);
  f.node.lie = async ({ method }, ask) => {
    const answer = await ask();
    return method === 'getEpochInfo' ? { ...answer, absoluteSlot: 40, blockHeight: 40 } : answer;
  };
  const follower = f.newFollower({ sweepMs: 0 }, two.ctx);
  const settling = settlingOf(two.ctx, follower, { lapseMs: 0 });
  await f.catchUp(follower);
  await settling.round(never);
  expect(follower.seen()).toMatchObject({ blockHeight: 40n });
  f.node.lie = undefined;
  await f.catchUp(follower);
  await settling.round(never);
  expect(await statuses()).toEqual(waiting);
}, 60_000);

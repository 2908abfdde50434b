import { BUY_DISCRIMINATOR, getPauseInstruction } from '@karat/program-client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { operatorTransactions } from '../../src/db/schema.js';
import { newUuid, type RedemptionId } from '../../src/domain/ids.js';
import type { Follower } from '../../src/indexer/follower.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { type Lie, listsFinal } from './lying-node.js';
import { settlingOf } from './settling.js';
import { twoNodes } from './two-nodes.js';
import { givenVault, redemption, token } from './vault.js';
import { watchedOperatorTransactions } from './watched.js';
import { landed, send } from './world.js';

/** What becomes of transactions that succeeded where a node says that they failed. */

const f = following();
const two = twoNodes(f);

beforeAll(async () => {
  await seedDenominations(f.world.h);
});
afterEach(() => {
  f.node.lie = undefined;
});

/** A node that says that these transactions failed. */
const failing =
  (...signatures: string[]): Lie =>
  async ({ method, params }, ask) => {
    const answer = await ask();
    const err = { InstructionError: [0, { Custom: 1 }] };
    if (method === 'getTransaction' && signatures.includes(params[0]) && answer) {
      return { ...answer, meta: { ...answer.meta, err } };
    }
    if (listsFinal({ method, params })) {
      return answer.map((line: { signature: string }) =>
        signatures.includes(line.signature) ? { ...line, err } : line,
      );
    }
    if (method !== 'getSignatureStatuses') return answer;
    const value = answer.value.map((status: object | null, at: number) =>
      status && signatures.includes(params[0][at]) ? { ...status, err } : status,
    );
    return { ...answer, value };
  };

const amount = 380_625n;

/** A redemption that its user has paid. */
async function paid() {
  const { trader, program } = f.world;
  const user = { id: trader.userId, wallet: trader.wallet };
  const quote = { status: 'quoted', escrowAccount: program.escrowGold } as const;
  const id = await givenRedemption(f.world.h, { partner: trader.partner, user }, quote);
  const signature = await send(f.world, [await redemption(f.world, id, amount)], f.world.service);
  await landed(f.world, signature);
  return { id, signature };
}

const row = (id: RedemptionId) => findRedemption(f.ctx.db, id);

describe('of two nodes', () => {
  const follower = (tuning = {}) => f.newFollower({ sweepMs: 0, ...tuning }, two.ctx);

  async function rounds(of: Follower): Promise<void> {
    for (let round = 0; round < 3; round += 1) await of.round(never);
  }

  test('one that says so makes no trade, redemption or order fail', async () => {
    const reader = await f.catchUp(follower());
    const trade = await f.trade();
    const { id, signature } = await paid();
    const vault = await givenVault(f.world);
    const order = (await vault.order()).id;
    const purchase = await send(f.world, [vault.purchase(token, 5_000n * token)], vault.signer);
    await landed(f.world, purchase);
    f.node.lie = failing(trade.signature, signature, purchase);
    await rounds(reader);
    expect(await f.tradeOf(trade.id)).toBeUndefined();
    expect(await row(id)).toMatchObject({ status: 'quoted', txSignature: null });
    expect(await f.orderOf(order)).toMatchObject({ status: 'pending_signature' });
    f.node.lie = undefined;
    await f.catchUp(reader);
    expect(await f.tradeOf(trade.id)).toMatchObject({ status: 'confirmed', txSignature: trade.signature });
    expect(await row(id)).toMatchObject({ status: 'submitted', txSignature: signature });
    expect(await f.orderOf(order)).toMatchObject({ status: 'confirmed', txSignature: purchase });
  });

  test('one that says so makes nothing fail that operators sent', async () => {
    const reader = await f.catchUp(follower());
    const { admin, program } = f.world;
    const { programAddress } = f.ctx.chain;
    // Withdrawals of partners: nothing here makes any.
    const pause = getPauseInstruction(
      { config: program.config, authority: admin, mask: 4 },
      { programAddress },
    );
    const txSignature = await send(f.world, [pause], admin);
    await landed(f.world, txSignature);
    const at = new Date(f.ctx.clock.now());
    const row = { id: newUuid(), kind: 'pause', lastValidBlockHeight: 10_000_000n } as const;
    await f.ctx.db.insert(operatorTransactions).values({ ...row, txSignature, createdAt: at, updatedAt: at });
    const status = async () =>
      (await watchedOperatorTransactions(f.ctx)).find(({ id }) => id === row.id)?.status;
    f.node.lie = failing(txSignature);
    await rounds(reader);
    expect(await status()).toBe('pending');
    f.node.lie = undefined;
    await f.catchUp(reader);
    expect(await status()).toBe('confirmed');
  });

  test('both say so of what has failed, which is recorded then', async () => {
    const { id } = await f.trade({ minAmountOut: 10n ** 12n });
    await f.catchUp(follower());
    expect(await f.tradeOf(id)).toMatchObject({ status: 'failed', reason: 'slippage_exceeded' });
  });

  test('one is asked about what strangers have fail, of which nothing is recorded', async () => {
    const reader = await f.catchUp(follower());
    const { programAddress } = f.ctx.chain;
    const data = Uint8Array.of(BUY_DISCRIMINATOR);
    const signature = await send(f.world, [{ programAddress, data }], f.world.service);
    await landed(f.world, signature);
    const asked: unknown[] = [];
    two.second.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction') asked.push(params[0]);
      return ask();
    };
    await f.catchUp(reader);
    expect(await f.reasonsOf(signature)).toEqual([]);
    expect(asked).not.toContain(signature);
  });

  test('one that never agrees leaves a dead letter that says it is not known', async () => {
    const reader = await f.catchUp(follower({ brokenAfterMs: 200 }));
    const { id, signature } = await paid();
    f.node.lie = failing(signature);
    await f.catchUp(reader);
    expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable']);
    expect(await row(id)).toMatchObject({ status: 'quoted' });
  });
});

test('a redemption that the only node said had failed is submitted once its payment is final', async () => {
  const { id, signature } = await paid();
  f.node.lie = failing(signature);
  const follower = await f.catchUp(f.newFollower({ sweepMs: 0 }));
  expect(await row(id)).toMatchObject({ status: 'failed', txSignature: signature });
  f.node.lie = undefined;
  f.world.node.warp({ slots: 40 });
  await f.catchUp(follower);
  const settling = settlingOf(f.ctx, follower);
  await settling.round(never);
  expect(await row(id)).toMatchObject({ status: 'submitted', failureReason: null, reason: null });
  expect(await f.reasonsOf(signature)).toEqual([]);
  expect((await f.written()).events.map(({ txSignature }) => txSignature)).toContain(signature);
  await f.ctx.sql`update unfinalized set check_at = 'epoch'`;
  await settling.round(never);
  expect(await row(id)).toMatchObject({ status: 'submitted', finalized: true });
});

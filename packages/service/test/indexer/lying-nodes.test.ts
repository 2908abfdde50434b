import {
  fetchConfig,
  getPauseInstruction,
  getReplaceKeyInstruction,
  HotKeyRole,
} from '@karat/program-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { noKey } from '../../src/chain/program/wallet.js';
import { findEvents } from '../../src/db/events/events.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { newId, type RedemptionId, redemptionBytes, uuidBytes, uuidOf } from '../../src/domain/ids.js';
import { asTxSignature, type TxSignature } from '../../src/domain/solana.js';
import { kitSigner, newWallet } from '../harness.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following } from './following.js';
import type { Indexing } from './indexing.js';
import {
  dropping,
  failing,
  hang,
  hiding,
  inventing,
  type Lie,
  lying,
  neverFinal,
  Refused,
} from './lying-node.js';
import { skippingTime } from './skipped-time.js';
import { twoNodes } from './two-nodes.js';
import { givenVault, redemption, token } from './vault.js';
import { ended, givenPause, givenSubmission, givenWaiting, heightOf, waiting } from './waiting.js';
import { watchedOperatorTransactions } from './watched.js';
import { landed, prepared, send } from './world.js';

/** What one of two nodes cannot have recorded, ended or called final by lying. */

const f = following();
const two = twoNodes(f);
const skip = skippingTime();
const amount = 380_625n;

beforeAll(async () => {
  await seedDenominations(f.world.h);
});

/** The chain goes on past the finality of what is there, and past the first look at it. */
const goOn = (seconds = 20) => f.world.node.warp({ seconds });

/** Has records that are not final looked at once more. */
async function settled(indexing: Indexing): Promise<void> {
  await f.ctx.sql`update unfinalized set check_at = 'epoch'`;
  await indexing.settle();
}

async function eventsOf(id: string) {
  const { partnerId } = f.world.trader.partner;
  const found = await findEvents(f.ctx.db, partnerId, { objectId: id }, { after: 0n, limit: 10 });
  return found.map(({ type }) => type);
}

/** What the node really has of a transaction. */
const responseOf = (signature: string) =>
  f.ctx.chain.rpc
    .getTransaction(signature as TxSignature, {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    })
    .send();

/** Has the user hold so little while something is sent that it fails with the arguments of one that succeeds. */
async function poor<T>(what: 'usdc' | 'gold', work: () => Promise<T>): Promise<T> {
  const { node, trader, usdcMint, goldMint } = f.world;
  const mint = what === 'usdc' ? usdcMint : goldMint;
  await node.setTokenBalance(trader.user.address, mint, 0n);
  try {
    return await work();
  } finally {
    await node.setTokenBalance(trader.user.address, mint, 1_000_000n * token);
  }
}

/** A redemption whose payment was sent. */
async function paid() {
  const { trader, program, h } = f.world;
  const id = newId('red');
  const call = await prepared(f.world, [await redemption(f.world, id, amount)], f.world.service);
  const user = { id: trader.userId, wallet: trader.wallet };
  await givenRedemption(
    h,
    { partner: trader.partner, user },
    {
      ...{ id, status: 'quoted', escrowAccount: program.escrowGold },
      ...{ quoteTxSignature: asTxSignature(call.signature) as TxSignature, lastValidBlockHeight: 1n },
    },
  );
  await call.post();
  await landed(f.world, call.signature);
  return { id, signature: call.signature };
}
const redemptionOf = (id: RedemptionId) => findRedemption(f.ctx.db, id);

async function paused(lastValidBlockHeight: bigint) {
  const { admin, program } = f.world;
  const { programAddress } = f.ctx.chain;
  // Withdrawals of partners: no test here makes any.
  const call = getPauseInstruction({ config: program.config, authority: admin, mask: 4 }, { programAddress });
  const signature = await send(f.world, [call], admin);
  await landed(f.world, signature);
  const id = await givenPause(f, lastValidBlockHeight, signature);
  const status = async () => (await watchedOperatorTransactions(f.ctx)).find((row) => row.id === id)?.status;
  return { signature, status };
}

describe('lying nodes: a success', () => {
  test('a failed trade that one node shows as confirmed is visible, never final, and taken back', async () => {
    const indexing = await two.caughtUp();
    const like = await f.trade();
    await f.catchUp(indexing);
    const seq = ((await f.tradeOf(like.id))?.eventSeq ?? 0n) + 1n;
    const { id, signature } = await poor('usdc', () => f.trade());
    f.node.lie = inventing({
      ...{ signature, seq, id: uuidBytes(uuidOf(id)), like: await responseOf(like.signature) },
    });
    await f.catchUp(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', finalized: false, eventSeq: seq });
    goOn();
    // Far past the life of its blockhash, and the nodes contradict each other.
    await settled(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ finalized: false });
    const next = await f.trade();
    await f.catchUp(indexing);
    expect(await f.tradeOf(next.id)).toMatchObject({ status: 'confirmed', eventSeq: seq });
    f.node.lie = undefined;
    await settled(indexing);
    expect(await f.tradeOf(id)).toBeUndefined();
    expect(await eventsOf(id)).toEqual(['trade.confirmed', 'trade.reverted']);
    expect((await f.deadLetterOf(signature, 'vanished')).detail).toMatchObject({ trade_id: id });
    // The number that it had is the next one's again.
    goOn();
    await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
    const { events } = await f.written();
    expect(events.filter((event) => event.txSignature === next.signature)).toMatchObject([
      { seq: seq.toString() },
    ]);
  });

  test('a trade that the chain drops is taken back only once it can land no more', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    f.world.node.pause();
    try {
      await f.catchUp(indexing);
      [f.node.lie, two.second.lie] = [dropping(signature), dropping(signature)];
      f.world.node.warp({ slots: 140 });
      await settled(indexing);
      expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', finalized: false });
      f.world.node.warp({ slots: 100 });
      await settled(indexing);
      expect(await f.tradeOf(id)).toBeUndefined();
    } finally {
      f.world.node.resume();
    }
  });

  test('a trade that the nodes have forgotten, as after a long outage, is not taken back', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    await f.catchUp(indexing);
    const { slot = 0n } = (await f.tradeOf(id)) ?? {};
    const beginning: Lie = async ({ method }, ask) =>
      method === 'getFirstAvailableBlock' ? Number(slot) + 1 : ask();
    [f.node.lie, two.second.lie] = [lying(dropping(signature), beginning), dropping(signature)];
    f.world.node.warp({ slots: 300 });
    await settled(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', finalized: false });
    f.node.lie = dropping(signature);
    await settled(indexing);
    expect(await f.tradeOf(id)).toBeUndefined();
  });

  test('a node that is silent when an indexer starts holds up no trade that the other shows', async () => {
    const before = await two.caughtUp();
    goOn();
    skip(11_000);
    await f.catchUp(before);
    await before.complete();
    two.second.lie = async () => hang;
    const indexing = await f.newIndexing({}, two.ctx);
    const startMs = performance.now();
    for (let count = 0; count < 4; count += 1) {
      const { id } = await f.trade();
      await indexing.round();
      expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
    }
    // A call to a silent node takes 9 s.
    expect(performance.now() - startMs).toBeLessThan(8_000);
  });

  test('a payment of a redemption that one node makes up is not final, and reported as vanished', async () => {
    const indexing = await two.caughtUp();
    const like = await paid();
    await f.catchUp(indexing);
    const { events } = await f.written();
    const [event] = events.filter(({ txSignature }) => txSignature === like.signature);
    const { id, signature } = await poor('gold', paid);
    f.node.lie = inventing({
      ...{ signature, seq: BigInt(String(event?.seq)) + 1n, id: redemptionBytes(id) },
      like: await responseOf(like.signature),
    });
    await f.catchUp(indexing);
    const row = { status: 'submitted', txSignature: signature, finalized: false };
    expect(await redemptionOf(id)).toMatchObject(row);
    goOn();
    await settled(indexing);
    expect(await f.reasonsOf(signature)).toEqual([]);
    f.node.lie = undefined;
    await settled(indexing);
    expect(await f.reasonsOf(signature)).toContain('vanished');
    expect(await redemptionOf(id)).toMatchObject(row);
  });

  test('a change of the service signers that one node makes up is never believed', async () => {
    const { admin, program, service } = f.world;
    const changed = async (by: Awaited<ReturnType<typeof kitSigner>>) => {
      const { data } = await fetchConfig(f.world.chain.seeder.rpc, program.config, {
        commitment: 'confirmed',
      });
      const replacement = { role: HotKeyRole.ServiceSigner, old: noKey, new: newWallet().address };
      const call = getReplaceKeyInstruction(
        { config: program.config, admin: by, ...replacement },
        { programAddress: f.ctx.chain.programAddress },
      );
      const signature = await send(f.world, [call], service);
      await landed(f.world, signature);
      return { signature, seq: data.seq };
    };
    const like = await changed(admin);
    const indexing = await two.caughtUp();
    const stranger = await changed(await kitSigner(newWallet()));
    // It has no id: what is written there are bytes of its own.
    const invention = { signature: stranger.signature, seq: like.seq + 2n, id: new Uint8Array() };
    f.node.lie = inventing({ ...invention, like: await responseOf(like.signature) });
    for (let round = 0; round < 3; round += 1) {
      await indexing.round();
      skip(11_000);
    }
    expect(
      (await f.written()).events.filter(({ txSignature }) => txSignature === stranger.signature),
    ).toEqual([]);
    f.node.lie = undefined;
    skip(11_000);
    await f.catchUp(indexing);
    expect(
      (await f.written()).events.filter(({ txSignature }) => txSignature === stranger.signature),
    ).toEqual([]);
    await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
  });

  test('a transaction that one node has in a slot of the future is the one of the other node', async () => {
    const sent = await f.trade();
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      return method === 'getTransaction' && params[0] === sent.signature
        ? { ...response, slot: 4_000_000_000_000_000 }
        : response;
    };
    await two.caughtUp();
    const status = await two.ctx.chain.rpc.getSignatureStatuses([sent.signature]).send();
    expect(await f.tradeOf(sent.id)).toMatchObject({ status: 'confirmed', slot: status.value[0]?.slot });
  });

  test('a version that one node does not know is read from the other', async () => {
    const sent = await f.trade();
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction' && params[0] === sent.signature)
        throw new Refused(-32_015, 'Transaction version (0) is not supported by the requesting client.');
      return ask();
    };
    await two.caughtUp();
    expect(await f.tradeOf(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('a success that one node calls final is not final while the other does not', async () => {
    const indexing = await two.caughtUp();
    const { id } = await f.trade();
    await f.catchUp(indexing);
    two.second.lie = neverFinal;
    goOn();
    await settled(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ finalized: false });
    two.second.lie = undefined;
    await settled(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
  });

  test('a transaction that one node gives in other bytes is recorded from the other node', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getTransaction' || params[0] !== signature || !response) return response;
      return { ...response, transaction: [Buffer.alloc(200, 7).toString('base64'), 'base64'] };
    };
    await f.catchUp(indexing);
    expect(await f.tradeOf(id)).toMatchObject({ txSignature: signature, status: 'confirmed' });
    expect(await f.reasonsOf(signature)).toEqual([]);
  });
});

describe('lying nodes: failure and absence', () => {
  test('a trade, redemption or order that landed does not fail because one node reports so', async () => {
    const indexing = await two.caughtUp();
    const trade = await f.trade();
    const { id, signature } = await paid();
    const vault = await givenVault(f.world);
    const order = (await vault.order()).id;
    const purchase = await send(f.world, [vault.purchase(token, 5_000n * token)], vault.signer);
    await landed(f.world, purchase);
    f.node.lie = failing([trade.signature, signature, purchase]);
    goOn();
    for (let round = 0; round < 3; round += 1) await indexing.round();
    // Nothing of it is tried before it would be final.
    expect(await f.tradeOf(trade.id)).toBeUndefined();
    skip(11_000);
    expect(indexing.tail.waiting).toBe(0);
    await f.catchUp(indexing);
    expect(await f.tradeOf(trade.id)).toMatchObject({ status: 'confirmed', txSignature: trade.signature });
    expect(await redemptionOf(id)).toMatchObject({ status: 'submitted', txSignature: signature });
    expect(await f.orderOf(order)).toMatchObject({ status: 'confirmed', txSignature: purchase });
  });

  test('a pause of which the nodes differ whether it failed waits until they agree', async () => {
    const indexing = await two.caughtUp();
    const pause = await paused(10_000_000n);
    f.node.lie = failing([pause.signature]);
    goOn();
    for (let round = 0; round < 3; round += 1) {
      await indexing.round();
      skip(11_000);
    }
    expect(await pause.status()).toBe('pending');
    f.node.lie = undefined;
    skip(11_000);
    await f.catchUp(indexing);
    expect(await pause.status()).toBe('confirmed');
  });

  test('a success that one node hides is recorded from the other, by its number', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    f.node.lie = dropping(signature);
    goOn();
    await f.catchUp(indexing);
    expect(await f.tradeOf(id)).toBeUndefined();
    await indexing.complete();
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
    expect(indexing.completeness.missing()).toBeUndefined();
  });

  test('nothing that landed ends because one node denies it', async () => {
    const indexing = await two.caughtUp();
    const lastValid = 1n;
    const failed = await f.trade({ minAmountOut: 10n ** 12n });
    const failedId = await givenSubmission(f, lastValid, { ...failed, id: uuidOf(failed.id) });
    f.node.lie = dropping(failed.signature);
    goOn(100);
    await f.catchUp(indexing);
    await indexing.settle();
    const submission = async () =>
      (await f.ctx.sql`select status from submissions where quote_id = ${failedId}`)[0]?.status;
    // It made no event, so that only the other node's trace of it keeps it from expiring.
    expect(await submission()).toBe('submitted');

    const trade = await f.trade();
    const tradeId = await givenSubmission(f, lastValid, { ...trade, id: uuidOf(trade.id) });
    const red = await paid();
    const vault = await givenVault(f.world);
    const order = (await vault.order({ lastValidBlockHeight: lastValid })).id;
    const purchase = await send(f.world, [vault.purchase(token, 5_000n * token)], vault.signer);
    await landed(f.world, purchase);
    const pause = await paused(lastValid);
    const denied = [failed.signature, trade.signature, red.signature, purchase, pause.signature];
    f.node.lie = dropping(...denied);
    goOn(100);
    await f.catchUp(indexing);
    await indexing.settle();
    const statuses = async () => [
      (await f.ctx.sql`select status from submissions where quote_id = ${tradeId}`)[0]?.status,
      (await redemptionOf(red.id))?.status,
      (await f.orderOf(order))?.status,
      await pause.status(),
    ];
    expect(await statuses()).toEqual(['submitted', 'quoted', 'pending_signature', 'pending']);
    // The other node's history has them, whatever the first one goes on saying.
    await indexing.complete();
    await indexing.settle();
    expect(await f.tradeOf(trade.id)).toMatchObject({ status: 'confirmed' });
    // Nothing would take back what admins did: of that, both nodes have to agree.
    expect((await statuses()).slice(1)).toEqual(['submitted', 'confirmed', 'pending']);
    f.node.lie = undefined;
    skip(3_000);
    await f.catchUp(indexing);
    await indexing.settle();
    expect(await pause.status()).toBe('confirmed');
    expect(await f.tradeOf(failed.id)).toMatchObject({ status: 'failed', reason: 'slippage_exceeded' });
  });

  test.each<[string, Lie]>([
    [
      'a finalized height in the future',
      async ({ method }, ask) => {
        const response = await ask();
        if (method === 'getSlot') return response + 1_000_000;
        if (method !== 'getEpochInfo') return response;
        return {
          ...response,
          absoluteSlot: response.absoluteSlot + 1_000_000,
          blockHeight: response.blockHeight + 1_000_000,
        };
      },
    ],
    [
      'a finalized height in the past',
      async ({ method }, ask) => {
        const response = await ask();
        return method === 'getEpochInfo' ? { ...response, absoluteSlot: 40, blockHeight: 40 } : response;
      },
    ],
  ])('nothing that may still land ends because one node claims %s', async (_, lie) => {
    const indexing = await two.caughtUp();
    const statuses = await givenWaiting(f, (await heightOf(f)) + 100_000n);
    const { id } = await f.trade();
    f.node.lie = lie;
    goOn(100);
    await f.catchUp(indexing);
    await settled(indexing);
    expect(await statuses()).toEqual(waiting);
    expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
  });

  test('an operation whose last block height one node understates ends after 90 s, overstates after a day', async () => {
    const indexing = await two.caughtUp();
    const understated = await givenWaiting(f, 1n);
    const overstated = await givenWaiting(f, 2n ** 62n);
    goOn(80);
    await indexing.settle();
    expect(await understated()).toEqual(waiting);
    goOn(15);
    await indexing.settle();
    expect(await understated()).toEqual(ended);
    goOn(80_000);
    await indexing.settle();
    expect(await overstated()).toEqual(waiting);
    goOn(7_000);
    await indexing.settle();
    expect(await overstated()).toEqual(ended);
  });

  test('nothing ends, fails or becomes final while one of two nodes is silent', async () => {
    const indexing = await two.caughtUp();
    const statuses = await givenWaiting(f, 1n);
    const { id } = await f.trade();
    const failed = await f.trade({ minAmountOut: 10n ** 12n });
    goOn(100);
    two.second.lie = async () => {
      throw new Error('gone');
    };
    await indexing.round();
    const short = 'Only 1 of 2 Solana nodes respond, and 2 have to';
    await expect(settled(indexing)).rejects.toThrow(short);
    skip(11_000);
    await indexing.round();
    expect(await statuses()).toEqual(waiting);
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', finalized: false });
    expect(await f.tradeOf(failed.id)).toBeUndefined();
    two.second.lie = undefined;
    skip(6_000);
    await f.catchUp(indexing);
    await settled(indexing);
    expect(await statuses()).toEqual(ended);
    expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
    expect(await f.tradeOf(failed.id)).toMatchObject({ status: 'failed' });
  });

  test('a trade that one node hides and calls failed where it is requested is recorded as it landed', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    const submission = await givenSubmission(f, 1n, { signature, id: uuidOf(id) });
    f.node.lie = lying(hiding(signature), failing([signature]));
    goOn(100);
    await f.catchUp(indexing);
    await indexing.settle();
    expect(await f.tradeOf(id)).toBeUndefined();
    await indexing.complete();
    skip(3_000);
    await indexing.round();
    await indexing.settle();
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
    const [row] = await f.ctx.sql`select status from submissions where quote_id = ${submission}`;
    expect(row?.status).not.toBe('expired');
  });
});

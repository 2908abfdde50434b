import type { Instruction, Signature, TransactionSigner } from '@solana/kit';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { createIntegrator } from '../../../sandbox/src/own-chain.js';
import { sweepExpiredOrders } from '../../src/actions/orders/sweep-expired-orders.js';
import { prolongOrder } from '../../src/db/orders/orders.js';
import { deadLetters, programEvents } from '../../src/db/schema.js';
import { newUuid, type Uuid, uuidOfSignature } from '../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../src/domain/money.js';
import type { Follower } from '../../src/indexer/follower.js';
import { kitSigner, newWallet } from '../harness.js';
import { following, never } from './following.js';
import { dropping, listsFinal, Refused, refusingMinContextSlot } from './lying-node.js';
import { type Settling, settlingOf } from './settling.js';
import { givenVault, token, type Vault } from './vault.js';
import { eventually, givenTrader, landed, send, sendTrade } from './world.js';

const f = following({
  historyMax: 25,
  begun: async () => {
    vault = await givenVault(f.world);
  },
});
let vault: Vault;
let follower: Follower;
let settler: Settling;

/** Sends, waits until the node lists it, and lets the indexer see it. */
async function seen(
  instructions: Instruction[],
  payer: TransactionSigner = vault.signer,
): Promise<Signature> {
  const signature = await sent(instructions, payer);
  await f.catchUp();
  return signature;
}

async function sent(instructions: Instruction[], payer: TransactionSigner = vault.signer) {
  const signature = await send(f.world, instructions, payer);
  await landed(f.world, signature);
  return signature;
}

/** Dead letters of a transaction beside the gap that a test shows by beginning in the middle. */
const reasonsOf = async (signature: string) =>
  (await f.reasonsOf(signature)).filter((reason) => !reason.startsWith('sequence_gap'));

/** The node is asked again from the start, over what is written: everything must stay as it is. */
async function unchangedByAnotherRun() {
  const before = await f.written();
  await f.ctx.sql`delete from indexer_cursors`;
  await f.catchUp();
  expect(await f.written()).toEqual(before);
}

describe('a movement without an order of the service has a row of its own', () => {
  test('purchase and sale, with what was executed', async () => {
    const bought = await seen([vault.purchase(2n * token, 9_000n * token)]);
    const sold = await seen([vault.sale(token, 4_000n * token)]);
    expect(await f.ordersOf(bought)).toMatchObject([
      {
        id: uuidOfSignature(bought),
        kind: 'purchase',
        status: 'confirmed',
        keyId: null,
        partnerId: f.world.trader.partner.partnerId,
        signer: vault.signer.address,
        integrator: f.world.trader.integrator,
        goldAmount: 2_000_000n,
        usdcLimit: 9_000_000_000n,
        maxFeeBps: 1_000,
        executedGold: 2_000_000n,
        executedUsdc: 8_241_447_237n,
        feeUsdc: 41_207_237n,
        executedPrice: '4100.120000000000',
        lastValidBlockHeight: null,
      },
    ]);
    expect(await f.ordersOf(sold)).toMatchObject([
      {
        kind: 'sale',
        status: 'confirmed',
        goldAmount: 1_000_000n,
        usdcLimit: 4_000_000_000n,
        executedGold: 1_000_000n,
        executedUsdc: 4_079_619_400n,
        feeUsdc: 20_500_600n,
      },
    ]);
    expect(await reasonsOf(bought)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('withdrawals of both tokens, the token by the transfer', async () => {
    const gold = await seen([vault.withdrawal('gold', 5_000n)]);
    const usdc = await seen([vault.withdrawal('usdc', 7_000n)]);
    expect(await f.ordersOf(gold)).toMatchObject([
      {
        kind: 'withdrawal',
        token: 'gold',
        goldAmount: 5_000n,
        usdcAmount: null,
        executedGold: 5_000n,
        executedUsdc: null,
        destination: vault.owned.gold,
      },
    ]);
    expect(await f.ordersOf(usdc)).toMatchObject([
      {
        token: 'usdc',
        goldAmount: null,
        usdcAmount: 7_000n,
        executedUsdc: 7_000n,
        destination: vault.owned.usdc,
      },
    ]);
  });

  test('a change of executives, with who came and who went', async () => {
    const added = [newWallet().address, newWallet().address];
    const came = await seen([vault.executives(added, [])]);
    const went = await seen([vault.executives([], added)]);
    expect(await f.ordersOf(came)).toMatchObject([
      {
        kind: 'executive_update',
        added,
        removed: [],
        executedGold: null,
        feeUsdc: null,
        signer: vault.signer.address,
      },
    ]);
    expect(await f.ordersOf(went)).toMatchObject([{ added: [], removed: added }]);
    const { partnerId } = f.world.trader.partner;
    const told = () => f.ctx.sql`
      select object_type, object ->> 'partner_id' as partner_id from events where type = 'executives.changed'`;
    const event = { object_type: 'partner', partner_id: partnerId };
    expect([...(await told())]).toEqual([event, event]);
    await unchangedByAnotherRun();
    expect(await told()).toHaveLength(2);
  });

  test('of a partner that the database has not is a dead letter until there is one', async () => {
    const { seeder, admin, usdcMint, goldMint, node } = f.world;
    const wallet = newWallet();
    const executive = await kitSigner(wallet);
    const keys = {
      partnerWallet: executive.address,
      updateAuthority: executive.address,
      withdrawalAuthority: executive.address,
    };
    const partner = { partnerId: newUuid(), wallet, apiKey: '', keyId: newUuid(), client: f.world.h.partner };
    const { integrator } = await createIntegrator(seeder, {
      ...{
        programAddress: f.ctx.chain.programAddress,
        authority: admin,
        partnerId: partner.partnerId,
        usdcMint,
        goldMint,
      },
      ...{ openFeeBps: 50, closedFeeBps: 50, executives: [executive.address], ...keys },
    });
    node.airdrop(executive.address, 1_000_000_000n);
    const foreign = await givenVault(f.world, {
      ...f.world.trader,
      partner,
      integrator,
      partnerWallet: executive,
    });
    const signature = await seen([foreign.purchase(token)], executive);
    expect(await f.ordersOf(signature)).toEqual([]);
    expect((await f.deadLetterOf(signature, 'unknown_partner')).detail).toMatchObject({
      partner_id: partner.partnerId,
    });
    await f.ctx.sql`
      insert into partners (id, name, fee_percentage, created_at, updated_at)
      values (${partner.partnerId}, 'Late', 0, now(), now())`;
    await f.ctx.sql`delete from indexer_cursors`;
    await f.catchUp();
    expect(await f.ordersOf(signature)).toMatchObject([{ kind: 'purchase', partnerId: partner.partnerId }]);
    expect(await reasonsOf(signature)).toEqual(['unknown_partner (settled)']);
  });

  test('each of several in one transaction, beside a trade of a user', async () => {
    const trade = await sendTrade(f.world, { more: [vault.purchase(token)] });
    await landed(f.world, trade.signature);
    const other = await seen([vault.sale(token), vault.withdrawal('gold', 3n)]);
    expect(await f.tradeOf(trade.id)).toMatchObject({ status: 'confirmed' });
    const rows = [...(await f.ordersOf(trade.signature)), ...(await f.ordersOf(other))];
    expect(rows.map(({ kind }) => kind)).toEqual(['purchase', 'sale', 'withdrawal']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    for (const signature of [trade.signature, other]) expect(await reasonsOf(signature)).toEqual([]);
    await unchangedByAnotherRun();
  });
});

describe('an order of the service', () => {
  const call = (orderId?: Uuid) => vault.purchase(token, 5_000n * token, undefined, orderId);

  test('becomes confirmed by its own call, with what was executed', async () => {
    const order = await vault.order();
    const signature = await seen([call()]);
    expect(await f.orderOf(order.id)).toMatchObject({
      status: 'confirmed',
      txSignature: signature,
      executedGold: 1_000_000n,
      executedUsdc: 4_120_723_619n,
      feeUsdc: 20_603_619n,
      executedPrice: '4100.120000000000',
      finalized: false,
      keyId: order.keyId,
    });
    expect(await f.ordersOf(signature)).toHaveLength(1);
    expect(await reasonsOf(signature)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('of every other kind becomes confirmed too', async () => {
    const executive = newWallet().address;
    const base = { goldAmount: null, usdcLimit: null, maxFeeBps: null };
    const sale = await vault.order({ kind: 'sale', usdcLimit: usdcUnits(4_000n * token) });
    const gold = await vault.order({
      ...base,
      kind: 'withdrawal',
      token: 'gold',
      goldAmount: goldUnits(9n),
      destination: vault.owned.gold,
    });
    const usdc = await vault.order({
      ...base,
      kind: 'withdrawal',
      token: 'usdc',
      usdcAmount: usdcUnits(9n),
      destination: vault.owned.usdc,
    });
    const update = await vault.order({ ...base, kind: 'executive_update', added: [executive], removed: [] });
    const calls: [typeof sale, Instruction][] = [
      [sale, vault.sale(token, 4_000n * token, sale.id)],
      [gold, vault.withdrawal('gold', 9n, gold.id)],
      [usdc, vault.withdrawal('usdc', 9n, usdc.id)],
      [update, vault.executives([executive], [])],
    ];
    for (const [, instruction] of calls) await sent([instruction]);
    await f.catchUp();
    for (const [{ id }] of calls) expect(await f.orderOf(id)).toMatchObject({ status: 'confirmed' });
    expect(
      (await f.ctx.db.select().from(deadLetters)).filter(({ reason }) => reason === 'order_mismatch'),
    ).toEqual([]);
    await sent([vault.executives([], [executive])]);
  });

  test.each<[string, () => Instruction]>([
    ['another amount', () => vault.purchase(token + 1n, 5_000n * token)],
    ['another limit', () => vault.purchase(token, 5_001n * token)],
    ['another kind', () => vault.sale(token, 1n)],
    ['a withdrawal', () => vault.withdrawal('gold', token + 1n)],
  ])('is left alone by a call of %s, which gets a row and a dead letter', async (_, instruction) => {
    const order = await vault.order();
    const signature = await seen([instruction()]);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature', txSignature: null });
    const [movement, ...others] = await f.ordersOf(signature);
    expect(others).toEqual([]);
    expect(movement).toMatchObject({ id: uuidOfSignature(signature), keyId: null, status: 'confirmed' });
    expect((await f.deadLetterOf(signature, 'order_mismatch')).detail).toMatchObject({
      order_id: order.id,
      movement_id: movement?.id,
      wrong: ['call'],
      status: 'pending_signature',
    });
    await unchangedByAnotherRun();
  });

  test('is left alone by a call of another executive, and by one of another id', async () => {
    const order = await vault.order();
    const other = await kitSigner(newWallet());
    f.world.node.airdrop(other.address, 1_000_000_000n);
    await sent([vault.executives([other.address], [])]);
    const copied = await seen([vault.purchase(token, 5_000n * token, other, order.id)], other);
    expect((await f.deadLetterOf(copied, 'order_mismatch')).detail).toMatchObject({ wrong: ['call'] });
    const beside = await seen([call(newUuid())]);
    expect(await reasonsOf(beside)).toEqual([]);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
    await sent([vault.executives([], [other.address])]);
  });

  test('is left alone by a call of another partner that names it', async () => {
    const order = await vault.order();
    const partner = await f.world.h.givenPartner();
    const other = await givenVault(f.world, await givenTrader(f.world, partner));
    const signature = await seen([other.purchase(token, 5_000n * token, undefined, order.id)], other.signer);
    expect(await f.ordersOf(signature)).toMatchObject([{ partnerId: partner.partnerId, keyId: null }]);
    expect((await f.deadLetterOf(signature, 'order_mismatch')).detail).toMatchObject({
      wrong: ['call', 'partner'],
    });
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
  });

  test('is confirmed once: the chain refuses a second execution, which changes nothing', async () => {
    const order = await vault.order();
    const first = await seen([call(order.id)]);
    const second = await seen([call(order.id)]);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'confirmed', txSignature: first });
    expect(await f.ordersOf(second)).toEqual([]);
    expect(await reasonsOf(second)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('fails with the words of the program, and only by its own call that its signer signed', async () => {
    const order = await vault.order({ usdcLimit: usdcUnits(1n) });
    const foreign = await vault.order({ usdcLimit: usdcUnits(2n) });
    const unsigned = await vault.order({ usdcLimit: usdcUnits(1n) });
    const signature = await seen([vault.purchase(token, 1n, undefined, order.id)]);
    await seen([vault.purchase(token, 1n, undefined, foreign.id)]);
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    const { accounts = [], ...rest } = vault.purchase(token, 1n, undefined, unsigned.id);
    const unsignedAccounts = accounts.map(({ address, role }) => ({ address, role: role & 1 }));
    await seen([{ ...rest, accounts: unsignedAccounts }], stranger);
    expect(await f.orderOf(unsigned.id)).toMatchObject({ status: 'pending_signature' });
    expect(await f.orderOf(order.id)).toMatchObject({
      status: 'failed',
      txSignature: signature,
      failureReason: expect.stringMatching(
        /^SlippageExceeded: .* The price has moved since the order: place a new order\.$/,
      ),
      reason: 'slippage_exceeded',
      programErrorName: 'SlippageExceeded',
      executedGold: null,
      eventSeq: null,
    });
    expect(await f.orderOf(foreign.id)).toMatchObject({ status: 'pending_signature' });
    await unchangedByAnotherRun();
  });

  test('is confirmed by what the chain executed, whatever it was taken for before', async () => {
    const failed = await vault.order({ usdcLimit: usdcUnits(5_000n * token) });
    const expired = await vault.order();
    await f.ctx.sql`update orders set status = 'expired' where id = ${expired.id}`;
    await f.ctx.sql`
      update orders set status = 'failed', tx_signature = sha512('a first try'), slot = 1, failure_reason = 'x', reason = 'program_error' where id = ${failed.id}`;
    for (const { id } of [failed, expired]) {
      const signature = await seen([call(id)]);
      expect(await f.orderOf(id)).toMatchObject({
        status: 'confirmed',
        txSignature: signature,
        failureReason: null,
      });
    }
  });

  test('finds its call among several by its id', async () => {
    const [a, b, c] = [
      await vault.order(),
      await vault.order({ goldAmount: goldUnits(2n * token), usdcLimit: usdcUnits(9_000n * token) }),
      await vault.order(),
    ];
    const clear = await seen([vault.purchase(2n * token, 9_000n * token, undefined, b.id), call(a.id)]);
    expect(await f.orderOf(a.id)).toMatchObject({
      status: 'confirmed',
      txSignature: clear,
      executedGold: token,
    });
    expect(await f.orderOf(b.id)).toMatchObject({
      status: 'confirmed',
      txSignature: clear,
      executedGold: 2n * token,
    });
    const twins = await seen([call(newUuid()), call(c.id)]);
    expect(await f.orderOf(c.id)).toMatchObject({ status: 'confirmed', txSignature: twins });
    const [other] = (await f.ordersOf(twins)).filter(({ id }) => id !== c.id);
    expect(other).toMatchObject({ keyId: null, executedGold: token });
    expect(await reasonsOf(twins)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('that changes executives becomes what the very same change became, one that waits before others', async () => {
    const [added, another] = [newWallet().address, newWallet().address];
    const none = { kind: 'executive_update', goldAmount: null, usdcLimit: null, maxFeeBps: null } as const;
    const over = await vault.order({ ...none, added: [added], removed: [] });
    await f.ctx.sql`update orders set status = 'expired' where id = ${over.id}`;
    const waiting = await vault.order({ ...none, added: [added], removed: [] });
    const larger = await vault.order({ ...none, added: [added, another], removed: [] });
    const first = await seen([vault.executives([added], [])]);
    expect(await f.orderOf(waiting.id)).toMatchObject({ status: 'confirmed', txSignature: first });
    for (const { id } of [over, larger]) expect(await f.orderOf(id)).toMatchObject({ txSignature: null });
    // It is there already.
    const failed = await seen([vault.executives([added, another], [])]);
    expect(await f.orderOf(larger.id)).toMatchObject({
      status: 'failed',
      txSignature: failed,
      failureReason: expect.stringMatching(/^ExecutiveExists: /),
    });
    await sent([vault.executives([], [added])]);
    const again = await seen([vault.executives([added], [])]);
    expect(await f.orderOf(over.id)).toMatchObject({ status: 'confirmed', txSignature: again });
    const later = await seen([vault.executives([], [added])]);
    expect(await f.ordersOf(later)).toMatchObject([{ keyId: null, removed: [added] }]);
    await unchangedByAnotherRun();
  });

  test('waits on when it is claimed in the moment in which it would expire', async () => {
    await f.catchUp();
    const order = await vault.order({ lastValidBlockHeight: 1n });
    const sweep = (height = 5_000n) => sweepExpiredOrders(f.ctx, { slot: height, blockHeight: height });
    let swept: Promise<number> | undefined;
    await f.ctx.db.transaction(async (tx) => {
      await tx.execute(sql`select from orders where id = ${order.id} for update`);
      swept = sweep();
      await eventually(async () => {
        const waiting = await f.ctx.sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'update "orders"%'`;
        return waiting.length > 0 ? true : undefined;
      });
      await prolongOrder(tx, order.id, 9_000n);
    });
    expect(await swept).toBe(0);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
    expect(await sweep(9_001n)).toBe(1);
  });

  test('waits on while what was executed for it could not be read', async () => {
    // A first run needs the events of the program's beginning.
    await f.catchUp();
    const order = await vault.order({ lastValidBlockHeight: 1n });
    f.node.lie = async ({ method }, ask) => {
      const answer = await ask();
      if (method === 'getTransaction' && answer) answer.meta.innerInstructions = null;
      return answer;
    };
    const signature = await seen([call()]);
    expect((await f.deadLetterOf(signature, 'event_missing')).detail).toMatchObject({
      unread_orders: [order.id],
    });
    await sweepExpiredOrders(f.ctx, { slot: 5_000n, blockHeight: 5_000n });
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
    await f.ctx.sql`update dead_letters set resolved_at = now() where signature = ${signature}`;
    expect(await sweepExpiredOrders(f.ctx, { slot: 5_000n, blockHeight: 5_000n })).toBe(1);
  });
});

describe('as long as it is not final', () => {
  beforeEach(async () => {
    follower = f.newFollower({ sweepMs: 0 });
    await follower.round(never);
    settler = settlingOf(f.ctx, follower, { lapseMs: 0 });
  });

  test('an order that the chain dropped waits again, and a movement is gone', async () => {
    const order = await vault.order();
    const signature = await seen([vault.purchase(token, 5_000n * token), vault.withdrawal('usdc', 1n)]);
    expect(await f.ordersOf(signature)).toHaveLength(2);
    f.node.lie = dropping(signature);
    // However long a step takes, it does not become too old to land.
    f.world.node.pause();
    f.world.node.warp({ slots: 100 });
    await follower.round(never);
    await settler.round(never);
    expect(await f.ordersOf(signature)).toHaveLength(2);
    f.world.node.warp({ slots: 200 });
    await follower.round(never);
    await settler.round(never);
    expect(await f.ordersOf(signature)).toEqual([]);
    expect(await f.orderOf(order.id)).toMatchObject({
      status: 'pending_signature',
      eventSeq: null,
      executedGold: null,
    });
    expect(await reasonsOf(signature)).toEqual(['vanished']);
    expect((await f.written()).movements.filter(({ txSignature }) => txSignature === signature)).toEqual([]);
    const events = await f.ctx.db.select().from(programEvents);
    expect(events.filter(({ txSignature }) => txSignature === signature)).toEqual([]);
    // It landed after all: everything is as it was.
    f.world.node.resume();
    f.node.lie = undefined;
    await f.ctx.sql`delete from indexer_cursors`;
    await f.catchUp();
    expect(await f.ordersOf(signature)).toHaveLength(2);
    expect(await reasonsOf(signature)).toEqual(['vanished (settled)']);
  });

  test('it is looked at until then; an order in another block is written anew in its place', async () => {
    await vault.order();
    const signature = await seen([vault.purchase(token, 5_000n * token), vault.withdrawal('usdc', 1n)]);
    const before = await f.ordersOf(signature);
    f.world.node.warp({ slots: 40 });
    await landed(f.world, signature, 'finalized');
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      if (method === 'getTransaction' && params[0] === signature) return { ...answer, slot: answer.slot + 2 };
      if (listsFinal({ method, params }))
        return answer.map((line: { signature: string; slot: number }) =>
          line.signature === signature ? { ...line, slot: line.slot + 2 } : line,
        );
      if (method !== 'getSignatureStatuses') return answer;
      const value = params[0].map((key: string, index: number) => {
        const status = answer.value[index];
        return key === signature && status ? { ...status, slot: status.slot + 2 } : status;
      });
      return { ...answer, value };
    };
    await settler.round(never);
    const after = await f.ordersOf(signature);
    const moved = before.map((row) => ({
      ...row,
      slot: (row.slot ?? 0n) + 2n,
      finalized: true,
      checkAt: null,
    }));
    expect(after.map(({ updatedAt: _, ...row }) => row)).toEqual(
      moved.map(({ updatedAt: _, ...row }) => row),
    );
    expect(await reasonsOf(signature)).toEqual([]);
  });
});

test('an order expires when all that the finalized chain carries is recorded, and not before', async () => {
  const { rpc } = f.ctx.chain;
  const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
  // What is final lies 31 blocks behind; the rest is for a machine that takes its time.
  const order = await vault.order({ lastValidBlockHeight: height + 100n });
  const later = await vault.order({ lastValidBlockHeight: height + 10_000n });
  const follower = f.newFollower({ sweepMs: 0 });
  const settling = settlingOf(f.ctx, follower, { lapseMs: 0 });
  const statusOf = async ({ id }: { id: string }) => (await f.orderOf(id))?.status;
  await follower.round(never);
  await settling.round(never);
  expect(await statusOf(order)).toBe('pending_signature');
  f.world.node.warp({ slots: 200 });
  // The chain is past it; the indexer has not looked since.
  await settling.round(never);
  expect(await statusOf(order)).toBe('pending_signature');
  // A node that lags behind proves nothing by what it does not list.
  f.node.lie = async ({ method, params }, ask) => {
    if (method === 'getSignaturesForAddress' && params[1]?.minContextSlot) {
      throw new Refused(-32016, 'Minimum context slot has not been reached');
    }
    return ask();
  };
  await f.catchUp(follower);
  await settling.round(never);
  expect(await statusOf(order)).toBe('pending_signature');
  // What it lists, it cannot read yet: the order's transaction may be among that.
  const signature = await sent([vault.withdrawal('usdc', 2n)]);
  f.world.node.warp({ slots: 100 });
  f.node.lie = async ({ method, params }, ask) =>
    method === 'getTransaction' && params[0] === signature ? null : ask();
  await follower.round(never);
  await settling.round(never);
  expect(await statusOf(order)).toBe('pending_signature');
  f.node.lie = undefined;
  await f.catchUp(follower);
  await settling.round(never);
  expect(await statusOf(order)).toBe('expired');
  expect(await statusOf(later)).toBe('pending_signature');
});

test('an order expires by what a node can prove that refuses minContextSlot: a blockhash’s life later', async () => {
  f.node.lie = refusingMinContextSlot;
  const height = await f.ctx.chain.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
  const order = await vault.order({ lastValidBlockHeight: height + 100n });
  const follower = f.newFollower({ sweepMs: 0 });
  const settling = settlingOf(f.ctx, follower, { lapseMs: 0 });
  const statusOf = async ({ id }: { id: string }) => (await f.orderOf(id))?.status;
  f.world.node.warp({ slots: 200 });
  await f.catchUp(follower);
  await settling.round(never);
  expect(await statusOf(order)).toBe('pending_signature');
  f.world.node.warp({ slots: 150 });
  await f.catchUp(follower);
  await settling.round(never);
  expect(await statusOf(order)).toBe('expired');
});

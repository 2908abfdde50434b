import type { Instruction, Signature, TransactionSigner } from '@solana/kit';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { sweepExpiredOrders } from '../../src/actions/orders/sweep-expired-orders.js';
import { createContext } from '../../src/create-context.js';
import type { Ends } from '../../src/db/ended.js';
import { prolongOrder } from '../../src/db/orders/orders.js';
import { deadLetters } from '../../src/db/schema.js';
import { newUuid, type Uuid, uuidOfSignature } from '../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../src/domain/money.js';
import { kitSigner, newWallet } from '../harness.js';
import { following, never } from './following.js';
import { indexingOf } from './indexing.js';
import { dropping } from './lying-node.js';
import { givenVault, token, type Vault } from './vault.js';
import { eventually, givenTrader, landed, send, sendTrade } from './world.js';

const f = following({
  historyMax: 25,
  begun: async () => {
    vault = await givenVault(f.world);
  },
});
let vault: Vault;

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

/** The whole history is recorded again, over what is written: everything must stay as it is. */
async function unchangedByAnotherRun() {
  const before = await f.written();
  await f.catchUp();
  expect(await f.written()).toEqual(before);
}

/** Ends at a height of the chain, long after anything in a test was sent. */
const endsAt = (height: bigint): Ends => ({
  height,
  now: new Date(f.ctx.clock.now() + 100_000),
  incomplete: [],
});

describe('orders: a movement without an order of the service', () => {
  test('orders: a purchase and a sale without an order have rows with what was executed', async () => {
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
    expect(await f.reasonsOf(bought)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('orders: withdrawals without an order have the token of their transfer', async () => {
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

  test('orders: a change of executives without an order has who came and who went', async () => {
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
    const announced = () => f.ctx.sql`
      select object_type, object ->> 'partner_id' as partner_id from events where type = 'executives.changed'`;
    const event = { object_type: 'partner', partner_id: partnerId };
    expect([...(await announced())]).toEqual([event, event]);
    await unchangedByAnotherRun();
    expect(await announced()).toHaveLength(2);
  });

  test('orders: a movement of an unknown partner is a dead letter until there is one', async () => {
    const wallet = newWallet();
    const partner = { partnerId: newUuid(), wallet, apiKey: '', keyId: newUuid(), client: f.world.h.partner };
    const integrator = await f.world.chain.addPartner({ ...partner, wallet: wallet.address });
    const foreign = await givenVault(f.world, {
      ...f.world.trader,
      partner,
      integrator,
      partnerWallet: await kitSigner(wallet),
    });
    const signature = await seen([foreign.purchase(token)], foreign.signer);
    expect(await f.ordersOf(signature)).toEqual([]);
    expect((await f.deadLetterOf(signature, 'unknown_partner')).detail).toMatchObject({
      partner_id: partner.partnerId,
    });
    await f.ctx.sql`
      insert into partners (id, name, fee_percentage, created_at, updated_at)
      values (${partner.partnerId}, 'Late', 0, now(), now())`;
    await f.catchUp();
    expect(await f.ordersOf(signature)).toMatchObject([{ kind: 'purchase', partnerId: partner.partnerId }]);
    expect(await f.reasonsOf(signature)).toEqual(['unknown_partner (settled)']);
  });

  test('orders: several movements in one transaction, beside a trade, have a row each', async () => {
    const trade = await sendTrade(f.world, { more: [vault.purchase(token)] });
    await landed(f.world, trade.signature);
    const other = await seen([vault.sale(token), vault.withdrawal('gold', 3n)]);
    expect(await f.tradeOf(trade.id)).toMatchObject({ status: 'confirmed' });
    const rows = [...(await f.ordersOf(trade.signature)), ...(await f.ordersOf(other))];
    expect(rows.map(({ kind }) => kind)).toEqual(['purchase', 'sale', 'withdrawal']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    for (const signature of [trade.signature, other]) expect(await f.reasonsOf(signature)).toEqual([]);
    await unchangedByAnotherRun();
  });
});

describe('orders: an order of the service', () => {
  const call = (orderId?: Uuid) => vault.purchase(token, 5_000n * token, undefined, orderId);

  test('orders: an order is confirmed by its own call, with what was executed', async () => {
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
    expect(await f.reasonsOf(signature)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('orders: sales, withdrawals and changes of executives are confirmed, too', async () => {
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
  ])(
    'orders: a call of %s that names an order leaves it alone and has a row and a dead letter',
    async (_, instruction) => {
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
    },
  );

  test('orders: a call of another executive or of another id leaves an order alone', async () => {
    const order = await vault.order();
    const other = await kitSigner(newWallet());
    f.world.node.airdrop(other.address, 1_000_000_000n);
    await sent([vault.executives([other.address], [])]);
    const copied = await seen([vault.purchase(token, 5_000n * token, other, order.id)], other);
    expect((await f.deadLetterOf(copied, 'order_mismatch')).detail).toMatchObject({ wrong: ['call'] });
    const beside = await seen([call(newUuid())]);
    expect(await f.reasonsOf(beside)).toEqual([]);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
    await sent([vault.executives([], [other.address])]);
  });

  test('orders: a call of another partner that names an order leaves it alone', async () => {
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

  test('orders: an order is confirmed once, and the second execution, which the chain refuses, changes nothing', async () => {
    const order = await vault.order();
    const first = await seen([call(order.id)]);
    const second = await seen([call(order.id)]);
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'confirmed', txSignature: first });
    expect(await f.ordersOf(second)).toEqual([]);
    expect(await f.reasonsOf(second)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('orders: an order fails once that is final, and only by its own call that its signer signed', async () => {
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
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
    await f.catchUpFinal();
    expect(await f.orderOf(unsigned.id)).toMatchObject({ status: 'pending_signature' });
    expect(await f.orderOf(order.id)).toMatchObject({
      status: 'failed',
      txSignature: signature,
      failureReason: expect.stringMatching(
        /^SlippageExceeded: .* The price is beyond what the order accepts: place a new order\.$/,
      ),
      reason: 'slippage_exceeded',
      programErrorName: 'SlippageExceeded',
      executedGold: null,
      eventSeq: null,
    });
    expect(await f.orderOf(foreign.id)).toMatchObject({ status: 'pending_signature' });
    const before = await f.written();
    await f.catchUpFinal();
    expect(await f.written()).toEqual(before);
  });

  test.each(['failed', 'expired'] as const)(
    'orders: an order that is %s stays so, and what is executed for it later has a row and a dead letter',
    async (status) => {
      const { id } = await vault.order();
      await f.ctx.sql`update orders set status = ${status} where id = ${id} and ${status} = 'expired'`;
      await f.ctx.sql`
        update orders set status = 'failed', tx_signature = sha512('a first try'), slot = 1, failure_reason = 'x', reason = 'program_error'
        where id = ${id} and ${status} = 'failed'`;
      const before = await f.orderOf(id);
      const signature = await seen([call(id)]);
      expect(await f.orderOf(id)).toEqual(before);
      expect(await f.ordersOf(signature)).toMatchObject([
        { id: uuidOfSignature(signature), keyId: null, status: 'confirmed', executedGold: token },
      ]);
      expect((await f.deadLetterOf(signature, 'order_mismatch')).detail).toMatchObject({
        order_id: id,
        wrong: ['status'],
        status,
      });
    },
  );

  test('orders: an order finds its call among several by its id', async () => {
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
    expect(await f.reasonsOf(twins)).toEqual([]);
    await unchangedByAnotherRun();
  });

  test('orders: a change of executives that waits becomes what the very same change became', async () => {
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
    const failed = await sent([vault.executives([added, another], [])]);
    await f.catchUpFinal();
    expect(await f.orderOf(larger.id)).toMatchObject({
      status: 'failed',
      txSignature: failed,
      failureReason: expect.stringMatching(/^ExecutiveExists: /),
    });
    const later = await seen([vault.executives([], [added])]);
    expect(await f.ordersOf(later)).toMatchObject([{ keyId: null, removed: [added] }]);
    const again = await seen([vault.executives([added], [])]);
    expect(await f.ordersOf(again)).toMatchObject([{ keyId: null, added: [added] }]);
    expect(await f.orderOf(over.id)).toMatchObject({ status: 'expired' });
    await sent([vault.executives([], [added])]);
  });

  test('orders: an order that is claimed in the moment in which it would expire waits on', async () => {
    await f.catchUp();
    const order = await vault.order({ lastValidBlockHeight: 1n });
    const sweep = (height = 5_000n) => sweepExpiredOrders(f.ctx, endsAt(height), never);
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

  test('orders: an order whose execution is unreadable does not expire before its dead letter is resolved, nor with a receipt', async () => {
    const order = await vault.order({ lastValidBlockHeight: 1n });
    const other = await vault.order({ lastValidBlockHeight: 1n });
    const signature = await sent([call(order.id)]);
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      // A transfer is missing; its event stays.
      if (method === 'getTransaction' && params[0] === signature)
        response.meta.innerInstructions[0].instructions.splice(1, 1);
      return response;
    };
    await f.catchUp();
    expect((await f.deadLetterOf(signature, 'transfer_mismatch')).detail).toMatchObject({
      unread_orders: [order.id],
    });
    const unread = { unread_orders: [order.id, other.id] };
    await f.ctx
      .sql`update dead_letters set detail = ${f.ctx.sql.json(unread)} where signature = ${signature}`;
    expect(await sweepExpiredOrders(f.ctx, endsAt(5_000n), never)).toBe(0);
    await f.ctx.sql`update dead_letters set resolved_at = now() where signature = ${signature}`;
    // By the height at which an order expires, its receipt is final.
    f.world.node.finalize();
    expect(await sweepExpiredOrders(f.ctx, endsAt(5_000n), never)).toBe(1);
    expect(await f.orderOf(other.id)).toMatchObject({ status: 'expired' });
    // By the program it was executed, whatever is recorded.
    expect(await f.orderOf(order.id)).toMatchObject({ status: 'pending_signature' });
  });
});

test('orders: an order that the chain dropped waits again, and a movement is gone, until both land after all', async () => {
  const order = await vault.order();
  const signature = await seen([vault.purchase(token, 5_000n * token), vault.withdrawal('usdc', 1n)]);
  expect(await f.ordersOf(signature)).toHaveLength(2);
  f.node.lie = dropping(signature);
  const config = { ...f.ctx.config, rpcUrls: [f.node.url, f.node.url] };
  const ctx = await createContext(config, { clock: f.ctx.clock, log: f.ctx.log });
  const indexing = await indexingOf(ctx);
  // However long a step takes, it does not become too old to land.
  f.world.node.pause();
  f.world.node.warp({ slots: 140 });
  await f.ctx.sql`update unfinalized set check_at = now() - interval '1 hour'`;
  await indexing.settle();
  expect(await f.ordersOf(signature)).toHaveLength(2);
  f.world.node.warp({ slots: 100 });
  await f.ctx.sql`update unfinalized set check_at = now() - interval '1 hour'`;
  await indexing.settle();
  await ctx.close();
  expect(await f.ordersOf(signature)).toEqual([]);
  expect(await f.orderOf(order.id)).toMatchObject({
    status: 'pending_signature',
    eventSeq: null,
    executedGold: null,
  });
  expect(await f.reasonsOf(signature)).toEqual(['vanished']);
  const { movements, events } = await f.written();
  expect([...movements, ...events].filter(({ txSignature }) => txSignature === signature)).toEqual([]);
  f.world.node.resume();
  f.node.lie = undefined;
  await f.catchUp();
  expect(await f.ordersOf(signature)).toHaveLength(2);
  expect(await f.reasonsOf(signature)).toEqual(['vanished (settled)']);
});

test('orders: an order expires once all events of its partner up to its last block are recorded', async () => {
  const height = await f.ctx.chain.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
  // What is final lies 31 blocks behind; the rest is for a machine that takes its time.
  const order = await vault.order({ lastValidBlockHeight: height + 200n });
  const later = await vault.order({ lastValidBlockHeight: height + 100_000n });
  const statusOf = async ({ id }: { id: string }) => (await f.orderOf(id))?.status;
  const indexing = await f.catchUp();
  await indexing.settle();
  expect(await statusOf(order)).toBe('pending_signature');
  // The program has counted an event that no node has to give yet: it may be the order's.
  const signature = await sent([vault.withdrawal('usdc', 2n)]);
  f.node.lie = async ({ method, params }, ask) =>
    method === 'getTransaction' && params[0] === signature ? null : ask();
  f.world.node.warp({ seconds: 100 });
  await indexing.round();
  await indexing.settle();
  expect(await statusOf(order)).toBe('pending_signature');
  f.node.lie = undefined;
  await f.catchUp(indexing);
  await indexing.settle();
  expect(await statusOf(order)).toBe('expired');
  expect(await statusOf(later)).toBe('pending_signature');
});

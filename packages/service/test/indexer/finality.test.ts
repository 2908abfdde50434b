import { SettlementMode } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../src/actions/audit.js';
import { findEvents } from '../../src/db/events/events.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { deadLetters, operatorTransactions } from '../../src/db/schema.js';
import { newId, newUuid, type RedemptionId, type Uuid, uuidOf } from '../../src/domain/ids.js';
import { goldUnits } from '../../src/domain/money.js';
import { asTxSignature, type TxSignature } from '../../src/domain/solana.js';
import { withObjects } from '../../src/events/partner-events.js';
import { FinalityWatch } from '../../src/indexer/finality.js';
import { expectStatus } from '../harness.js';
import { openByDecree } from '../opened-redemptions.js';
import { send as call, changesOf, type Operators, operatorBase, startOperators } from '../operators.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import type { Indexing } from './indexing.js';
import { dropping, failing, type Lie, neverFinal } from './lying-node.js';
import { twoNodes } from './two-nodes.js';
import { givenVault, redemption, settleRedemption, token } from './vault.js';
import { watchedOperatorTransactions } from './watched.js';
import { eventually, landed, prepared, send, type TradeOptions } from './world.js';

const f = following();
const two = twoNodes(f);
const amount = goldUnits(380_625n);
let operators: Operators;

beforeAll(async () => {
  const { node, program, goldMint, admin, h } = f.world;
  await node.setTokenBalance(program.escrowAuthority, goldMint, 1_000n * token);
  await node.setTokenBalance(admin.address, goldMint, 0n);
  await seedDenominations(h);
  const ctx = { ...h.ctx, config: { ...h.ctx.config, approvals: 1 } };
  operators = await startOperators({ ctx, secrets: h.secrets });
});
afterAll(() => operators.close());

/** A trade that is recorded, and the indexer that did it, which has one node. */
async function recorded(options: TradeOptions = {}) {
  const sent = await f.trade(options);
  return { ...sent, indexing: await f.catchUp() };
}

/** Has every record that is not final looked at, without waiting for it to be due. */
async function look(indexing: Indexing): Promise<void> {
  await f.ctx.sql`update unfinalized set check_at = 'epoch'`;
  await indexing.settle();
}

/** What a chain that has dropped this makes of it, once it can land no more. */
async function dropped(indexing: Indexing, signature: string): Promise<void> {
  [f.node.lie, two.second.lie] = [dropping(signature), dropping(signature)];
  f.world.node.warp({ seconds: 20 });
  await look(indexing);
}

async function eventsOf(id: string) {
  const { partnerId } = f.world.trader.partner;
  return withObjects(
    f.ctx,
    await findEvents(f.ctx.db, partnerId, { objectId: id }, { after: 0n, limit: 10 }),
  );
}

const admin = () => operators.by.admin.client;
const resolve = async (signature: string) => {
  const { id } = await f.deadLetterOf(signature, 'vanished');
  return call(admin(), 'POST', `/dead-letters/${id}/resolve`, { reason: 'A fork dropped it' });
};
const refused = (message: string) => ({
  status: 409,
  body: { error: 'transition_not_allowed', message: expect.stringContaining(message) },
});

describe('finality: records', () => {
  test('a trade is looked at until its transaction is final, and its record does not change by that', async () => {
    const { id, indexing } = await recorded();
    const place = () => f.ctx.sql`select ctid, xmin from trades where id = ${uuidOf(id)}`;
    const [before, placed] = [await f.tradeOf(id), await place()];
    expect(before).toMatchObject({ finalized: false });
    const calls = () => f.node.calls.get('getSignatureStatuses') ?? 0;
    const called = calls();
    // Nothing is final so early.
    await indexing.settle();
    expect(calls()).toBe(called);
    f.node.lie = neverFinal;
    f.world.node.warp({ seconds: 13 });
    await indexing.settle();
    const after = await f.tradeOf(id);
    expect(after).toEqual({ ...before, checkAt: expect.any(Date) });
    expect(after?.checkAt?.getTime()).toBeGreaterThan(before?.checkAt?.getTime() ?? Number.NaN);
    f.node.lie = undefined;
    await look(indexing);
    expect(await f.tradeOf(id)).toEqual({ ...before, finalized: true, checkAt: null });
    expect(await place()).toEqual(placed);
  });

  test('a transaction that the chain moved to another block keeps its record, which becomes final', async () => {
    const { id, signature, indexing } = await recorded();
    const before = await f.tradeOf(id);
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getSignatureStatuses' || !params[0].includes(signature)) return response;
      const value = response.value.map(
        (status: { slot: number } | null) => status && { ...status, slot: status.slot + 2 },
      );
      return { ...response, value };
    };
    f.world.node.warp({ seconds: 13 });
    await indexing.settle();
    expect(await f.tradeOf(id)).toEqual({ ...before, finalized: true, checkAt: null });
  });

  test('records that cannot be resolved hold up no newer one, and cost few calls', async () => {
    const { id, indexing } = await recorded();
    // In slots that the chain has not reached.
    await f.ctx.sql`
      insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps,
          fee_usdc, tx_signature, slot, event_seq, created_at, updated_at)
        select gen_random_uuid(), partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz,
          fee_bps, fee_usdc, sha512(n::text::bytea), 1000000000000, 1000000 + n, created_at - interval '1 hour', updated_at
        from trades, generate_series(1, 300) n where id = ${uuidOf(id)}`;
    f.world.node.warp({ seconds: 13 });
    const { calls } = f.node;
    calls.clear();
    await indexing.settle();
    expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
    expect(calls.get('getSignatureStatuses')).toBe(4);
    await indexing.settle();
    expect(calls.get('getSignatureStatuses')).toBe(4);
    expect((await f.written()).trades.filter(({ finalized }) => !finalized)).toHaveLength(300);
    expect((await f.written()).deadLetters).toEqual([]);
  });

  test('a trade that stays without a verdict is logged each hour', async () => {
    const { id, signature } = await recorded();
    f.node.lie = neverFinal;
    f.world.node.warp({ slots: 400 });
    let laterMs = 0;
    const clock = { ...f.ctx.clock, now: () => f.ctx.clock.now() + laterMs };
    const watch = new FinalityWatch({ ...f.ctx, clock });
    const logged = () =>
      f.world.h.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg, tx }) => /agree neither that a transaction is final/.test(msg) && tx === signature);
    const counts: number[] = [];
    for (const minutes of [1, 11, 20, 60, 72, 80]) {
      laterMs = minutes * 60_000;
      await watch.round(never);
      counts.push(logged().length);
    }
    expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
    expect(logged().at(-1)).toMatchObject({ level: 'warn', record: 'trade', id: uuidOf(id) });
  });

  test('the room of entries is given back though something held them when the last one went', async () => {
    const { indexing } = await recorded();
    await f.ctx.sql`
      insert into unfinalized (id, slot, landed_at, check_at, kind, tx_signature)
      select gen_random_uuid(), n, now(), now(), 'trade', sha512(n::text::bytea) from generate_series(1, 5000) n`;
    const sizeOf = async () =>
      (await f.ctx.sql<{ size: number }[]>`select pg_total_relation_size('unfinalized')::int as size`)[0]
        ?.size;
    const full = await sizeOf();
    await f.ctx.sql`delete from unfinalized`;
    await f.ctx.sql.begin(async (tx) => {
      await tx`lock table unfinalized in access share mode`;
      await indexing.settle();
    });
    expect(await sizeOf()).toBe(full);
    await indexing.settle();
    expect(await sizeOf()).toBeLessThan(100_000);
  });
});

describe('finality: dropped trades', () => {
  test('a dropped trade is taken back by itself with two nodes, and its partner still sees what was announced', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    await f.catchUp(indexing);
    const before = await eventsOf(id);
    await dropped(indexing, signature);
    expect(await f.tradeOf(id)).toBeUndefined();
    const { detail } = await f.deadLetterOf(signature, 'vanished');
    expect(detail).toMatchObject({ trade_id: id, usdc: '100000000', gold: '24267' });
    const { events, movements } = await f.written();
    expect([...events, ...movements].filter(({ txSignature }) => txSignature === signature)).toEqual([]);
    expect(before).toMatchObject([{ type: 'trade.confirmed', object: { trade_id: id, usdc_amount: 100 } }]);
    const [confirmed, reverted, ...more] = await eventsOf(id);
    expect(confirmed).toEqual(before[0]);
    expect(reverted).toMatchObject({ type: 'trade.reverted', object: confirmed?.object });
    expect(more).toEqual([]);
  });

  test('a dropped trade is reported once with one node, and stays until a person resolves its dead letter', async () => {
    const { id, signature, indexing } = await recorded();
    const before = await f.tradeOf(id);
    for (let looks = 0; looks < 3; looks += 1) await dropped(indexing, signature);
    expect(await f.tradeOf(id)).toEqual({ ...before, checkAt: expect.any(Date) });
    expect(await f.reasonsOf(signature)).toEqual(['vanished']);
    expectStatus(await resolve(signature), 200);
    expect(await f.tradeOf(id)).toBeUndefined();
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['trade.confirmed', 'trade.reverted']);
    const { operatorId } = operators.by.admin;
    expect(await changesOf(f.world.h, 'trade', uuidOf(id))).toMatchObject([
      { action: 'trade.take_back', reason: 'A fork dropped it', operatorId, after: { tx_hash: null } },
    ]);
    expect((await verifyAuditLog(f.ctx.db)).ok).toBe(true);
    // The chain has it after all: it is recorded like any other.
    f.node.lie = undefined;
    await f.forgetEverything();
    await f.catchUp();
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
  });

  test.each<[string, (signature: string) => Lie | undefined, object]>([
    ['knows it after all', () => undefined, refused('after all; check again once it is final')],
    [
      'has not come so far',
      (signature) => async (each, really) => {
        const response = await dropping(signature)(each, really);
        return each.method === 'getSignatureStatuses' ? { ...response, context: { slot: 1 } } : response;
      },
      refused('not certain yet'),
    ],
    [
      'is silent',
      () => async () => {
        throw new Error('gone');
      },
      { status: 503, body: { error: 'service_unavailable' } },
    ],
  ])(
    'the dead letter of a dropped trade cannot be resolved while the node %s',
    async (_, lieAbout, expected) => {
      const { id, signature, indexing } = await recorded();
      await dropped(indexing, signature);
      f.node.lie = lieAbout(signature);
      expect(await resolve(signature)).toMatchObject(expected);
      expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
      const [row] = await f.ctx.db.select().from(deadLetters);
      expect(row).toMatchObject({ reason: 'vanished', resolvedAt: null });
      expect(await changesOf(f.world.h, 'dead_letter', row?.id ?? '')).toEqual([]);
      // One that is final after all stays as it is, and the dead letter can be resolved.
      f.node.lie = undefined;
      await look(indexing);
      expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
      expectStatus(await resolve(signature), 200);
      expect(await f.tradeOf(id)).toMatchObject({ finalized: true });
      expect(await changesOf(f.world.h, 'trade', uuidOf(id))).toEqual([]);
    },
  );
});

describe('finality: other dropped records', () => {
  /** A redemption that was paid, and recorded by this indexer. */
  async function paid(indexing: Indexing) {
    const { trader, program, h } = f.world;
    const id = newId('red');
    const sent = await prepared(f.world, [await redemption(f.world, id, amount)], f.world.service);
    const owner = { partner: trader.partner, user: { id: trader.userId, wallet: trader.wallet } };
    const quoteTxSignature = asTxSignature(sent.signature) as TxSignature;
    const quote = { id, quoteTxSignature, status: 'quoted', escrowAccount: program.escrowGold } as const;
    await givenRedemption(h, owner, quote);
    await sent.post();
    await landed(f.world, sent.signature);
    await f.catchUp(indexing);
    return { id, signature: sent.signature };
  }
  const redemptionOf = (id: RedemptionId) => findRedemption(f.ctx.db, id);

  test.each<[string, () => Promise<Indexing>]>([
    ['one node', () => f.catchUp()],
    ['two nodes', () => two.caughtUp()],
  ])('a payment of a redemption that the chain dropped stays, and is reported once: %s', async (_, begun) => {
    const indexing = await begun();
    const { id, signature } = await paid(indexing);
    const before = await redemptionOf(id);
    expect(before).toMatchObject({ status: 'submitted', finalized: false });
    for (let looks = 0; looks < 3; looks += 1) await dropped(indexing, signature);
    expect(await f.reasonsOf(signature)).toEqual(['vanished']);
    expect(await redemptionOf(id)).toEqual(before);
    expectStatus(await resolve(signature), 200);
    expect(await redemptionOf(id)).toEqual(before);
    [f.node.lie, two.second.lie] = [undefined, undefined];
    await look(indexing);
    expect(await redemptionOf(id)).toEqual({ ...before, finalized: true });
  });

  test('a payment of a redemption that is final as a failure is reported, and stays', async () => {
    const indexing = await f.catchUp();
    const { id, signature } = await paid(indexing);
    f.node.lie = failing([signature]);
    f.world.node.warp({ seconds: 20 });
    await look(indexing);
    expect(await f.reasonsOf(signature)).toEqual(['vanished']);
    expect(await redemptionOf(id)).toMatchObject({ status: 'submitted', finalized: false });
  });

  test('an order whose transaction the chain dropped waits again; a movement without an order is gone', async () => {
    const indexing = await two.caughtUp();
    const vault = await givenVault(f.world);
    const order = (await vault.order()).id;
    const purchase = await send(f.world, [vault.purchase(token, 5_000n * token)], vault.signer);
    const withdrawal = await send(f.world, [vault.withdrawal('gold', 5n)], vault.signer);
    await landed(f.world, withdrawal);
    await f.catchUp(indexing);
    expect(await f.orderOf(order)).toMatchObject({ status: 'confirmed', txSignature: purchase });
    expect(await f.ordersOf(withdrawal)).toHaveLength(1);
    [f.node.lie, two.second.lie] = [dropping(purchase, withdrawal), dropping(purchase, withdrawal)];
    f.world.node.warp({ seconds: 20 });
    await look(indexing);
    const nothing = { txSignature: null, slot: null, executedGold: null, executedUsdc: null, eventSeq: null };
    expect(await f.orderOf(order)).toMatchObject({ status: 'pending_signature', ...nothing });
    expect(await f.ordersOf(withdrawal)).toEqual([]);
    expect(await f.reasonsOf(purchase)).toEqual(['vanished']);
    expect(await f.reasonsOf(withdrawal)).toEqual(['vanished']);
  });

  const kinds = { refund: SettlementMode.Refund, burn: SettlementMode.Burn };
  /** A settlement that an operator sent, confirmed and recorded by this indexer. */
  async function settledBy(indexing: Indexing, kind: keyof typeof kinds) {
    const { trader, h, admin: key } = f.world;
    const user = { id: trader.userId, wallet: trader.wallet };
    const status = kind === 'refund' ? 'cancelled' : 'collected';
    const redemptionId = await givenRedemption(h, { partner: trader.partner, user }, { status });
    const [id, at] = [newUuid(), new Date(f.ctx.clock.now())];
    const row = { id, kind, redemptionId, amount, lastValidBlockHeight: 1n, createdAt: at, updatedAt: at };
    await f.ctx.db.insert(operatorTransactions).values(row);
    const signature = await send(f.world, [await settleRedemption(f.world, kinds[kind], redemptionId)], key);
    await landed(f.world, signature);
    await f.catchUp(indexing);
    expect(await operationOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
    return { id, redemptionId, signature };
  }
  const operationOf = async (id: Uuid) =>
    (await watchedOperatorTransactions(f.ctx)).find((row) => row.id === id);

  test.each(['refund', 'burn'] as const)(
    'a %s that the chain dropped expires with two nodes, and can be made again',
    async (kind) => {
      const indexing = await two.caughtUp();
      const { id, redemptionId, signature } = await settledBy(indexing, kind);
      await dropped(indexing, signature);
      expect(await f.reasonsOf(signature)).toEqual(['vanished']);
      expect(await operationOf(id)).toMatchObject({ status: 'expired', slot: null });
      const { body } = expectStatus(await admin().get(`${operatorBase}/redemptions/${redemptionId}`), 200);
      expect(body.available_actions).toEqual([kind]);
    },
  );

  test('a refund that the chain dropped can be made again with one node once a person has resolved its dead letter', async () => {
    const indexing = await f.catchUp();
    const { id, redemptionId, signature } = await settledBy(indexing, 'refund');
    await dropped(indexing, signature);
    const path = `/redemptions/${redemptionId}/refund`;
    expect(await operationOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await call(admin(), 'POST', path)).toMatchObject(refused('This redemption has already been'));
    expectStatus(await resolve(signature), 200);
    expect(await operationOf(id)).toMatchObject({ status: 'expired', txSignature: signature, slot: null });
    expect(await changesOf(f.world.h, 'operator_transaction', id)).toMatchObject([
      { action: 'operator_transaction.expire', reason: 'A fork dropped it' },
    ]);
    expect((await verifyAuditLog(f.ctx.db)).ok).toBe(true);
    // It has settled after all: no second one is made of it.
    expect(await call(admin(), 'POST', path)).toMatchObject(
      refused('tokens of this redemption are no longer in escrow'),
    );
    const row = await redemptionOf(redemptionId);
    if (row) await openByDecree(f.ctx.config.programId, row);
    await eventually(async () => {
      expect(expectStatus(await call(admin(), 'POST', path), 202).body).toHaveProperty('transaction');
      return true;
    });
  });
});

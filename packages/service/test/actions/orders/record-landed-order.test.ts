import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyRecord, recordChain } from '../../../src/actions/indexing/record-chain.js';
import type { OrderFacts } from '../../../src/actions/orders/record-landed-order.js';
import { noFailure } from '../../../src/db/failure.js';
import { expireOrders, findRecordedOrder, takeBackOrder } from '../../../src/db/orders/landed-orders.js';
import { findOrder, insertOrder, type NewOrder } from '../../../src/db/orders/orders.js';
import { deadLetters } from '../../../src/db/schema.js';
import { newUuid, type Uuid, uuidOfSignature } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import type { TxSignature } from '../../../src/domain/solana.js';
import { type Harness, harness } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';

let h: Harness;
let events = 0n;
let signature: TxSignature;

beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());
beforeEach(() => {
  signature = signatureNamed(newUuid());
});

const goldAmount = goldUnits(1_000_000n);
const usdcLimit = usdcUnits(4_200_000_000n);
const accounts = { integrator: addressNamed('integrator'), signer: addressNamed('signer') };
const added = [addressNamed('executive')];

async function givenOrder(changes: Partial<NewOrder> = {}): Promise<Uuid> {
  const order: NewOrder = {
    ...accounts,
    id: newUuid(),
    kind: 'purchase',
    partnerId: h.main.partnerId,
    keyId: h.main.keyId,
    goldAmount,
    usdcLimit,
    maxFeeBps: 50,
    lastValidBlockHeight: 1_000n,
    createdAt: new Date(h.clock.now()),
    ...changes,
  };
  await h.ctx.db.transaction((tx) => insertOrder(tx, order));
  return order.id;
}
const givenChange = () =>
  givenOrder({
    kind: 'executive_update',
    goldAmount: null,
    usdcLimit: null,
    maxFeeBps: null,
    added,
    removed: [],
  });

const bought = { gold: goldAmount, usdc: usdcLimit, feeUsdc: usdcUnits(0n), price: '4100.12' };
const nothing = { gold: null, usdc: null, feeUsdc: null, price: null };
const executed = (amounts: typeof bought | typeof nothing) => {
  events += 1n;
  return { partnerId: h.main.partnerId, eventSeq: events, ...amounts };
};
const failure = { ...noFailure, failureReason: 'SlippageExceeded: x', reason: 'slippage_exceeded' } as const;
const purchase = (orderId: Uuid): OrderFacts['order'] => ({
  ...accounts,
  kind: 'purchase',
  orderId,
  goldAmount,
  usdcLimit,
  treasuryLimit: usdcUnits(0n),
  maxFeeBps: 50,
  expireAtSeconds: 0n,
});
const change: OrderFacts['order'] = { ...accounts, kind: 'executive_update', added, removed: [] };

/** Records a call of the program as the indexer does. */
async function land(order: OrderFacts['order'], outcome: 'executed' | 'failed' = 'executed') {
  const facts: OrderFacts = {
    movementId: uuidOfSignature(signature),
    order,
    token: null,
    ...(outcome === 'executed'
      ? { executed: executed(order.kind === 'executive_update' ? nothing : bought) }
      : { failure }),
  };
  await recordChain(h.ctx, [{ ...emptyRecord(signature, 77n), orders: [facts] }]);
  return facts.movementId;
}
const orderOf = (id: Uuid) => findOrder(h.ctx.db, id);
const expire = (id: Uuid) => {
  const at = new Date(h.clock.now());
  const ends = { height: 1_001n, now: new Date(at.getTime() + 90_000), incomplete: [] };
  return h.ctx.db.transaction((tx) => expireOrders(tx, [id], ends, at));
};
const deadLettersOf = async (of: TxSignature) =>
  (await h.ctx.db.select().from(deadLetters)).filter((deadLetter) => deadLetter.signature === of);

/** An order that has ended, and the transaction that ended it. */
async function ended(status: 'failed' | 'expired' | 'confirmed') {
  const id = await givenOrder();
  if (status === 'expired') await expire(id);
  else await land(purchase(id), status === 'failed' ? 'failed' : 'executed');
  const before = await orderOf(id);
  expect(before).toMatchObject({ status });
  signature = signatureNamed(newUuid());
  return { id, before };
}

const withdrawn = {
  ...{ kind: 'withdrawal', token: 'usdc', destination: accounts.signer, gold_amount: null, usdc_amount: 5 },
  ...{ executed_gold: null, executed_usdc: 5, fee_usdc: null, executed_price: null },
};
test.each([
  ['a purchase', 'GOLD', { executed_gold: null }],
  ['a purchase', 'USDC', { executed_usdc: 0 }],
  ['a purchase', 'a fee', { fee_usdc: null }],
  ['a purchase', 'a price', { executed_price: null }],
  ['a purchase', 'what was ordered', { gold_amount: null }],
  ['a withdrawal', 'USDC', { ...withdrawn, executed_usdc: null }],
  ['a withdrawal', 'what was ordered', { ...withdrawn, usdc_amount: null }],
])('the database refuses %s that was executed without %s', async (_, __, columns) => {
  const { id } = await ended('confirmed');
  const change = h.ctx.sql`update orders set ${h.ctx.sql(columns)} where id = ${id}`;
  await expect(change).rejects.toMatchObject({ code: '23514' });
});

test('the database takes a withdrawal that was executed without a fee and a price', async () => {
  const { id } = await ended('confirmed');
  await h.ctx.sql`update orders set ${h.ctx.sql(withdrawn)} where id = ${id}`;
  expect(await orderOf(id)).toMatchObject({ kind: 'withdrawal', executedUsdc: 5n });
});

test('the database refuses an order that waits and has executed something', async () => {
  const id = await givenOrder();
  const change = h.ctx.sql`update orders set executed_gold = 1 where id = ${id}`;
  await expect(change).rejects.toMatchObject({ code: '23514', constraint_name: 'orders_executed' });
});

test.each(['failed', 'expired', 'confirmed'] as const)(
  'an execution of an order that is %s has its own row, and is a dead letter with that status',
  async (status) => {
    const { id, before } = await ended(status);
    const movementId = await land(purchase(id));
    expect(await orderOf(id)).toEqual(before);
    expect(await orderOf(movementId)).toMatchObject({
      status: 'confirmed',
      txSignature: signature,
      executedGold: goldAmount,
      keyId: null,
    });
    expect(await deadLettersOf(signature)).toMatchObject([
      {
        reason: 'order_mismatch',
        detail: {
          order_id: id,
          movement_id: movementId,
          wrong: ['status'],
          status,
          settled_by: before?.txSignature ?? null,
        },
      },
    ]);
  },
);

test.each(['failed', 'expired', 'confirmed'] as const)(
  'a failed call of an order that is %s changes nothing',
  async (status) => {
    const { id, before } = await ended(status);
    await land(purchase(id), 'failed');
    expect(await orderOf(id)).toEqual(before);
    expect(await deadLettersOf(signature)).toEqual([]);
  },
);

test('a change of executives is taken for one that waits, never for one that has expired', async () => {
  const [over, waiting] = [await givenChange(), await givenChange()];
  await expire(over);
  await land(change);
  expect(await orderOf(waiting)).toMatchObject({ status: 'confirmed', txSignature: signature });
  signature = signatureNamed(newUuid());
  const movementId = await land(change);
  expect(await orderOf(over)).toMatchObject({ status: 'expired', txSignature: null });
  expect(await orderOf(movementId)).toMatchObject({ kind: 'executive_update', keyId: null, added });
  expect(await deadLettersOf(signature)).toEqual([]);
});

test('an order whose transaction the chain dropped waits again, a failed one does not', async () => {
  const id = await givenOrder();
  await land(purchase(id));
  const takeBack = async (of: Uuid) => {
    const order = await findRecordedOrder(h.ctx.db, of);
    if (!order) throw new Error('it has not landed');
    return h.ctx.db.transaction((tx) => takeBackOrder(tx, order, new Date(h.clock.now())));
  };
  expect(await takeBack(id)).toBe(true);
  expect(await orderOf(id)).toMatchObject({ status: 'pending_signature', txSignature: null, eventSeq: null });
  const { id: failed } = await ended('failed');
  expect(await takeBack(failed)).toBe(false);
  expect(await orderOf(failed)).toMatchObject({ status: 'failed' });
});

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationFacts } from '../../../src/actions/approvals/record-operator-transaction.js';
import { emptyRecord, recordChain } from '../../../src/actions/indexing/record-chain.js';
import {
  expireOperatorTransaction,
  failOperatorTransaction,
  insertOperatorTransaction,
  type NewOperatorTransaction,
} from '../../../src/db/approvals/operator-transactions.js';
import { findBurn, findDueBurns } from '../../../src/db/redemptions/burns.js';
import { deadLetters, operatorTransactions } from '../../../src/db/schema.js';
import { newUuid, type RedemptionId, type Uuid } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import type { TxSignature } from '../../../src/domain/solana.js';
import { type Harness, harness } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];
beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(() => h.close());

const amount = goldUnits(380_625n);
const at = new Date();

const pause = (): NewOperatorTransaction => ({
  id: newUuid(),
  kind: 'pause',
  redemptionId: null,
  partnerId: null,
  amount: null,
  txSignature: signatureNamed(newUuid()),
  lastValidBlockHeight: 1_000n,
  operatorId: null,
});

/** An operator transaction that has ended as the chain was said to have it. */
async function ended(status: 'failed' | 'expired', changes: Partial<NewOperatorTransaction>) {
  const row = { ...pause(), ...changes };
  const landed = { slot: 5n, failureReason: 'Paused: x' };
  await h.ctx.db.transaction(async (tx) => {
    expect(await insertOperatorTransaction(tx, row, at)).toBe(true);
    if (status === 'failed') await failOperatorTransaction(tx, row.id, landed, at);
    else await expireOperatorTransaction(tx, row.id, at);
  });
  return { id: row.id, signature: row.txSignature as TxSignature };
}

const record = (signature: TxSignature, changes: { operations?: OperationFacts[]; failure?: string }) =>
  recordChain(h.ctx, [{ ...emptyRecord(signature, 77n), ...changes }]);
const rowOf = async (id: Uuid) => {
  const [row] = await h.ctx.db.select().from(operatorTransactions).where(eq(operatorTransactions.id, id));
  return row;
};
const rowsOf = (redemptionId: RedemptionId) =>
  h.ctx.db.select().from(operatorTransactions).where(eq(operatorTransactions.redemptionId, redemptionId));
const deadLettersOf = async (of: TxSignature) =>
  (await h.ctx.db.select().from(deadLetters)).filter(({ signature }) => signature === of);

test.each(['slot', 'tx_signature'])(
  'the database refuses what is confirmed without its %s',
  async (column) => {
    const row = pause();
    await h.ctx.db.transaction((tx) => insertOperatorTransaction(tx, row, at));
    const columns = { status: 'confirmed', slot: 5, [column]: null };
    const change = h.ctx.sql`update operator_transactions set ${h.ctx.sql(columns)} where id = ${row.id}`;
    await expect(change).rejects.toMatchObject({ constraint_name: 'operator_transactions_landed' });
  },
);

test.each(['failed', 'expired'] as const)(
  'a change that the chain made although its row is %s becomes a dead letter, and the row stays',
  async (status) => {
    const { id, signature } = await ended(status, {});
    const before = await rowOf(id);
    await record(signature, { operations: [{ kind: 'pause', partnerId: undefined }] });
    expect(await rowOf(id)).toEqual(before);
    expect(await deadLettersOf(signature)).toMatchObject([
      {
        reason: 'conflicting_record',
        slot: 77n,
        detail: { operator_transaction_id: id, kind: 'pause', status, partner_id: null },
      },
    ]);
  },
);

test.each(['failed', 'expired'] as const)(
  'a refund that the chain made although its row is %s has a row of its own',
  async (status) => {
    const redemptionId = await givenRedemption(h, owner, { status: 'cancelled' });
    const { partnerId } = owner.partner;
    const { id, signature } = await ended(status, { kind: 'refund', redemptionId, partnerId, amount });
    const before = await rowOf(id);
    const facts: OperationFacts = {
      kind: 'settle_redemption',
      mode: 'refund',
      redemptionId,
      amount,
      isReclaimed: false,
    };
    for (let times = 0; times < 2; times += 1) await record(signature, { operations: [facts] });
    const rows = await rowsOf(redemptionId);
    expect(rows).toHaveLength(2);
    expect(rows.find((row) => row.id === id)).toEqual(before);
    expect(rows.find((row) => row.id !== id)).toMatchObject({
      kind: 'refund',
      status: 'confirmed',
      txSignature: signature,
      slot: 77n,
    });
    expect(await deadLettersOf(signature)).toEqual([]);
  },
);

test('an operator transaction that has expired does not fail', async () => {
  const { id, signature } = await ended('expired', {});
  await record(signature, { failure: 'Paused: x' });
  expect(await rowOf(id)).toMatchObject({ status: 'expired', failureReason: null });
});

test('burns that are recorded in another order than they were made leave what the last one made', async () => {
  const redemptionId = await givenRedemption(h, owner, { status: 'collected' });
  const now = new Date(h.ctx.clock.now());
  const dueAt = (days: number) => new Date(now.getTime() + days * 86_400_000);
  const made: [bigint, OperationFacts][] = [
    [103n, { kind: 'announce_burn', redemptionId, seq: 103n, dueAt: dueAt(3) }],
    [101n, { kind: 'announce_burn', redemptionId, seq: 101n, dueAt: dueAt(1) }],
    [102n, { kind: 'cancel_burn', redemptionId, seq: 102n, dueAt: null }],
  ];
  for (let times = 0; times < 2; times += 1)
    for (const [seq, facts] of made) await record(signatureNamed(`burn ${seq}`), { operations: [facts] });
  expect(await rowsOf(redemptionId)).toHaveLength(3);
  expect(await findBurn(h.ctx.db, redemptionId, now)).toMatchObject({ dueAt: dueAt(3) });
  expect(await findDueBurns(h.ctx.db, { now: dueAt(2), limit: 100 })).toEqual([]);
  expect(await findDueBurns(h.ctx.db, { now: dueAt(4), limit: 100 })).toMatchObject([{ redemptionId }]);
  await record(signatureNamed('burn 104'), {
    operations: [{ kind: 'cancel_burn', redemptionId, seq: 104n, dueAt: null }],
  });
  expect(await findBurn(h.ctx.db, redemptionId, now)).toBeUndefined();
  expect(await findDueBurns(h.ctx.db, { now: dueAt(4), limit: 100 })).toEqual([]);
});

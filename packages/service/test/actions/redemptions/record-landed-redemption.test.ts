import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyRecord, recordChain } from '../../../src/actions/indexing/record-chain.js';
import type { RedemptionFacts } from '../../../src/actions/redemptions/record-landed-redemption.js';
import { insertGuardedTransaction } from '../../../src/db/approvals/guarded-transactions.js';
import { noFailure } from '../../../src/db/failure.js';
import { findHistory, findRedemption } from '../../../src/db/redemptions/redemptions.js';
import { deadLetters } from '../../../src/db/schema.js';
import { newId, type RedemptionId } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import type { TxSignature } from '../../../src/domain/solana.js';
import { type Harness, harness } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];
let transactions = 0;

beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(() => h.close());

const given = (status: RedemptionStatus) => givenRedemption(h, owner, { status });

const reclaimableAt = new Date('2030-01-01T00:00:00.000Z');

/** Records a transaction as the indexer does; its signature and the reasons of its dead letters. */
async function land(
  id: RedemptionId,
  changes: Partial<RedemptionFacts> & { signature?: TxSignature | undefined } = {},
) {
  transactions += 1;
  const { signature = signatureNamed(`landed-${transactions}`), ...facts } = changes;
  const redemption: RedemptionFacts = {
    id,
    partnerId: owner.partner.partnerId,
    amount: goldUnits(380_625n),
    userWallet: owner.user.wallet.address,
    escrowAccount: addressNamed('escrow'),
    reclaimableAt: facts.failureReason ? null : reclaimableAt,
    ...noFailure,
    ...(facts.failureReason && { reason: 'program_error' }),
    ...facts,
  };
  const record = emptyRecord(signature, 77n);
  await recordChain(h.ctx, [{ ...record, redemption }]);
  const deadLetterRows = (await h.ctx.db.select().from(deadLetters)).filter(
    (one) => one.signature === signature,
  );
  return { signature, reasons: deadLetterRows.map(({ reason }) => reason), deadLetterRows };
}

const row = (id: RedemptionId) => findRedemption(h.ctx.db, id);

describe('a landed transaction', () => {
  test('a landed transaction that is exactly the quoted payment makes the redemption submitted, by the indexer', async () => {
    const id = await given('quoted');
    h.clock.advance(5_000);
    const { signature, reasons } = await land(id);
    expect(reasons).toEqual([]);
    expect(await row(id)).toMatchObject({
      status: 'submitted',
      txSignature: signature,
      slot: 77n,
      reclaimableAt,
      failureReason: null,
      finalized: false,
      updatedAt: new Date(h.clock.now()),
    });
    expect((await findHistory(h.ctx.db, id)).at(-1)).toMatchObject({
      from: 'quoted',
      to: 'submitted',
      actor: 'indexer',
    });
  });

  test('a landed transaction that failed makes the redemption failed, with the reason', async () => {
    const id = await given('quoted');
    const { signature, reasons } = await land(id, { failureReason: 'instruction 3: Custom 1' });
    expect(reasons).toEqual([]);
    expect(await row(id)).toMatchObject({
      status: 'failed',
      txSignature: signature,
      failureReason: 'instruction 3: Custom 1',
    });
  });

  test.each([null, 'instruction 3: Custom 1'])(
    'a landed transaction that is recorded again changes nothing (failure: %s)',
    async (failureReason) => {
      const id = await given('quoted');
      const { signature } = await land(id, { failureReason });
      const before = await row(id);
      h.clock.advance(1_000);
      const again = await Promise.all([1, 2, 3].map(() => land(id, { signature, failureReason })));
      for (const { reasons } of again) expect(reasons).toEqual([]);
      expect(await row(id)).toEqual(before);
      expect(await findHistory(h.ctx.db, id)).toHaveLength(2);
    },
  );

  test('a landed transaction that is recorded again after operators moved the redemption on changes nothing', async () => {
    const id = await given('ready');
    const signature = (await row(id))?.txSignature ?? undefined;
    expect((await land(id, { signature })).reasons).toEqual([]);
    expect(await row(id)).toMatchObject({ status: 'ready' });
  });

  test('a landed transaction that is recorded again with the opposite outcome is a conflicting record', async () => {
    const id = await given('quoted');
    const { signature } = await land(id);
    expect((await land(id, { signature, failureReason: 'x' })).reasons).toEqual(['conflicting_record']);
    expect(await row(id)).toMatchObject({ status: 'submitted' });
  });

  test.each<[RedemptionStatus, string]>([
    ['submitted', 'redemption_paid_twice'],
    ['preparing', 'redemption_paid_twice'],
    ['ready', 'redemption_paid_twice'],
    ['collected', 'redemption_paid_twice'],
    ['cancellation_requested', 'redemption_paid_twice'],
    ['cancelled', 'redemption_paid_twice'],
    ['failed', 'redemption_closed'],
    ['lapsed', 'redemption_closed'],
  ])('a landed transaction that pays what is %s is the dead letter %s', async (status, reason) => {
    const id = await given(status);
    const before = await row(id);
    const { deadLetterRows } = await land(id);
    expect(deadLetterRows).toEqual([
      expect.objectContaining({
        reason,
        slot: 77n,
        detail: {
          redemption_id: id,
          amount: '380625',
          user: owner.user.wallet.address,
          escrow: addressNamed('escrow'),
          status,
          settled_by: before?.txSignature ?? null,
        },
      }),
    ]);
    expect(await row(id)).toEqual(before);
  });

  test.each(['failed', 'lapsed'] as const)(
    'the own payment of a redemption that is %s is the dead letter redemption_closed',
    async (status) => {
      const id = await given(status);
      const before = await row(id);
      const { deadLetterRows } = await land(id, { signature: before?.quoteTxSignature });
      expect(deadLetterRows).toMatchObject([{ reason: 'redemption_closed', detail: { status } }]);
      expect(await row(id)).toEqual(before);
    },
  );

  test('a payment with guards of a lapsed redemption is the dead letter redemption_closed', async () => {
    const id = await given('lapsed');
    const guarded = { quoteId: id, txSignature: signatureNamed(`guarded-${id}`) };
    await h.ctx.db.transaction((tx) => insertGuardedTransaction(tx, guarded, new Date(0)));
    expect((await land(id, { signature: guarded.txSignature })).reasons).toEqual(['redemption_closed']);
    expect(await row(id)).toMatchObject({ status: 'lapsed', txSignature: null });
  });

  test('a failed payment of a redemption that is paid or lapsed changes nothing', async () => {
    for (const status of ['submitted', 'failed', 'lapsed', 'collected'] as const) {
      const id = await given(status);
      const before = await row(id);
      expect((await land(id, { failureReason: 'x' })).reasons).toEqual([]);
      expect(await row(id)).toEqual(before);
    }
  });

  test.each<[string, Partial<RedemptionFacts>]>([
    ['amount', { amount: goldUnits(380_624n) }],
    ['amount', { amount: goldUnits(380_626n) }],
    ['user', { userWallet: addressNamed('somebody') }],
    ['escrow', { escrowAccount: addressNamed('elsewhere') }],
  ])(
    'a landed transaction with another %s is a mismatch, whether it paid or failed',
    async (wrong, changes) => {
      for (const failureReason of [null, 'x']) {
        const id = await given('quoted');
        const { reasons, deadLetterRows } = await land(id, { ...changes, failureReason });
        expect(reasons).toEqual(['redemption_mismatch']);
        expect(deadLetterRows[0]?.detail).toMatchObject({ redemption_id: id, wrong: [wrong] });
        expect(await row(id)).toMatchObject({ status: 'quoted', txSignature: null });
      }
    },
  );

  test('a landed transaction for an unknown redemption is a dead letter, once', async () => {
    const id = newId('red');
    const { signature } = await land(id);
    expect((await land(id, { signature })).reasons).toEqual(['redemption_unknown']);
  });

  test('exactly one of two racing payments of a redemption is taken, and the other is the second payment', async () => {
    const id = await given('quoted');
    const both = await Promise.all([land(id), land(id)]);
    expect(both.flatMap(({ reasons }) => reasons)).toEqual(['redemption_paid_twice']);
    const taken = both.find(({ reasons }) => reasons.length === 0);
    expect(await row(id)).toMatchObject({ status: 'submitted', txSignature: taken?.signature });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteGuardedTransactionsBefore,
  findGuardedSignature,
  insertGuardedTransaction,
} from '../../../src/db/approvals/guarded-transactions.js';
import { newId } from '../../../src/domain/ids.js';
import { type Harness, harness } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('exactly one of two racing twins is noted, and neither is an error', async () => {
  for (let round = 0; round < 150; round += 1) {
    const guarded = { quoteId: newId('trd'), txSignature: signatureNamed(`signature ${round}`) };
    const noted = await Promise.all(
      Array.from({ length: 8 }, () =>
        h.ctx.db.transaction((tx) => insertGuardedTransaction(tx, guarded, new Date())),
      ),
    );
    expect(noted.filter(Boolean)).toHaveLength(1);
    expect(await findGuardedSignature(h.ctx.db, guarded.quoteId)).toBe(guarded.txSignature);
  }
});

test('the guarded transaction of a redemption is kept until its quote has ended', async () => {
  await seedDenominations(h);
  const owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  const statuses = ['quoted', 'lapsed', 'submitted'] as const;
  const ids = await Promise.all(statuses.map((status) => givenRedemption(h, owner, { status })));
  const at = new Date(h.clock.now());
  const kept = await h.ctx.db.transaction(async (tx) => {
    for (const quoteId of ids)
      await insertGuardedTransaction(tx, { quoteId, txSignature: signatureNamed(`guarded ${quoteId}`) }, at);
    await deleteGuardedTransactionsBefore(tx, new Date(at.getTime() + 1), 1_000);
    return Promise.all(ids.map(async (id) => (await findGuardedSignature(tx, id)) !== undefined));
  });
  expect(kept).toEqual([true, false, false]);
});

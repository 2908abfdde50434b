import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findGuardedSignature,
  insertGuardedTransaction,
} from '../../src/db/approvals/guarded-transactions.js';
import { newId } from '../../src/domain/ids.js';
import { type Harness, harness } from '../harness.js';
import { signatureNamed } from '../named-keys.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('of twins that race one is noted, and none is an error', async () => {
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

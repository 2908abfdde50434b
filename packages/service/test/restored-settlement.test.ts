import { createSigner } from '@karat/signer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorTransactions, redemptionHistory, redemptions, unfinalized } from '../src/db/schema.js';
import { expectStatus } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually, finalize } from './karat-chain.js';
import { type Operators, operatorBase, send, startOperators } from './operators.js';

// The whole way of a redemption that is refunded, and a database that is put back to before that.

let r: Karat;
let operators: Operators;

beforeAll(async () => {
  r = await startKarat({ redeems: true, indexes: true });
  const { ctx, secrets } = r.service;
  const operations = createSigner(Uint8Array.from(r.chain.operations.secretKey));
  const config = { ...ctx.config, approvals: 1 };
  operators = await startOperators({
    ctx: { ...ctx, config, chain: { ...ctx.chain, operations } },
    secrets,
  });
});
afterAll(async () => {
  await operators.close();
  await r.stop();
});

test('a refund that a restored database knows nothing of is not paid a second time', async () => {
  const clerk = operators.by.fulfilment.client;
  const tokens = 380_625n;
  const start = await r.redemptions.gold();
  const { id, transaction } = await r.redemptions.quoted();
  expectStatus(await r.redemptions.submit(id, r.signed(transaction)), 200);
  expect(await r.redemptions.visible(id)).toMatchObject({ status: 'submitted' });
  expect(await r.redemptions.gold()).toEqual({ user: start.user - tokens, escrow: start.escrow + tokens });
  await finalize(r.chain, r.service.ctx);
  await eventually(
    async () => expect(await r.redemptions.row(id)).toMatchObject({ finalized: true }),
    10_000,
  );
  expectStatus(await r.partner.client.post(`/v1/redemptions/${id}/cancel`), 200);
  const cancel = { physical_gold_committed: false };
  expectStatus(await send(clerk, 'POST', `/redemptions/${id}/cancel`, cancel), 200);
  const { db } = r.service.ctx;
  const backup = {
    redemptions: await db.select().from(redemptions),
    history: (await db.select().from(redemptionHistory)).map(({ id: _id, ...move }) => move),
    unfinalized: await db.select().from(unfinalized),
  };

  const refund = () => send(clerk, 'POST', `/redemptions/${id}/refund`);
  const { refund_tx_hash: signature } = expectStatus(await refund(), 200).body;
  await eventually(
    async () =>
      expect(await db.select().from(operatorTransactions)).toMatchObject([
        { status: 'confirmed', txSignature: signature },
      ]),
    10_000,
  );
  expect(await r.redemptions.gold()).toEqual(start);

  await db.delete(operatorTransactions);
  await db.delete(redemptionHistory);
  await db.delete(redemptions);
  await db.insert(redemptions).values(backup.redemptions);
  await db.insert(redemptionHistory).values(backup.history);
  // As a backup is loaded, in which the triggers come last.
  await db.delete(unfinalized);
  expect(backup.unfinalized).toEqual([]);
  expect((await clerk.get(`${operatorBase}/redemptions/${id}`)).body).toMatchObject({
    status: 'cancelled',
    refund_tx_hash: null,
    available_actions: ['refund'],
  });
  expect(await refund()).toMatchObject({
    status: 409,
    body: {
      error: 'transition_not_allowed',
      message: 'The tokens of this redemption are no longer in escrow: they were refunded or burned.',
    },
  });
  expect(await r.redemptions.gold()).toEqual(start);
  expect(await db.select().from(operatorTransactions)).toEqual([]);
}, 60_000);

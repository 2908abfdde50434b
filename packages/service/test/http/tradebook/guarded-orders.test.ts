import { guardProgram, memoProgram } from '@karat/signer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startIndexer } from '../../../src/indexer/index.js';
import { assertAccountInfo, assertSysvarClock, guard, memoryWrite, withGuards } from '../../chain/guarded.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { ordersOf, signatureOf, signedBy } from '../../ordering.js';

/** Orders to which a wallet added guards before it signed them. */

let t: Karat;
let treasury: Treasury;
let indexer: ReturnType<typeof startIndexer>;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
  // The memo program takes what Lighthouse would, and fails what is no text: see actions/sign-guarded.test.ts.
  const memo = t.chain.node.getAccount(memoProgram);
  if (!memo) throw new Error('the node has no memo program');
  t.chain.node.setAccount(guardProgram, memo);
  const quickly = {
    pollMs: 50,
    idlePollMs: 1_000,
    finalAfterMs: 0,
    finalizeMs: 200,
    lapseMs: 300,
    electionMs: 1_000,
  };
  indexer = startIndexer(t.service.ctx, quickly);
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
});

const { purchase, withdrawal, becomes } = ordersOf(() => treasury);

describe('an order with guards', () => {
  test('an order with guards is sent, and its record becomes confirmed', async () => {
    const [bought, taken] = [await purchase(), await withdrawal()];
    const { executive, withdrawal: authority } = treasury;
    const cases = [
      { ...bought, wallet: executive.wallet, path: 'purchases', id: bought.response.body.data.purchaseId },
      { ...taken, wallet: authority.wallet, path: 'withdrawals', id: taken.response.body.data.withdrawalId },
    ];
    for (const { signed, wallet, path, id } of cases) {
      const guards = [guard(assertSysvarClock), guard(assertAccountInfo, [])];
      const guarded = signedBy(withGuards(signed, guards), wallet);
      const { data } = expectStatus(await t.tradebook.submit(guarded), 200).body;
      expect(data.transaction.transactionId).toBe(id);
      expect(await becomes(`${path}/${id}`, 'confirmed')).toMatchObject({ signature: signatureOf(guarded) });
    }
  });

  test('an order whose guard fails moves nothing', async () => {
    const { response, signed } = await purchase();
    const fails = guard(assertSysvarClock, [], [0, 0xff, 0xff]);
    const guarded = signedBy(withGuards(signed, [fails]), treasury.executive.wallet);
    expect(await t.tradebook.submit(guarded)).toMatchObject({
      status: 400,
      body: { error: { code: 'broadcast_failed' } },
    });
    await t.chain.landed(await t.chain.sendStraight(guarded));
    t.chain.node.warp({ slots: 40 });
    const { failureReason } = await becomes(`purchases/${response.body.data.purchaseId}`, 'failed');
    expect(failureReason).toEqual(expect.any(String));
  });

  test('an order with guards is not sent with other calls of the guard program, too many, or accounts they make writable', async () => {
    const { signed } = await purchase();
    const stranger = newWallet().address;
    const cases = [
      [[guard(memoryWrite)], 'is not an accepted assertion'],
      [Array(5).fill(guard(assertSysvarClock)), 'It has 5 guards, at most 4 are allowed'],
      [[guard(assertAccountInfo, [stranger], [0, 1], 1)], `make ${stranger} a signer or writable`],
    ] as const;
    for (const [guards, message] of cases) {
      const guarded = signedBy(withGuards(signed, [...guards]), treasury.executive.wallet);
      expect(await t.tradebook.submit(guarded)).toMatchObject({
        status: 400,
        body: { error: { code: 'transaction_not_supported', message: expect.stringContaining(message) } },
      });
    }
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { emptyRecord, recordTrades } from '../../src/actions/trades/record-trade.js';
import { noFailure } from '../../src/db/failure.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { goldUnits } from '../../src/domain/money.js';
import type { TxSignature } from '../../src/domain/solana.js';
import { Follower } from '../../src/indexer/follower.js';
import { openSource } from '../../src/indexer/open-source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { anyAge, eventually } from '../karat-chain.js';
import { expectStatus, type Redeeming, startRedeeming } from '../redeeming.js';
import { dropping, type LyingNode, listsFinal, neverFinal, startLyingNode } from './lying-node.js';
import { type Settling, settlingOf } from './settling.js';

let r: Redeeming;
let node: LyingNode;
let follower: Follower;
let settler: Settling;
const never = new AbortController().signal;

beforeAll(async () => {
  r = await startRedeeming({
    indexes: false,
    throughNode: async (url) => {
      node = await startLyingNode(url);
      return node.url;
    },
  });
  follower = new Follower(r.service.ctx, openSource(r.service.ctx), { ...defaultTuning, sweepMs: 0 });
  settler = settlingOf(r.service.ctx, follower, { lapseMs: 10 ** 9 });
});
afterEach(() => {
  node.lie = undefined;
  r.chain.node.resume();
});
afterAll(async () => {
  await r.stop();
  await node.close();
});

/** A redemption that landed and was recorded, as the indexer does it. */
async function recorded() {
  const { id, transaction } = await eventually(() => r.quoted(), 10_000);
  const { body } = expectStatus(await r.submit(id, r.signed(transaction)), 200);
  const signature: TxSignature = body.tx_hash;
  const { rpc } = r.service.ctx.chain;
  const slot = await eventually(async () => {
    const { value } = await rpc.getSignatureStatuses([signature], anyAge).send();
    if (!value[0] || value[0].confirmationStatus === 'processed') throw new Error('not confirmed');
    return value[0].slot;
  }, 10_000);
  const redemption = {
    id,
    partnerId: r.partner.partnerId,
    amount: goldUnits(380_625n),
    userWallet: r.user.wallet.address,
    escrowAccount: r.chain.addresses.escrowGold,
    ...noFailure,
  };
  const record = { ...emptyRecord(signature, slot), redemption };
  await recordTrades(r.service.ctx, { records: [record], cursors: [] });
  return { id, signature };
}

const row = (id: Parameters<typeof findRedemption>[1]) => findRedemption(r.service.ctx.db, id);
const reasons = async (signature: string) =>
  (await r.deadLetters()).filter((one) => one.signature === signature).map(({ reason }) => reason);

test('a payment becomes final when its transaction does, and nothing else about it changes', async () => {
  const { id } = await recorded();
  const before = await row(id);
  node.lie = neverFinal;
  r.chain.node.warp({ slots: 40 });
  await settler.round(never);
  expect(before).toMatchObject({ status: 'submitted', finalized: false });
  expect(await row(id)).toEqual(before);
  node.lie = undefined;
  await r.service.ctx.sql`update unfinalized set check_at = 'epoch'`;
  await settler.round(never);
  expect(await row(id)).toEqual({ ...before, finalized: true });
});

test('a payment that the chain dropped is reported to the operators once, and only when it is certain', async () => {
  const { id, signature } = await recorded();
  const before = await row(id);
  node.lie = dropping(signature);
  // However long a step takes, it does not become too old to land.
  r.chain.node.pause();
  r.chain.node.warp({ slots: 100 });
  await follower.round(never);
  await settler.round(never);
  expect(await reasons(signature)).toEqual([]);
  // Now it is too old to land again.
  for (let look = 0; look < 3; look += 1) {
    r.chain.node.warp({ slots: 300 });
    await follower.round(never);
    await settler.round(never);
  }
  expect(await reasons(signature)).toEqual(['vanished']);
  expect(await row(id)).toEqual(before);
});

test('a payment that is final as a failure after all is told to the operators', async () => {
  const { id, signature } = await recorded();
  r.chain.node.warp({ slots: 40 });
  node.lie = async ({ method, params }, ask) => {
    const result = await ask();
    const err = { InstructionError: [3, { Custom: 1 }] };
    if (listsFinal({ method, params }))
      return result.map((line: { signature: string }) =>
        line.signature === signature ? { ...line, err } : line,
      );
    if (method !== 'getSignatureStatuses') return result;
    const failed = (one: object, at: number) => (params[0][at] === signature ? { ...one, err } : one);
    return { ...result, value: result.value.map(failed) };
  };
  await settler.round(never);
  await settler.round(never);
  expect(await reasons(signature)).toEqual(['conflicting_record']);
  expect(await row(id)).toMatchObject({ finalized: false, status: 'submitted' });
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { emptyRecord, recordTrades } from '../../src/actions/record-trade.js';
import { findRedemption } from '../../src/db/redemptions.js';
import { RedemptionSettler } from '../../src/indexer/redemption-settler.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { eventually } from '../karat-chain.js';
import { expectStatus, type Redeeming, startRedeeming } from '../redeeming.js';
import { type Lie, type LyingNode, startLyingNode } from './lying-node.js';

let r: Redeeming;
let node: LyingNode;
let settler: RedemptionSettler;
const never = new AbortController().signal;

beforeAll(async () => {
  r = await startRedeeming({
    indexes: false,
    throughNode: async (url) => {
      node = await startLyingNode(url);
      return node.url;
    },
  });
  settler = new RedemptionSettler(r.service.ctx, { ...defaultTuning, lapseMs: 10 ** 9 });
  await settler.round(never);
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await r.stop();
  await node.close();
});

/** A redemption that landed and was recorded, as the indexer does it. */
async function recorded() {
  const { id, transaction } = await eventually(() => r.quoted(), 10_000);
  const { body } = expectStatus(await r.submit(id, r.signed(transaction)), 200);
  const signature: string = body.tx_hash;
  const { rpc } = r.service.ctx.chain;
  const slot = await eventually(async () => {
    const { value } = await rpc.getSignatureStatuses([signature as never]).send();
    if (value[0]?.confirmationStatus !== 'confirmed') throw new Error('not confirmed');
    return value[0].slot;
  }, 10_000);
  const redemption = {
    id,
    amount: 380_625n,
    userWallet: r.user.wallet.address,
    escrowAccount: r.chain.addresses.escrowGold,
    failureReason: null,
  };
  const record = { ...emptyRecord(signature, slot), redemption };
  await recordTrades(r.service.ctx, { records: [record], cursors: [] });
  return { id, signature };
}

const row = (id: Parameters<typeof findRedemption>[1]) => findRedemption(r.service.ctx.db, id);
const reasons = async (signature: string) =>
  (await r.letters()).filter((one) => one.signature === signature).map(({ reason }) => reason);

/** The node no longer knows a transaction, as after the chain dropped it. */
const forgets =
  (signature: string): Lie =>
  async ({ method, params }, ask) => {
    if (method === 'getTransaction' && params[0] === signature) return null;
    const result = await ask();
    if (method !== 'getSignatureStatuses') return result;
    return {
      ...result,
      value: result.value.map((one: unknown, at: number) => (params[0][at] === signature ? null : one)),
    };
  };

test('a payment becomes final when its transaction does, and nothing else about it changes', async () => {
  const { id } = await recorded();
  const before = await row(id);
  await settler.round(never);
  expect(await row(id)).toEqual(before);
  expect(before).toMatchObject({ status: 'submitted', finalized: false });
  r.chain.node.warp({ slots: 40 });
  await settler.round(never);
  expect(await row(id)).toEqual({ ...before, finalized: true });
});

test('a payment that the chain dropped is told to the operators once, and only when it is certain', async () => {
  const { id, signature } = await recorded();
  const before = await row(id);
  node.lie = forgets(signature);
  for (let round = 0; round < 4; round += 1) await settler.round(never);
  expect(await reasons(signature)).toEqual([]);
  // Now it is too old to land again.
  r.chain.node.warp({ slots: 300 });
  for (let round = 0; round < 4; round += 1) await settler.round(never);
  expect(await reasons(signature)).toEqual(['vanished']);
  expect(await row(id)).toEqual(before);
});

test('a node that has lost sight of a payment for a moment proves nothing', async () => {
  const { id, signature } = await recorded();
  r.chain.node.warp({ slots: 300 });
  node.lie = forgets(signature);
  await settler.round(never);
  await settler.round(never);
  node.lie = undefined;
  await settler.round(never);
  expect(await reasons(signature)).toEqual([]);
  expect(await row(id)).toMatchObject({ finalized: true, status: 'submitted' });
});

test('a payment that is final as a failure after all is told to the operators', async () => {
  const { id, signature } = await recorded();
  r.chain.node.warp({ slots: 40 });
  node.lie = async ({ method, params }, ask) => {
    const result = await ask();
    if (method !== 'getSignatureStatuses') return result;
    const failed = (one: object, at: number) =>
      params[0][at] === signature ? { ...one, err: { InstructionError: [3, { Custom: 1 }] } } : one;
    return { ...result, value: result.value.map(failed) };
  };
  await settler.round(never);
  await settler.round(never);
  expect(await reasons(signature)).toEqual(['conflicting_record']);
  expect(await row(id)).toMatchObject({ finalized: false, status: 'submitted' });
});

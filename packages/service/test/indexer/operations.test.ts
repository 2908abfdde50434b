import { getPauseInstruction, KARAT_PROGRAM_ADDRESS, SettlementMode } from '@karat/program-client';
import type { Instruction, Signature } from '@solana/kit';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { sweepExpiredOperatorTransactions } from '../../src/actions/approvals/sweep-expired-operator-transactions.js';
import { sweepExpiredOrders } from '../../src/actions/orders/sweep-expired-orders.js';
import { operatorTransactions, programEvents } from '../../src/db/schema.js';
import { newUuid, type RedemptionId, type Uuid } from '../../src/domain/ids.js';
import { goldUnits } from '../../src/domain/money.js';
import type { TxSignature } from '../../src/domain/solana.js';
import { anyAge } from '../karat-chain.js';
import { signatureNamed } from '../named-keys.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { dropping } from './lying-node.js';
import { settlingOf } from './settling.js';
import { givenVault, settleRedemption, token, treasuryWithdrawal } from './vault.js';
import { watchedOperatorTransactions } from './watched.js';
import { landed, send } from './world.js';

const f = following();
const nobody = '00000000-0000-0000-0000-000000000000' as Uuid;

beforeAll(async () => {
  const { node, program, goldMint, usdcMint, admin, h } = f.world;
  await node.setTokenBalance(program.escrowAuthority, goldMint, 1_000n * token);
  for (const mint of [goldMint, usdcMint]) await node.setTokenBalance(admin.address, mint, 0n);
  await seedDenominations(h);
});

async function sent(instructions: Instruction[]): Promise<Signature> {
  const signature = await send(f.world, instructions, f.world.admin);
  await landed(f.world, signature);
  return signature;
}

async function seen(instructions: Instruction[]): Promise<Signature> {
  const signature = await sent(instructions);
  await f.catchUp();
  return signature;
}

type Row = typeof operatorTransactions.$inferInsert;

async function givenRow(changes: Partial<Row> & Pick<Row, 'kind'>): Promise<Uuid> {
  const at = new Date(f.ctx.clock.now());
  const id = newUuid();
  const row = { id, lastValidBlockHeight: 10_000_000n, createdAt: at, updatedAt: at, ...changes };
  await f.ctx.db.insert(operatorTransactions).values(row);
  return id;
}

/** A refund or burn of 380,625 base units that waits for the chain. */
async function givenSettlement(kind: 'refund' | 'burn', changes: Partial<Row> = {}): Promise<Uuid> {
  const { trader, h } = f.world;
  const status = kind === 'refund' ? 'cancelled' : 'collected';
  const user = { id: trader.userId, wallet: trader.wallet };
  const redemptionId: RedemptionId = await givenRedemption(h, { partner: trader.partner, user }, { status });
  return givenRow({ kind, redemptionId, amount: goldUnits(380_625n), ...changes });
}

/** What settles the redemption of a row. */
async function settled(mode: SettlementMode, id: Uuid): Promise<Instruction> {
  const redemptionId = (await rowOf(id))?.redemptionId;
  if (!redemptionId) throw new Error(`no settlement ${id}`);
  return settleRedemption(f.world, mode, redemptionId);
}

async function rowOf(id: Uuid) {
  return (await watchedOperatorTransactions(f.ctx)).find((row) => row.id === id);
}

const reasonsOf = async (signature: string) =>
  (await f.reasonsOf(signature)).filter((reason) => !reason.startsWith('sequence_gap'));

describe('gold that leaves escrow', () => {
  test.each([
    ['refund', SettlementMode.Refund],
    ['burn', SettlementMode.Burn],
  ] as const)(
    'by the %s of a redemption confirms it, whichever transaction carried it',
    async (kind, mode) => {
      const id = await givenSettlement(kind, { txSignature: signatureNamed(`sent first ${kind}`) });
      const signature = await seen([await settled(mode, id)]);
      expect(await rowOf(id)).toMatchObject({
        status: 'confirmed',
        txSignature: signature,
        finalized: false,
      });
      expect((await rowOf(id))?.slot).toBeGreaterThan(0n);
      expect(await reasonsOf(signature)).toEqual([]);
      const before = await f.written();
      await f.ctx.sql`delete from indexer_cursors`;
      await f.catchUp();
      expect(await f.written()).toEqual(before);
    },
  );

  test('burned instead of refunded is a dead letter and confirms nothing', async () => {
    const id = await givenSettlement('refund');
    const signature = await seen([await settled(SettlementMode.Burn, id)]);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', txSignature: null, slot: null });
    expect((await f.deadLetterOf(signature, 'settlement_mismatch')).detail).toEqual({
      redemption_id: (await rowOf(id))?.redemptionId,
      mode: 'burn',
      amount: '380625',
      wrong: ['mode'],
      status: 'cancelled',
    });
  });

  test('is refused by the program a second time, and the first stands', async () => {
    const id = await givenSettlement('burn');
    const first = await seen([await settled(SettlementMode.Burn, id)]);
    const second = await seen([await settled(SettlementMode.Burn, id)]);
    expect(await f.ctx.chain.rpc.getSignatureStatuses([second], anyAge).send()).toMatchObject({
      value: [{ err: expect.anything() }],
    });
    expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: first });
    expect(await reasonsOf(second)).toEqual([]);
  });

  test.each([
    ['after it was given up', 'expired'],
    ['although the chain refused it once', 'failed'],
  ] as const)('%s is confirmed all the same', async (_, status) => {
    const failureReason = status === 'failed' ? 'Paused' : null;
    const id = await givenSettlement('burn', { status, failureReason });
    const signature = await seen([await settled(SettlementMode.Burn, id)]);
    expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  });

  test('without a row of its own, as after a restored backup, is recorded', async () => {
    const id = await givenSettlement('refund');
    const instruction = await settled(SettlementMode.Refund, id);
    const redemptionId = (await rowOf(id))?.redemptionId;
    await f.ctx.sql`delete from operator_transactions where id = ${id}`;
    const signature = await seen([instruction]);
    const rows = await f.ctx.db.select().from(operatorTransactions);
    expect(rows.filter((row) => row.redemptionId === redemptionId)).toMatchObject([
      { kind: 'refund', status: 'confirmed', txSignature: signature, amount: 380_625n, operatorId: null },
    ]);
    expect(await reasonsOf(signature)).toEqual([]);
  });

  test('of a redemption that nobody here knows is a dead letter', async () => {
    const id = await givenSettlement('burn');
    const instruction = await settled(SettlementMode.Burn, id);
    const redemptionId = (await rowOf(id))?.redemptionId;
    await f.ctx.sql`delete from operator_transactions where id = ${id}`;
    await f.ctx.sql`delete from redemption_history where redemption_id = ${redemptionId ?? ''}`;
    await f.ctx.sql`delete from redemptions where id = ${redemptionId ?? ''}`;
    const signature = await seen([instruction]);
    expect((await f.deadLetterOf(signature, 'settlement_mismatch')).detail).toMatchObject({
      redemption_id: redemptionId,
      status: null,
    });
  });
});

test('two settlements in one transaction that are both right are both noted', async () => {
  const ids = [await givenSettlement('burn'), await givenSettlement('refund')];
  const [one, two] = ids as [Uuid, Uuid];
  const signature = await seen([
    await settled(SettlementMode.Burn, one),
    await settled(SettlementMode.Refund, two),
  ]);
  for (const id of ids)
    expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  expect(await reasonsOf(signature)).toEqual([]);
});

test('withdrawals of the treasury are known, checked and counted', async () => {
  const signature = await seen([
    await treasuryWithdrawal(f.world, 'gold', 11n),
    await treasuryWithdrawal(f.world, 'usdc', 12n),
  ]);
  const events = (await f.ctx.db.select().from(programEvents)).filter((row) => row.txSignature === signature);
  expect(events).toMatchObject([
    { partnerId: nobody, kind: 23 },
    { partnerId: nobody, kind: 23 },
  ]);
  expect(await reasonsOf(signature)).toEqual([]);
});

describe('what an admin changes', () => {
  const pause = (mask: number) =>
    getPauseInstruction(
      { config: f.world.program.config, authority: f.world.admin, mask },
      { programAddress: KARAT_PROGRAM_ADDRESS },
    );

  test('is confirmed by its signature, or failed by it', async () => {
    // Withdrawals of partners: nothing here makes any, and the pause stays.
    const good = await sent([pause(4)]);
    const bad = await sent([pause(255)]);
    const confirmed = await givenRow({ kind: 'pause', txSignature: good });
    const refused = await givenRow({ kind: 'pause', txSignature: bad });
    const other = await givenRow({ kind: 'pause', txSignature: signatureNamed('never sent') });
    await f.catchUp();
    expect(await rowOf(confirmed)).toMatchObject({ status: 'confirmed', txSignature: good });
    expect(await rowOf(refused)).toMatchObject({
      status: 'failed',
      failureReason: 'InvalidArgument: An argument is outside its allowed values.',
    });
    expect(await rowOf(other)).toMatchObject({ status: 'pending', slot: null });
  });

  test('and handed out unsigned is confirmed by its kind and partner, unless there are two', async () => {
    const { partnerId } = f.world.trader.partner;
    const vault = await givenVault(f.world);
    const executives = [f.world.admin.address];
    const row = await givenRow({ kind: 'update_executives', partnerId });
    const foreign = await givenRow({
      kind: 'update_executives',
      partnerId: (await f.world.h.givenPartner()).partnerId,
    });
    const first = await send(f.world, [vault.executives(executives, [])], vault.signer);
    await landed(f.world, first);
    await f.catchUp();
    expect(await rowOf(row)).toMatchObject({ status: 'confirmed', txSignature: first });
    expect(await rowOf(foreign)).toMatchObject({ status: 'pending', txSignature: null });
    const twins = await Promise.all([1, 2].map(() => givenRow({ kind: 'update_executives', partnerId })));
    const second = await send(f.world, [vault.executives([], executives)], vault.signer);
    await landed(f.world, second);
    await f.catchUp();
    for (const id of twins) expect(await rowOf(id)).toMatchObject({ status: 'pending' });
  });
});

test('what can no longer land expires by two proofs: nobody knows it, and everything up to there is recorded', async () => {
  const { rpc } = f.ctx.chain;
  const known = await sent([await treasuryWithdrawal(f.world, 'gold', 1n)]);
  // What is final lies 31 blocks behind; the rest is for a machine that takes its time.
  const height = (await rpc.getBlockHeight({ commitment: 'confirmed' }).send()) + 100n;
  const lost = await givenSettlement('burn', {
    lastValidBlockHeight: height,
    txSignature: signatureNamed('lost'),
  });
  const onChain = await givenSettlement('burn', { lastValidBlockHeight: height, txSignature: known });
  const unsigned = await givenRow({ kind: 'create_integrator', lastValidBlockHeight: height });
  const follower = f.newFollower({ sweepMs: 0 });
  const settler = settlingOf(f.ctx, follower, { lapseMs: 0 });
  const statuses = async () =>
    Promise.all([lost, onChain, unsigned].map(async (id) => (await rowOf(id))?.status));
  await follower.round(never);
  f.world.node.warp({ slots: 200 });
  await settler.round(never);
  expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
  await follower.round(never);
  await settler.round(never);
  expect(await statuses()).toEqual(['expired', 'pending', 'expired']);
});

test('what can no longer land expires behind any number of older ones that the node knows', async () => {
  const at = new Date(f.ctx.clock.now());
  const common = { kind: 'pause', createdAt: at, updatedAt: at } as const;
  const known = Array.from({ length: 600 }, (_, index) => signatureNamed(`known to the node ${index}`));
  const rows = known.map((txSignature) => ({
    ...{ id: newUuid(), txSignature, lastValidBlockHeight: 1n },
    ...common,
  }));
  await f.ctx.db.insert(operatorTransactions).values(rows);
  const lost = { txSignature: signatureNamed('known to none'), lastValidBlockHeight: 2n };
  const id = await givenRow({ kind: 'pause', ...lost });
  const status = { slot: 1, confirmations: null, err: null, confirmationStatus: 'finalized' };
  f.node.lie = async ({ method, params }, ask) => {
    const answer = await ask();
    if (method !== 'getSignatureStatuses') return answer;
    const value = params[0].map((signature: TxSignature) => (known.includes(signature) ? status : null));
    return { ...answer, value };
  };
  const seen = { slot: 1n, blockHeight: 3n };
  try {
    await sweepExpiredOperatorTransactions(f.ctx, seen, never);
    expect(await rowOf(id)).toMatchObject({ status: 'expired' });
    const older = eq(operatorTransactions.lastValidBlockHeight, 1n);
    const left = await f.ctx.db.select().from(operatorTransactions).where(older);
    expect(left.filter(({ status }) => status === 'pending')).toHaveLength(known.length);
  } finally {
    await f.ctx.db.delete(operatorTransactions).where(eq(operatorTransactions.lastValidBlockHeight, 1n));
  }
});

test('an order does not expire while a transaction of its time is nowhere to be had', async () => {
  await f.catchUp();
  const vault = await givenVault(f.world);
  const order = await vault.order({ lastValidBlockHeight: 1n });
  const other = await sent([await treasuryWithdrawal(f.world, 'gold', 1n)]);
  f.node.lie = async ({ method }, ask) => (method === 'getTransaction' ? null : ask());
  await f.catchUp(f.newFollower({ unavailableAfterMs: 0 }));
  expect(await reasonsOf(other)).toContain('transaction_unavailable');
  const sweep = () => sweepExpiredOrders(f.ctx, { slot: 5_000n, blockHeight: 5_000n });
  expect(await sweep()).toBe(0);
  expect((await f.orderOf(order.id))?.status).toBe('pending_signature');
  await f.ctx.sql`update dead_letters set resolved_at = now()`;
  expect(await sweep()).toBe(1);
});

test('a settlement is looked at until it is final; one that the chain dropped is for people to judge', async () => {
  const [final, dropped] = [await givenSettlement('burn'), await givenSettlement('burn')];
  await seen([await settled(SettlementMode.Burn, final)]);
  const signature = await seen([await settled(SettlementMode.Burn, dropped)]);
  const follower = f.newFollower();
  const settler = settlingOf(f.ctx, follower);
  f.node.lie = dropping(signature);
  f.world.node.warp({ slots: 250 });
  await f.catchUp(follower);
  await settler.round(never);
  expect(await rowOf(final)).toMatchObject({ status: 'confirmed', finalized: true });
  expect(await rowOf(dropped)).toMatchObject({ status: 'confirmed', finalized: false });
  expect((await f.deadLetterOf(signature, 'vanished')).detail).toMatchObject({
    operator_transaction_id: dropped,
    amount: '380625',
  });
});

import {
  getPauseInstruction,
  KARAT_PROGRAM_ADDRESS,
  SettlementMode,
  TREASURY_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import type { Instruction, Signature } from '@solana/kit';
import { ne, TransactionRollbackError } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { sweepExpiredOperatorTransactions } from '../../src/actions/approvals/sweep-expired-operator-transactions.js';
import { findBar, findBarOf } from '../../src/db/bars/bars.js';
import { findEvents } from '../../src/db/events/events.js';
import { findBurn } from '../../src/db/redemptions/burns.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { findSettlement } from '../../src/db/redemptions/settlements.js';
import { operatorTransactions, programEvents, redemptionHistory } from '../../src/db/schema.js';
import { newUuid, type RedemptionId, type Uuid } from '../../src/domain/ids.js';
import { goldUnits } from '../../src/domain/money.js';
import type { RedemptionStatus } from '../../src/domain/redemption.js';
import type { TxSignature } from '../../src/domain/solana.js';
import { checksOfEvents } from '../../src/verify/check-events.js';
import { anyAge } from '../karat-chain.js';
import { signatureNamed } from '../named-keys.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { dropping } from './lying-node.js';
import { burnOf, givenVault, reclaim, settleRedemption, token, treasuryWithdrawal } from './vault.js';
import { watchedOperatorTransactions } from './watched.js';
import { landed, send } from './world.js';

const f = following();
const noPartner = '00000000-0000-0000-0000-000000000000' as Uuid;

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

/** What `karat verify` finds wrong with the events of a redemption. The tests keep the events of others, and not their rows. */
async function misreported(id: RedemptionId): Promise<string[]> {
  const faults: string[] = [];
  const looking = f.ctx.db.transaction(async (tx) => {
    await tx.delete(redemptionHistory).where(ne(redemptionHistory.redemptionId, id));
    await tx.delete(operatorTransactions).where(ne(operatorTransactions.redemptionId, id));
    for (const check of checksOfEvents(tx, new Date(f.ctx.clock.now()))) {
      const records = [await check()].flat().find(({ invariant }) => invariant === 'events_of_records');
      faults.push(...(records?.broken ?? []).map(({ fault }) => fault));
    }
    tx.rollback();
  });
  await expect(looking).rejects.toThrow(TransactionRollbackError);
  return faults;
}

async function rowOf(id: Uuid) {
  return (await watchedOperatorTransactions(f.ctx)).find((row) => row.id === id);
}

describe('operations: gold that leaves escrow', () => {
  test.each([
    ['refund', SettlementMode.Refund],
    ['burn', SettlementMode.Burn],
  ] as const)(
    'operations: the %s of a redemption is confirmed by whichever transaction carried it',
    async (kind, mode) => {
      const id = await givenSettlement(kind, { txSignature: signatureNamed(`sent first ${kind}`) });
      const signature = await seen([await settled(mode, id)]);
      expect(await rowOf(id)).toMatchObject({
        status: 'confirmed',
        txSignature: signature,
        finalized: false,
      });
      expect((await rowOf(id))?.slot).toBeGreaterThan(0n);
      expect(await f.reasonsOf(signature)).toEqual([]);
      const before = await f.written();
      await f.catchUp();
      expect(await f.written()).toEqual(before);
    },
  );

  test('operations: gold that is burned instead of refunded is a dead letter and confirms nothing', async () => {
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

  test('operations: a second settlement is refused by the program, and the first stands', async () => {
    const id = await givenSettlement('burn');
    const first = await seen([await settled(SettlementMode.Burn, id)]);
    const second = await seen([await settled(SettlementMode.Burn, id)]);
    expect(await f.ctx.chain.rpc.getSignatureStatuses([second], anyAge).send()).toMatchObject({
      value: [{ err: expect.anything() }],
    });
    expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: first });
    expect(await f.reasonsOf(second)).toEqual([]);
  });

  test.each(['expired', 'failed'] as const)(
    'operations: a settlement that lands after its row is %s has a row of its own',
    async (status) => {
      const failureReason = status === 'failed' ? 'Paused' : null;
      const id = await givenSettlement('burn', { status, failureReason });
      const before = await rowOf(id);
      const signature = await seen([await settled(SettlementMode.Burn, id)]);
      expect(await rowOf(id)).toEqual(before);
      const rows = await watchedOperatorTransactions(f.ctx);
      expect(rows.filter(({ txSignature }) => txSignature === signature)).toMatchObject([
        { kind: 'burn', status: 'confirmed', redemptionId: before?.redemptionId, operatorId: null },
      ]);
      expect(await f.reasonsOf(signature)).toEqual([]);
    },
  );

  test('operations: a settlement without a row, as after a restored backup, is recorded', async () => {
    const id = await givenSettlement('refund');
    const instruction = await settled(SettlementMode.Refund, id);
    const redemptionId = (await rowOf(id))?.redemptionId;
    await f.ctx.sql`delete from operator_transactions where id = ${id}`;
    const signature = await seen([instruction]);
    const rows = await f.ctx.db.select().from(operatorTransactions);
    expect(rows.filter((row) => row.redemptionId === redemptionId)).toMatchObject([
      { kind: 'refund', status: 'confirmed', txSignature: signature, amount: 380_625n, operatorId: null },
    ]);
    expect(await f.reasonsOf(signature)).toEqual([]);
  });

  test('operations: a settlement of an unknown redemption is a dead letter', async () => {
    const id = await givenSettlement('burn');
    const instruction = await settled(SettlementMode.Burn, id);
    const redemptionId = (await rowOf(id))?.redemptionId;
    // Records and bars are never deleted but here.
    await f.ctx.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`delete from operator_transactions where id = ${id}`;
      await sql`delete from redemption_history where redemption_id = ${redemptionId ?? ''}`;
      await sql`delete from bars where redemption_id = ${redemptionId ?? ''}`;
      await sql`delete from redemptions where id = ${redemptionId ?? ''}`;
    });
    const signature = await seen([instruction]);
    expect((await f.deadLetterOf(signature, 'settlement_mismatch')).detail).toMatchObject({
      redemption_id: redemptionId,
      status: null,
    });
  });
});

describe('operations: burns that are announced', () => {
  const burn = (id: RedemptionId) => findBurn(f.ctx.db, id, new Date(f.ctx.clock.now()));
  const given = (status: RedemptionStatus, more: { bar?: boolean } = {}) => {
    const { trader, h } = f.world;
    const user = { id: trader.userId, wallet: trader.wallet };
    return givenRedemption(h, { partner: trader.partner, user }, { status, ...more });
  };

  test('operations: a burn that others announce, cancel and announce is announced from the last time on', async () => {
    const id = await given('collected');
    const { announce, cancel } = await burnOf(f.world, id);
    await seen([announce]);
    const first = await burn(id);
    expect(first?.dueAt.getTime()).toBeGreaterThan(f.ctx.clock.now() + 86_000_000);
    await seen([cancel]);
    expect(await burn(id)).toBeUndefined();
    f.world.node.warp({ seconds: 60 });
    const signature = await seen([announce, cancel, announce]);
    const last = await burn(id);
    expect(last?.dueAt.getTime()).toBeGreaterThan(first?.dueAt.getTime() ?? 0);
    expect(await f.reasonsOf(signature)).toEqual([]);
    const before = await f.written();
    await f.forgetEverything();
    await f.catchUp();
    expect(await burn(id)).toMatchObject({ dueAt: last?.dueAt });
    expect((await f.written()).events).toHaveLength(before.events.length);
  });

  test.each(['submitted', 'preparing', 'ready', 'cancellation_requested'] as const)(
    'operations: a redemption that is %s and reclaimed is cancelled and refunded, and its bar is in stock',
    async (status) => {
      const id = await given(status, { bar: true });
      const reserved = await findBarOf(f.ctx.db, id);
      expect(reserved?.status).toBe('reserved');
      const before = await misreported(id);
      const signature = await seen([await reclaim(f.world, id)]);
      expect(await misreported(id)).toEqual(before);
      expect(await findRedemption(f.ctx.db, id)).toMatchObject({
        status: 'cancelled',
        cancellationReason: 'reclaimed on chain',
        settled: true,
      });
      expect(await findSettlement(f.ctx.db, id)).toMatchObject({
        ...{ kind: 'refund', status: 'confirmed', txSignature: signature, amount: 380_625n },
      });
      expect(await findBar(f.ctx.db, reserved?.id as Uuid)).toMatchObject({
        ...{ status: 'in_stock', redemptionId: null },
      });
      const { partnerId } = f.world.trader.partner;
      const page = { after: 0n, limit: 10 };
      const types = (await findEvents(f.ctx.db, partnerId, { objectId: id }, page)).map(({ type }) => type);
      expect(types).toEqual(['redemption.refunded']);
      expect(await f.reasonsOf(signature)).toEqual([]);
      const written = await f.written();
      await f.catchUp();
      expect(await f.written()).toEqual(written);
    },
  );

  test('operations: a reclaim after the bar was handed over is recorded, and a dead letter', async () => {
    const id = await given('collected');
    const signature = await seen([await reclaim(f.world, id)]);
    expect(await findRedemption(f.ctx.db, id)).toMatchObject({ status: 'collected', settled: true });
    expect(await findSettlement(f.ctx.db, id)).toMatchObject({ kind: 'refund', status: 'confirmed' });
    expect((await f.deadLetterOf(signature, 'settlement_mismatch')).detail).toMatchObject({
      redemption_id: id,
      wrong: ['status'],
    });
  });
});

test('operations: two settlements in one transaction are both confirmed', async () => {
  const ids = [await givenSettlement('burn'), await givenSettlement('refund')];
  const [one, two] = ids as [Uuid, Uuid];
  const signature = await seen([
    await settled(SettlementMode.Burn, one),
    await settled(SettlementMode.Refund, two),
  ]);
  for (const id of ids)
    expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  expect(await f.reasonsOf(signature)).toEqual([]);
});

test('operations: withdrawals of the treasury leave their events', async () => {
  const signature = await seen([
    await treasuryWithdrawal(f.world, 'gold', 11n),
    await treasuryWithdrawal(f.world, 'usdc', 12n),
  ]);
  const events = (await f.ctx.db.select().from(programEvents)).filter((row) => row.txSignature === signature);
  expect(events).toMatchObject([
    { partnerId: noPartner, kind: TREASURY_WITHDRAW_DISCRIMINATOR },
    { partnerId: noPartner, kind: TREASURY_WITHDRAW_DISCRIMINATOR },
  ]);
  expect(await f.reasonsOf(signature)).toEqual([]);
});

describe('operations: what an admin changes', () => {
  const pause = (mask: number) =>
    getPauseInstruction(
      { config: f.world.program.config, authority: f.world.admin, mask },
      { programAddress: KARAT_PROGRAM_ADDRESS },
    );

  test('operations: a change is confirmed by its signature, and failed by it once that is final', async () => {
    // Withdrawals of partners: nothing here makes any, and the pause stays.
    const good = await sent([pause(4)]);
    const bad = await sent([pause(255)]);
    const confirmed = await givenRow({ kind: 'pause', txSignature: good });
    const refused = await givenRow({ kind: 'pause', txSignature: bad });
    const other = await givenRow({ kind: 'pause', txSignature: signatureNamed('never sent') });
    await f.catchUp();
    expect(await rowOf(confirmed)).toMatchObject({ status: 'confirmed', txSignature: good });
    expect(await rowOf(refused)).toMatchObject({ status: 'pending' });
    await f.catchUpFinal();
    expect(await rowOf(refused)).toMatchObject({
      status: 'failed',
      failureReason: 'InvalidArgument: An argument is outside its allowed values.',
    });
    expect(await rowOf(other)).toMatchObject({ status: 'pending', slot: null });
  });

  test('operations: a change that was handed out unsigned is confirmed by its kind and partner, unless there are two', async () => {
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

test('operations: a change whose row has ended is a dead letter when it lands, and the row stays', async () => {
  const signature = await sent([
    getPauseInstruction(
      { config: f.world.program.config, authority: f.world.admin, mask: 4 },
      { programAddress: KARAT_PROGRAM_ADDRESS },
    ),
  ]);
  const id = await givenRow({ kind: 'pause', txSignature: signature, status: 'expired' });
  await f.catchUp();
  expect(await rowOf(id)).toMatchObject({ status: 'expired', slot: null });
  expect((await f.deadLetterOf(signature, 'conflicting_record')).detail).toMatchObject({
    operator_transaction_id: id,
    status: 'expired',
  });
});

test('operations: a transaction that can no longer land expires once all events are recorded and no node knows it', async () => {
  const known = await sent([await treasuryWithdrawal(f.world, 'gold', 1n)]);
  // What is final lies 31 blocks behind; the rest is for a machine that takes its time.
  const lastValidBlockHeight =
    (await f.ctx.chain.rpc.getBlockHeight({ commitment: 'confirmed' }).send()) + 200n;
  const lost = await givenSettlement('burn', { lastValidBlockHeight, txSignature: signatureNamed('lost') });
  const onChain = await givenSettlement('burn', { lastValidBlockHeight, txSignature: known });
  const unsigned = await givenRow({ kind: 'create_integrator', lastValidBlockHeight });
  const statuses = async () =>
    Promise.all([lost, onChain, unsigned].map(async (id) => (await rowOf(id))?.status));
  const indexing = await f.newIndexing();
  f.world.node.warp({ seconds: 100 });
  // Nothing is recorded yet, and nothing ends.
  await indexing.settle();
  expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
  await f.catchUp(indexing);
  await indexing.settle();
  expect(await statuses()).toEqual(['expired', 'pending', 'expired']);
});

test('operations: a transaction that can no longer land expires behind any number of older ones that the node knows', async () => {
  const at = new Date(f.ctx.clock.now());
  const known = Array.from({ length: 600 }, (_, index) => signatureNamed(`known to the node ${index}`));
  const rows = known.map((txSignature) => ({
    ...{ id: newUuid(), txSignature, lastValidBlockHeight: 1n },
    ...({ kind: 'pause', createdAt: at, updatedAt: at } as const),
  }));
  await f.ctx.db.insert(operatorTransactions).values(rows);
  const lost = { txSignature: signatureNamed('known to none'), lastValidBlockHeight: 2n };
  const id = await givenRow({ kind: 'pause', ...lost });
  const status = { slot: 1, confirmations: null, err: null, confirmationStatus: 'confirmed' };
  f.node.lie = async ({ method, params }, ask) => {
    const response = await ask();
    if (method !== 'getSignatureStatuses') return response;
    const value = params[0].map((signature: TxSignature) => (known.includes(signature) ? status : null));
    return { ...response, value };
  };
  const ends = { height: 3n, now: new Date(f.ctx.clock.now() + 100_000), incomplete: [] };
  const by = { seenSlot: 1n, record: async () => {} };
  expect(await sweepExpiredOperatorTransactions(f.ctx, ends, { ...by, signal: never })).toBe(1);
  expect(await rowOf(id)).toMatchObject({ status: 'expired' });
  await f.ctx.sql`delete from operator_transactions where last_valid_block_height = 1`;
});

test('operations: a settlement is final once all nodes report so, and one that the chain dropped is left to a person', async () => {
  const [final, dropped] = [await givenSettlement('burn'), await givenSettlement('burn')];
  await seen([await settled(SettlementMode.Burn, final)]);
  const signature = await seen([await settled(SettlementMode.Burn, dropped)]);
  f.node.lie = dropping(signature);
  f.world.node.warp({ seconds: 20 });
  await (await f.newIndexing()).settle();
  expect(await rowOf(final)).toMatchObject({ status: 'confirmed', finalized: true });
  expect(await rowOf(dropped)).toMatchObject({ status: 'confirmed', finalized: false });
  expect((await f.deadLetterOf(signature, 'vanished')).detail).toMatchObject({
    operator_transaction_id: dropped,
    amount: '380625',
  });
});

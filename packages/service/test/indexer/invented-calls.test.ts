import {
  type KaratEventArgs,
  MarketState,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SettlementMode,
  TradeSide,
} from '@karat/program-client';
import {
  AccountRole,
  type Address,
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  getBase58Decoder,
  getProgramDerivedAddress,
  type Instruction,
  type RpcTransport,
  type TransactionSigner,
} from '@solana/kit';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { viewTransaction } from '../../src/chain/inspect/transaction-view.js';
import { noKey, tokenAccountOf } from '../../src/chain/program/wallet.js';
import { operatorTransactions, programEvents } from '../../src/db/schema.js';
import {
  newId,
  newUuid,
  type RedemptionId,
  redemptionBytes,
  type Uuid,
  uuidBytes,
  uuidOf,
} from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import { goldUnits } from '../../src/domain/money.js';
import type { Tuning } from '../../src/indexer/tuning.js';
import { kitSigner, newWallet } from '../harness.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import type { Lie } from './lying-node.js';
import { eventCall, type Invoked, transfer } from './scene.js';
import { settlingOf } from './settling.js';
import { twoNodes } from './two-nodes.js';
import { settleRedemption, token } from './vault.js';
import { eventually, landed, memoInstruction, send, tradeInstruction } from './world.js';

const f = following();
const two = twoNodes(f);

beforeAll(async () => {
  const { node, program, goldMint, trader, h } = f.world;
  node.airdrop(trader.user.address, 1_000_000_000n);
  await node.setTokenBalance(program.escrowAuthority, goldMint, 1_000n * token);
  await seedDenominations(h);
});

/** A follower that gives up early what the nodes do not agree on. */
const follower = (tuning: Partial<Tuning> = { unavailableAfterMs: 200, brokenAfterMs: 200 }) =>
  f.newFollower(tuning, two.ctx);

async function stranger(): Promise<TransactionSigner> {
  const signer = await kitSigner(newWallet());
  f.world.node.airdrop(signer.address, 1_000_000_000n);
  return signer;
}

async function sent(instructions: Instruction[], payer: TransactionSigner) {
  const signature = await send(f.world, instructions, payer);
  await landed(f.world, signature);
  return signature;
}

/** A transfer of one lamport, in a transaction that the program's listing shows. */
function harmless(signer: TransactionSigner): Instruction {
  const data = new Uint8Array(12);
  data.set([2, 0, 0, 0, 1]);
  const accounts = [
    { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer },
    { address: f.world.admin.address, role: AccountRole.WRITABLE },
    { address: f.ctx.chain.programAddress, role: AccountRole.READONLY },
  ];
  return { programAddress: noKey, accounts, data };
}

/** A node that calls a transaction a success, in which the instruction at a place of the message made these calls. */
const inventing =
  (signature: string, invoked: Invoked[], index = 0): Lie =>
  async ({ method, params }, ask) => {
    const answer = await ask();
    if (method !== 'getTransaction' || params[0] !== signature || !answer) return answer;
    const { accounts } = viewTransaction(Buffer.from(answer.transaction[0], 'base64'));
    const keys = [...accounts];
    const placeOf = (key: Address) => (keys.includes(key) ? keys.indexOf(key) : keys.push(key) - 1);
    const instructions = invoked.map(({ program, accounts, data, depth }) => ({
      programIdIndex: placeOf(program),
      accounts: accounts.map(placeOf),
      data: getBase58Decoder().decode(data),
      stackHeight: depth,
    }));
    const others = (answer.meta.innerInstructions ?? []).filter(
      (each: { index: number }) => each.index !== index,
    );
    const meta = {
      ...answer.meta,
      err: null,
      innerInstructions: [...others, { index, instructions }],
      loadedAddresses: { writable: keys.slice(accounts.length), readonly: [] },
    };
    return { ...answer, meta };
  };

const invokedBy = ({ programAddress, accounts, data }: Instruction, depth: number): Invoked => ({
  program: programAddress,
  accounts: (accounts ?? []).map(({ address }) => address),
  data: data ?? new Uint8Array(),
  depth,
});

const emptyEvent: Omit<KaratEventArgs, 'kind' | 'id' | 'actor'> = {
  ...{ version: 1, partnerId: new Uint8Array(16), seq: 500n, side: TradeSide.None, feeBps: 0, fee: 0n },
  ...{ amountIn: 0n, amountOut: 0n, price: 0n, exponent: 0, confidence: 0n, publishTime: 0n },
  ...{ marketState: MarketState.Open, counterparty: noKey },
};

/** A refund of 380,625 base units that waits for the chain. */
async function givenRefund(): Promise<{ id: Uuid; redemptionId: RedemptionId }> {
  const { trader, h } = f.world;
  const user = { id: trader.userId, wallet: trader.wallet };
  const redemptionId = await givenRedemption(h, { partner: trader.partner, user }, { status: 'cancelled' });
  const at = new Date(f.ctx.clock.now());
  const id = newUuid();
  const times = { lastValidBlockHeight: 10_000_000n, createdAt: at, updatedAt: at };
  const row = { id, kind: 'refund' as const, redemptionId, amount: goldUnits(380_625n), ...times };
  await f.ctx.db.insert(operatorTransactions).values(row);
  return { id, redemptionId };
}

const statusOf = async (id: Uuid) =>
  (await f.ctx.db.select().from(operatorTransactions).where(eq(operatorTransactions.id, id)))[0]?.status;

/** What the program invokes when it refunds, and its event. */
async function refunding(redemptionId: RedemptionId, operations: Address, depth: number): Promise<Invoked[]> {
  const { program, goldMint, trader } = f.world;
  const to = await tokenAccountOf(trader.wallet.address, goldMint);
  const [amount, id] = [380_625n, redemptionBytes(redemptionId)];
  const amounts = { amountIn: amount, amountOut: amount };
  const event = { ...emptyEvent, ...amounts, kind: SETTLE_REDEMPTION_DISCRIMINATOR, id, actor: operations };
  return [
    transfer([program.escrowGold, goldMint, to, program.escrowAuthority], amount, depth),
    eventCall(event, depth),
  ];
}

/** A refund that another program made, with an address of its own as the key of operations. */
async function relayedRefund(redemptionId: RedemptionId): Promise<Invoked[]> {
  const [own] = await getProgramDerivedAddress({ programAddress: f.world.goldMint, seeds: ['own'] });
  const call = await settleRedemption(
    { ...f.world, admin: { ...f.world.admin, address: own } },
    SettlementMode.Refund,
    redemptionId,
  );
  return [invokedBy(call, 2), ...(await refunding(redemptionId, own, 3))];
}

async function expectNothingRecorded(signature: string): Promise<void> {
  expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable']);
  const events = await f.ctx.db.select().from(programEvents);
  expect(events.filter(({ txSignature }) => txSignature === signature)).toEqual([]);
}

/** A user's transaction with two throwaway keys, and the buy that a program is said to have made in it. */
async function relayedBuy() {
  const { trader, program, usdcMint, goldMint } = f.world;
  const [one, other] = [await kitSigner(newWallet()), await kitSigner(newWallet())];
  const id = newId('trd');
  const [amountIn, amountOut, fee] = [100n * token, 24_267n, 500_000n];
  const signature = await sent(
    [
      harmless(trader.user),
      memoInstruction(formatMemo({ kind: 'buy', id, amount: amountIn }), [trader.user, one, other]),
    ],
    trader.user,
  );
  const call = await tradeInstruction(
    { ...f.world, service: one, trader: { ...trader, partnerWallet: other } },
    { id, amountIn },
  );
  const [usdc, gold] = await Promise.all(
    [usdcMint, goldMint].map((mint) => tokenAccountOf(trader.user.address, mint)),
  );
  if (!usdc || !gold) throw new Error('no token accounts');
  const event: KaratEventArgs = {
    ...emptyEvent,
    ...{ kind: 14, partnerId: uuidBytes(trader.partner.partnerId), id: uuidBytes(uuidOf(id)) },
    ...{ side: TradeSide.Buy, amountIn, amountOut, fee, feeBps: 50, price: 4_100_12000000n, exponent: -8 },
    ...{ actor: trader.user.address, counterparty: other.address },
  };
  const owner = trader.user.address;
  const invoked = [
    invokedBy(call, 2),
    transfer([usdc, usdcMint, program.treasuryUsdc, owner], amountIn - fee, 3),
    transfer([usdc, usdcMint, program.feeUsdc, owner], fee, 3),
    transfer([program.treasuryGold, goldMint, gold, program.treasuryAuthority], amountOut, 3),
    eventCall(event, 3),
  ];
  return { id, lie: inventing(signature, invoked), signature };
}

describe('what one node of two alone says that the program did', () => {
  test('a relayed trade is no record', async () => {
    const { id, lie, signature } = await relayedBuy();
    f.node.lie = lie;
    await f.catchUp(follower());
    expect(await f.tradeOf(id)).toBeUndefined();
    await expectNothingRecorded(signature);
  });

  test('a relayed refund is no refund', async () => {
    const refund = await givenRefund();
    const signer = await stranger();
    const signature = await sent([harmless(signer)], signer);
    f.node.lie = inventing(signature, await relayedRefund(refund.redemptionId));
    await f.catchUp(follower());
    expect(await statusOf(refund.id)).toBe('pending');
    await expectNothingRecorded(signature);
  });

  test('a refund that a stranger signed and the program refused is no refund', async () => {
    const refund = await givenRefund();
    const signer = await stranger();
    const call = await settleRedemption(
      { ...f.world, admin: signer as never },
      SettlementMode.Refund,
      refund.redemptionId,
    );
    const signature = await sent([call], signer);
    f.node.lie = inventing(signature, await refunding(refund.redemptionId, signer.address, 2));
    await f.catchUp(follower());
    expect(await statusOf(refund.id)).toBe('pending');
    await expectNothingRecorded(signature);
  });

  test('a refund below a trade that is written again is no refund, and the trade waits for the truth', async () => {
    const refund = await givenRefund();
    const { id, signature } = await f.trade();
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      const isIt = method === 'getTransaction' && params[0] === signature && answer;
      return isIt ? { ...answer, slot: answer.slot + 1 } : answer;
    };
    const following = await f.catchUp(follower());
    const slot = (await f.tradeOf(id))?.slot;
    await landed(f.world, signature, 'finalized');
    const calls = f.node.calls.get('getTransaction') ?? 0;
    const invoked = await relayedRefund(refund.redemptionId);
    f.node.lie = inventing(signature, invoked, 1);
    const settling = settlingOf(two.ctx, following);
    await eventually(async () => {
      await settling.round(never);
      return (f.node.calls.get('getTransaction') ?? 0) > calls || undefined;
    });
    expect(await statusOf(refund.id)).toBe('pending');
    expect((await f.tradeOf(id))?.slot).toBe(slot);
    f.node.lie = undefined;
    await f.ctx.sql`update unfinalized set check_at = 'epoch'`;
    await eventually(async () => {
      await settling.round(never);
      return (await f.tradeOf(id))?.slot !== slot || undefined;
    });
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', finalized: true });
    expect(await statusOf(refund.id)).toBe('pending');
  });
});

describe('what two nodes say that the program did', () => {
  test('is recorded, a relayed trade like any other', async () => {
    const { id, lie, signature } = await relayedBuy();
    f.node.lie = lie;
    two.second.lie = lie;
    await f.catchUp(follower());
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  });

  test('is recorded once they have ceased to contradict each other', async () => {
    const { id, lie } = await relayedBuy();
    f.node.lie = lie;
    const following = follower({});
    for (let round = 0; round < 3; round += 1) await following.round(never);
    expect(await f.tradeOf(id)).toBeUndefined();
    two.second.lie = lie;
    await f.catchUp(following);
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
  });

  test('is recorded after it had become a dead letter', async () => {
    const refund = await givenRefund();
    const signer = await stranger();
    const signature = await sent([harmless(signer)], signer);
    const lie = inventing(signature, await relayedRefund(refund.redemptionId));
    f.node.lie = lie;
    const following = await f.catchUp(follower());
    await expectNothingRecorded(signature);
    two.second.lie = lie;
    await settlingOf(two.ctx, following, { retryDeadLettersMs: 0 }).round(never);
    expect(await statusOf(refund.id)).toBe('confirmed');
  });

  test('waits for a silent node, and what the service signed does not wait with it', async () => {
    let speak = () => {};
    let silence: Promise<void> | undefined;
    // However long the second node is silent: a round that waited for it would never end.
    const transport = createDefaultRpcTransport({ url: two.second.url });
    const silent: RpcTransport = async (request) => {
      if ((request.payload as { method: string }).method === 'getTransaction') await silence;
      return transport(request);
    };
    const witnesses = [...two.ctx.chain.witnesses.slice(0, 1), createSolanaRpcFromTransport(silent)];
    const chain = { ...two.ctx.chain, witnesses };
    const refund = await givenRefund();
    const call = await settleRedemption(f.world, SettlementMode.Refund, refund.redemptionId);
    await f.world.node.setTokenBalance(f.world.trader.wallet.address, f.world.goldMint, 1_000n * token);
    const following = await f.catchUp(f.newFollower({}, { ...two.ctx, chain }));
    const refunded = await sent([call], f.world.admin);
    silence = new Promise((resolve) => {
      speak = resolve;
    });
    const { id } = await f.trade();
    await eventually(async () => {
      await following.round(never);
      return await f.tradeOf(id);
    });
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await statusOf(refund.id)).toBe('pending');
    speak();
    await f.catchUp(following);
    expect(await statusOf(refund.id)).toBe('confirmed');
    expect(await f.reasonsOf(refunded)).not.toContain('transaction_unavailable');
  });
});

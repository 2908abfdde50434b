import {
  fetchConfig,
  fetchIntegrator,
  getAcceptAdminInstruction,
  getPauseInstruction,
  getProposeAdminInstruction,
  getResumeInstruction,
  getRotateAccountsInstruction,
  getSetMarketInstruction,
  getUpdateConfigInstruction,
  getUpdateIntegratorInstruction,
  IntegratorStatus,
  KARAT_PROGRAM_ADDRESS,
  MarketState,
  SettlementMode,
} from '@karat/program-client';
import type { Instruction, Signature } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { sandboxSettings } from '../../../sandbox/src/own-chain.js';
import { noKey } from '../../src/chain/program/wallet.js';
import { forgetTreasuryMovements } from '../../src/db/indexing/keep-effects.js';
import { indexerCursors, programEvents, treasuryMovements } from '../../src/db/schema.js';
import { newId } from '../../src/domain/ids.js';
import { newWallet } from '../harness.js';
import { following, never } from './following.js';
import {
  attestation,
  givenVault,
  mintGold,
  redemption,
  settleRedemption,
  sweep,
  token,
  treasuryWithdrawal,
  type Vault,
} from './vault.js';
import { landed, send, sendTrade } from './world.js';

const f = following();
let vault: Vault;
/** A batch of one takes many rounds, on a machine that may be busy. */
const slow = 120_000;
beforeAll(async () => {
  vault = await givenVault(f.world);
  await f.world.node.setTokenBalance(f.world.program.escrowAuthority, f.world.goldMint, 100n * token);
});

async function sent(instructions: Instruction[], payer = f.world.admin): Promise<Signature> {
  const signature = await send(f.world, instructions, payer);
  await landed(f.world, signature);
  return signature;
}

async function movementsOf(signature: string) {
  const rows = await f.ctx.db.select().from(treasuryMovements);
  return Object.fromEntries(
    rows
      .filter(({ txSignature }) => txSignature === signature)
      .map(({ role, change, due, byAdmin }) => [
        role,
        { change, due, ...(byAdmin === 0n ? {} : { byAdmin }) },
      ]),
  );
}

test('what every kind of transaction moves of the treasury is kept, and how much of that is due to a record', async () => {
  const all = (change: bigint) => ({ change, due: change });
  const buy = await f.trade();
  const sell = await f.trade({ side: 'sell', amountIn: 2_000_000n });
  const failed = await f.trade({ minAmountOut: 10n ** 12n });
  const unread = await f.trade({ memo: null });
  const purchase = await sent(
    [vault.purchase(token, 5_000n * token), vault.withdrawal('usdc', 5n)],
    vault.signer,
  );
  const sale = await sent([vault.sale(token, 1n)], vault.signer);
  const id = newId('red');
  const paid = await sent([await redemption(f.world, id, 7n)]);
  const burned = await sent([
    await settleRedemption(f.world, SettlementMode.Burn, id, f.world.service.address),
  ]);
  const withdrawn = await sent([await treasuryWithdrawal(f.world, 'gold', 11n), sweep(f.world, 1n)]);
  const collected = await sent([await treasuryWithdrawal(f.world, 'fees', 17n)]);
  const minted = await sent([await mintGold(f.world, 13n)]);
  await f.catchUp();
  const bought = {
    treasury_usdc: all(99_500_000n),
    fee_usdc: all(500_000n),
    treasury_gold: all(-24_267n),
  };
  expect(await movementsOf(buy.signature)).toEqual(bought);
  expect(await movementsOf(unread.signature)).toEqual(bought);
  expect(await movementsOf(sell.signature)).toEqual({
    treasury_usdc: all(-8_200_240_000n),
    fee_usdc: all(41_001_200n),
    treasury_gold: all(2_000_000n),
  });
  expect(await movementsOf(failed.signature)).toEqual({});
  expect(await movementsOf(purchase)).toEqual({
    treasury_usdc: all(4_120_723_619n - 20_603_619n),
    fee_usdc: all(20_603_619n),
    treasury_gold: all(-1_000_000n),
  });
  expect(await movementsOf(sale)).toMatchObject({ treasury_gold: all(1_000_000n) });
  expect(await movementsOf(paid)).toEqual({ escrow_gold: all(7n) });
  expect(await movementsOf(burned)).toEqual({ escrow_gold: all(-7n) });
  expect(await movementsOf(minted)).toEqual({ treasury_gold: { change: 13n, due: 0n, byAdmin: 13n } });
  expect(await movementsOf(collected)).toEqual({ fee_usdc: { change: -17n, due: 0n, byAdmin: -17n } });
  expect(await movementsOf(withdrawn)).toEqual({
    treasury_gold: { change: -10n, due: 0n, byAdmin: -10n },
    escrow_gold: { change: -1n, due: 0n, byAdmin: -1n },
  });
});

test('events of every kind of the program are read', async () => {
  const { admin, program, trader } = f.world;
  const target = { programAddress: KARAT_PROGRAM_ADDRESS };
  const { config, treasuryUsdc, treasuryGold, feeUsdc } = program;
  const executive = newWallet().address;
  const settings = { ...(await sandboxSettings()), maxAgeOpen: 300 };
  const serviceSigners = [f.world.service.address, noKey];
  const { rpc } = f.world.seeder;
  const { seq } = (await fetchConfig(rpc, config, { commitment: 'confirmed' })).data;
  const { data } = await fetchIntegrator(rpc, trader.integrator, { commitment: 'confirmed' });
  await sent([
    getUpdateConfigInstruction(
      { config, admin, expectedSeq: seq, guardian: admin.address, serviceSigners, ...settings },
      target,
    ),
    getPauseInstruction({ config, authority: admin, mask: 1 }, target),
    getResumeInstruction({ config, admin, mask: 1, expectedSeq: seq + 2n }, target),
    getSetMarketInstruction({ config, authority: admin, marketState: MarketState.Open }, target),
    getRotateAccountsInstruction(
      { config, admin, treasuryUsdc, treasuryGold, feeUsdc, expectedSeq: seq + 4n },
      target,
    ),
  ]);
  await sent([
    getProposeAdminInstruction({ config, admin, newAdmin: admin.address }, target),
    getAcceptAdminInstruction({ config, pendingAdmin: admin }, target),
    getUpdateIntegratorInstruction(
      {
        ...{ authority: admin, config, integrator: trader.integrator, expectedTermsSeq: data.termsSeq },
        ...{ status: IntegratorStatus.Active, openFeeBps: 50, closedFeeBps: 100, dailyLimitUsdc: 0n },
      },
      target,
    ),
  ]);
  await sent([vault.executives([executive], [])], vault.signer);
  await sent([vault.executives([], [executive])], vault.signer);
  await sent([vault.withdrawal('gold', 5n)], vault.signer);
  f.world.node.warp({ seconds: 60 });
  await sent([await attestation(f.world, 10n ** 15n)]);
  await f.catchUp();
  const kinds = (await f.ctx.db.select().from(programEvents)).map(({ kind }) => kind);
  // Those of the other tests of this file are among them: buy, sell, purchase, sale, treasury and escrow.
  expect([...new Set(kinds)].sort((a, b) => a - b)).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26,
  ]);
  const reasons = (await f.written()).deadLetters.map(({ reason }) => reason);
  expect([...new Set(reasons)].sort()).toEqual(['memo_missing', 'redemption_unknown', 'settlement_mismatch']);
});

describe('a new leader', () => {
  const sweeps = ({ method, params }: { method: string; params: { minContextSlot?: number }[] }) =>
    method === 'getSignaturesForAddress' && params[1]?.minContextSlot !== undefined;

  test('records what is new before it reads the overlap, without moving a cursor', async () => {
    await f.catchUp();
    const before = await f.ctx.db.select().from(indexerCursors);
    const news = await f.trade();
    f.node.lie = async (call, ask) => {
      if (sweeps(call)) throw new Error('the node is slow');
      return ask();
    };
    await expect(f.newFollower().round(never)).rejects.toThrow();
    expect(await f.tradeOf(news.id)).toMatchObject({ status: 'confirmed' });
    expect(await f.ctx.db.select().from(indexerCursors)).toEqual(before);
    f.node.lie = undefined;
    await f.catchUp();
    expect(await f.cursorSlot()).toBeGreaterThanOrEqual((await f.tradeOf(news.id))?.slot ?? 0n);
  });

  test('fetches nothing again that is recorded, and all that is not', async () => {
    const [kept, lost] = [await f.trade(), await f.trade()];
    await f.trade();
    await f.catchUp();
    await f.ctx.sql`delete from trades where tx_signature = ${lost.signature}`;
    await f.ctx.db.transaction((tx) => forgetTreasuryMovements(tx, lost.signature));
    const fetched: string[] = [];
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction') fetched.push(params[0]);
      return ask();
    };
    await f.catchUp();
    expect(fetched).toContain(lost.signature);
    expect(fetched).not.toContain(kept.signature);
    expect(await f.tradeOf(lost.id)).toBeDefined();
  });

  test(
    'looks for news again before a long overlap is read to its end; the cursors wait for that',
    async () => {
      // Two rounds take four of the overlap each.
      for (let count = 0; count < 9; count += 1)
        await sendTrade(f.world, { amountIn: BigInt(6_000_000 + count) });
      await f.trade();
      await f.catchUp();
      const cursor = await f.cursorSlot();
      // Nothing is known of the overlap, as if the leader before had not recorded it.
      await f.ctx.sql`truncate trades, unfinalized`;
      await f.ctx.sql`delete from chain_effects where seq is null`;
      await f.ctx.sql`update chain_effects set changes = null, dues = null, by_admin = null, dust = null`;
      const follower = f.newFollower({ batchSize: 1, overlapSlots: 10_000n });
      const { waiting } = await follower.round(never);
      expect(waiting).toBeGreaterThan(0);
      const news = await f.trade();
      await follower.round(never);
      expect(await f.tradeOf(news.id)).toBeDefined();
      const held = await f.cursorSlot();
      expect(held).toBeLessThan((await f.tradeOf(news.id))?.slot ?? 0n);
      await f.catchUp(follower);
      expect(await f.cursorSlot()).toBeGreaterThan(held);
      expect(cursor).toBeLessThanOrEqual(held);
      expect((await f.written()).trades.length).toBeGreaterThan(5);
    },
    slow,
  );

  test('says how far it has seen only when everything up to there is recorded, with the treasury accounts', async () => {
    const { program } = f.world;
    const sentFirst = await f.trade();
    f.world.node.warp({ slots: 40 });
    f.node.lie = async ({ method, params }, ask) =>
      method === 'getTransaction' && params[0] === sentFirst.signature ? null : ask();
    const follower = f.newFollower();
    await follower.round(never);
    expect(follower.seen()).toBeUndefined();
    f.node.lie = undefined;
    await f.catchUp(follower);
    const seen = follower.seen();
    expect(seen?.slot).toBeGreaterThanOrEqual((await f.tradeOf(sentFirst.id))?.slot ?? 0n);
    expect([...(seen?.accounts ?? [])].sort()).toEqual(
      [program.treasuryUsdc, program.treasuryGold, program.feeUsdc, program.escrowGold].sort(),
    );
  });

  test('believes no treasury account as a signer', async () => {
    const follower = await f.catchUp();
    const { service, program } = f.world;
    expect([...follower.view().trustedSigners(2n ** 60n)]).toEqual([service.address]);
    // Also one that is no longer a treasury account.
    await f.ctx
      .sql`insert into indexer_cursors (address, signature, slot, updated_at, treasury) values (${program.config}, 'x', 1, now(), true)`;
    const next = f.newFollower();
    await next.round(never).catch(() => {});
    expect([...next.view().trustedSigners(2n ** 60n)]).toEqual([service.address]);
  });
});

import {
  APPLY_AUTHORITY_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  CLOSE_RECEIPT_DISCRIMINATOR,
  fetchConfig,
  fetchIntegrator,
  getAcceptAdminInstruction,
  getApplySettingsInstructionAsync,
  getCancelAdminInstructionAsync,
  getCancelSettingsInstructionAsync,
  getFreezeAccountInstructionAsync,
  getPauseInstruction,
  getProposeAdminInstructionAsync,
  getProposeSettingsInstructionAsync,
  getReplaceKeyInstruction,
  getResumeInstruction,
  getRotateAccountsInstruction,
  getSetMarketInstruction,
  getSuspendIntegratorInstruction,
  getThawAccountInstructionAsync,
  getUpdateIntegratorInstruction,
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  HotKeyRole,
  IntegratorStatus,
  KARAT_PROGRAM_ADDRESS,
  MarketState,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  SettlementMode,
} from '@karat/program-client';
import type { Instruction, Signature } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { beforeAll, describe, expect, test } from 'vitest';
import { goldOf, tokenAccountOf, tokenOf } from '../../src/chain/program/token-accounts.js';
import { noLimit } from '../../src/chain/program/window.js';
import { programEvents, treasuryMovements } from '../../src/db/schema.js';
import { newId } from '../../src/domain/ids.js';
import { Deposits } from '../../src/indexer/deposits.js';
import { newWallet } from '../harness.js';
import { following, never } from './following.js';
import {
  attestation,
  burnOf,
  givenVault,
  mintGold,
  reclaim,
  redemption,
  settleRedemption,
  sweep,
  token,
  treasuryWithdrawal,
  type Vault,
} from './vault.js';
import { landed, send } from './world.js';

const f = following();
const target = { programAddress: KARAT_PROGRAM_ADDRESS };
let vault: Vault;
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

test('treasury movements: what every kind of transaction moves is recorded, and how much of that is due to a record', async () => {
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

test('treasury movements: events of every kind of the program are recorded without a gap', async () => {
  const { admin, operations, program, trader, node, chain } = f.world;
  const { config, treasuryUsdc, treasuryGold, feeUsdc } = program;
  const { rpc } = chain.seeder;
  // What an account of the program takes a day for otherwise, and a freeze.
  const settings = { ...chain.settings, maxAgeOpen: 1_000_000, freezeEnabled: 1 };
  await chain.changeSettings({ ...settings, compliance: admin.address });
  const { data } = await fetchConfig(rpc, config, { commitment: 'confirmed' });
  const { data: integrator } = await fetchIntegrator(rpc, trader.integrator, { commitment: 'confirmed' });
  const proposed = { ...settings, maxAgeOpen: 300 };
  const proposal = { payer: admin, admin, settings: proposed, expectedSettingsSeq: data.settingsSeq };
  const propose = await getProposeSettingsInstructionAsync(proposal, target);
  const rentPayer = admin.address;
  await sent([propose, await getCancelSettingsInstructionAsync({ authority: admin, rentPayer }, target)]);
  await sent([
    propose,
    await getProposeAdminInstructionAsync({ admin, newAdmin: newWallet().address }, target),
    await getCancelAdminInstructionAsync({ authority: admin }, target),
    await getProposeAdminInstructionAsync({ admin, newAdmin: operations.address }, target),
  ]);
  await sent([
    getPauseInstruction({ config, authority: admin, mask: 1 }, target),
    getResumeInstruction({ config, admin, mask: 1, expectedPauseSeq: data.pauseSeq + 1n }, target),
    getSetMarketInstruction({ config, authority: admin, marketState: MarketState.Closed }, target),
    getSetMarketInstruction({ config, authority: admin, marketState: MarketState.Open }, target),
    getReplaceKeyInstruction(
      { config, admin, role: HotKeyRole.Market, old: data.hotKeys.market, new: newWallet().address },
      target,
    ),
    getRotateAccountsInstruction(
      { config, admin, treasuryUsdc, treasuryGold, feeUsdc, expectedSettingsSeq: data.settingsSeq + 1n },
      target,
    ),
  ]);
  await sent([
    getSuspendIntegratorInstruction({ authority: admin, config, integrator: trader.integrator }, target),
    getUpdateIntegratorInstruction(
      {
        ...{ authority: admin, config, integrator: trader.integrator },
        ...{ status: IntegratorStatus.Active, openFeeBps: 50, closedFeeBps: 100 },
        ...{ dailyLimitUsdc: noLimit, expectedTermsSeq: integrator.termsSeq + 1 },
      },
      target,
    ),
  ]);
  const executive = newWallet().address;
  await sent([vault.executives([executive], [])], vault.signer);
  await sent([vault.executives([], [executive])], vault.signer);
  await sent([vault.withdrawal('gold', 5n)], vault.signer);
  const id = newId('red');
  await sent([await redemption(f.world, id, 9n)]);
  const burn = await burnOf(f.world, id);
  await sent([burn.announce, burn.cancel]);
  await sent([await reclaim(f.world, id, f.world.service.address)]);
  const frozen = {
    account: tokenAccountOf(trader.user.address, goldOf(f.world)),
    goldMint: f.world.goldMint,
  };
  const { treasuryAuthority } = program;
  const reasonHash = new Uint8Array(32).fill(1);
  await sent([
    await getFreezeAccountInstructionAsync(
      { ...frozen, compliance: admin, owner: trader.user.address, treasuryAuthority, reasonHash },
      target,
    ),
    await getThawAccountInstructionAsync({ ...frozen, authority: admin, treasuryAuthority }, target),
  ]);
  await sent([await attestation(f.world, 10n ** 15n)]);
  node.warp({ seconds: 86_500 });
  await sent([
    getAcceptAdminInstruction({ config, newAdmin: operations }, target),
    await getApplySettingsInstructionAsync({ rentPayer }, target),
  ]);
  await chain.changeSettings(settings);
  node.warp({ slots: 40 });
  const { incomplete } = await (await f.catchUp()).complete();
  expect([...incomplete]).toEqual([]);
  const kinds = (await f.ctx.db.select().from(programEvents)).map(({ kind }) => kind);
  // Those of the other tests of this file are among them: buy, sell, purchase, sale, treasury and escrow.
  const withoutAuthorities = Array.from({ length: 37 }, (_, kind) => kind).filter(
    (kind) => kind !== CLOSE_RECEIPT_DISCRIMINATOR && !ofAuthorities.includes(kind),
  );
  expect([...new Set(kinds)].sort((one, other) => one - other)).toEqual(withoutAuthorities);
  const reasons = (await f.written()).deadLetters.map(({ reason }) => reason);
  expect([...new Set(reasons)].sort()).toEqual(['memo_missing', 'redemption_unknown', 'settlement_mismatch']);
});

/** Those have a file of their own. */
const ofAuthorities = [
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
];

/** A transfer into a treasury account that names neither the program nor anything of the service. */
async function deposited(account: 'treasuryUsdc' | 'treasuryGold', amount: bigint): Promise<Signature> {
  const { trader, program, usdcMint, goldMint } = f.world;
  const mint = account === 'treasuryUsdc' ? usdcMint : goldMint;
  const { program: programAddress } = tokenOf(mint, f.world);
  const source = tokenAccountOf(trader.user.address, tokenOf(mint, f.world));
  const accounts = { source, mint, destination: program[account], authority: trader.user };
  const transfer = { ...accounts, amount, decimals: 6 };
  return sent([getTransferCheckedInstruction(transfer, { programAddress })]);
}

describe('deposits: what reaches the treasury past the program', () => {
  const mismatch = () => [{ account: f.world.program.treasuryUsdc, agreedSlot: 0n }];

  test('deposits: a transfer past the program is recorded once the account is listed, and fetched once', async () => {
    const { signature: traded } = await f.trade();
    const signature = await deposited('treasuryUsdc', 5_000_000n);
    await f.catchUp();
    expect(await movementsOf(signature)).toEqual({});
    const deposits = new Deposits(f.ctx);
    const fetched: string[] = [];
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction') fetched.push(params[0]);
      return ask();
    };
    await deposits.record(mismatch(), never);
    expect(await movementsOf(signature)).toEqual({ treasury_usdc: { change: 5_000_000n, due: 0n } });
    expect(fetched).toContain(signature);
    expect(fetched).not.toContain(traded);
    await deposits.record(mismatch(), never);
    expect(fetched.filter((each) => each === signature)).toHaveLength(1);
    expect(await f.reasonsOf(signature)).toEqual([]);
  });

  test('deposits: a transfer that the node lists before it has it is recorded by the next call', async () => {
    const signature = await deposited('treasuryUsdc', 6_000_000n);
    f.world.node.warp({ slots: 400 });
    const later = [await deposited('treasuryUsdc', 7_000_000n), await deposited('treasuryUsdc', 8_000_000n)];
    const deposits = new Deposits(f.ctx);
    // Pages are short, so that those that came later are on one of their own.
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method === 'getSignaturesForAddress') return response.slice(0, 2);
      return method === 'getTransaction' && params[0] === signature ? null : response;
    };
    await deposits.record(mismatch(), never);
    for (const each of later) expect(await movementsOf(each)).not.toEqual({});
    expect(await movementsOf(signature)).toEqual({});
    f.node.lie = undefined;
    await deposits.record(mismatch(), never);
    expect(await movementsOf(signature)).toEqual({ treasury_usdc: { change: 6_000_000n, due: 0n } });
  });

  test('deposits: small transfers of one sender are one dead letter of dust a day', async () => {
    const signatures = [await deposited('treasuryUsdc', 1n), await deposited('treasuryUsdc', 2n)];
    await f.catchUp();
    await new Deposits(f.ctx).record(mismatch(), never);
    const dust = (await f.written()).deadLetters.filter(({ reason }) => reason === 'dust');
    expect(dust).toMatchObject([
      { detail: { sender: f.world.admin.address, transactions: 2, amounts: { treasury_usdc: '3' } } },
    ]);
    for (const signature of signatures)
      expect(Object.keys(await movementsOf(signature))).toEqual(['treasury_usdc']);
  });

  test('deposits: gold beside a trade is a movement that nothing is due for, and the trade stays', async () => {
    const { trader, program, goldMint } = f.world;
    const source = tokenAccountOf(trader.user.address, goldOf(f.world));
    const accounts = { source, mint: goldMint, destination: program.escrowGold, authority: trader.user };
    const transfer = { ...accounts, amount: 1_000n, decimals: 6 };
    const { program: programAddress } = goldOf(f.world);
    const more = [getTransferCheckedInstruction(transfer, { programAddress })];
    const { id, signature } = await f.trade({ more });
    await f.catchUp();
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await movementsOf(signature)).toMatchObject({ escrow_gold: { change: 1_000n, due: 0n } });
    expect((await f.deadLetterOf(signature, 'escrow_unmatched')).detail).toEqual({ amount: '1000' });
  });
});

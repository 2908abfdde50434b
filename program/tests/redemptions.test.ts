import { findRedemptionPda, SettlementMode } from '@karat/program-client';
import { type Address, lamports } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  DAY,
  NOW,
  ONE,
  type Outcome,
  plainEvent,
  REDEMPTION_ID,
  type Scenario,
  signer,
  ZERO_ADDRESS,
} from './fixture.js';
import {
  announceBurnRefusals,
  cancelBurnRefusals,
  reclaimRedemptionRefusals,
  redeemRefusals,
  settleRedemptionRefusals,
  sweepEscrowRefusals,
  withRedemption,
} from './refusals/redemptions.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { balances, changes } from './trades.js';

const chain = sharedScenario();
const opened = withRedemption(chain);
/** The redemption is open, and no burn of it is announced. */
const refundable = async (): Promise<Scenario> => {
  const scenario = await opened();
  scenario.setRedemption({ burnReadyAt: 0n, wasAnnounced: 0 });
  return scenario;
};
const otherId = new Uint8Array(16).fill(3);

function goldSupply(scenario: Scenario): bigint {
  return getMintDecoder().decode(scenario.account(scenario.at.goldMint).data).supply;
}

/** That one event reports the move, counted in the config. */
function expectEvent(
  scenario: Scenario,
  { events }: Outcome,
  wanted: {
    kind: number;
    partnerId?: Uint8Array;
    id?: Uint8Array;
    amountOut?: bigint;
    actor: Address;
    counterparty: Address;
  },
): void {
  expect(events).toHaveLength(1);
  const { partnerId = new Uint8Array(16), id = new Uint8Array(16), ...rest } = wanted;
  expect(plainEvent(events[0])).toEqual({
    version: 1,
    partnerId: [...partnerId],
    seq: scenario.config().seq,
    side: 0,
    amountIn: ONE,
    amountOut: ONE,
    fee: 0n,
    feeBps: 0,
    price: 0n,
    exponent: 0,
    confidence: 0n,
    publishTime: 0n,
    id: [...id],
    marketState: 0,
    ...rest,
  });
}

describe('redeem', () => {
  test('redeem takes the gold into escrow and records whose it is', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const before = balances(scenario);
    const { seq, ...config } = scenario.config();
    const outcome = scenario.mustSend([scenario.redeem()]);
    expect(changes(scenario, before)).toEqual({ userGold: -ONE });
    expect(scenario.balance(at.escrowGold)).toBe(21n * ONE);
    const { id, partnerId, ...redemption } = scenario.redemption();
    expect([[...id], [...partnerId]]).toEqual([[...REDEMPTION_ID], [...at.partnerId]]);
    const [, bump] = await findRedemptionPda({ id });
    expect(redemption).toMatchObject({
      kind: 3,
      version: 1,
      bump,
      user: at.user,
      rentPayer: at.payer,
      amount: ONE,
      openedAt: NOW,
      reclaimableAt: NOW + 30n * BigInt(DAY),
      burnReadyAt: 0n,
      wasAnnounced: 0,
    });
    expect(scenario.config()).toEqual({ ...config, escrowOpen: ONE, seq: seq + 1n });
    const { partnerId: partner } = at;
    expectEvent(scenario, outcome, {
      kind: 26,
      partnerId: partner,
      id: REDEMPTION_ID,
      actor: at.user,
      counterparty: at.escrow,
    });
  });

  test('redeem takes all that the user has, signed by the other service signer, of a partner without an integrator', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const partnerId = new Uint8Array(16).fill(9);
    const serviceSigner = signer(at.spareSigner);
    scenario.mustSend([scenario.redeem({ amount: 50n * ONE, partnerId, serviceSigner })]);
    expect(scenario.balance(at.userGold)).toBe(0n);
    expect([...scenario.redemption().partnerId]).toEqual([...partnerId]);
    expect(scenario.config().escrowOpen).toBe(50n * ONE);
  });

  test('redeem can be paid for by the service signer, whatever else is paused and while the market is closed', async () => {
    const scenario = await chain();
    const { at } = scenario;
    scenario.svm.airdrop(at.serviceSigner, lamports(1_000_000_000n));
    scenario.setConfig({ paused: 23, marketState: 1 });
    scenario.mustSend([scenario.redeem({ payer: signer(at.serviceSigner) })], at.serviceSigner);
    expect(scenario.redemption().rentPayer).toBe(at.serviceSigner);
  });

  test('redeem is not stopped by lamports that were sent to the address before', async () => {
    const scenario = await chain();
    scenario.svm.airdrop(scenario.at.redemption, lamports(890_880n));
    scenario.mustSend([scenario.redeem()]);
    expect(scenario.redemption().amount).toBe(ONE);
  });
});

describe('settleRedemption', () => {
  test('burns: the gold and the supply are less, the account is gone, its rent is back', async () => {
    const scenario = await opened();
    const { at } = scenario;
    const [before, supply] = [balances(scenario), goldSupply(scenario)];
    const rent = scenario.account(at.redemption).lamports;
    scenario.svm.airdrop(at.operations, lamports(1_000_000_000n));
    const payer = scenario.account(at.payer).lamports;
    const outcome = scenario.mustSend([scenario.settleRedemption(SettlementMode.Burn)], at.operations);
    expect(changes(scenario, before)).toEqual({});
    expect(scenario.balance(at.escrowGold)).toBe(20n * ONE);
    expect(supply - goldSupply(scenario)).toBe(ONE);
    expect(scenario.svm.getAccount(at.redemption).exists).toBe(false);
    expect(scenario.account(at.payer).lamports - payer).toBe(rent);
    expect(scenario.config().escrowOpen).toBe(0n);
    expectEvent(scenario, outcome, {
      kind: 29,
      partnerId: at.partnerId,
      id: REDEMPTION_ID,
      amountOut: 0n,
      actor: at.operations,
      counterparty: ZERO_ADDRESS,
    });
  });

  test('refunds to an account of the user, also one that was made after the first was closed', async () => {
    const scenario = await refundable();
    const { at } = scenario;
    const destination = addressOf('account made again');
    scenario.setToken(destination, { mint: at.goldMint, owner: at.user });
    const [before, supply] = [balances(scenario), goldSupply(scenario)];
    const outcome = scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund, { destination })]);
    expect(changes(scenario, before)).toEqual({});
    expect(scenario.balance(destination)).toBe(ONE);
    expect(goldSupply(scenario)).toBe(supply);
    expect(scenario.svm.getAccount(at.redemption).exists).toBe(false);
    expectEvent(scenario, outcome, {
      kind: 29,
      partnerId: at.partnerId,
      id: REDEMPTION_ID,
      actor: at.operations,
      counterparty: at.user,
    });
  });

  test('moves exactly the recorded gold of exactly this redemption, whatever else lies in escrow', async () => {
    const scenario = await refundable();
    const other = await otherRedemption(scenario);
    scenario.mustSend([scenario.redeem({ ...other, amount: 7n })]);
    scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund)]);
    expect(scenario.config().escrowOpen).toBe(7n);
    expect(scenario.redemption(other.redemption).amount).toBe(7n);
    scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund, other)]);
    expect(scenario.config().escrowOpen).toBe(0n);
    expect(scenario.balance(scenario.at.escrowGold)).toBe(20n * ONE);
  });

  test('happens once in a transaction, too', async () => {
    const scenario = await refundable();
    const refund = scenario.settleRedemption(SettlementMode.Refund);
    expect(scenario.send([refund, refund]).error).toBe('InvalidAccountOwner');
    expect(scenario.config().escrowOpen).toBe(ONE);
  });

  test('goes on while everything else is paused', async () => {
    const scenario = await opened();
    scenario.setConfig({ paused: 47, treasuryPausedUntil: NOW + 1n });
    scenario.mustSend([scenario.cancelBurn(), scenario.announceBurn(), scenario.cancelBurn()]);
    scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund)]);
    expect(scenario.balance(scenario.at.userGold)).toBe(50n * ONE);
  });
});

describe('sweepEscrow', () => {
  test('sweepEscrow moves what no open redemption needs to the treasury, and nothing more', async () => {
    const scenario = await refundable();
    const { at } = scenario;
    const before = balances(scenario);
    const outcome = scenario.mustSend([scenario.sweepEscrow()]);
    expectEvent(scenario, outcome, { kind: 31, actor: at.admin, counterparty: at.treasury });
    scenario.mustSend([scenario.sweepEscrow({ amount: 19n * ONE })]);
    expect(changes(scenario, before)).toEqual({ treasuryGold: 20n * ONE });
    expect(scenario.balance(at.escrowGold)).toBe(ONE);
    expect(scenario.config().escrowOpen).toBe(ONE);
    scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund)]);
    expect(scenario.balance(at.escrowGold)).toBe(0n);
  });
});

async function otherRedemption(scenario: Scenario) {
  const [redemption] = await findRedemptionPda({ id: otherId });
  scenario.setAccount(redemption, ZERO_ADDRESS, new Uint8Array(), 0n);
  return { id: otherId, redemption };
}

describe('redeem refuses with', () => testRefusals(redeemRefusals, chain));
describe('announceBurn refuses with', () => testRefusals(announceBurnRefusals, opened));
describe('cancelBurn refuses with', () => testRefusals(cancelBurnRefusals, opened));
describe('reclaimRedemption refuses with', () => testRefusals(reclaimRedemptionRefusals, opened));
describe('settleRedemption refuses with', () => testRefusals(settleRedemptionRefusals, opened));
describe('sweepEscrow refuses with', () => testRefusals(sweepEscrowRefusals, opened));

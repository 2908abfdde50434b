import { SettlementMode } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, ONE, Scenario } from './fixture.js';
import { attestRefusals, mintGoldRefusals } from './refusals/backing.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { balances, changes } from './trades.js';

/** What the scenario says that there is. */
const SUPPLY = 1_000_000n * ONE;

test('GOLD leaves the treasury only while the whole supply is attested', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.attest({ amount: SUPPLY })]);
  scenario.mustSend([scenario.buy()]);
  scenario.setTime(NOW + 1n);
  scenario.mustSend([scenario.attest({ amount: SUPPLY - 1n, asOf: NOW + 1n })]);
  for (const instruction of [scenario.buy(), scenario.partnerPurchase(), scenario.treasuryWithdraw('Gold')])
    expect(scenario.send([instruction]).error).toBe('NotBacked');
  for (const instruction of [scenario.sell(), scenario.partnerSale(), scenario.treasuryWithdraw('Usdc')])
    expect(scenario.send([instruction]).error).toBe(undefined);
  scenario.setSettings({ requireBacking: 0 });
  scenario.mustSend([scenario.buy()]);
  expect(scenario.send([scenario.mintGold()]).error).toBe('NotBacked');
});

test('GOLD leaves the treasury only while the attestation is young enough', async () => {
  const scenario = await Scenario.create();
  const late = NOW + BigInt(DAY) + 1n;
  scenario.setTime(late);
  scenario.setPrice({ publishTime: late });
  scenario.setUsdcPrice({ publishTime: late });
  expect(scenario.send([scenario.buy({ expireAt: late })]).error).toBe('AttestationStale');
  expect(scenario.send([scenario.mintGold()]).error).toBe('AttestationStale');
});

test('what was burned cannot be minted again on an old report', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.attest({ amount: SUPPLY })]);
  scenario.mustSend([scenario.redeem(), scenario.announceBurn()]);
  scenario.setTime(NOW + 3_600n);
  scenario.mustSend([scenario.settleRedemption(SettlementMode.Burn)]);
  expect(scenario.goldSupply()).toBe(SUPPLY - ONE);
  expect(scenario.send([scenario.mintGold(1n)]).error).toBe('NotBacked');
  // A report that knows of the burn, and found as much metal as before, lets it be minted.
  scenario.mustSend([scenario.attest({ amount: SUPPLY, burnedAtAsOf: ONE, asOf: NOW + 1n })]);
  expect(scenario.send([scenario.mintGold(ONE)]).error).toBe(undefined);
  expect(scenario.send([scenario.mintGold(1n)]).error).toBe('NotBacked');
});

test('no transaction burns a redemption, mints the amount again and withdraws it', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.attest({ amount: SUPPLY }), scenario.redeem()]);
  scenario.setRedemption({ burnReadyAt: NOW });
  const burn = scenario.settleRedemption(SettlementMode.Burn);
  const robbery = [burn, scenario.mintGold(), scenario.treasuryWithdraw('Gold')];
  expect(scenario.send(robbery).error).toBe('NotBacked');
  expect(scenario.goldSupply()).toBe(SUPPLY);
});

test('no more than dailyMint is minted in a day', async () => {
  const scenario = await Scenario.create();
  scenario.setSettings({ dailyMint: 5n });
  scenario.mustSend([scenario.mintGold(5n)]);
  expect(scenario.send([scenario.mintGold(1n)]).error).toBe('DailyLimitExceeded');
});

test('gold is not sold at par for USDC that is worth less', async () => {
  const scenario = await Scenario.create();
  scenario.setUsdcPrice({ price: 97_999_999n });
  for (const instruction of [scenario.buy(), scenario.partnerPurchase()])
    expect(scenario.send([instruction]).error).toBe('UsdcOffPeg');
  for (const instruction of [scenario.sell(), scenario.partnerSale(), scenario.redeem()])
    expect(scenario.send([instruction]).error).toBe(undefined);
  scenario.setUsdcPrice({ price: 98_000_000n });
  scenario.mustSend([scenario.buy()]);
  scenario.setUsdcPrice({ publishTime: NOW - 61n });
  expect(scenario.send([scenario.buy()]).error).toBe('UsdcOffPeg');
  scenario.setUsdcPrice({ confidence: 1_000_001n });
  expect(scenario.send([scenario.buy()]).error).toBe('UsdcOffPeg');
});

const chain = sharedScenario();

const reportHash = new Uint8Array(32).map((_, index) => index + 1);

describe('attest', () => {
  test('attest replaces the last report, also by less gold, and logs it', async () => {
    const scenario = await chain();
    const before = scenario.config();
    const report = { amount: 4n, asOf: NOW, burnedAtAsOf: 0n, reportHash };
    const { events } = scenario.mustSend([scenario.attest(report)]);
    expect(scenario.config()).toEqual({ ...before, attestation: report, seq: before.seq + 1n });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 33, seq: before.seq + 1n, side: 0, actor: scenario.at.attestor });
    expect([...(events[0]?.partnerId ?? [])]).toEqual(Array(16).fill(0));
    scenario.setTime(NOW + 1n);
    scenario.mustSend([scenario.attest({ amount: 0n, asOf: NOW + 1n })]);
    expect(scenario.config().attestation).toMatchObject({ amount: 0n, asOf: NOW + 1n });
  });

  test('attest accepts the last report again, and no other one of its moment', async () => {
    const scenario = await chain();
    const report = { amount: 4n, asOf: NOW, burnedAtAsOf: 0n, reportHash };
    for (let times = 0; times < 2; times += 1) scenario.mustSend([scenario.attest(report)]);
    expect(scenario.send([scenario.attest({ ...report, amount: 5n })]).error).toBe('InvalidArgument');
    expect(scenario.config().attestation).toEqual(report);
  });

  test('works whatever is paused', async () => {
    const scenario = await chain();
    scenario.setConfig({ paused: 0xff });
    expect(scenario.send([scenario.attest()]).error).toBe(undefined);
  });
});

describe('mintGold', () => {
  test('mints into the treasury up to the last attested base unit, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const supply = scenario.goldSupply();
    scenario.setAttestation({ amount: supply + 8n });
    const before = balances(scenario);
    const { seq } = scenario.config();
    const { events } = scenario.mustSend([scenario.mintGold(7n)]);
    expect(changes(scenario, before)).toEqual({ treasuryGold: 7n });
    expect(scenario.goldSupply()).toBe(supply + 7n);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      kind: 34,
      seq: seq + 1n,
      amountIn: 0n,
      amountOut: 7n,
      actor: at.admin,
      counterparty: at.treasury,
    });
    scenario.mustSend([scenario.mintGold(1n)]);
    expect(scenario.send([scenario.mintGold(1n)]).error).toBe('NotBacked');
  });

  test('takes a report that is exactly as old as allowed', async () => {
    const scenario = await chain();
    scenario.setSettings({ maxAttestationAge: 3_600 });
    scenario.setAttestation({ asOf: NOW - 3_600n });
    expect(scenario.send([scenario.mintGold()]).error).toBe(undefined);
  });

  test('counts what two calls of one transaction mint', async () => {
    const scenario = await chain();
    scenario.setAttestation({ amount: scenario.goldSupply() + ONE });
    expect(scenario.send([scenario.mintGold(), scenario.mintGold(1n)]).error).toBe('NotBacked');
  });

  test('works when the admin signs without paying', async () => {
    const scenario = await chain();
    const payer = addressOf('another payer');
    scenario.svm.airdrop(payer, lamports(1_000_000_000n));
    expect(scenario.send([scenario.mintGold()], payer).error).toBe(undefined);
  });
});

describe('attest refuses with', () => testRefusals(attestRefusals, chain));
describe('mintGold refuses with', () => testRefusals(mintGoldRefusals, chain));

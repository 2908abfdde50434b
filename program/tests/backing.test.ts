import { SettlementMode } from '@karat/program-client';
import { expect, test } from 'vitest';
import { DAY, NOW, ONE, Scenario } from './fixture.js';

/** What the scenario says that there is. */
const SUPPLY = 1_000_000n * ONE;

test('GOLD leaves the treasury only while the whole supply is attested', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.attest({ amount: SUPPLY })]);
  scenario.mustSend([scenario.buy()]);
  scenario.mustSend([scenario.attest({ amount: SUPPLY - 1n })]);
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
  scenario.mustSend([scenario.attest({ amount: SUPPLY, burnedAtAsOf: ONE })]);
  expect(scenario.send([scenario.mintGold(ONE)]).error).toBe(undefined);
  expect(scenario.send([scenario.mintGold(1n)]).error).toBe('NotBacked');
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

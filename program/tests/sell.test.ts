import { TradeSide } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { NOW, ONE, plainEvent } from './fixture.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { sellRefusals } from './refusals/sell.js';
import { balances, changes, testAcceptance, transfersIn } from './trades.js';

const chain = sharedScenario();

describe('sell', () => {
  test('moves the gold, the payout and the fee, and logs it', async () => {
    const scenario = await chain();
    const before = balances(scenario);
    const seq = scenario.integrator().seq + 1n;
    const { events } = scenario.mustSend([
      scenario.sell({ goldIn: ONE, minUsdcOut: 4_079_500_000n, maxUsdcOut: 4_079_500_000n }),
    ]);
    expect(changes(scenario, before)).toEqual({
      userUsdc: 4_079_500_000n,
      userGold: -ONE,
      treasuryUsdc: -4_100_000_000n,
      treasuryGold: ONE,
      feeUsdc: 20_500_000n,
    });
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toEqual({
      version: 1,
      kind: 21,
      partnerId: [...scenario.at.partnerId],
      id: Array(16).fill(0),
      seq,
      side: TradeSide.Sell,
      amountIn: ONE,
      amountOut: 4_079_500_000n,
      fee: 20_500_000n,
      feeBps: 50,
      price: 4_100_00000000n,
      exponent: -8,
      confidence: 80_000_000n,
      publishTime: NOW,
      marketState: 0,
      actor: scenario.at.user,
      counterparty: scenario.at.partnerWallet,
    });
  });

  test('rounds the value down and the fee up', async () => {
    const scenario = await chain();
    scenario.setPrice({ price: 4_100_50000000n });
    // 3 x 4,100.5 = 12,301.5; 12,301 x 50 / 10,000 = 61.505
    const { events } = scenario.mustSend([scenario.sell({ goldIn: 3n })]);
    expect(events[0]).toMatchObject({ fee: 62n, amountOut: 12_239n });
  });

  test('pays no fee and makes no transfer for it when the partner has none', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 0 })]);
    const before = balances(scenario);
    const { logs, events } = scenario.mustSend([scenario.sell({ goldIn: 1n })]);
    expect(changes(scenario, before)).toEqual({
      userUsdc: 4_100n,
      userGold: -1n,
      treasuryUsdc: -4_100n,
      treasuryGold: 1n,
    });
    expect(transfersIn(logs)).toBe(2);
    expect(events[0]).toMatchObject({ fee: 0n, feeBps: 0 });
  });

  test('pays a fee of one base unit', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 1 })]);
    const before = balances(scenario);
    scenario.mustSend([scenario.sell({ goldIn: 1n })]);
    expect(changes(scenario, before)).toMatchObject({ userUsdc: 4_099n, treasuryUsdc: -4_100n, feeUsdc: 1n });
  });

  test('pays out a single base unit', async () => {
    const scenario = await chain();
    scenario.setSettings({ minPriceE8: 1n });
    scenario.setPrice({ price: 2n, exponent: 0, confidence: 0n });
    const before = balances(scenario);
    scenario.mustSend([scenario.sell({ goldIn: 1n })]);
    expect(changes(scenario, before)).toMatchObject({ userUsdc: 1n, treasuryUsdc: -2n, feeUsdc: 1n });
  });

  test('takes the last base unit of the user and of the treasury', async () => {
    const scenario = await chain();
    const { usdcMint, goldMint, user, treasury, userGold, treasuryUsdc } = scenario.at;
    scenario.setToken(userGold, { mint: goldMint, owner: user, amount: ONE });
    scenario.setToken(treasuryUsdc, { mint: usdcMint, owner: treasury, amount: 4_100n * ONE });
    scenario.mustSend([scenario.sell()]);
    expect(balances(scenario)).toMatchObject({ userGold: 0n, treasuryUsdc: 0n });
  });

  test('takes gold that is worth exactly the largest trade', async () => {
    const scenario = await chain();
    scenario.setSettings({ maxTradeUsdc: 4_100n * ONE });
    expect(scenario.send([scenario.sell()]).error).toBe(undefined);
  });

  testAcceptance(chain, (scenario, limits) => scenario.sell(limits), 6);
});

describe('sell refuses with', () => testRefusals(sellRefusals, chain));

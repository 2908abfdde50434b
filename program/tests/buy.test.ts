import { TradeSide } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { NOW, ONE, plainEvent } from './fixture.js';
import { buyRefusals } from './refusals/buy.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { balances, changes, testAcceptance, transfersIn } from './trades.js';

const chain = sharedScenario();

describe('buy', () => {
  test('moves the payment, the fee and the gold, and logs it', async () => {
    const scenario = await chain();
    const before = balances(scenario);
    const seq = scenario.integrator().seq + 1n;
    const { events } = scenario.mustSend([
      scenario.buy({ usdcIn: 100n * ONE, minGoldOut: 24_268n, maxGoldOut: 24_268n }),
    ]);
    expect(changes(scenario, before)).toEqual({
      userUsdc: -100_000_000n,
      userGold: 24_268n,
      treasuryUsdc: 99_500_000n,
      treasuryGold: -24_268n,
      feeUsdc: 500_000n,
    });
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toEqual({
      version: 1,
      kind: 20,
      partnerId: [...scenario.at.partnerId],
      id: Array(16).fill(0),
      seq,
      side: TradeSide.Buy,
      amountIn: 100_000_000n,
      amountOut: 24_268n,
      fee: 500_000n,
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

  test('rounds the fee up and the gold down', async () => {
    const scenario = await chain();
    // 10,001 x 50 / 10,000 = 50.005; 9,950 / 4,100 = 2.43
    const { events } = scenario.mustSend([scenario.buy({ usdcIn: 10_001n })]);
    expect(events[0]).toMatchObject({ fee: 51n, amountOut: 2n });
  });

  test('pays no fee and makes no transfer for it when the partner has none', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 0 })]);
    const before = balances(scenario);
    const { logs, events } = scenario.mustSend([scenario.buy({ usdcIn: 4_100n })]);
    expect(changes(scenario, before)).toEqual({
      userUsdc: -4_100n,
      userGold: 1n,
      treasuryUsdc: 4_100n,
      treasuryGold: -1n,
    });
    expect(transfersIn(logs)).toBe(2);
    expect(events[0]).toMatchObject({ fee: 0n, feeBps: 0 });
  });

  test('pays a fee of one base unit', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 1 })]);
    const before = balances(scenario);
    scenario.mustSend([scenario.buy({ usdcIn: 4_101n })]);
    expect(changes(scenario, before)).toMatchObject({ userUsdc: -4_101n, treasuryUsdc: 4_100n, feeUsdc: 1n });
  });

  test('takes the last base unit of the user and of the treasury', async () => {
    const scenario = await chain();
    const { usdcMint, goldMint, user, treasury, userUsdc, treasuryGold } = scenario.at;
    scenario.setToken(userUsdc, { mint: usdcMint, owner: user, amount: 100n * ONE });
    scenario.setToken(treasuryGold, { mint: goldMint, owner: treasury, amount: 24_268n });
    scenario.mustSend([scenario.buy()]);
    expect(balances(scenario)).toMatchObject({ userUsdc: 0n, treasuryGold: 0n });
  });

  test('takes the largest trade', async () => {
    const scenario = await chain();
    const { usdcMint, user, userUsdc } = scenario.at;
    scenario.setToken(userUsdc, { mint: usdcMint, owner: user, amount: 1_000_000n * ONE });
    expect(scenario.send([scenario.buy({ usdcIn: 1_000_000n * ONE })]).error).toBe(undefined);
  });

  testAcceptance(chain, (scenario, limits) => scenario.buy(limits), 6);
});

describe('buy refuses with', () => testRefusals(buyRefusals, chain));

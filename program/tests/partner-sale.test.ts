import { TradeSide } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { NOW, ONE, plainEvent } from './fixture.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { partnerSaleRefusals } from './refusals/sell.js';
import { mintOf } from './refusals/silent-token-program.js';
import { balances, changes, testAcceptance, transfersIn } from './trades.js';

const chain = sharedScenario();

describe('partnerSale', () => {
  test('moves the gold of the vault, the payout and the fee, and logs it', async () => {
    const scenario = await chain();
    const before = balances(scenario);
    const seq = scenario.integrator().seq + 1n;
    const { events } = scenario.mustSend([scenario.partnerSale({ goldIn: ONE, minUsdcOut: 4_079_500_000n })]);
    expect(changes(scenario, before)).toEqual({
      vaultUsdc: 4_079_500_000n,
      vaultGold: -ONE,
      treasuryUsdc: -4_100_000_000n,
      treasuryGold: ONE,
      feeUsdc: 20_500_000n,
    });
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toEqual({
      version: 1,
      kind: 23,
      partnerId: [...scenario.at.partnerId],
      id: expect.any(Array),
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
      actor: scenario.at.executive,
      counterparty: scenario.at.integrator,
    });
  });

  test('pays no fee and makes no transfer for it when the partner has none', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 0 })]);
    const { logs, events } = scenario.mustSend([scenario.partnerSale({ goldIn: 1n })]);
    expect(transfersIn(logs)).toBe(2);
    expect(events[0]).toMatchObject({ fee: 0n, feeBps: 0, amountOut: 4_100n });
  });

  test('takes the last base unit of the vault and of the treasury', async () => {
    const scenario = await chain();
    mintOf('vaultGold', ONE)(scenario);
    mintOf('treasuryUsdc', 4_100n * ONE)(scenario);
    scenario.mustSend([scenario.partnerSale()]);
    expect(balances(scenario)).toMatchObject({ vaultGold: 0n, treasuryUsdc: 0n });
  });

  test('takes gold that is worth exactly the largest trade', async () => {
    const scenario = await chain();
    scenario.setSettings({ maxTradeUsdc: 4_100n * ONE });
    expect(scenario.send([scenario.partnerSale()]).error).toBe(undefined);
  });

  testAcceptance(chain, (scenario, limits) => scenario.partnerSale(limits), 5);
});

describe('partnerSale refuses with', () => testRefusals(partnerSaleRefusals, chain));

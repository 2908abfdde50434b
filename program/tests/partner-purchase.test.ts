import { TradeSide } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, NOW, ONE, plainEvent, signer } from './fixture.js';
import { COST, partnerPurchaseRefusals } from './refusals/partner-purchase.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { mintOf } from './refusals/silent-token-program.js';
import { balances, changes, testAcceptance, transfersIn } from './trades.js';

const chain = sharedScenario();

describe('partnerPurchase', () => {
  test('moves the payment, the fee and the gold of the vault, and logs it', async () => {
    const scenario = await chain();
    const before = balances(scenario);
    const seq = scenario.integrator().seq + 1n;
    const { events } = scenario.mustSend([scenario.partnerPurchase({ maxUsdcIn: COST, minUsdcIn: COST })]);
    expect(changes(scenario, before)).toEqual({
      vaultUsdc: -COST,
      vaultGold: ONE,
      treasuryUsdc: 4_100_000_000n,
      treasuryGold: -ONE,
      feeUsdc: 20_603_016n,
    });
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toEqual({
      version: 1,
      kind: 22,
      partnerId: [...scenario.at.partnerId],
      id: expect.any(Array),
      seq,
      side: TradeSide.Buy,
      amountIn: COST,
      amountOut: ONE,
      fee: 20_603_016n,
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

  test('rounds the value and the fee up', async () => {
    const scenario = await chain();
    scenario.setPrice({ price: 4_100_50000000n });
    // 3 x 4,100.5 = 12,301.5; 12,302 x 50 / 9,950 = 61.81…
    const { events } = scenario.mustSend([scenario.partnerPurchase({ goldOut: 3n })]);
    expect(events[0]).toMatchObject({ fee: 62n, amountIn: 12_364n });
  });

  test('pays no fee and makes no transfer for it when the partner has none', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ openFeeBps: 0 })]);
    const before = balances(scenario);
    const { logs, events } = scenario.mustSend([scenario.partnerPurchase({ goldOut: 1n })]);
    expect(changes(scenario, before)).toEqual({
      vaultUsdc: -4_100n,
      vaultGold: 1n,
      treasuryUsdc: 4_100n,
      treasuryGold: -1n,
    });
    expect(transfersIn(logs)).toBe(2);
    expect(events[0]).toMatchObject({ fee: 0n, feeBps: 0 });
  });

  test('takes the last base unit of the vault and of the treasury', async () => {
    const scenario = await chain();
    mintOf('vaultUsdc', COST)(scenario);
    mintOf('treasuryGold', ONE)(scenario);
    scenario.mustSend([scenario.partnerPurchase()]);
    expect(balances(scenario)).toMatchObject({ vaultUsdc: 0n, treasuryGold: 0n });
  });

  test('takes a purchase that costs exactly the largest trade', async () => {
    const scenario = await chain();
    scenario.setSettings({ maxTradeUsdc: COST });
    expect(scenario.send([scenario.partnerPurchase()]).error).toBe(undefined);
  });

  test('partnerPurchase is signed and paid for by one executive alone', async () => {
    const scenario = await chain();
    const { executive } = scenario.at;
    scenario.svm.airdrop(executive, lamports(1_000_000_000n));
    const compiled = scenario.compile([scenario.partnerPurchase({ payer: signer(executive) })], executive);
    expect(Object.keys(compiled.signatures)).toEqual([executive]);
    expect(scenario.sendCompiled(compiled).error).toBe(undefined);
  });

  test('partnerPurchase may be signed by the last of eight executives', async () => {
    const scenario = await chain();
    const added = Array.from({ length: 7 }, (_, index) => addressOf(`executive ${index + 1}`));
    scenario.mustSend([scenario.updateExecutives({ add: added })]);
    const executive = addressOf('executive 7');
    const instruction = scenario.partnerPurchase({ executive: signer(executive) });
    expect(scenario.mustSend([instruction]).events[0]).toMatchObject({ actor: executive });
  });

  testAcceptance(chain, (scenario, limits) => scenario.partnerPurchase(limits), 5);
});

describe('partnerPurchase refuses with', () => testRefusals(partnerPurchaseRefusals, chain));

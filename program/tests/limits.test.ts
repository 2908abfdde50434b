import type { Window } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { NOW, ONE, type Scenario } from './fixture.js';
import { U64_MAX } from './numbers.js';
import { sharedScenario } from './refusals/refusal.js';

const chain = sharedScenario();
/** What the default sale of one GOLD is worth before the fee, and a purchase of one with it. */
const SALE = 4_100n * ONE;
const PURCHASE = 4_120_603_016n;
const DAY = 86_400n;
/** Seconds into the hour of the scenario's start. */
const INTO_HOUR = NOW % 3_600n;

function total({ sums }: Window): bigint {
  return sums.reduce((sum, amount) => sum + amount, 0n);
}

function moveTo(scenario: Scenario, seconds: bigint): void {
  scenario.setTime(seconds);
  scenario.setPrice({ publishTime: seconds });
  scenario.setUsdcPrice({ publishTime: seconds });
  scenario.setAttestation({ asOf: seconds });
}

const expireAt = NOW + 10n * DAY;
const errorOf = (scenario: Scenario, instruction: Parameters<Scenario['send']>[0][number]) =>
  scenario.send([instruction]).error;

describe('the daily limit of a partner', () => {
  test('counts 13 sales in one transaction 13 times', async () => {
    const scenario = await chain();
    // Without a fee: the runtime allows 64 calls in one transaction, of which a sale with a fee makes five.
    scenario.setIntegrator({ dailyLimitUsdc: 13n * SALE, openFeeBps: 0 });
    const sales = (count: number) => Array.from({ length: count }, () => scenario.sell());
    expect(scenario.send(sales(14)).error).toBe('DailyLimitExceeded');
    expect(total(scenario.integrator().usdcVolume)).toBe(0n);
    expect(scenario.send(sales(13)).error).toBe(undefined);
    expect(total(scenario.integrator().usdcVolume)).toBe(13n * SALE);
    expect(errorOf(scenario, scenario.sell({ goldIn: 1n }))).toBe('DailyLimitExceeded');
  });

  test('the daily limit of a partner is one of users and vault together, bought or sold, before the fee', async () => {
    const scenario = await chain();
    const sum = 100n * ONE + SALE + PURCHASE + SALE;
    scenario.setIntegrator({ dailyLimitUsdc: sum });
    scenario.mustSend([scenario.buy(), scenario.sell(), scenario.partnerPurchase(), scenario.partnerSale()]);
    expect(total(scenario.integrator().usdcVolume)).toBe(sum);
    for (const trade of [scenario.buy({ usdcIn: 10_000n }), scenario.partnerSale({ goldIn: 1n })])
      expect(errorOf(scenario, trade)).toBe('DailyLimitExceeded');
  });

  test('the daily limit of a partner is free again when the amount left the 24 hours after its own, and not a second before', async () => {
    const scenario = await chain();
    scenario.setIntegrator({ dailyLimitUsdc: 100n * ONE });
    scenario.mustSend([scenario.buy({ expireAt })]);
    moveTo(scenario, NOW + DAY + 3_600n - INTO_HOUR - 1n);
    expect(errorOf(scenario, scenario.buy({ expireAt }))).toBe('DailyLimitExceeded');
    moveTo(scenario, NOW + DAY + 3_600n - INTO_HOUR);
    expect(errorOf(scenario, scenario.buy({ expireAt }))).toBe(undefined);
    expect(total(scenario.integrator().usdcVolume)).toBe(100n * ONE);
  });

  test('slides: each hour gives back what was traded a day before', async () => {
    const scenario = await chain();
    scenario.setIntegrator({ dailyLimitUsdc: 300n * ONE });
    for (const hour of [0n, 1n, 2n]) {
      moveTo(scenario, NOW + hour * 3_600n);
      scenario.mustSend([scenario.buy({ expireAt })]);
    }
    for (const hour of [25n, 26n, 27n]) {
      moveTo(scenario, NOW + hour * 3_600n - INTO_HOUR - 1n);
      expect(errorOf(scenario, scenario.buy({ expireAt }))).toBe('DailyLimitExceeded');
      moveTo(scenario, NOW + hour * 3_600n - INTO_HOUR);
      scenario.mustSend([scenario.buy({ expireAt })]);
    }
  });

  test('the daily limit of a partner is not moved by a clock that goes back', async () => {
    const scenario = await chain();
    scenario.setIntegrator({ dailyLimitUsdc: 100n * ONE });
    scenario.mustSend([scenario.buy()]);
    moveTo(scenario, NOW - 3_600n);
    expect(errorOf(scenario, scenario.buy({ usdcIn: 10_000n }))).toBe('DailyLimitExceeded');
  });

  test.each([
    ['in one hour', [U64_MAX]],
    ['in two hours', [2n ** 63n, 2n ** 63n]],
  ])('the daily limit of a partner is exceeded by more than 64 bits hold %s', async (_when, amounts) => {
    const scenario = await chain();
    const hour = Number(NOW / 3_600n);
    const sums = Array<bigint>(25).fill(0n);
    for (const [back, amount] of amounts.entries()) sums[(hour - back) % 25] = amount;
    scenario.setIntegrator({ dailyLimitUsdc: 1_000n * ONE, usdcVolume: { hour, sums } });
    expect(errorOf(scenario, scenario.buy())).toBe('DailyLimitExceeded');
  });

  test('the daily limit of a partner is none when it is 2^64 - 1, and counts all the same for the day when it is set', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.sell()]);
    expect(total(scenario.integrator().usdcVolume)).toBe(SALE);
    scenario.setIntegrator({ dailyLimitUsdc: SALE });
    expect(errorOf(scenario, scenario.sell({ goldIn: 1n }))).toBe('DailyLimitExceeded');
  });

  test('the daily limit of a partner is set with the terms, which leave what was counted', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.sell(), scenario.updateIntegrator({ dailyLimitUsdc: 5n })]);
    expect(scenario.integrator().dailyLimitUsdc).toBe(5n);
    expect(total(scenario.integrator().usdcVolume)).toBe(SALE);
  });
});

describe('the daily outflow of the treasury', () => {
  test('the daily outflow of USDC counts sales with their fees and withdrawals', async () => {
    const scenario = await chain();
    scenario.setSettings({ dailyOutflowUsdc: 2n * SALE + 3n * ONE });
    scenario.mustSend([
      ...[scenario.sell(), scenario.partnerSale(), scenario.treasuryWithdraw('Usdc')],
      scenario.treasuryWithdraw('Fees', 2n * ONE),
    ]);
    expect(total(scenario.config().usdcFlow.outflow)).toBe(2n * SALE + 3n * ONE);
    const more = [
      scenario.sell({ goldIn: 1n }),
      scenario.partnerSale({ goldIn: 1n }),
      scenario.treasuryWithdraw('Usdc', 1n),
      scenario.treasuryWithdraw('Fees', 1n),
    ];
    for (const instruction of more) expect(errorOf(scenario, instruction)).toBe('DailyLimitExceeded');
    // What brings USDC in, and what is of the other token, goes on.
    scenario.mustSend([scenario.buy(), scenario.partnerPurchase(), scenario.treasuryWithdraw('Gold')]);
  });

  test('the daily outflow of GOLD counts buys, purchases and withdrawals', async () => {
    const scenario = await chain();
    scenario.setSettings({ dailyOutflowGold: 24_268n + 2n * ONE });
    scenario.mustSend([scenario.buy(), scenario.partnerPurchase(), scenario.treasuryWithdraw('Gold')]);
    expect(total(scenario.config().goldFlow.outflow)).toBe(24_268n + 2n * ONE);
    const more = [
      scenario.buy({ usdcIn: 10_000n }),
      scenario.partnerPurchase({ goldOut: 1n }),
      scenario.treasuryWithdraw('Gold', 1n),
    ];
    for (const instruction of more) expect(errorOf(scenario, instruction)).toBe('DailyLimitExceeded');
    scenario.mustSend([scenario.sell(), scenario.partnerSale(), scenario.treasuryWithdraw('Usdc')]);
  });

  test('the daily outflow of the treasury is net: what came in of a token can go out again', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.sell()]);
    scenario.setSettings({ dailyOutflowGold: ONE });
    scenario.mustSend([scenario.treasuryWithdraw('Gold', 2n * ONE)]);
    expect(errorOf(scenario, scenario.treasuryWithdraw('Gold', 1n))).toBe('DailyLimitExceeded');
    // What came in counts for an hour less than what went out.
    moveTo(scenario, NOW + DAY - INTO_HOUR);
    expect(errorOf(scenario, scenario.treasuryWithdraw('Gold', 1n))).toBe('DailyLimitExceeded');
    moveTo(scenario, NOW + DAY + 3_600n - INTO_HOUR);
    scenario.mustSend([scenario.treasuryWithdraw('Gold', ONE)]);
    expect(errorOf(scenario, scenario.treasuryWithdraw('Gold', 1n))).toBe('DailyLimitExceeded');
  });

  test('goes on counting when the limit is below what went out already', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.sell(), scenario.treasuryWithdraw('Gold')]);
    scenario.setSettings({ dailyOutflowUsdc: 1n, dailyOutflowGold: 1n });
    expect(errorOf(scenario, scenario.sell())).toBe('DailyLimitExceeded');
    expect(errorOf(scenario, scenario.buy())).toBe('DailyLimitExceeded');
    scenario.setSettings({ dailyOutflowGold: U64_MAX });
    scenario.mustSend([scenario.buy()]);
  });

  test('the daily outflow of the treasury has nothing to do with settlements and mints', async () => {
    const scenario = await chain();
    scenario.setSettings({ dailyOutflowUsdc: 1n, dailyOutflowGold: 1n });
    scenario.mustSend([scenario.mintGold(), scenario.redeem()]);
    scenario.setRedemption({ burnReadyAt: NOW });
    scenario.mustSend([scenario.settleRedemption(0)]);
    scenario.mustSend([scenario.redeem(), scenario.settleRedemption(1), scenario.sweepEscrow()]);
    expect(total(scenario.config().goldFlow.outflow)).toBe(0n);
  });
});

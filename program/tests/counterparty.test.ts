import { AuthorityRole, IntegratorStatus } from '@karat/program-client';
import { expect, test } from 'vitest';
import { addressOf, DAY, NOW, ONE, Scenario, signer } from './fixture.js';

const after = (seconds: number) => NOW + BigInt(seconds);

test('a vault trades in the other direction after the wait only', async () => {
  const scenario = await Scenario.create();
  scenario.setSettings({ oppositeSideSeconds: 60 });
  const sale = () => scenario.send([scenario.partnerSale({ expireAt: after(100) })]).error;
  scenario.mustSend([scenario.partnerPurchase(), scenario.partnerPurchase()]);
  scenario.setTime(after(59));
  expect(sale()).toBe('OppositeSideTooEarly');
  scenario.setTime(after(60));
  expect(sale()).toBe(undefined);
  scenario.setPrice({ publishTime: after(60) });
  scenario.setUsdcPrice({ publishTime: after(60) });
  expect(scenario.send([scenario.partnerPurchase({ expireAt: after(100) })]).error).toBe(
    'OppositeSideTooEarly',
  );
  expect(scenario.send([scenario.buy()]).error).toBe(undefined);
});

test('trades in a circle leave the daily limits of the treasury to others', async () => {
  const scenario = await Scenario.create();
  scenario.setSettings({ dailyOutflowUsdc: 5_000n * ONE, dailyOutflowGold: ONE });
  for (let round = 0; round < 10; round += 1)
    scenario.mustSend([scenario.partnerPurchase(), scenario.partnerSale()]);
  expect(scenario.send([scenario.partnerPurchase()]).error).toBe(undefined);
  expect(scenario.send([scenario.partnerPurchase({ goldOut: 1n })]).error).toBe('DailyLimitExceeded');
});

test('an order expires within 24 hours', async () => {
  const scenario = await Scenario.create();
  const sale = (seconds: number) => scenario.send([scenario.partnerSale({ expireAt: after(seconds) })]).error;
  expect(sale(DAY + 1)).toBe('ExpiryTooFar');
  expect(sale(DAY)).toBe(undefined);
});

test.each(['operations', 'guardian', 'admin'] as const)(
  'the key %s suspends a partner, once',
  async (name) => {
    const scenario = await Scenario.create();
    const { termsSeq } = scenario.integrator();
    expect(scenario.mustSend([scenario.suspendIntegrator(scenario.at[name])]).events).toHaveLength(1);
    expect(scenario.mustSend([scenario.suspendIntegrator(scenario.at[name])]).events).toEqual([]);
    expect(scenario.integrator()).toMatchObject({
      status: IntegratorStatus.Suspended,
      termsSeq: termsSeq + 1,
    });
    expect(scenario.send([scenario.buy()]).error).toBe('IntegratorSuspended');
    scenario.mustSend([scenario.updateIntegrator()]);
    scenario.mustSend([scenario.buy()]);
  },
);

test('the terms of a partner stay within the settings', async () => {
  const scenario = await Scenario.create();
  scenario.setSettings({ minFeeBps: 20, maxFeeBps: 150, dailyOutflowUsdc: 100n });
  const update = (change: Parameters<typeof scenario.updateIntegrator>[0]) =>
    scenario.send([scenario.updateIntegrator({ dailyLimitUsdc: 100n, ...change })]).error;
  expect(update({ openFeeBps: 19 })).toBe('FeeTooLow');
  expect(update({ closedFeeBps: 151 })).toBe('FeeTooHigh');
  expect(update({ dailyLimitUsdc: 101n })).toBe('LimitTooHigh');
  expect(update({ dailyLimitUsdc: 0n })).toBe('InvalidArgument');
  expect(update({ openFeeBps: 20 })).toBe(undefined);
});

test('a thief of one key of a partner cannot cancel its recovery, two keys of the partner can', async () => {
  const scenario = await Scenario.create();
  const key = addressOf('recovered key');
  const role = AuthorityRole.Update;
  scenario.mustSend([scenario.proposeAuthority(role, key)]);
  const { updateAuthority, withdrawalAuthority, partnerWallet } = scenario.at;
  for (const authority of [updateAuthority, withdrawalAuthority, partnerWallet]) {
    const alone = scenario.cancelAuthority(role, key, { authority: signer(authority) });
    expect(scenario.send([alone]).error).toBe('Unauthorized');
  }
  scenario.mustSend([scenario.cancelAuthority(role, key)]);
  scenario.mustSend([scenario.proposeAuthority(role, key)]);
  scenario.mustSend([scenario.cancelAuthority(role, key, { authority: signer(scenario.at.admin) })]);
});

test('a thief who hands the role on does not end the recovery', async () => {
  const scenario = await Scenario.create();
  const key = addressOf('recovered key');
  scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Update, key)]);
  scenario.mustSend([scenario.handOverAuthority(AuthorityRole.Update, addressOf('thief'))]);
  scenario.setTime(after(DAY));
  scenario.mustSend([scenario.applyAuthority(AuthorityRole.Update, key)]);
  expect(scenario.integrator().updateAuthority).toBe(key);
});

test('the recovery of an authority expires', async () => {
  const scenario = await Scenario.create();
  const key = addressOf('recovered key');
  scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Update, key)]);
  scenario.setTime(after(15 * DAY + 1));
  expect(scenario.send([scenario.applyAuthority(AuthorityRole.Update, key)]).error).toBe('ProposalExpired');
});

import { SettlementMode } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { expect, test } from 'vitest';
import { DAY, NOW, ONE, Scenario, signer } from './fixture.js';

const after = (seconds: number) => NOW + BigInt(seconds);
const BURN_DELAY = 3_600;
const TIMEOUT = 30 * DAY;

async function redeemed(): Promise<Scenario> {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.redeem()]);
  return scenario;
}

const burn = (scenario: Scenario) => scenario.send([scenario.settleRedemption(SettlementMode.Burn)]).error;

test('a redemption is burned after its announcement and the delay, and counted', async () => {
  const scenario = await redeemed();
  expect(burn(scenario)).toBe('BurnNotAnnounced');
  scenario.mustSend([scenario.announceBurn()]);
  expect(scenario.send([scenario.announceBurn()]).error).toBe('BurnAnnounced');
  scenario.setTime(after(BURN_DELAY - 1));
  expect(burn(scenario)).toBe('NotReady');
  scenario.setTime(after(BURN_DELAY));
  expect(burn(scenario)).toBe(undefined);
  expect(scenario.config()).toMatchObject({ burnedTotal: ONE, escrowOpen: 0n });
});

test('an announced burn is void after 14 days, and can be announced again', async () => {
  const scenario = await redeemed();
  scenario.mustSend([scenario.announceBurn()]);
  scenario.setTime(after(BURN_DELAY + 14 * DAY + 1));
  expect(burn(scenario)).toBe('ProposalExpired');
  scenario.mustSend([scenario.announceBurn()]);
  scenario.setTime(after(2 * BURN_DELAY + 14 * DAY + 1));
  expect(burn(scenario)).toBe(undefined);
});

test('the guardian and the admin cancel an announced burn', async () => {
  const scenario = await redeemed();
  for (const authority of [scenario.at.guardian, scenario.at.admin]) {
    scenario.mustSend([scenario.announceBurn()]);
    scenario.mustSend([scenario.cancelBurn(authority)]);
    expect(scenario.send([scenario.cancelBurn(authority)]).error).toBe('BurnNotAnnounced');
  }
  expect(burn(scenario)).toBe('BurnNotAnnounced');
});

test('a redemption is not refunded while its burn is announced, be it void, until that is cancelled', async () => {
  const scenario = await redeemed();
  const refund = () => scenario.send([scenario.settleRedemption(SettlementMode.Refund)]).error;
  scenario.mustSend([scenario.announceBurn()]);
  expect(refund()).toBe('BurnAnnounced');
  scenario.setTime(after(BURN_DELAY + 14 * DAY + 1));
  expect(refund()).toBe('BurnAnnounced');
  scenario.mustSend([scenario.cancelBurn()]);
  expect(refund()).toBe(undefined);
});

test('a user reclaims a redemption after the timeout, whatever is paused', async () => {
  const scenario = await redeemed();
  const before = scenario.balance(scenario.at.userGold);
  scenario.mustSend([scenario.pause(63)]);
  scenario.setTime(after(TIMEOUT - 1));
  expect(scenario.send([scenario.reclaimRedemption()]).error).toBe('NotReady');
  scenario.setTime(after(TIMEOUT));
  scenario.mustSend([scenario.reclaimRedemption()]);
  expect(scenario.balance(scenario.at.userGold)).toBe(before + ONE);
  expect(scenario.config()).toMatchObject({ burnedTotal: 0n, escrowOpen: 0n });
  expect(scenario.svm.getAccount(scenario.at.redemption).exists).toBe(false);
});

test('a redemption is not reclaimed while its burn is announced', async () => {
  const scenario = await redeemed();
  scenario.setTime(after(TIMEOUT));
  scenario.mustSend([scenario.announceBurn()]);
  expect(scenario.send([scenario.reclaimRedemption()]).error).toBe('BurnAnnounced');
  scenario.mustSend([scenario.cancelBurn()]);
  scenario.mustSend([scenario.reclaimRedemption()]);
});

test('a burn announced on the last day delays a reclaim once, and cannot be announced again', async () => {
  const scenario = await redeemed();
  scenario.setTime(after(TIMEOUT - 1));
  scenario.mustSend([scenario.announceBurn()]);
  scenario.setTime(after(TIMEOUT - 1 + BURN_DELAY + 14 * DAY));
  expect(scenario.send([scenario.reclaimRedemption()]).error).toBe('BurnAnnounced');
  scenario.setTime(after(TIMEOUT + BURN_DELAY + 14 * DAY));
  expect(scenario.send([scenario.announceBurn()]).error).toBe('BurnAnnouncedBefore');
  scenario.mustSend([scenario.reclaimRedemption()]);
});

test('a cancelled burn can be announced again until the user may reclaim', async () => {
  const scenario = await redeemed();
  scenario.setTime(after(TIMEOUT - 1));
  for (let times = 0; times < 2; times += 1) {
    scenario.mustSend([scenario.announceBurn()]);
    scenario.mustSend([scenario.cancelBurn()]);
  }
  scenario.setTime(after(TIMEOUT));
  expect(scenario.send([scenario.announceBurn()]).error).toBe('BurnAnnouncedBefore');
  scenario.mustSend([scenario.reclaimRedemption()]);
});

test('a refund goes to the user who paid the rent as well', async () => {
  const scenario = await Scenario.create();
  const { user } = scenario.at;
  scenario.svm.airdrop(user, lamports(1_000_000_000n));
  scenario.mustSend([scenario.redeem({ payer: signer(user) })]);
  scenario.mustSend([scenario.settleRedemption(SettlementMode.Refund, { rentPayer: user })]);
});

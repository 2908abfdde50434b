import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, Scenario, settingsOf } from './fixture.js';

const after = (seconds: number) => NOW + BigInt(seconds);
const EXPIRY = 14 * DAY;

describe('settings', () => {
  test('settings change after the delay, and the rent goes back to its payer', async () => {
    const scenario = await Scenario.create();
    const { settingsSeq } = scenario.config();
    const { lamports: before } = scenario.account(scenario.at.payer);
    scenario.mustSend([scenario.proposeSettings({ maxTradeUsdc: 5n })]);
    scenario.setTime(after(DAY - 1));
    expect(scenario.send([scenario.applySettings()]).error).toBe('NotReady');
    scenario.setTime(after(DAY));
    scenario.svm.airdrop(addressOf('anybody'), lamports(1_000_000_000n));
    const { events } = scenario.mustSend([scenario.applySettings()], addressOf('anybody'));
    expect(events).toHaveLength(1);
    expect(scenario.config().settings).toEqual({ ...settingsOf(scenario.at), maxTradeUsdc: 5n });
    expect(scenario.config().settingsSeq).toBe(settingsSeq + 1n);
    expect(scenario.svm.getAccount(scenario.at.settingsProposal).exists).toBe(false);
    expect(scenario.account(scenario.at.payer).lamports).toBeGreaterThan(before - 20_000n);
  });

  test('a second proposal is refused until the first is over', async () => {
    const scenario = await Scenario.create();
    scenario.mustSend([scenario.proposeSettings({ maxTradeUsdc: 5n })]);
    scenario.setTime(after(DAY + EXPIRY));
    expect(scenario.send([scenario.proposeSettings({ maxTradeUsdc: 6n })]).error).toBe('ProposalPending');
    scenario.setTime(after(DAY + EXPIRY + 1));
    expect(scenario.send([scenario.applySettings()]).error).toBe('ProposalExpired');
    scenario.mustSend([scenario.proposeSettings({ maxTradeUsdc: 7n })]);
    expect(scenario.settingsProposal().settings.maxTradeUsdc).toBe(7n);
  });

  test('the guardian and the admin cancel a proposal, but the guardian not its own replacement', async () => {
    const scenario = await Scenario.create();
    const { guardian, admin } = scenario.at;
    for (const authority of [guardian, admin]) {
      scenario.mustSend([scenario.proposeSettings({ maxTradeUsdc: 5n })]);
      scenario.mustSend([scenario.cancelSettings(authority)]);
    }
    scenario.mustSend([scenario.proposeSettings({ guardian: addressOf('next guardian') })]);
    expect(scenario.send([scenario.cancelSettings(guardian)]).error).toBe('Unauthorized');
    scenario.setTime(after(DAY));
    scenario.mustSend([scenario.applySettings()]);
    expect(scenario.config().settings.guardian).toBe(addressOf('next guardian'));
  });

  test('another guardian must be the only change of a proposal', async () => {
    const scenario = await Scenario.create();
    const mixed = scenario.proposeSettings({ guardian: addressOf('next guardian'), maxFeeBps: 300 });
    expect(scenario.send([mixed]).error).toBe('GuardianChangeMixed');
  });

  test('settings that give one key two roles are refused', async () => {
    const scenario = await Scenario.create();
    const { admin, guardian, operations, serviceSigner, spareSigner } = scenario.at;
    expect(scenario.send([scenario.proposeSettings({ guardian: admin })]).error).toBe('RoleConflict');
    for (const attestor of [admin, guardian, operations, serviceSigner, spareSigner])
      expect(scenario.send([scenario.proposeSettings({ attestor })]).error).toBe('RoleConflict');
  });
});

describe('the admin', () => {
  test('another admin takes over after the delay', async () => {
    const scenario = await Scenario.create();
    const next = addressOf('next admin');
    scenario.mustSend([scenario.proposeAdmin(next)]);
    scenario.setTime(after(DAY - 1));
    expect(scenario.send([scenario.acceptAdmin(next)]).error).toBe('NotReady');
    scenario.setTime(after(DAY));
    scenario.mustSend([scenario.acceptAdmin(next)]);
    expect(scenario.config().admin).toBe(next);
  });

  test('the guardian cancels the hand-over of the admin', async () => {
    const scenario = await Scenario.create();
    scenario.mustSend([scenario.proposeAdmin(addressOf('thief'))]);
    scenario.mustSend([scenario.cancelAdmin()]);
    expect(scenario.send([scenario.cancelAdmin()]).error).toBe('NothingProposed');
    scenario.setTime(after(DAY));
    expect(scenario.send([scenario.acceptAdmin(addressOf('thief'))]).error).toBe('Unauthorized');
  });

  test('a hand-over of the admin expires', async () => {
    const scenario = await Scenario.create();
    scenario.mustSend([scenario.proposeAdmin(addressOf('next admin'))]);
    scenario.setTime(after(DAY + EXPIRY + 1));
    expect(scenario.send([scenario.acceptAdmin(addressOf('next admin'))]).error).toBe('ProposalExpired');
  });
});

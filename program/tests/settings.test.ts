import { APPLY_SETTINGS_DISCRIMINATOR, type SettingsArgs } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, Scenario, settingsOf, ZERO_ADDRESS } from './fixture.js';
import { U64_MAX } from './numbers.js';

const after = (seconds: number) => NOW + BigInt(seconds);
const EXPIRY = 14 * DAY;

const lowestLimits: Partial<SettingsArgs> = {
  ...{ minPriceE8: 1n, maxPriceE8: 1n, minUsdcPriceE8: 1n, maxTradeUsdc: 1n },
  ...{ dailyOutflowUsdc: 1n, dailyOutflowGold: 1n, dailyMint: 1n },
  ...{ maxAgeOpen: 1, maxAgeClosed: 0, recoveryDelay: DAY, changeDelay: DAY, burnDelay: 3_600 },
  ...{ redemptionTimeout: 30 * DAY, oppositeSideSeconds: 0, maxAttestationAge: 1 },
  ...{ maxConfBps: 0, minFeeBps: 0, maxFeeBps: 0, requireBacking: 0, freezeEnabled: 0 },
  ...{ attestor: ZERO_ADDRESS, withdrawOwners: Array(4).fill(ZERO_ADDRESS) },
};
const highestLimits: Partial<SettingsArgs> = {
  ...{ minPriceE8: U64_MAX, maxPriceE8: U64_MAX, minUsdcPriceE8: 100_000_000n, maxTradeUsdc: U64_MAX },
  ...{ dailyOutflowUsdc: U64_MAX, dailyOutflowGold: U64_MAX, dailyMint: U64_MAX },
  ...{ maxAgeOpen: 300, maxAgeClosed: 7 * DAY, recoveryDelay: 30 * DAY, changeDelay: 30 * DAY },
  ...{ burnDelay: 30 * DAY, redemptionTimeout: 365 * DAY, oppositeSideSeconds: DAY },
  ...{ maxAttestationAge: 92 * DAY, maxConfBps: 500, minFeeBps: 1_000, maxFeeBps: 1_000 },
};

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

  test('applySettings replaces every field of the settings, keeps the rest, and logs it', async () => {
    const scenario = await Scenario.create();
    const { at } = scenario;
    const changed: Omit<SettingsArgs, 'guardian'> = {
      attestor: addressOf('new attestor'),
      priceAccount: addressOf('new price'),
      priceOwner: addressOf('new oracle'),
      feedId: new Uint8Array(32).fill(3),
      usdcPriceAccount: addressOf('new price of USDC'),
      usdcFeedId: new Uint8Array(32).fill(4),
      minPriceE8: 5n,
      maxPriceE8: 6n,
      minUsdcPriceE8: 7n,
      maxTradeUsdc: 8n,
      dailyOutflowUsdc: 9n,
      dailyOutflowGold: 10n,
      dailyMint: 11n,
      withdrawOwners: ['a', 'b', 'c', 'd'].map((name) => addressOf(`withdraw owner ${name}`)),
      maxAgeOpen: 12,
      maxAgeClosed: 13,
      recoveryDelay: DAY + 14,
      changeDelay: DAY + 15,
      burnDelay: 3_616,
      redemptionTimeout: 31 * DAY,
      oppositeSideSeconds: 17,
      maxAttestationAge: 18,
      maxConfBps: 19,
      minFeeBps: 20,
      maxFeeBps: 21,
      requireBacking: 0,
      freezeEnabled: 0,
    };
    scenario.mustSend([scenario.proposeSettings(changed)]);
    scenario.setTime(after(DAY));
    const before = scenario.config();
    const { events } = scenario.mustSend([scenario.applySettings()]);
    expect(scenario.config()).toEqual({
      ...before,
      settings: { ...changed, guardian: at.guardian },
      seq: before.seq + 1n,
      settingsSeq: before.settingsSeq + 1n,
    });
    expect(events[0]).toMatchObject({
      kind: APPLY_SETTINGS_DISCRIMINATOR,
      seq: before.seq + 1n,
      actor: at.payer,
    });
  });

  test.each([
    ['lowest', lowestLimits],
    ['highest', highestLimits],
  ])('proposeSettings takes the %s limits that the program allows', async (_which, limits) => {
    const scenario = await Scenario.create();
    scenario.mustSend([scenario.proposeSettings(limits)]);
    expect(scenario.settingsProposal().settings).toMatchObject(limits);
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

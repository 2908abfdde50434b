import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { Scenario, settingsOf, ZERO_ADDRESS } from './fixture.js';
import { initializeRefusals, programDataRefusals } from './refusals/initialize.js';
import { testRefusals } from './refusals/refusal.js';

describe('initialize', () => {
  test('writes every field of the config, open and unpaused, and logs it', async () => {
    const scenario = await Scenario.blank();
    const { at } = scenario;
    const { events } = scenario.mustSend([scenario.initialize()]);
    const { feedId, ...config } = scenario.config();
    const { feedId: wantedFeedId, ...settings } = settingsOf(at);
    expect([...feedId]).toEqual([...wantedFeedId]);
    expect(config).toMatchObject({
      kind: 1,
      version: 1,
      marketState: 1,
      paused: 31,
      admin: at.admin,
      pendingAdmin: ZERO_ADDRESS,
      usdcMint: at.usdcMint,
      goldMint: at.goldMint,
      treasuryAuthority: at.treasury,
      treasuryUsdc: at.treasuryUsdc,
      treasuryGold: at.treasuryGold,
      feeUsdc: at.feeUsdc,
      escrowAuthority: at.escrow,
      escrowGold: at.escrowGold,
      seq: 1n,
      ...settings,
    });
    expect(scenario.account(at.config).programAddress).toBe(KARAT_PROGRAM_ADDRESS);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      kind: 0,
      seq: 1n,
      side: 0,
      marketState: 1,
      actor: at.upgradeAuthority,
    });
    expect([...(events[0]?.partnerId ?? [])]).toEqual(Array(16).fill(0));
  });

  test('takes a GOLD mint that the treasury alone can freeze', async () => {
    const scenario = await Scenario.blank();
    const { goldMint, treasury } = scenario.at;
    scenario.setMint(goldMint, { mintAuthority: treasury, freezeAuthority: treasury });
    expect(scenario.send([scenario.initialize()]).error).toBe(undefined);
  });

  test('pays exactly the rent of 1,280 bytes', async () => {
    const scenario = await Scenario.configured();
    expect(scenario.account(scenario.at.config).lamports).toBe(
      scenario.svm.minimumBalanceForRentExemption(1280n),
    );
  });

  test.each([1n, 100_000_000n])(
    'initialize is not kept from it by %s lamports sent to the address before',
    async (amount) => {
      const scenario = await Scenario.blank();
      scenario.svm.airdrop(scenario.at.config, lamports(amount));
      scenario.mustSend([scenario.initialize()]);
      const rent = scenario.svm.minimumBalanceForRentExemption(1280n);
      expect(scenario.account(scenario.at.config).lamports).toBe(
        [amount, rent].find((value) => value >= rent),
      );
      expect(scenario.config().admin).toBe(scenario.at.admin);
    },
  );
});

describe('initialize refuses with', () => testRefusals(initializeRefusals, Scenario.blank));
describe('initialize refuses with', () => testRefusals(programDataRefusals, Scenario.blank));

import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { hotKeysOf, Scenario, settingsOf, ZERO_ADDRESS } from './fixture.js';
import { initializeRefusals, programDataRefusals } from './refusals/initialize.js';
import { testRefusals } from './refusals/refusal.js';

describe('initialize', () => {
  test('writes every field of the config, closed and paused, and logs it', async () => {
    const scenario = await Scenario.blank();
    const { at } = scenario;
    const { events } = scenario.mustSend([scenario.initialize()]);
    expect(scenario.config()).toMatchObject({
      kind: 1,
      version: 1,
      marketState: 1,
      paused: 31,
      admin: at.admin,
      adminProposal: { key: ZERO_ADDRESS, readyAt: 0n },
      hotKeys: hotKeysOf(at),
      settings: settingsOf(at),
      attestation: { amount: 0n, asOf: 0n },
      burnedTotal: 0n,
      escrowOpen: 0n,
      usdcMint: at.usdcMint,
      goldMint: at.goldMint,
      treasuryAuthority: at.treasury,
      treasuryUsdc: at.treasuryUsdc,
      treasuryGold: at.treasuryGold,
      feeUsdc: at.feeUsdc,
      escrowAuthority: at.escrow,
      escrowGold: at.escrowGold,
      seq: 1n,
      settingsSeq: 0n,
      pauseSeq: 0n,
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

  test('pays exactly the rent of 2,128 bytes', async () => {
    const scenario = await Scenario.configured();
    expect(scenario.account(scenario.at.config).lamports).toBe(
      scenario.svm.minimumBalanceForRentExemption(2128n),
    );
  });

  test.each([1n, 100_000_000n])(
    'initialize is not kept from it by %s lamports sent to the address before',
    async (amount) => {
      const scenario = await Scenario.blank();
      scenario.svm.airdrop(scenario.at.config, lamports(amount));
      scenario.mustSend([scenario.initialize()]);
      const rent = scenario.svm.minimumBalanceForRentExemption(2128n);
      expect(scenario.account(scenario.at.config).lamports).toBe(
        [amount, rent].find((value) => value >= rent),
      );
      expect(scenario.config().admin).toBe(scenario.at.admin);
    },
  );
});

describe('initialize refuses with', () => testRefusals(initializeRefusals, Scenario.blank));
describe('initialize refuses with', () => testRefusals(programDataRefusals, Scenario.blank));

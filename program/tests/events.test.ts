import * as client from '@karat/program-client';
import type { Decoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  eight,
  keysOf,
  type Outcome,
  Scenario,
  settingsOf,
  termsOf,
  ZERO_ADDRESS,
} from './fixture.js';
import { eventRefusals } from './refusals/event.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();
const head = client.getKaratEventDecoder().fixedSize;

/** The body of the only event, which must fill what follows it. */
function bodyOf<T extends object>({ eventBytes }: Outcome, decoder: Decoder<T> & { fixedSize: number }): T {
  expect(eventBytes.map(({ length }) => length)).toEqual([head + decoder.fixedSize]);
  return decoder.decode(eventBytes[0] ?? Buffer.alloc(0), head);
}

describe('the data behind an event', () => {
  test('the data behind initialize: the admin and the settings', async () => {
    const scenario = await Scenario.blank();
    const body = bodyOf(scenario.mustSend([scenario.initialize()]), client.getConfigCreatedDecoder());
    const { feedId, ...settings } = settingsOf(scenario.at);
    expect(body).toMatchObject({ admin: scenario.at.admin, settings });
    expect([...body.settings.feedId]).toEqual([...feedId]);
  });

  test('the data behind updateConfig: the old and the new settings', async () => {
    const scenario = await chain();
    const { feedId: _feedId, ...before } = settingsOf(scenario.at);
    const changed = { guardian: addressOf('new guardian'), maxFeeBps: 7, minPriceE8: 3n };
    const body = bodyOf(
      scenario.mustSend([scenario.updateConfig(changed)]),
      client.getSettingsChangeDecoder(),
    );
    expect(body).toMatchObject({ before, after: { ...before, ...changed } });
  });

  test('the data behind proposeAdmin is the old and the new proposal, behind acceptAdmin the old and the new admin', async () => {
    const scenario = await chain();
    const { admin } = scenario.at;
    const next = addressOf('next admin');
    const decoder = client.getAdminChangeDecoder();
    const proposed = scenario.mustSend([scenario.proposeAdmin(next)]);
    expect(bodyOf(proposed, decoder)).toEqual({ before: ZERO_ADDRESS, after: next });
    const accepted = scenario.mustSend([scenario.acceptAdmin(next)]);
    expect(bodyOf(accepted, decoder)).toEqual({ before: admin, after: next });
  });

  test('the data behind pause and resume: the old and the new flags', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.pause(4)]);
    const decoder = client.getPauseChangeDecoder();
    expect(bodyOf(scenario.mustSend([scenario.pause(5)]), decoder)).toEqual({ before: 4, after: 5 });
    expect(bodyOf(scenario.mustSend([scenario.resume(4)]), decoder)).toEqual({ before: 5, after: 1 });
  });

  test('the data behind setMarket: the old and the new state', async () => {
    const scenario = await chain();
    const { Open: before, Closed: after } = client.MarketState;
    const closed = scenario.mustSend([scenario.setMarket(after)]);
    expect(bodyOf(closed, client.getMarketChangeDecoder())).toEqual({ before, after });
  });

  test('the data behind rotateAccounts: the old and the new accounts', async () => {
    const scenario = await chain();
    const { treasuryUsdc, treasuryGold, feeUsdc, escrowGold, usdcMint, config } = scenario.at;
    const before = { treasuryUsdc, treasuryGold, feeUsdc, escrowGold };
    const other = addressOf('new fee account');
    scenario.setToken(other, { mint: usdcMint, owner: config });
    const rotated = scenario.mustSend([scenario.rotateAccounts({ feeUsdc: other })]);
    expect(bodyOf(rotated, client.getTokenAccountsChangeDecoder())).toEqual({
      before,
      after: { ...before, feeUsdc: other },
    });
  });

  test('the data behind createIntegrator: terms, keys and executives', async () => {
    const scenario = await Scenario.configured();
    const created = scenario.mustSend([scenario.createIntegrator()]);
    expect(bodyOf(created, client.getIntegratorCreatedDecoder())).toEqual({
      terms: termsOf(),
      ...keysOf(scenario.at),
      executives: { count: 1, keys: eight([scenario.at.executive]) },
    });
  });

  test('the data behind updateIntegrator: the old and the new terms', async () => {
    const scenario = await chain();
    const before = termsOf();
    const changed = { status: client.IntegratorStatus.Suspended, openFeeBps: 3 };
    const updated = scenario.mustSend([scenario.updateIntegrator(changed)]);
    const after = { ...before, ...changed };
    expect(bodyOf(updated, client.getPartnerTermsChangeDecoder())).toEqual({ before, after });
  });

  test('the data behind updateExecutives: the old and the new list', async () => {
    const scenario = await chain();
    const { executive } = scenario.at;
    const added = addressOf('second executive');
    const updated = scenario.mustSend([scenario.updateExecutives({ add: [added] })]);
    expect(bodyOf(updated, client.getExecutivesChangeDecoder())).toEqual({
      before: { count: 1, keys: eight([executive]) },
      after: { count: 2, keys: eight([executive, added]) },
    });
  });

  test('the data behind trades, withdrawals and settlements is empty, as the event has it all', async () => {
    const scenario = await chain();
    const instructions = [
      scenario.buy(),
      scenario.sell(),
      scenario.partnerPurchase(),
      scenario.partnerSale(),
      scenario.partnerWithdraw('Gold'),
      scenario.treasuryWithdraw('Usdc'),
      scenario.redeem(),
      scenario.settleRedemption(client.SettlementMode.Burn),
      scenario.sweepEscrow(),
    ];
    const { eventBytes } = scenario.mustSend(instructions);
    expect(eventBytes.map(({ length }) => length)).toEqual(instructions.map(() => head));
  });
});

describe('event refuses with', () => testRefusals(eventRefusals, chain));

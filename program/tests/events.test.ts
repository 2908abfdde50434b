import * as client from '@karat/program-client';
import type { Decoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  DAY,
  eight,
  hotKeysOf,
  keysOf,
  NOW,
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
  return decoder.decode(new Uint8Array(eventBytes[0] ?? []), head);
}

describe('the data behind an event', () => {
  test('the data behind initialize: the admin and the settings', async () => {
    const scenario = await Scenario.blank();
    const body = bodyOf(scenario.mustSend([scenario.initialize()]), client.getConfigCreatedDecoder());
    const { at } = scenario;
    expect(body).toEqual({ admin: at.admin, hotKeys: hotKeysOf(at), settings: settingsOf(at) });
  });

  test('the data behind proposeSettings and cancelSettings is the proposal, behind applySettings the old and the new settings', async () => {
    const scenario = await chain();
    const before = settingsOf(scenario.at);
    const after = { ...before, maxFeeBps: 7, minPriceE8: 3n };
    const readyAt = NOW + BigInt(DAY);
    const propose = () => scenario.mustSend([scenario.proposeSettings({ maxFeeBps: 7, minPriceE8: 3n })]);
    const decoder = client.getProposedSettingsDecoder();
    expect(bodyOf(propose(), decoder)).toEqual({ readyAt, settings: after });
    const cancelled = scenario.mustSend([scenario.cancelSettings()]);
    expect(bodyOf(cancelled, decoder)).toEqual({ readyAt, settings: after });
    propose();
    scenario.setTime(readyAt);
    const applied = scenario.mustSend([scenario.applySettings()]);
    expect(bodyOf(applied, client.getSettingsChangeDecoder())).toEqual({ before, after });
  });

  test('the data behind proposeAdmin and cancelAdmin is the old and the new proposal, behind acceptAdmin the old and the new admin', async () => {
    const scenario = await chain();
    const { admin } = scenario.at;
    const next = addressOf('next admin');
    const readyAt = NOW + BigInt(DAY);
    const decoder = client.getAdminChangeDecoder();
    const proposed = scenario.mustSend([scenario.proposeAdmin(next)]);
    expect(bodyOf(proposed, decoder)).toEqual({ before: ZERO_ADDRESS, after: next, readyAt });
    const cancelled = scenario.mustSend([scenario.cancelAdmin()]);
    expect(bodyOf(cancelled, decoder)).toEqual({ before: next, after: ZERO_ADDRESS, readyAt: 0n });
    scenario.mustSend([scenario.proposeAdmin(next)]);
    scenario.setTime(readyAt);
    const accepted = scenario.mustSend([scenario.acceptAdmin(next)]);
    expect(bodyOf(accepted, decoder)).toEqual({ before: admin, after: next, readyAt: 0n });
  });

  test('the data behind replaceKey: the role, the old and the new key', async () => {
    const scenario = await chain();
    const { market } = scenario.at;
    const replaced = scenario.mustSend([
      scenario.replaceKey(client.HotKeyRole.Market, market, addressOf('new market')),
    ]);
    expect(bodyOf(replaced, client.getKeyReplacedDecoder())).toEqual({
      role: client.HotKeyRole.Market,
      before: market,
      after: addressOf('new market'),
    });
  });

  test('the data behind redeem: from when its user can take the gold back', async () => {
    const scenario = await chain();
    const opened = scenario.mustSend([scenario.redeem()]);
    const { reclaimableAt } = scenario.redemption();
    expect(reclaimableAt).toBe(NOW + 30n * BigInt(DAY));
    expect(bodyOf(opened, client.getRedemptionOpenedDecoder())).toEqual({ reclaimableAt });
  });

  test('the data behind announceBurn: when it can be done', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.redeem()]);
    const announced = scenario.mustSend([scenario.announceBurn()]);
    expect(bodyOf(announced, client.getBurnAnnouncedDecoder())).toEqual({ readyAt: NOW + 3_600n });
  });

  test('the data behind attest: the old and the new attestation', async () => {
    const scenario = await chain();
    const before = scenario.config().attestation;
    const report = { amount: 5n, asOf: NOW, burnedAtAsOf: 0n, reportHash: new Uint8Array(32).fill(7) };
    const attested = scenario.mustSend([scenario.attest(report)]);
    expect(bodyOf(attested, client.getAttestationChangeDecoder())).toEqual({ before, after: report });
  });

  test('the data behind freezeAccount and thawAccount: the account, and the hash of the reason', async () => {
    const scenario = await chain();
    const account = scenario.at.userGold;
    const reasonHash = new Uint8Array(32).fill(5);
    const decoder = client.getAccountFreezeDecoder();
    const frozen = scenario.mustSend([scenario.freezeAccount()]);
    expect(bodyOf(frozen, decoder)).toEqual({ account, reasonHash });
    const thawed = scenario.mustSend([scenario.thawAccount()]);
    expect(bodyOf(thawed, decoder)).toEqual({ account, reasonHash: new Uint8Array(32) });
  });

  test('the data behind pause and resume: the old and the new flags', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.pause(4)]);
    const decoder = client.getPauseChangeDecoder();
    const state = (paused: number, treasuryPausedUntil = 0n) => ({ paused, treasuryPausedUntil });
    const until = NOW + 7n * BigInt(DAY);
    expect(bodyOf(scenario.mustSend([scenario.pause(33)]), decoder)).toEqual({
      before: state(4),
      after: state(37, until),
    });
    expect(bodyOf(scenario.mustSend([scenario.resume(36)]), decoder)).toEqual({
      before: state(37, until),
      after: state(1),
    });
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

  test('the data behind suspendIntegrator: the old and the new terms', async () => {
    const scenario = await chain();
    const before = termsOf();
    const suspended = scenario.mustSend([scenario.suspendIntegrator()]);
    const after = { ...before, status: client.IntegratorStatus.Suspended };
    expect(bodyOf(suspended, client.getPartnerTermsChangeDecoder())).toEqual({ before, after });
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
    scenario.mustSend([scenario.redeem()]);
    const instructions = [
      scenario.buy(),
      scenario.sell(),
      scenario.partnerPurchase(),
      scenario.partnerSale(),
      scenario.partnerWithdraw('Gold'),
      scenario.treasuryWithdraw('Usdc'),
      scenario.settleRedemption(client.SettlementMode.Refund),
      scenario.sweepEscrow(),
      scenario.mintGold(),
    ];
    const { eventBytes } = scenario.mustSend(instructions);
    expect(eventBytes.map(({ length }) => length)).toEqual(instructions.map(() => head));
  });
});

describe('event refuses with', () => testRefusals(eventRefusals, chain));

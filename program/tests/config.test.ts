import { MarketState } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { addressOf, settingsOf, ZERO_ADDRESS } from './fixture.js';
import {
  acceptAdminRefusals,
  proposeAdminRefusals,
  setStatusRefusals,
  updateConfigRefusals,
} from './refusals/config.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

describe('updateConfig', () => {
  test('replaces the settings and the fee account, keeps the rest, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const feeUsdc = addressOf('new fee account');
    scenario.setToken(feeUsdc, { mint: at.usdcMint, owner: addressOf('new fee owner') });
    const before = scenario.config();
    const changed = {
      guardian: addressOf('new guardian'),
      serviceSigners: [ZERO_ADDRESS, addressOf('new service signer')],
      priceAccount: addressOf('new price'),
      priceOwner: addressOf('new oracle'),
      feedId: new Uint8Array(32).fill(3),
      minPriceE8: 5n,
      maxPriceE8: 6n,
      maxTradeUsdc: 7n,
      maxAgeOpen: 8,
      maxAgeClosed: 9,
      maxConfBps: 10,
      maxFeeBps: 11,
      operations: addressOf('new operations'),
      market: ZERO_ADDRESS,
      attestor: addressOf('new attestor'),
      withdrawOwners: ['a', 'b', 'c', 'd'].map((name) => addressOf(`withdraw owner ${name}`)),
      recoveryDelay: 12,
      maxAttestationAge: 13,
      dailyOutflowUsdc: 14n,
      dailyOutflowGold: 15n,
    };
    const { events } = scenario.mustSend([scenario.updateConfig(changed, feeUsdc)]);
    const { feedId, ...after } = scenario.config();
    const { feedId: _feedId, ...rest } = changed;
    const { feedId: _before, ...kept } = before;
    expect(after).toEqual({ ...kept, ...rest, feeUsdc, seq: before.seq + 1n });
    expect([...feedId]).toEqual([...changed.feedId]);
    expect(events[0]).toMatchObject({ kind: 1, seq: before.seq + 1n, actor: at.admin });
  });

  test('may empty both signer slots, which ends all trades', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateConfig({ serviceSigners: [ZERO_ADDRESS, ZERO_ADDRESS] })]);
    expect(scenario.send([scenario.buy()]).error).toBe('Unauthorized');
    scenario.mustSend([scenario.updateConfig(settingsOf(scenario.at))]);
    expect(scenario.send([scenario.buy()]).error).toBe(undefined);
  });
});

describe('proposeAdmin and acceptAdmin', () => {
  test('hand over in two steps', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const next = addressOf('next admin');
    const seq = scenario.config().seq;
    const proposed = scenario.mustSend([scenario.proposeAdmin(next)]);
    expect(scenario.config()).toMatchObject({ admin: at.admin, pendingAdmin: next });
    expect(proposed.events[0]).toMatchObject({ kind: 2, seq: seq + 1n, actor: at.admin });
    const accepted = scenario.mustSend([scenario.acceptAdmin(next)]);
    expect(scenario.config()).toMatchObject({ admin: next, pendingAdmin: ZERO_ADDRESS });
    expect(accepted.events[0]).toMatchObject({ kind: 3, seq: seq + 2n, actor: next });
    expect(scenario.send([scenario.updateConfig()]).error).toBe('Unauthorized');
  });
});

describe('setStatus', () => {
  test.each(['guardian', 'admin'] as const)('sets flags and market for the %s, and logs it', async (who) => {
    const scenario = await chain();
    const { seq } = scenario.config();
    const { events } = scenario.mustSend([scenario.setStatus(7, MarketState.Closed, scenario.at[who])]);
    expect(scenario.config()).toMatchObject({ paused: 7, marketState: MarketState.Closed, seq: seq + 1n });
    expect(events[0]).toMatchObject({
      kind: 4,
      seq: seq + 1n,
      marketState: MarketState.Closed,
      actor: scenario.at[who],
    });
    scenario.mustSend([scenario.setStatus(0, MarketState.Open, scenario.at[who])]);
    expect(scenario.config()).toMatchObject({ paused: 0, marketState: MarketState.Open });
  });
});

describe('updateConfig refuses with', () => testRefusals(updateConfigRefusals, chain));
describe('proposeAdmin refuses with', () => testRefusals(proposeAdminRefusals, chain));
describe('acceptAdmin refuses with', () => testRefusals(acceptAdminRefusals, chain));
describe('setStatus refuses with', () => testRefusals(setStatusRefusals, chain));

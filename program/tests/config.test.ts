import { MarketState } from '@karat/program-client';
import { AccountState } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { addressOf, Scenario, settingsOf, ZERO_ADDRESS } from './fixture.js';
import { U64_MAX } from './numbers.js';
import {
  acceptAdminRefusals,
  pauseRefusals,
  proposeAdminRefusals,
  resumeRefusals,
  rotateAccountsRefusals,
  setMarketRefusals,
  updateConfigRefusals,
} from './refusals/config.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

describe('updateConfig', () => {
  test('replaces the settings, keeps the rest, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
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
    const { events } = scenario.mustSend([scenario.updateConfig(changed)]);
    const { feedId, ...after } = scenario.config();
    const { feedId: _feedId, ...rest } = changed;
    const { feedId: _before, ...kept } = before;
    expect(after).toEqual({ ...kept, ...rest, seq: before.seq + 1n });
    expect([...feedId]).toEqual([...changed.feedId]);
    expect(events[0]).toMatchObject({ kind: 1, seq: before.seq + 1n, actor: at.admin });
  });

  test.each([
    [
      'lowest',
      { minPriceE8: 1n, maxPriceE8: 1n, maxTradeUsdc: 1n, maxAgeOpen: 1, maxConfBps: 0, maxFeeBps: 0 },
    ],
    [
      'highest',
      {
        ...{ minPriceE8: U64_MAX, maxPriceE8: U64_MAX, maxTradeUsdc: U64_MAX, maxAgeOpen: 300 },
        ...{ maxAgeClosed: 604_800, maxConfBps: 500, maxFeeBps: 1_000, recoveryDelay: 2_592_000 },
      },
    ],
  ])('takes the %s limits', async (_which, limits) => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateConfig(limits)]);
    expect(scenario.config()).toMatchObject(limits);
  });

  test('updateConfig may empty both signer slots, which ends all trades', async () => {
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

describe('rotateAccounts', () => {
  test('replaces the accounts of treasury and fees, keeps the rest, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const changed = {
      treasuryUsdc: addressOf('new treasury USDC'),
      treasuryGold: addressOf('new treasury GOLD'),
      feeUsdc: addressOf('new fee account'),
    };
    scenario.setToken(changed.treasuryUsdc, { mint: at.usdcMint, owner: at.treasury });
    scenario.setToken(changed.treasuryGold, { mint: at.goldMint, owner: at.treasury });
    scenario.setToken(changed.feeUsdc, { mint: at.usdcMint, owner: at.config });
    const before = scenario.config();
    const { events } = scenario.mustSend([scenario.rotateAccounts(changed)]);
    expect(scenario.config()).toEqual({ ...before, ...changed, seq: before.seq + 1n });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 24, seq: before.seq + 1n, actor: at.admin });
    expect(scenario.send([scenario.buy()]).error).toBe('InvalidAddress');
  });

  test('rotateAccounts can rotate an account that is frozen', async () => {
    const scenario = await chain();
    const { at } = scenario;
    scenario.setToken(at.feeUsdc, { mint: at.usdcMint, owner: at.config, state: AccountState.Frozen });
    const feeUsdc = addressOf('new fee account');
    scenario.setToken(feeUsdc, { mint: at.usdcMint, owner: at.config });
    scenario.mustSend([scenario.rotateAccounts({ feeUsdc })]);
    expect(scenario.config().feeUsdc).toBe(feeUsdc);
  });
});

describe('initialize', () => {
  test('leaves everything paused and the market closed', async () => {
    const scenario = await Scenario.blank();
    scenario.mustSend([scenario.initialize()]);
    expect(scenario.config()).toMatchObject({ paused: 31, marketState: MarketState.Closed });
  });
});

describe('pause', () => {
  test.each(['guardian', 'operations', 'admin'] as const)(
    'sets bits for the %s, keeps the others and the market, and logs it',
    async (who) => {
      const scenario = await chain();
      scenario.mustSend([scenario.setMarket(MarketState.Closed), scenario.pause(16)]);
      const { seq } = scenario.config();
      const { events } = scenario.mustSend([scenario.pause(5, scenario.at[who])]);
      expect(scenario.config()).toMatchObject({ paused: 21, marketState: MarketState.Closed, seq: seq + 1n });
      expect(events[0]).toMatchObject({ kind: 4, seq: seq + 1n, actor: scenario.at[who] });
    },
  );
});

describe('resume', () => {
  test('clears bits, keeps the others and the market, and logs it', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.setMarket(MarketState.Closed), scenario.pause(31)]);
    const { seq } = scenario.config();
    const { events } = scenario.mustSend([scenario.resume(9)]);
    expect(scenario.config()).toMatchObject({ paused: 22, marketState: MarketState.Closed, seq: seq + 1n });
    expect(events[0]).toMatchObject({ kind: 5, seq: seq + 1n, actor: scenario.at.admin });
  });

  test('does not undo a pause that came after the admin looked', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.pause(1)]);
    const resume = scenario.resume();
    scenario.mustSend([scenario.pause(16)]);
    expect(scenario.send([resume]).error).toBe('StaleSequence');
    expect(scenario.config().paused).toBe(17);
  });
});

describe('setMarket', () => {
  test.each(['market', 'admin'] as const)(
    'closes and opens for the %s, keeps pauses, and logs it',
    async (who) => {
      const scenario = await chain();
      scenario.mustSend([scenario.pause(31)]);
      const { seq } = scenario.config();
      const { events } = scenario.mustSend([scenario.setMarket(MarketState.Closed, scenario.at[who])]);
      expect(scenario.config()).toMatchObject({ paused: 31, marketState: MarketState.Closed, seq: seq + 1n });
      expect(events[0]).toMatchObject({ kind: 6, seq: seq + 1n, actor: scenario.at[who] });
      scenario.mustSend([scenario.setMarket(MarketState.Open, scenario.at[who])]);
      expect(scenario.config()).toMatchObject({ paused: 31, marketState: MarketState.Open });
    },
  );
});

describe('updateConfig refuses with', () => testRefusals(updateConfigRefusals, chain));
describe('proposeAdmin refuses with', () => testRefusals(proposeAdminRefusals, chain));
describe('acceptAdmin refuses with', () => testRefusals(acceptAdminRefusals, chain));
describe('rotateAccounts refuses with', () => testRefusals(rotateAccountsRefusals, chain));
describe('pause refuses with', () => testRefusals(pauseRefusals, chain));
describe('resume refuses with', () => testRefusals(resumeRefusals, chain));
describe('setMarket refuses with', () => testRefusals(setMarketRefusals, chain));

import { MarketState } from '@karat/program-client';
import { AccountState } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, Scenario, ZERO_ADDRESS } from './fixture.js';
import {
  acceptAdminRefusals,
  applySettingsRefusals,
  cancelAdminRefusals,
  cancelSettingsRefusals,
  pauseRefusals,
  proposeAdminRefusals,
  proposeSettingsRefusals,
  replaceKeyRefusals,
  resumeRefusals,
  rotateAccountsRefusals,
  setMarketRefusals,
} from './refusals/config.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

describe('proposeAdmin and acceptAdmin', () => {
  test('hand over in two steps', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const next = addressOf('next admin');
    const seq = scenario.config().seq;
    const proposed = scenario.mustSend([scenario.proposeAdmin(next)]);
    const readyAt = NOW + BigInt(DAY);
    expect(scenario.config()).toMatchObject({ admin: at.admin, adminProposal: { key: next, readyAt } });
    expect(proposed.events[0]).toMatchObject({ kind: 4, seq: seq + 1n, actor: at.admin });
    scenario.setTime(readyAt);
    const accepted = scenario.mustSend([scenario.acceptAdmin(next)]);
    expect(scenario.config()).toMatchObject({
      admin: next,
      adminProposal: { key: ZERO_ADDRESS, readyAt: 0n },
    });
    expect(accepted.events[0]).toMatchObject({ kind: 5, seq: seq + 2n, actor: next });
    expect(scenario.send([scenario.proposeSettings({})]).error).toBe('Unauthorized');
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
    expect(scenario.config()).toEqual({
      ...before,
      ...changed,
      seq: before.seq + 1n,
      settingsSeq: before.settingsSeq + 1n,
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 8, seq: before.seq + 1n, actor: at.admin });
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
  test.each(['guardian', 'admin'] as const)(
    'sets bits for the %s, keeps the others and the market, and logs it',
    async (who) => {
      const scenario = await chain();
      scenario.mustSend([scenario.setMarket(MarketState.Closed), scenario.pause(16)]);
      const { seq } = scenario.config();
      const { events } = scenario.mustSend([scenario.pause(5, scenario.at[who])]);
      expect(scenario.config()).toMatchObject({ paused: 21, marketState: MarketState.Closed, seq: seq + 1n });
      expect(events[0]).toMatchObject({ kind: 9, seq: seq + 1n, actor: scenario.at[who] });
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
    expect(events[0]).toMatchObject({ kind: 10, seq: seq + 1n, actor: scenario.at.admin });
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
      expect(events[0]).toMatchObject({ kind: 11, seq: seq + 1n, actor: scenario.at[who] });
      scenario.mustSend([scenario.setMarket(MarketState.Open, scenario.at[who])]);
      expect(scenario.config()).toMatchObject({ paused: 31, marketState: MarketState.Open });
    },
  );
});

describe('proposeSettings refuses with', () => testRefusals(proposeSettingsRefusals, chain));
describe('applySettings refuses with', () => testRefusals(applySettingsRefusals, chain));
describe('cancelSettings refuses with', () => testRefusals(cancelSettingsRefusals, chain));
describe('proposeAdmin refuses with', () => testRefusals(proposeAdminRefusals, chain));
describe('acceptAdmin refuses with', () => testRefusals(acceptAdminRefusals, chain));
describe('cancelAdmin refuses with', () => testRefusals(cancelAdminRefusals, chain));
describe('replaceKey refuses with', () => testRefusals(replaceKeyRefusals, chain));
describe('rotateAccounts refuses with', () => testRefusals(rotateAccountsRefusals, chain));
describe('pause refuses with', () => testRefusals(pauseRefusals, chain));
describe('resume refuses with', () => testRefusals(resumeRefusals, chain));
describe('setMarket refuses with', () => testRefusals(setMarketRefusals, chain));

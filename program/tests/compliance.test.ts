import { describe, expect, test } from 'vitest';
import { PROGRAM_ADDRESS, Scenario, signer } from './fixture.js';
import { freezeAccountRefusals, thawAccountRefusals } from './refusals/freeze.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

test('the compliance key freezes an account of GOLD and thaws it', async () => {
  const scenario = await Scenario.create();
  expect(scenario.mustSend([scenario.freezeAccount()]).events[0]).toMatchObject({
    actor: scenario.at.compliance,
    counterparty: scenario.at.user,
  });
  expect(scenario.send([scenario.sell()]).error).toBe('TokenAccountFrozen');
  expect(scenario.send([scenario.freezeAccount()]).error).toBe('TokenAccountFrozen');
  scenario.mustSend([scenario.thawAccount()]);
  expect(scenario.send([scenario.thawAccount()]).error).toBe('TokenAccountNotFrozen');
  scenario.mustSend([scenario.sell()]);
});

test('the admin thaws an account, also when the settings allow no freeze any more', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.freezeAccount()]);
  scenario.setSettings({ freezeEnabled: 0 });
  scenario.mustSend([scenario.thawAccount({ authority: signer(scenario.at.admin) })]);
  expect(scenario.send([scenario.freezeAccount()]).error).toBe('FreezeDisabled');
});

test.each([
  ['the treasury', 'treasuryGold', 'treasury'],
  ['escrow', 'escrowGold', 'escrow'],
  ['a vault', 'vaultGold', 'integrator'],
] as const)('the account of %s cannot be frozen', async (_whose, account, owner) => {
  const scenario = await Scenario.create();
  const { at } = scenario;
  const own = scenario.freezeAccount({ account: at[account], owner: at[owner] });
  expect(scenario.send([own]).error).toBe('ProtectedAccount');
  const hidden = scenario.freezeAccount({ account: at[account], owner: at.user });
  expect(scenario.send([hidden]).error).toBe('InvalidTokenOwner');
});

test('a wallet that its holder has assigned to the program is frozen like any other', async () => {
  const scenario = await Scenario.create();
  scenario.setAccount(scenario.at.user, PROGRAM_ADDRESS, new Uint8Array());
  scenario.mustSend([scenario.freezeAccount()]);
});

describe('freezeAccount refuses with', () => testRefusals(freezeAccountRefusals, chain));
describe('thawAccount refuses with', () => testRefusals(thawAccountRefusals, chain));

import { HotKeyRole } from '@karat/program-client';
import { expect, test } from 'vitest';
import { addressOf, Scenario, ZERO_ADDRESS } from './fixture.js';

const next = addressOf('next key');

test.each(['operations', 'market', 'compliance'] as const)(
  'the admin replaces the %s key at once',
  async (name) => {
    const scenario = await Scenario.create();
    const role = {
      operations: HotKeyRole.Operations,
      market: HotKeyRole.Market,
      compliance: HotKeyRole.Compliance,
    }[name];
    const { settingsSeq } = scenario.config();
    scenario.mustSend([scenario.replaceKey(role, scenario.at[name], next)]);
    expect(scenario.config().hotKeys[name]).toBe(next);
    expect(scenario.config().settingsSeq).toBe(settingsSeq + 1n);
    expect(scenario.send([scenario.replaceKey(role, scenario.at[name], addressOf('another'))]).error).toBe(
      'KeyNotInRole',
    );
  },
);

test('a service signer is removed, and another one takes the empty slot', async () => {
  const scenario = await Scenario.create();
  const { serviceSigner, spareSigner } = scenario.at;
  scenario.mustSend([scenario.replaceKey(HotKeyRole.ServiceSigner, spareSigner, ZERO_ADDRESS)]);
  expect(scenario.config().hotKeys.serviceSigners).toEqual([serviceSigner, ZERO_ADDRESS]);
  const twice = scenario.replaceKey(HotKeyRole.ServiceSigner, ZERO_ADDRESS, serviceSigner);
  expect(scenario.send([twice]).error).toBe('RoleConflict');
  scenario.mustSend([scenario.replaceKey(HotKeyRole.ServiceSigner, ZERO_ADDRESS, next)]);
  expect(scenario.config().hotKeys.serviceSigners).toEqual([serviceSigner, next]);
});

test('both slots of service signers may be empty, which ends the trades of users', async () => {
  const scenario = await Scenario.create();
  const { serviceSigner, spareSigner } = scenario.at;
  for (const key of [serviceSigner, spareSigner])
    scenario.mustSend([scenario.replaceKey(HotKeyRole.ServiceSigner, key, ZERO_ADDRESS)]);
  expect(scenario.send([scenario.buy()]).error).toBe('Unauthorized');
  scenario.mustSend([scenario.replaceKey(HotKeyRole.ServiceSigner, ZERO_ADDRESS, serviceSigner)]);
  expect(scenario.send([scenario.buy()]).error).toBe(undefined);
});

test('a hot key cannot be the attestor', async () => {
  const scenario = await Scenario.create();
  const { operations, serviceSigner, attestor } = scenario.at;
  for (const [role, old] of [
    [HotKeyRole.Operations, operations],
    [HotKeyRole.ServiceSigner, serviceSigner],
  ] as const)
    expect(scenario.send([scenario.replaceKey(role, old, attestor)]).error).toBe('RoleConflict');
});

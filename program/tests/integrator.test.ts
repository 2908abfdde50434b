import { IntegratorStatus } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { addressOf, Scenario, termsOf } from './fixture.js';
import { createIntegratorRefusals, updateIntegratorRefusals } from './refusals/integrator.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

describe('createIntegrator', () => {
  test('writes every field and logs it', async () => {
    const scenario = await Scenario.configured();
    const { at } = scenario;
    const executives = Array.from({ length: 8 }, (_, index) => addressOf(`executive ${index}`));
    const { events } = scenario.mustSend([scenario.createIntegrator({ executiveCount: 8, executives })]);
    const { partnerId, ...integrator } = scenario.integrator();
    expect([...partnerId]).toEqual([...at.partnerId]);
    expect(integrator).toMatchObject({
      kind: 2,
      version: 1,
      executiveCount: 8,
      executives,
      seq: 1n,
      vault: at.vault,
      vaultUsdc: at.vaultUsdc,
      vaultGold: at.vaultGold,
      ...termsOf(at),
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 5, seq: 1n, actor: at.admin });
    expect([...(events[0]?.partnerId ?? [])]).toEqual([...at.partnerId]);
  });

  test('may start suspended', async () => {
    const scenario = await Scenario.configured();
    scenario.mustSend([scenario.createIntegrator({ status: IntegratorStatus.Suspended })]);
    expect(scenario.send([scenario.buy()]).error).toBe('IntegratorSuspended');
  });
});

describe('updateIntegrator', () => {
  test('replaces the terms, keeps the rest, and logs it', async () => {
    const scenario = await chain();
    const { partnerId: _id, ...before } = scenario.integrator();
    const terms = {
      status: IntegratorStatus.Suspended,
      openFeeBps: 200,
      closedFeeBps: 0,
      partnerWallet: addressOf('new wallet'),
      updateAuthority: addressOf('new update authority'),
      withdrawalAuthority: addressOf('new withdrawal authority'),
    };
    const { events } = scenario.mustSend([scenario.updateIntegrator(terms)]);
    expect(scenario.integrator()).toMatchObject({ ...before, ...terms, seq: before.seq + 1n });
    expect(events[0]).toMatchObject({ kind: 6, seq: before.seq + 1n, actor: scenario.at.admin });
    expect([...(events[0]?.partnerId ?? [])]).toEqual([...scenario.at.partnerId]);
  });

  test('can resume a suspended partner', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ status: IntegratorStatus.Suspended })]);
    expect(scenario.send([scenario.buy()]).error).toBe('IntegratorSuspended');
    scenario.mustSend([scenario.updateIntegrator()]);
    expect(scenario.send([scenario.buy()]).error).toBe(undefined);
  });
});

describe('createIntegrator refuses with', () => testRefusals(createIntegratorRefusals, Scenario.configured));
describe('updateIntegrator refuses with', () => testRefusals(updateIntegratorRefusals, chain));

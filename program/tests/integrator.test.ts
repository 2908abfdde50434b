import { findIntegratorPda, IntegratorStatus } from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { addressOf, keysOf, replaceAccount, Scenario, termsOf } from './fixture.js';
import {
  createIntegratorRefusals,
  suspendIntegratorRefusals,
  updateIntegratorRefusals,
} from './refusals/integrator.js';
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
    const [, bump] = await findIntegratorPda({ partnerId: at.partnerId });
    expect(integrator).toMatchObject({
      kind: 2,
      version: 1,
      bump,
      executiveCount: 8,
      executives,
      seq: 1n,
      vaultUsdc: at.vaultUsdc,
      vaultGold: at.vaultGold,
      ...termsOf(),
      ...keysOf(at),
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 12, seq: 1n, actor: at.operations });
    expect([...(events[0]?.partnerId ?? [])]).toEqual([...at.partnerId]);
  });

  test('createIntegrator can start a partner suspended', async () => {
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
    };
    const { events } = scenario.mustSend([scenario.updateIntegrator(terms)]);
    expect(scenario.integrator()).toMatchObject({
      ...before,
      ...terms,
      termsSeq: before.termsSeq + 1,
      seq: before.seq + 1n,
    });
    expect(events[0]).toMatchObject({ kind: 13, seq: before.seq + 1n, actor: scenario.at.operations });
    expect([...(events[0]?.partnerId ?? [])]).toEqual([...scenario.at.partnerId]);
  });

  test('updateIntegrator is the business of the admin too, as is createIntegrator', async () => {
    const scenario = await Scenario.configured();
    const { operations, admin } = scenario.at;
    scenario.mustSend([replaceAccount(scenario.createIntegrator(), operations, admin)]);
    const { events } = scenario.mustSend([
      replaceAccount(scenario.updateIntegrator({ openFeeBps: 1 }), operations, admin),
    ]);
    expect(scenario.integrator()).toMatchObject({ openFeeBps: 1, ...keysOf(scenario.at) });
    expect(events[0]).toMatchObject({ actor: admin });
  });

  test('updateIntegrator is not outdated by a trade', async () => {
    const scenario = await chain();
    const update = scenario.updateIntegrator({ status: IntegratorStatus.Suspended });
    scenario.mustSend([scenario.buy()]);
    expect(scenario.send([update]).error).toBe(undefined);
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
describe('suspendIntegrator refuses with', () => testRefusals(suspendIntegratorRefusals, chain));
describe('updateIntegrator refuses with', () => testRefusals(updateIntegratorRefusals, chain));

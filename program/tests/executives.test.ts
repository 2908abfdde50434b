import { IntegratorStatus } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, eight, type Scenario, signer } from './fixture.js';
import { newExecutives, updateExecutivesRefusals } from './refusals/executives.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();

/** The executives as the account has them. */
function executivesOf(scenario: Scenario): Address[] {
  const { executiveCount, executives } = scenario.integrator();
  expect(executives).toEqual(eight(executives.slice(0, executiveCount)));
  return executives.slice(0, executiveCount);
}

describe('updateExecutives', () => {
  test('adds, keeps the rest, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const { partnerId: _id, ...before } = scenario.integrator();
    const add = newExecutives.slice(0, 7);
    const { events } = scenario.mustSend([scenario.updateExecutives({ add })]);
    const executives = [at.executive, ...add];
    expect(scenario.integrator()).toMatchObject({
      ...before,
      executiveCount: 8,
      executives,
      seq: before.seq + 1n,
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      version: 1,
      kind: 15,
      seq: before.seq + 1n,
      side: 0,
      amountIn: 0n,
      amountOut: 0n,
      actor: at.updateAuthority,
    });
    expect([...(events[0]?.partnerId ?? [])]).toEqual([...at.partnerId]);
  });

  test('removes from the middle and leaves no gap', async () => {
    const scenario = await chain();
    scenario.setIntegrator({ executiveCount: 8, executives: newExecutives.slice(0, 8) });
    const remove = [1, 6, 3].map((index) => newExecutives[index] as Address);
    scenario.mustSend([scenario.updateExecutives({ remove })]);
    expect(executivesOf(scenario)).toEqual([0, 2, 4, 5, 7].map((index) => newExecutives[index]));
  });

  test('replaces all eight by eight others at once', async () => {
    const scenario = await chain();
    const eightOf = (who: string) => Array.from({ length: 8 }, (_, index) => addressOf(`${who} ${index}`));
    const [old, others] = [eightOf('old executive'), eightOf('other executive')];
    scenario.setIntegrator({ executiveCount: 8, executives: old });
    scenario.mustSend([scenario.updateExecutives({ remove: old, add: others })]);
    expect(executivesOf(scenario)).toEqual(others);
  });

  test('lets the added one trade and the removed one no longer', async () => {
    const scenario = await chain();
    const added = newExecutives[0] as Address;
    scenario.mustSend([scenario.updateExecutives({ remove: [scenario.at.executive], add: [added] })]);
    expect(scenario.send([scenario.partnerPurchase()]).error).toBe('NotExecutive');
    const purchase = scenario.partnerPurchase({ executive: signer(added) });
    expect(scenario.send([purchase]).error).toBe(undefined);
  });

  test('works while the partner is suspended and everything is paused', async () => {
    const scenario = await chain();
    scenario.mustSend([
      scenario.updateIntegrator({ status: IntegratorStatus.Suspended }),
      scenario.pause(31),
      scenario.updateExecutives({ add: newExecutives.slice(0, 1) }),
    ]);
    expect(executivesOf(scenario)).toHaveLength(2);
  });

  test('changes nothing when a part of it is refused', async () => {
    const scenario = await chain();
    const before = scenario.account(scenario.at.integrator).data;
    const change = {
      remove: [scenario.at.executive, newExecutives[1] as Address],
      add: newExecutives.slice(2, 4),
    };
    expect(scenario.send([scenario.updateExecutives(change)]).error).toBe('ExecutiveMissing');
    expect(scenario.account(scenario.at.integrator).data).toEqual(before);
  });
});

describe('updateExecutives refuses with', () => testRefusals(updateExecutivesRefusals, chain));

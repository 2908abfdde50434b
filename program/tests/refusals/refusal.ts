import type { Instruction } from '@solana/kit';
import { expect, test } from 'vitest';
import { Scenario } from '../fixture.js';

/** A way to misuse an instruction, and the name of the error that must come of it. */
export interface Refusal {
  error: string;
  when: string;
  /** Changes the chain before the instruction is built. */
  arrange?: (scenario: Scenario) => void;
  instruction: (scenario: Scenario) => Instruction;
  /** The arrangement can't be undone: the test gets a chain of its own. */
  ruinous?: true;
}

/** One test for every refusal, each on a chain of its own or on one that is put back between them. */
export function testRefusals(refusals: Refusal[], chain: () => Promise<Scenario> | Scenario): void {
  for (const { error, when, arrange, instruction, ruinous } of refusals) {
    test(`${error} when ${when}`, async () => {
      const scenario = await (ruinous ? Scenario.create() : chain());
      arrange?.(scenario);
      const outcome = scenario.send([instruction(scenario)]);
      expect(outcome.error, outcome.logs.join('\n')).toBe(error);
      expect(outcome.events).toEqual([]);
    });
  }
}

/** A chain that is made once and put back before each use. */
export function sharedScenario(): () => Promise<Scenario> {
  let made: Promise<Scenario> | undefined;
  return async () => {
    made ??= Scenario.create();
    const scenario = await made;
    scenario.reset();
    return scenario;
  };
}

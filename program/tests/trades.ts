import { MarketState } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { expect, test } from 'vitest';
import { NOW, type Scenario, TOKEN_2022_PROGRAM_ADDRESS } from './fixture.js';

/** Balances of the token accounts that trades move, base units. */
export function balances(scenario: Scenario): Record<string, bigint> {
  const names = [
    'userUsdc',
    'userGold',
    'vaultUsdc',
    'vaultGold',
    'treasuryUsdc',
    'treasuryGold',
    'feeUsdc',
  ] as const;
  return Object.fromEntries(names.map((name) => [name, scenario.balance(scenario.at[name])]));
}

/** How the balances differ from `before`; those that don't are left out. */
export function changes(scenario: Scenario, before: Record<string, bigint>): Record<string, bigint> {
  const all = Object.entries(balances(scenario)).map(
    ([name, after]) => [name, after - (before[name] ?? 0n)] as const,
  );
  return Object.fromEntries(all.filter(([, change]) => change !== 0n));
}

/** How many transfers of tokens the program has called. */
export function transfersIn(logs: string[]): number {
  const programs = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];
  return logs.filter((line) => programs.some((program) => line === `Program ${program} invoke [2]`)).length;
}

/** What every kind of trade accepts at the very edge; `otherPauses` are the flags that don't concern it. */
export function testAcceptance(
  chain: () => Promise<Scenario>,
  trade: (scenario: Scenario, limits?: { maxFeeBps?: number; expireAt?: bigint }) => Instruction,
  otherPauses: number,
): void {
  const accepted: [when: string, arrange: (scenario: Scenario) => void][] = [
    ['the price is exactly as old as allowed', (scenario) => scenario.setPrice({ publishTime: NOW - 60n })],
    ['the price is 10 seconds from the future', (scenario) => scenario.setPrice({ publishTime: NOW + 10n })],
    ['the confidence is exactly at its limit', (scenario) => scenario.setPrice({ confidence: 41_00000000n })],
    ['the price is the lowest of the band', (scenario) => scenario.setPrice({ price: 1_000_00000000n })],
    [
      'the price is the highest of the band, with 12 decimals',
      (scenario) => scenario.setPrice({ price: 10_000n * 10n ** 12n, exponent: -12, confidence: 0n }),
    ],
    [
      'the price has no decimals',
      (scenario) => scenario.setPrice({ price: 4_100n, exponent: 0, confidence: 0n }),
    ],
    ['the price account is of the shortest length', (scenario) => scenario.setPrice({ length: 133 })],
    [
      'the other service signer is gone',
      (scenario) => scenario.setHotKeys({ serviceSigners: twoOf(scenario) }),
    ],
    [
      'everything is paused but trades of its kind',
      (scenario) => scenario.mustSend([scenario.pause(otherPauses)]),
    ],
    ['the market was closed and is open again', reopened],
    [
      'the market is closed and trades go on at prices of a second',
      (scenario) => {
        scenario.setConfig({ marketState: MarketState.Closed });
        scenario.setSettings({ maxAgeClosed: 1 });
      },
    ],
  ];
  test.each(accepted)('lands when %s', async (_when, arrange) => {
    const scenario = await chain();
    arrange(scenario);
    expect(scenario.send([trade(scenario)]).error).toBe(undefined);
  });

  test('lands at expire_at and with a fee exactly as high as accepted', async () => {
    const scenario = await chain();
    expect(scenario.send([trade(scenario, { expireAt: NOW, maxFeeBps: 50 })]).error).toBe(undefined);
  });

  test('a trade is refused when it is sent once more after expire_at', async () => {
    const scenario = await chain();
    const instruction = trade(scenario, { expireAt: NOW + 5n });
    expect(scenario.send([instruction]).error).toBe(undefined);
    scenario.setTime(NOW + 6n);
    expect(scenario.send([instruction]).error).toBe('Expired');
  });

  test('pays the closed fee while the market is closed, at a price of up to maxAgeClosed', async () => {
    const scenario = await chain();
    scenario.setSettings({ maxAgeClosed: 3_600 });
    scenario.mustSend([scenario.setMarket(MarketState.Closed)]);
    scenario.setPrice({ publishTime: NOW - 3_600n });
    const [event] = scenario.mustSend([trade(scenario)]).events;
    expect(event).toMatchObject({ feeBps: 150, marketState: MarketState.Closed, publishTime: NOW - 3_600n });
  });

  test('ignores accounts after its own', async () => {
    const scenario = await chain();
    const instruction = trade(scenario);
    const accounts = [...(instruction.accounts ?? []), { address: scenario.at.guardian, role: 0 }];
    expect(scenario.send([{ ...instruction, accounts }]).error).toBe(undefined);
  });

  test('numbers its events without a gap', async () => {
    const scenario = await chain();
    const first = scenario.integrator().seq;
    const { events } = scenario.mustSend([trade(scenario), trade(scenario), trade(scenario)]);
    expect(events.map(({ seq }) => seq)).toEqual([first + 1n, first + 2n, first + 3n]);
    expect(scenario.integrator().seq).toBe(first + 3n);
  });
}

function twoOf({ at }: Scenario) {
  return [at.guardian, at.serviceSigner];
}

function reopened(scenario: Scenario): void {
  scenario.mustSend([scenario.setMarket(MarketState.Closed)]);
  scenario.mustSend([scenario.setMarket(MarketState.Open)]);
}

import { SettlementMode } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { addressOf, ONE, type Outcome, plainEvent, type Scenario, ZERO_ADDRESS } from './fixture.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { settleEscrowRefusals } from './refusals/settle-escrow.js';
import { mintOf } from './refusals/silent-token-program.js';
import { balances, changes } from './trades.js';

const chain = sharedScenario();
const reference = Array.from({ length: 16 }, (_, index) => 0xf0 + index);

function goldSupply(scenario: Scenario): bigint {
  return getMintDecoder().decode(scenario.account(scenario.at.goldMint).data).supply;
}

/** That the one event is a settlement with the reference, counted in the config. */
function expectEvent(
  scenario: Scenario,
  { events }: Outcome,
  wanted: { seq: bigint; amountOut: bigint; counterparty: Address },
): void {
  expect(events).toHaveLength(1);
  const [event] = events;
  expect(plainEvent(event)).toEqual({
    version: 1,
    kind: 14,
    partnerId: Array(16).fill(0),
    side: 0,
    amountIn: ONE,
    fee: 0n,
    feeBps: 0,
    price: 0n,
    exponent: 0,
    confidence: 0n,
    publishTime: 0n,
    id: reference,
    marketState: 0,
    actor: scenario.at.admin,
    ...wanted,
  });
  expect(scenario.config().seq).toBe(wanted.seq);
}

describe('settleEscrow', () => {
  test('burns: the gold and the supply are less, nobody receives anything', async () => {
    const scenario = await chain();
    const [before, supply] = [balances(scenario), goldSupply(scenario)];
    const seq = scenario.config().seq + 1n;
    const outcome = scenario.mustSend([scenario.settleEscrow(SettlementMode.Burn)]);
    expect(changes(scenario, before)).toEqual({});
    expect(scenario.balance(scenario.at.escrowGold)).toBe(19n * ONE);
    expect(supply - goldSupply(scenario)).toBe(ONE);
    expectEvent(scenario, outcome, { seq, amountOut: 0n, counterparty: ZERO_ADDRESS });
  });

  test('refunds: the gold goes to an account outside the house, also one that was made anew', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const destination = addressOf('account made anew');
    scenario.setToken(destination, { mint: at.goldMint, owner: at.user });
    const [before, supply] = [balances(scenario), goldSupply(scenario)];
    const seq = scenario.config().seq + 1n;
    const outcome = scenario.mustSend([scenario.settleEscrow(SettlementMode.Refund, { destination })]);
    expect(changes(scenario, before)).toEqual({});
    expect(scenario.balance(at.escrowGold)).toBe(19n * ONE);
    expect(scenario.balance(destination)).toBe(ONE);
    expect(goldSupply(scenario)).toBe(supply);
    expectEvent(scenario, outcome, { seq, amountOut: ONE, counterparty: at.user });
  });

  test('takes into the treasury', async () => {
    const scenario = await chain();
    const before = balances(scenario);
    const seq = scenario.config().seq + 1n;
    const outcome = scenario.mustSend([scenario.settleEscrow(SettlementMode.Treasury)]);
    expect(changes(scenario, before)).toEqual({ treasuryGold: ONE });
    expect(scenario.balance(scenario.at.escrowGold)).toBe(19n * ONE);
    expectEvent(scenario, outcome, { seq, amountOut: ONE, counterparty: scenario.at.treasury });
  });

  test.each([SettlementMode.Burn, SettlementMode.Refund, SettlementMode.Treasury])(
    'takes the last base unit in mode %s, whatever is paused, and without a reference',
    async (mode) => {
      const scenario = await chain();
      mintOf('escrowGold', ONE)(scenario);
      const settle = scenario.settleEscrow(mode, { reference: new Uint8Array(16) });
      const { events } = scenario.mustSend([scenario.setStatus(7), settle]);
      expect(scenario.balance(scenario.at.escrowGold)).toBe(0n);
      expect(events[1]?.kind).toBe(14);
      expect([...(events[1]?.id ?? [])]).toEqual(Array(16).fill(0));
    },
  );
});

describe('settleEscrow refuses with', () => testRefusals(settleEscrowRefusals, chain));

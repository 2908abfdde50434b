import { IntegratorStatus } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, inventory, ONE, plainEvent, signer } from './fixture.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { mintOf } from './refusals/silent-token-program.js';
import { partnerWithdrawRefusals, treasuryWithdrawRefusals } from './refusals/withdrawals.js';
import { balances, changes } from './trades.js';

const chain = sharedScenario();

describe.each(['Usdc', 'Gold'] as const)('partnerWithdraw of %s', (token) => {
  test("moves it to the authority's own account, and logs it", async () => {
    const scenario = await chain();
    const { at } = scenario;
    const before = balances(scenario);
    const seq = scenario.integrator().seq + 1n;
    const { events } = scenario.mustSend([scenario.partnerWithdraw(token, 7n)]);
    expect(changes(scenario, before)).toEqual({ [`vault${token}`]: -7n });
    expect(scenario.balance(at[`withdrawal${token}`])).toBe(7n);
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toEqual({
      version: 1,
      kind: 24,
      partnerId: [...at.partnerId],
      id: expect.any(Array),
      seq,
      side: 0,
      amountIn: 7n,
      amountOut: 7n,
      fee: 0n,
      feeBps: 0,
      price: 0n,
      exponent: 0,
      confidence: 0n,
      publishTime: 0n,
      marketState: 0,
      actor: at.withdrawalAuthority,
      counterparty: at.withdrawalAuthority,
    });
  });

  test('takes the last base unit', async () => {
    const scenario = await chain();
    mintOf(`vault${token}`, 5n)(scenario);
    scenario.mustSend([scenario.partnerWithdraw(token, 5n)]);
    expect(scenario.balance(scenario.at[`vault${token}`])).toBe(0n);
  });
});

describe('partnerWithdraw', () => {
  test('works for a suspended partner, and while trades and partner instructions are paused', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.updateIntegrator({ status: IntegratorStatus.Suspended }), scenario.pause(3)]);
    expect(scenario.send([scenario.partnerWithdraw('Usdc')]).error).toBe(undefined);
  });

  test('partnerWithdraw is signed by the withdrawal authority alone', async () => {
    const scenario = await chain();
    const { withdrawalAuthority } = scenario.at;
    scenario.svm.airdrop(withdrawalAuthority, lamports(1_000_000_000n));
    const withdraw = scenario.partnerWithdraw('Gold', ONE, { payer: signer(withdrawalAuthority) });
    const compiled = scenario.compile([withdraw], withdrawalAuthority);
    expect(Object.keys(compiled.signatures)).toEqual([withdrawalAuthority]);
    expect(scenario.sendCompiled(compiled).error).toBe(undefined);
  });
});

describe.each(['Usdc', 'Gold', 'Fees'] as const)('treasuryWithdraw of %s', (from) => {
  const { account, token } = inventory[from];

  test('moves it, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const before = balances(scenario);
    const destination = addressOf('outside');
    const owner = at.withdrawOwner;
    scenario.setToken(destination, { mint: token === 'Usdc' ? at.usdcMint : at.goldMint, owner });
    const seq = scenario.config().seq + 1n;
    const { events } = scenario.mustSend([scenario.treasuryWithdraw(from, 9n, destination)]);
    expect(changes(scenario, before)).toEqual({ [account]: -9n });
    expect(scenario.balance(destination)).toBe(9n);
    expect(events).toHaveLength(1);
    expect(plainEvent(events[0])).toMatchObject({
      kind: 32,
      partnerId: Array(16).fill(0),
      id: expect.any(Array),
      seq,
      side: 0,
      amountIn: 9n,
      amountOut: 9n,
      actor: at.admin,
      counterparty: owner,
    });
    expect(scenario.config().seq).toBe(seq);
  });

  test('takes the last base unit, whatever is paused', async () => {
    const scenario = await chain();
    mintOf(account, ONE)(scenario);
    scenario.mustSend([scenario.pause(31), scenario.treasuryWithdraw(from)]);
    expect(scenario.balance(scenario.at[account])).toBe(0n);
  });
});

describe('partnerWithdraw refuses with', () => testRefusals(partnerWithdrawRefusals, chain));
describe('treasuryWithdraw refuses with', () => testRefusals(treasuryWithdrawRefusals, chain));

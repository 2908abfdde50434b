import { findReservePda, getReserveDecoder } from '@karat/program-client';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, NOW, ONE, Scenario } from './fixture.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';
import { attestRefusals, mintGoldRefusals } from './refusals/reserve.js';
import { balances, changes } from './trades.js';

const chain = sharedScenario();

const reportHash = new Uint8Array(32).map((_, index) => index + 1);

describe('attest', () => {
  test('makes the account the first time, for the rent of 64 bytes, and logs it', async () => {
    const scenario = await Scenario.configured();
    const { at } = scenario;
    const { seq } = scenario.config();
    const { events } = scenario.mustSend([scenario.attest({ amount: 5n, asOf: NOW - 60n, reportHash })]);
    const { reportHash: hash, ...reserve } = scenario.reserve();
    const [, bump] = await findReservePda();
    expect(reserve).toMatchObject({ kind: 5, version: 1, bump, attested: 5n, asOf: NOW - 60n, seq: 1n });
    expect([...hash]).toEqual([...reportHash]);
    const { lamports: held, data } = scenario.account(at.reserve);
    expect(held).toBe(scenario.svm.minimumBalanceForRentExemption(64n));
    expect(data).toHaveLength(64);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 25, seq: seq + 1n, side: 0, actor: at.attestor });
    expect([...(events[0]?.partnerId ?? [])]).toEqual(Array(16).fill(0));
    expect(scenario.config().seq).toBe(seq + 1n);
  });

  test('replaces the last one, also by less gold and of the same moment, and counts', async () => {
    const scenario = await chain();
    const { seq } = scenario.reserve();
    scenario.mustSend([scenario.attest({ amount: 4n })]);
    expect(scenario.reserve()).toMatchObject({ attested: 4n, asOf: NOW, seq: seq + 1n });
    scenario.mustSend([scenario.attest({ amount: 0n })]);
    expect(scenario.reserve()).toMatchObject({ attested: 0n, seq: seq + 2n });
  });

  test('attest is not kept from it by lamports sent to the address before', async () => {
    const scenario = await Scenario.configured();
    scenario.svm.airdrop(scenario.at.reserve, lamports(1n));
    scenario.mustSend([scenario.attest()]);
    expect(getReserveDecoder().decode(scenario.account(scenario.at.reserve).data).seq).toBe(1n);
  });

  test('works whatever is paused', async () => {
    const scenario = await chain();
    scenario.setConfig({ paused: 0xff });
    expect(scenario.send([scenario.attest()]).error).toBe(undefined);
  });
});

describe('mintGold', () => {
  test('mints into the treasury up to the last attested base unit, and logs it', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const supply = scenario.goldSupply();
    scenario.setReserve({ attested: supply + 8n });
    const before = balances(scenario);
    const { seq } = scenario.config();
    const { events } = scenario.mustSend([scenario.mintGold(7n)]);
    expect(changes(scenario, before)).toEqual({ treasuryGold: 7n });
    expect(scenario.goldSupply()).toBe(supply + 7n);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      kind: 26,
      seq: seq + 1n,
      amountIn: 0n,
      amountOut: 7n,
      actor: at.admin,
      counterparty: at.treasury,
    });
    scenario.mustSend([scenario.mintGold(1n)]);
    expect(scenario.send([scenario.mintGold(1n)]).error).toBe('MintAboveAttestation');
  });

  test('takes a report that is exactly as old as allowed', async () => {
    const scenario = await chain();
    scenario.setConfig({ maxAttestationAge: 3_600 });
    scenario.setReserve({ asOf: NOW - 3_600n });
    expect(scenario.send([scenario.mintGold()]).error).toBe(undefined);
  });

  test('counts what two calls of one transaction mint', async () => {
    const scenario = await chain();
    scenario.setReserve({ attested: scenario.goldSupply() + ONE });
    expect(scenario.send([scenario.mintGold(), scenario.mintGold(1n)]).error).toBe('MintAboveAttestation');
  });

  test('makes room again when gold is burned', async () => {
    const scenario = await chain();
    scenario.setReserve({ attested: scenario.goldSupply() });
    expect(scenario.send([scenario.mintGold()]).error).toBe('MintAboveAttestation');
    scenario.mustSend([scenario.redeem(), scenario.settleRedemption(0), scenario.mintGold()]);
  });

  test('works when the admin signs without paying', async () => {
    const scenario = await chain();
    const payer = addressOf('another payer');
    scenario.svm.airdrop(payer, lamports(1_000_000_000n));
    expect(scenario.send([scenario.mintGold()], payer).error).toBe(undefined);
  });
});

describe('attest refuses with', () => testRefusals(attestRefusals, chain));
describe('mintGold refuses with', () => testRefusals(mintGoldRefusals, chain));

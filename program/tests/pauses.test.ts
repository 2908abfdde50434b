import { MarketState } from '@karat/program-client';
import { expect, test } from 'vitest';
import { NOW, replaceAccount, Scenario } from './fixture.js';

const TREASURY = 32;
const after = (seconds: number) => NOW + BigInt(seconds);

test('a pause of what is paused, and a market that is open already, have no event and are not counted', async () => {
  const scenario = await Scenario.create();
  const { pauseSeq, seq } = scenario.config();
  expect(scenario.mustSend([scenario.pause(3)]).events).toHaveLength(1);
  expect(scenario.mustSend([scenario.pause(3)]).events).toEqual([]);
  expect(scenario.mustSend([scenario.setMarket(MarketState.Open)]).events).toEqual([]);
  expect(scenario.config()).toMatchObject({ pauseSeq: pauseSeq + 1n, seq: seq + 1n });
});

test('a pause of the treasury stops minting, withdrawals and sweeps for seven days', async () => {
  const scenario = await Scenario.create();
  const instructions = [scenario.mintGold(), scenario.treasuryWithdraw('Usdc'), scenario.sweepEscrow()];
  scenario.mustSend([scenario.pause(TREASURY)]);
  expect(scenario.config().treasuryPausedUntil).toBe(after(604_800));
  scenario.setTime(after(604_799));
  for (const instruction of instructions) expect(scenario.send([instruction]).error).toBe('Paused');
  scenario.setTime(after(604_800));
  scenario.mustSend([scenario.attest({ asOf: after(604_800) })]);
  for (const instruction of instructions) expect(scenario.send([instruction]).error).toBe(undefined);
});

test('a pause of the treasury is prolonged by more than an hour or not at all', async () => {
  const scenario = await Scenario.create();
  scenario.mustSend([scenario.pause(TREASURY)]);
  scenario.setTime(after(3_600));
  expect(scenario.mustSend([scenario.pause(TREASURY)]).events).toEqual([]);
  scenario.setTime(after(3_601));
  expect(scenario.mustSend([scenario.pause(TREASURY)]).events).toHaveLength(1);
  expect(scenario.config().treasuryPausedUntil).toBe(after(3_601 + 604_800));
});

test('the admin ends a pause of the treasury with the guardian, and alone once it is over', async () => {
  const scenario = await Scenario.create();
  const { guardian, market } = scenario.at;
  scenario.mustSend([scenario.pause(TREASURY)]);
  const other = replaceAccount(scenario.resume(TREASURY), guardian, market);
  expect(scenario.send([other]).error).toBe('Unauthorized');
  scenario.mustSend([scenario.resume(TREASURY)]);
  expect(scenario.config()).toMatchObject({ paused: 0, treasuryPausedUntil: 0n });
  scenario.mustSend([scenario.pause(TREASURY)]);
  scenario.setTime(after(604_800));
  scenario.mustSend([replaceAccount(scenario.resume(TREASURY), guardian, market)]);
});

test('operations cannot pause', async () => {
  const scenario = await Scenario.create();
  expect(scenario.send([scenario.pause(1, scenario.at.operations)]).error).toBe('Unauthorized');
});

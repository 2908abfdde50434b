import {
  findIntegratorPda,
  findReceiptPda,
  getReceiptDecoder,
  PARTNER_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  NOW,
  ONE,
  plainEvent,
  receiptOf,
  replaceAccount,
  Scenario,
  SYSTEM_ADDRESS,
  signer,
  tokenAddress,
} from './fixture.js';
import { type BuildOrder, closeReceiptRefusals } from './refusals/orders.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();
const orders: Record<string, BuildOrder> = {
  partnerPurchase: (scenario, args) => scenario.partnerPurchase(args),
  partnerSale: (scenario, args) => scenario.partnerSale(args),
  partnerWithdraw: (scenario, args) => scenario.partnerWithdraw('Gold', ONE, args),
};

describe.each(Object.entries(orders))('an order by %s', (_name, order) => {
  test('an order leaves a receipt that its payer has paid for, and names the order in its event', async () => {
    const scenario = await chain();
    const payer = addressOf('payer of the rent');
    scenario.setAccount(payer, SYSTEM_ADDRESS, new Uint8Array(), 5_000_000n);
    const made = scenario.nextOrder();
    const { events } = scenario.mustSend([
      order(scenario, { ...made, payer: signer(payer), expireAt: NOW + 7n }),
    ]);
    expect(plainEvent(events[0]).id).toEqual([...made.id]);
    const receipt = scenario.account(made.receipt);
    const rent = scenario.svm.minimumBalanceForRentExemption(48n);
    expect(receipt.lamports).toBe(rent);
    expect(scenario.account(payer).lamports).toBe(5_000_000n - rent);
    expect(getReceiptDecoder().decode(receipt.data)).toMatchObject({
      kind: 4,
      version: 1,
      bump: (await receiptOf(made.id))[1],
      payer,
      closableAt: NOW + 7n + 3_600n,
    });
  });

  test('an order is executed once, though it is signed three times with other blockhashes', async () => {
    const scenario = await chain();
    const instruction = order(scenario, scenario.nextOrder());
    const outcomes = [1, 2, 3].map(() => {
      scenario.svm.expireBlockhash();
      return scenario.send([instruction]).error;
    });
    expect(outcomes).toEqual([undefined, 'OrderExecuted', 'OrderExecuted']);
  });

  test('an order is executed although lamports were sent to where its receipt will be', async () => {
    const scenario = await chain();
    const made = scenario.nextOrder();
    scenario.setAccount(made.receipt, SYSTEM_ADDRESS, new Uint8Array(), 1n);
    expect(scenario.send([order(scenario, made)]).error).toBe(undefined);
    expect(scenario.send([order(scenario, made)]).error).toBe('OrderExecuted');
  });

  test('an order may be one of two in a transaction, but not twice', async () => {
    const scenario = await chain();
    const [first, second] = [scenario.nextOrder(), scenario.nextOrder()];
    const twice = [order(scenario, first), order(scenario, first)];
    expect(scenario.send(twice).error).toBe('OrderExecuted');
    expect(scenario.send([order(scenario, first), order(scenario, second)]).error).toBe(undefined);
  });
});

test('an order of one partner does not use up the same id of another', async () => {
  const scenario = await Scenario.create();
  const { at } = scenario;
  const partnerId = new Uint8Array(16).fill(8);
  const [integrator] = await findIntegratorPda({ partnerId });
  const vaultUsdc = await tokenAddress(integrator, at.usdcMint);
  const vaultGold = await tokenAddress(integrator, at.goldMint);
  scenario.setToken(vaultUsdc, { mint: at.usdcMint, owner: integrator });
  scenario.setToken(vaultGold, { mint: at.goldMint, owner: integrator, amount: 5n * ONE });
  const ofOther = (instruction: Instruction) =>
    [
      [at.integrator, integrator],
      [at.vaultUsdc, vaultUsdc],
      [at.vaultGold, vaultGold],
    ].reduce((made, [from, to]) => replaceAccount(made, from as Address, to as Address), instruction);
  scenario.mustSend([ofOther(scenario.createIntegrator({ partnerId }))]);
  const order = scenario.nextOrder();
  const [receipt] = await findReceiptPda({ integrator, id: order.id });
  const other = ofOther(scenario.partnerSale({ id: order.id, receipt }));
  scenario.mustSend([other]);
  expect(scenario.send([scenario.partnerSale(order)]).error).toBe(undefined);
  expect(scenario.send([other]).error).toBe('OrderExecuted');
});

describe('closeReceipt', () => {
  test('closeReceipt gives the rent back to its payer, for any sender, and has no event', async () => {
    const scenario = await chain();
    const made = scenario.nextOrder();
    const { at } = scenario;
    scenario.mustSend([scenario.partnerWithdraw('Gold', ONE, made)]);
    scenario.setTime(NOW + 60n + 3_601n);
    const before = scenario.account(at.payer).lamports;
    const anybody = addressOf('anybody');
    scenario.setAccount(anybody, SYSTEM_ADDRESS, new Uint8Array());
    const { events } = scenario.mustSend([scenario.closeReceipt(made)], anybody);
    expect(events).toEqual([]);
    expect(scenario.svm.getAccount(made.receipt).exists).toBe(false);
    const rent = scenario.svm.minimumBalanceForRentExemption(48n);
    expect(scenario.account(at.payer).lamports).toBe(before + rent);
  });

  test('does not let the order be executed again', async () => {
    const scenario = await chain();
    const made = scenario.nextOrder();
    const instruction = scenario.partnerWithdraw('Gold', ONE, made);
    const { events } = scenario.mustSend([instruction]);
    expect(events.map(({ kind }) => kind)).toEqual([PARTNER_WITHDRAW_DISCRIMINATOR]);
    scenario.setTime(NOW + 60n + 3_601n);
    scenario.mustSend([scenario.closeReceipt(made)]);
    expect(scenario.send([instruction]).error).toBe('Expired');
  });
});

describe('closeReceipt refuses with', () => testRefusals(closeReceiptRefusals, chain));

import {
  KARAT_ERROR__OPPOSITE_SIDE_TOO_EARLY,
  KARAT_ERROR__PAUSED,
  MINT_GOLD_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import { expect, test } from 'vitest';
import { causeOf, ofOrder } from '../../../src/chain/failure/cause.js';
import { programAddress } from '../fixtures.js';

/** A transaction whose only instruction failed with an error of the program. */
const failed = (discriminator: number, code: number) => ({
  error: { InstructionError: [0, { Custom: code }] },
  feePayer: undefined,
  instructions: [{ program: programAddress, accounts: [], data: Uint8Array.of(discriminator), depth: 1 }],
  logs: [],
  balances: new Map(),
});

test('cause: a vault that changes sides too early has to wait, in the words of orders', () => {
  const sale = failed(PARTNER_SALE_DISCRIMINATOR, KARAT_ERROR__OPPOSITE_SIDE_TOO_EARLY);
  expect(ofOrder(causeOf(sale, programAddress))).toEqual({
    reason: 'opposite_side_too_early',
    programErrorName: 'OppositeSideTooEarly',
    message:
      'OppositeSideTooEarly: The vault traded in the other direction too short a time ago. Place a new order a few minutes after the last trade of the vault.',
  });
});

test.each([
  ['a withdrawal from the treasury', TREASURY_WITHDRAW_DISCRIMINATOR, 'treasury_paused'],
  ['a mint', MINT_GOLD_DISCRIMINATOR, 'treasury_paused'],
  ['a sweep of escrow', SWEEP_ESCROW_DISCRIMINATOR, 'treasury_paused'],
  ['a sale of a vault', PARTNER_SALE_DISCRIMINATOR, 'trading_paused'],
])('cause: %s while it is paused has the reason of that pause', (_, discriminator, reason) => {
  expect(causeOf(failed(discriminator, KARAT_ERROR__PAUSED), programAddress).reason).toBe(reason);
});

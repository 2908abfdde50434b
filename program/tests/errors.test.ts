import * as client from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';
import { PROGRAM_ADDRESS, Scenario } from './fixture.js';
import { buyRefusals } from './refusals/buy.js';
import {
  acceptAdminRefusals,
  proposeAdminRefusals,
  setStatusRefusals,
  updateConfigRefusals,
} from './refusals/config.js';
import { updateExecutivesRefusals } from './refusals/executives.js';
import { initializeRefusals, programDataRefusals } from './refusals/initialize.js';
import { createIntegratorRefusals, updateIntegratorRefusals } from './refusals/integrator.js';
import { partnerPurchaseRefusals } from './refusals/partner-purchase.js';
import { redeemRefusals, settleRedemptionRefusals, sweepEscrowRefusals } from './refusals/redemptions.js';
import type { Refusal } from './refusals/refusal.js';
import { attestRefusals, mintGoldRefusals } from './refusals/reserve.js';
import { partnerSaleRefusals, sellRefusals } from './refusals/sell.js';
import { settleEscrowRefusals } from './refusals/settle-escrow.js';
import { partnerWithdrawRefusals, treasuryWithdrawRefusals } from './refusals/withdrawals.js';

// That no error is left without a test: neither one of the contract, nor one that an instruction can give.

const refusals: Record<string, Refusal[]> = {
  initialize: [...initializeRefusals, ...programDataRefusals],
  updateConfig: updateConfigRefusals,
  proposeAdmin: proposeAdminRefusals,
  acceptAdmin: acceptAdminRefusals,
  setStatus: setStatusRefusals,
  createIntegrator: createIntegratorRefusals,
  updateIntegrator: updateIntegratorRefusals,
  updateExecutives: updateExecutivesRefusals,
  buy: buyRefusals,
  sell: sellRefusals,
  partnerPurchase: partnerPurchaseRefusals,
  partnerSale: partnerSaleRefusals,
  partnerWithdraw: partnerWithdrawRefusals,
  treasuryWithdraw: treasuryWithdrawRefusals,
  settleEscrow: settleEscrowRefusals,
  redeem: redeemRefusals,
  settleRedemption: settleRedemptionRefusals,
  sweepEscrow: sweepEscrowRefusals,
  attest: attestRefusals,
  mintGold: mintGoldRefusals,
};

const state = ['InvalidInstructionData', 'NotEnoughAccounts', 'InvalidAccountOwner', 'InvalidAccountData'];
const roles = ['MissingSignature', 'Unauthorized'];
const tokens = ['InvalidMint', 'InvalidTokenOwner', 'TokenAccountFrozen', 'AccountAlias'];
const fresh = ['InvalidAddress', 'AlreadyInitialized', 'InvalidArgument'];

const moves = [
  'InvalidAddress',
  'InvalidTokenProgram',
  'ZeroAmount',
  'ArithmeticOverflow',
  'BalanceMismatch',
];
const ownTokens = tokens.filter((name) => name !== 'AccountAlias');
const reserve = ['MintAboveAttestation', 'AttestationStale'];
const lists = ['ExecutiveExists', 'ExecutiveMissing', 'TooManyExecutives', 'NoExecutiveLeft'];

/** The errors that each instruction's processor can give. */
const possible: Record<string, string[]> = {
  initialize: [...state, ...roles, ...tokens, ...fresh],
  updateConfig: [...state, ...roles, ...tokens, 'InvalidArgument', 'ArithmeticOverflow'],
  proposeAdmin: [...state, ...roles],
  acceptAdmin: [...state, ...roles],
  setStatus: [...state, ...roles, 'InvalidArgument'],
  createIntegrator: [...state, ...roles, ...tokens, ...fresh, 'FeeTooHigh'],
  updateIntegrator: [...state, ...roles, 'InvalidArgument', 'FeeTooHigh', 'ArithmeticOverflow'],
  updateExecutives: [...state, ...roles, ...lists, 'InvalidArgument', 'ArithmeticOverflow'],
  partnerWithdraw: [...state, ...roles, ...tokens, ...moves, 'InsufficientFunds', 'Paused'],
  treasuryWithdraw: [...state, ...roles, ...tokens, ...moves, 'InsufficientLiquidity'],
  attest: [...state, ...roles, 'InvalidAddress', 'InvalidArgument', 'ArithmeticOverflow'],
  mintGold: [...state, ...roles, ...ownTokens, ...moves, ...reserve],
  settleEscrow: [...state, ...roles, ...tokens, ...moves, 'InsufficientFunds', 'InvalidArgument'],
  redeem: [...state, ...roles, ...tokens, ...moves, ...fresh.slice(1), 'InsufficientFunds', 'Paused'],
  settleRedemption: [
    ...[...state, ...roles, ...tokens, 'InvalidArgument', 'Paused', 'EscrowShort'],
    ...moves.filter((name) => name !== 'ZeroAmount'),
  ],
  sweepEscrow: [...state, ...roles, ...tokens, ...moves, 'EscrowShort', 'NothingToSweep'],
};

const names = idl.program.errors.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
// Trades can give every error but those of making an account and of arguments that have no limits of their own.
const notOfTrades = [
  'AlreadyInitialized',
  'InvalidArgument',
  'NotExecutive',
  'EscrowShort',
  'NothingToSweep',
  ...reserve,
];
const trade = names.filter((name) => ![...notOfTrades, ...lists].includes(name));
const vaultTrade = [...trade.filter((name) => name !== 'Unauthorized'), 'NotExecutive'];
possible.buy = trade;
possible.sell = trade;
possible.partnerPurchase = vaultTrade;
possible.partnerSale = vaultTrade;

describe('every error of', () => {
  test.each(idl.program.instructions.map(({ name }) => name as string))('%s has a test', (name) => {
    const reached = new Set(refusals[name]?.map(({ error }) => error));
    expect([...reached].sort()).toEqual([...(possible[name] ?? [])].sort());
  });

  test('the contract has a test', () => {
    const reached = new Set(
      Object.values(refusals)
        .flat()
        .map(({ error }) => error),
    );
    expect([...reached].sort()).toEqual([...names].sort());
  });
});

test.each([[[]], [[7]], [[10]], [[14]], [[15]], [[255]]])(
  'an instruction with the data %j is refused',
  async (data) => {
    const scenario = await Scenario.blank();
    const instruction = { programAddress: PROGRAM_ADDRESS, accounts: [], data: Uint8Array.from(data) };
    expect(scenario.send([instruction]).error).toBe('InvalidInstructionData');
  },
);

test('the client knows a message for every error', () => {
  for (const { code, message } of idl.program.errors) {
    expect(client.getKaratErrorMessage(code as client.KaratError)).toBe(message);
  }
});

import * as client from '@karat/program-client';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';
import { PROGRAM_ADDRESS, Scenario } from './fixture.js';
import {
  applyAuthorityRefusals,
  cancelAuthorityRefusals,
  handOverAuthorityRefusals,
  proposeAuthorityRefusals,
} from './refusals/authorities.js';
import { buyRefusals } from './refusals/buy.js';
import {
  acceptAdminRefusals,
  pauseRefusals,
  proposeAdminRefusals,
  resumeRefusals,
  rotateAccountsRefusals,
  setMarketRefusals,
  updateConfigRefusals,
} from './refusals/config.js';
import { eventRefusals } from './refusals/event.js';
import { updateExecutivesRefusals } from './refusals/executives.js';
import { initializeRefusals, programDataRefusals } from './refusals/initialize.js';
import { createIntegratorRefusals, updateIntegratorRefusals } from './refusals/integrator.js';
import { closeReceiptRefusals } from './refusals/orders.js';
import { partnerPurchaseRefusals } from './refusals/partner-purchase.js';
import { redeemRefusals, settleRedemptionRefusals, sweepEscrowRefusals } from './refusals/redemptions.js';
import type { Refusal } from './refusals/refusal.js';
import { attestRefusals, mintGoldRefusals } from './refusals/reserve.js';
import { partnerSaleRefusals, sellRefusals } from './refusals/sell.js';
import { partnerWithdrawRefusals, treasuryWithdrawRefusals } from './refusals/withdrawals.js';

// That no error is left without a test: neither one of the contract, nor one that an instruction can give.

const refusals: Record<string, Refusal[]> = {
  initialize: [...initializeRefusals, ...programDataRefusals],
  updateConfig: updateConfigRefusals,
  proposeAdmin: proposeAdminRefusals,
  acceptAdmin: acceptAdminRefusals,
  pause: pauseRefusals,
  resume: resumeRefusals,
  setMarket: setMarketRefusals,
  rotateAccounts: rotateAccountsRefusals,
  createIntegrator: createIntegratorRefusals,
  updateIntegrator: updateIntegratorRefusals,
  updateExecutives: updateExecutivesRefusals,
  buy: buyRefusals,
  sell: sellRefusals,
  partnerPurchase: partnerPurchaseRefusals,
  partnerSale: partnerSaleRefusals,
  partnerWithdraw: partnerWithdrawRefusals,
  treasuryWithdraw: treasuryWithdrawRefusals,
  redeem: redeemRefusals,
  settleRedemption: settleRedemptionRefusals,
  sweepEscrow: sweepEscrowRefusals,
  attest: attestRefusals,
  mintGold: mintGoldRefusals,
  handOverAuthority: handOverAuthorityRefusals,
  proposeAuthority: proposeAuthorityRefusals,
  cancelAuthority: cancelAuthorityRefusals,
  applyAuthority: applyAuthorityRefusals,
  closeReceipt: closeReceiptRefusals,
  event: eventRefusals,
};

const state = ['NotEnoughAccounts', 'InvalidAccountOwner', 'InvalidAccountData'];
// The program as the last account.
const mutation = [...state, 'InvalidInstructionData', 'InvalidAddress'];
const roles = ['MissingSignature', 'Unauthorized'];
const tokens = ['InvalidMint', 'InvalidTokenOwner', 'TokenAccountFrozen', 'AccountAlias'];
const fresh = ['AlreadyInitialized', 'InvalidArgument'];

const moves = ['InvalidTokenProgram', 'ZeroAmount', 'ArithmeticOverflow', 'BalanceMismatch'];
const ownTokens = tokens.filter((name) => name !== 'AccountAlias');
const reserve = ['MintAboveAttestation', 'AttestationStale'];
const recovery = ['NothingProposed', 'RecoveryNotReady'];
const lists = ['ExecutiveExists', 'ExecutiveMissing', 'TooManyExecutives', 'NoExecutiveLeft'];

/** The errors that each instruction's processor can give. */
const possible: Record<string, string[]> = {
  initialize: [...mutation, ...roles, ...tokens, ...fresh],
  updateConfig: [...mutation, ...roles, 'StaleSequence', 'InvalidArgument', 'ArithmeticOverflow'],
  proposeAdmin: [...mutation, ...roles],
  acceptAdmin: [...mutation, ...roles],
  pause: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow'],
  resume: [...mutation, ...roles, 'StaleSequence', 'InvalidArgument', 'ArithmeticOverflow'],
  setMarket: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow'],
  rotateAccounts: [...mutation, ...roles, ...tokens, 'StaleSequence', 'ArithmeticOverflow'],
  createIntegrator: [...mutation, ...roles, ...tokens, ...fresh, 'FeeTooHigh'],
  updateIntegrator: [
    ...mutation,
    ...roles,
    'StaleSequence',
    'InvalidArgument',
    'FeeTooHigh',
    'ArithmeticOverflow',
  ],
  updateExecutives: [...mutation, ...roles, ...lists, 'InvalidArgument', 'ArithmeticOverflow'],
  partnerWithdraw: [
    ...[...mutation, ...roles, ...tokens, ...moves, 'InsufficientFunds', 'Paused'],
    ...['Expired', 'InvalidArgument', 'OrderExecuted'],
  ],
  treasuryWithdraw: [
    ...mutation,
    ...roles,
    ...tokens,
    ...moves,
    'InsufficientLiquidity',
    'DailyLimitExceeded',
  ],
  attest: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow'],
  handOverAuthority: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow'],
  proposeAuthority: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow'],
  cancelAuthority: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow', 'NothingProposed'],
  applyAuthority: [...mutation, ...roles, 'InvalidArgument', 'ArithmeticOverflow', ...recovery],
  mintGold: [...mutation, ...roles, ...ownTokens, ...moves, ...reserve],
  closeReceipt: [...mutation, 'AccountAlias', 'NotClosable'],
  event: [...state, 'MissingSignature'],
  redeem: [...mutation, ...roles, ...tokens, ...moves, ...fresh, 'InsufficientFunds', 'Paused'],
  settleRedemption: [
    ...[...mutation, ...roles, ...tokens, 'InvalidArgument', 'Paused', 'EscrowShort'],
    ...moves.filter((name) => name !== 'ZeroAmount'),
  ],
  sweepEscrow: [...mutation, ...roles, ...tokens, ...moves, 'EscrowShort', 'NothingToSweep'],
};

const names = idl.program.errors.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
// Trades can give every error but those of making an account and of arguments that have no limits of their own.
const notOfTrades = [
  'AlreadyInitialized',
  'InvalidArgument',
  'NotExecutive',
  'EscrowShort',
  'NothingToSweep',
  'OrderExecuted',
  'NotClosable',
  ...reserve,
  ...recovery,
  'StaleSequence',
];
const trade = names.filter((name) => ![...notOfTrades, ...lists].includes(name));
const order = ['InvalidArgument', 'OrderExecuted'];
const vaultTrade = [...trade.filter((name) => name !== 'Unauthorized'), ...order, 'NotExecutive'];
possible.buy = trade;
possible.sell = trade;
possible.partnerPurchase = vaultTrade;
possible.partnerSale = vaultTrade;

describe('errors of the program', () => {
  test.each(idl.program.instructions.map(({ name }) => name as string))(
    'every error of %s has a test',
    (name) => {
      const reached = new Set(refusals[name]?.map(({ error }) => error));
      expect([...reached].sort()).toEqual([...(possible[name] ?? [])].sort());
    },
  );

  test('every error of the contract has a test', () => {
    const reached = new Set(
      Object.values(refusals)
        .flat()
        .map(({ error }) => error),
    );
    expect([...reached].sort()).toEqual([...names].sort());
  });
});

test.each([[[]], [[7]], [[10]], [[14]], [[200]], [[254]]])(
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

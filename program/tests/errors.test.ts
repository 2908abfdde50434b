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
import { attestRefusals, mintGoldRefusals } from './refusals/backing.js';
import { buyRefusals } from './refusals/buy.js';
import {
  acceptAdminRefusals,
  applySettingsRefusals,
  cancelAdminRefusals,
  cancelSettingsRefusals,
  pauseRefusals,
  proposeAdminRefusals,
  proposeSettingsRefusals,
  replaceKeyRefusals,
  resumeRefusals,
  rotateAccountsRefusals,
  setMarketRefusals,
} from './refusals/config.js';
import { eventRefusals } from './refusals/event.js';
import { updateExecutivesRefusals } from './refusals/executives.js';
import { freezeAccountRefusals, thawAccountRefusals } from './refusals/freeze.js';
import { initializeRefusals, programDataRefusals } from './refusals/initialize.js';
import {
  createIntegratorRefusals,
  suspendIntegratorRefusals,
  updateIntegratorRefusals,
} from './refusals/integrator.js';
import { closeReceiptRefusals } from './refusals/orders.js';
import { partnerPurchaseRefusals } from './refusals/partner-purchase.js';
import {
  announceBurnRefusals,
  cancelBurnRefusals,
  reclaimRedemptionRefusals,
  redeemRefusals,
  settleRedemptionRefusals,
  sweepEscrowRefusals,
} from './refusals/redemptions.js';
import type { Refusal } from './refusals/refusal.js';
import { partnerSaleRefusals, sellRefusals } from './refusals/sell.js';
import { partnerWithdrawRefusals, treasuryWithdrawRefusals } from './refusals/withdrawals.js';

// That no error is left without a test: neither one of the contract, nor one that an instruction can give.

const refusals: Record<string, Refusal[]> = {
  initialize: [...initializeRefusals, ...programDataRefusals],
  proposeSettings: proposeSettingsRefusals,
  applySettings: applySettingsRefusals,
  cancelSettings: cancelSettingsRefusals,
  proposeAdmin: proposeAdminRefusals,
  acceptAdmin: acceptAdminRefusals,
  cancelAdmin: cancelAdminRefusals,
  replaceKey: replaceKeyRefusals,
  pause: pauseRefusals,
  resume: resumeRefusals,
  setMarket: setMarketRefusals,
  rotateAccounts: rotateAccountsRefusals,
  createIntegrator: createIntegratorRefusals,
  updateIntegrator: updateIntegratorRefusals,
  suspendIntegrator: suspendIntegratorRefusals,
  updateExecutives: updateExecutivesRefusals,
  buy: buyRefusals,
  sell: sellRefusals,
  partnerPurchase: partnerPurchaseRefusals,
  partnerSale: partnerSaleRefusals,
  partnerWithdraw: partnerWithdrawRefusals,
  treasuryWithdraw: treasuryWithdrawRefusals,
  redeem: redeemRefusals,
  announceBurn: announceBurnRefusals,
  cancelBurn: cancelBurnRefusals,
  settleRedemption: settleRedemptionRefusals,
  reclaimRedemption: reclaimRedemptionRefusals,
  sweepEscrow: sweepEscrowRefusals,
  attest: attestRefusals,
  mintGold: mintGoldRefusals,
  freezeAccount: freezeAccountRefusals,
  thawAccount: thawAccountRefusals,
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

const overflow = 'ArithmeticOverflow';
const moves = ['InvalidTokenProgram', 'ZeroAmount', overflow, 'BalanceMismatch'];
const ownTokens = tokens.filter((name) => name !== 'AccountAlias');
const backing = ['NotBacked', 'AttestationStale'];
const due = ['NotReady', 'ProposalExpired'];
const terms = ['FeeTooHigh', 'FeeTooLow', 'LimitTooHigh', 'InvalidArgument'];
const order = ['InvalidArgument', 'OrderExecuted', 'ExpiryTooFar'];
const lists = ['ExecutiveExists', 'ExecutiveMissing', 'TooManyExecutives', 'NoExecutiveLeft'];
const admin = [...mutation, ...roles, overflow];
const payout = [
  ...[...mutation, ...roles, ...tokens, 'EscrowShort'],
  ...moves.filter((name) => name !== 'ZeroAmount'),
];

/** The errors that each instruction's processor can give. */
const possible: Record<string, string[]> = {
  initialize: [...mutation, ...roles, ...tokens, ...fresh, 'RoleConflict'],
  proposeSettings: [
    ...[...admin, 'StaleSequence', 'InvalidArgument', 'RoleConflict', 'GuardianChangeMixed'],
    'ProposalPending',
  ],
  applySettings: [
    ...[...mutation, ...due, overflow, 'AccountAlias', 'InvalidArgument', 'RoleConflict'],
    'GuardianChangeMixed',
  ],
  cancelSettings: [...admin, 'AccountAlias'],
  proposeAdmin: [...admin, 'InvalidArgument', 'RoleConflict'],
  acceptAdmin: [...admin, ...due, 'RoleConflict'],
  cancelAdmin: [...admin, 'NothingProposed'],
  replaceKey: [...admin, 'InvalidArgument', 'KeyNotInRole', 'RoleConflict'],
  pause: [...admin, 'InvalidArgument'],
  resume: [...admin, 'StaleSequence', 'InvalidArgument'],
  setMarket: [...admin, 'InvalidArgument'],
  rotateAccounts: [...admin, ...tokens, 'StaleSequence'],
  createIntegrator: [...mutation, ...roles, ...tokens, ...fresh, ...terms],
  updateIntegrator: [...admin, ...terms, 'StaleSequence'],
  suspendIntegrator: admin,
  updateExecutives: [...admin, ...lists, 'InvalidArgument'],
  partnerWithdraw: [
    ...[...mutation, ...roles, ...tokens, ...moves, ...order],
    ...['InsufficientFunds', 'Paused', 'Expired'],
  ],
  treasuryWithdraw: [
    ...[...mutation, ...roles, ...tokens, ...moves, ...backing],
    ...['InsufficientLiquidity', 'DailyLimitExceeded', 'Paused'],
  ],
  attest: [...admin, 'InvalidArgument'],
  handOverAuthority: [...admin, 'InvalidArgument'],
  proposeAuthority: [...admin, 'InvalidArgument'],
  cancelAuthority: [...admin, 'InvalidArgument', 'NothingProposed'],
  applyAuthority: [...admin, 'InvalidArgument', 'NothingProposed', ...due],
  mintGold: [...mutation, ...roles, ...ownTokens, ...moves, ...backing, 'DailyLimitExceeded', 'Paused'],
  closeReceipt: [...mutation, 'AccountAlias', 'NotClosable'],
  event: [...state, 'MissingSignature'],
  redeem: [...mutation, ...roles, ...tokens, ...moves, ...fresh, 'InsufficientFunds', 'Paused'],
  announceBurn: [...admin, 'Paused', 'BurnAnnounced', 'BurnAnnouncedBefore'],
  cancelBurn: [...admin, 'BurnNotAnnounced'],
  settleRedemption: [...payout, ...due, 'InvalidArgument', 'Paused', 'BurnNotAnnounced', 'BurnAnnounced'],
  reclaimRedemption: [...payout, 'NotReady', 'BurnAnnounced'],
  sweepEscrow: [...mutation, ...roles, ...ownTokens, ...moves, 'EscrowShort', 'NothingToSweep', 'Paused'],
  freezeAccount: [
    ...[...admin, ...ownTokens, 'InvalidTokenProgram', 'InvalidArgument'],
    ...['FreezeDisabled', 'ProtectedAccount'],
  ],
  thawAccount: [...admin, 'InvalidTokenProgram', 'InvalidMint', 'TokenAccountNotFrozen'],
};

const names = idl.program.errors.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
const oracle = names.filter((name) => name.startsWith('Oracle'));
/** What all trades can give. */
const trade = [
  ...[...mutation, ...tokens, ...moves, ...oracle, 'MissingSignature'],
  ...['Paused', 'IntegratorSuspended', 'Expired', 'MarketClosed', 'FeeTooHigh'],
  ...['TradeTooLarge', 'SlippageExceeded', 'PriceMoved', 'DailyLimitExceeded'],
  ...['InsufficientFunds', 'InsufficientLiquidity'],
];
const purchase = [...trade, ...backing, 'UsdcOffPeg'];
const vault = [...order, 'NotExecutive', 'OppositeSideTooEarly'];
possible.buy = [...purchase, 'Unauthorized'];
possible.sell = [...trade, 'Unauthorized'];
possible.partnerPurchase = [...purchase, ...vault];
possible.partnerSale = [...trade, ...vault];

describe('errors of the program', () => {
  test.each(idl.program.instructions.map(({ name }) => name as string))(
    'every error of %s has a test',
    (name) => {
      const reached = new Set(refusals[name]?.map(({ error }) => error));
      expect([...reached].sort()).toEqual([...new Set(possible[name])].sort());
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

test.each([[[]], [[37]], [[38]], [[200]], [[254]]])(
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

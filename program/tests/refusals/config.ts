import { MarketState, SET_MARKET_DISCRIMINATOR } from '@karat/program-client';
import { addressOf, type Scenario, withData, ZERO_ADDRESS } from '../fixture.js';
import { type Build, malformed, swapped, wrongSigner, wrongState } from './accounts.js';
import { invalidSettings } from './initialize.js';
import type { Refusal } from './refusal.js';
import { wrongTokenContent } from './token-accounts.js';

const others = {
  'a stranger': addressOf('stranger'),
  'the guardian': 'guardian',
  'the service signer': 'serviceSigner',
} as const;
const update: Build = (scenario) => scenario.updateConfig();
const propose: Build = (scenario) => scenario.proposeAdmin(addressOf('next admin'));

/** Something changed since the caller looked. */
function stale(build: Build): Refusal {
  return {
    error: 'StaleSequence',
    when: 'something changed since the caller looked',
    instruction: (scenario) => {
      const instruction = build(scenario);
      scenario.setConfig({ seq: scenario.config().seq + 1n });
      return instruction;
    },
  };
}

function overflow(build: Build): Refusal {
  return {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: 2n ** 64n - 1n }),
    instruction: build,
  };
}

/** `acceptAdmin` by the admin that was proposed, which the guardian of the scenario plays. */
const accept: Build = (scenario) => scenario.acceptAdmin(scenario.at.guardian);
const proposed = (scenario: Scenario): void => scenario.setConfig({ pendingAdmin: scenario.at.guardian });

/** Everything that `updateConfig` refuses. */
export const updateConfigRefusals: Refusal[] = [
  ...malformed(update),
  ...wrongState(update, 'config'),
  ...wrongSigner(update, 'admin', others),
  stale(update),
  ...Object.entries(invalidSettings).map(([when, settings]) => ({
    error: 'InvalidArgument',
    when,
    instruction: (scenario: Scenario) => scenario.updateConfig(settings(scenario)),
  })),
  {
    error: 'InvalidArgument',
    when: 'the recovery delay would be a second shorter',
    arrange: (scenario) => scenario.setConfig({ recoveryDelay: 100 }),
    instruction: (scenario) => scenario.updateConfig({ recoveryDelay: 99 }),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: 2n ** 64n - 1n }),
    instruction: update,
  },
];

/** Everything that `proposeAdmin` refuses. */
export const proposeAdminRefusals: Refusal[] = [
  ...malformed(propose),
  ...wrongState(propose, 'config'),
  ...wrongSigner(propose, 'admin', others),
];

/** Everything that `acceptAdmin` refuses. */
export const acceptAdminRefusals: Refusal[] = [
  ...malformed(accept).map((refusal) => ({ ...refusal, arrange: proposed })),
  ...wrongState(accept, 'config'),
  ...wrongSigner(accept, 'guardian', { 'a stranger': addressOf('stranger'), 'the admin': 'admin' }).map(
    (refusal) => ({
      ...refusal,
      when: refusal.when.replace('guardian', 'the proposed admin'),
      arrange: proposed,
    }),
  ),
  {
    error: 'Unauthorized',
    when: 'nobody is proposed, and the zero address accepts',
    instruction: (scenario) => scenario.acceptAdmin(ZERO_ADDRESS),
  },
  {
    error: 'Unauthorized',
    when: 'the proposal was withdrawn',
    arrange: (scenario) => {
      scenario.send([scenario.proposeAdmin(scenario.at.guardian)]);
      scenario.send([scenario.proposeAdmin(ZERO_ADDRESS)]);
    },
    instruction: accept,
  },
];

const rotate: Build = (scenario) => scenario.rotateAccounts();

function rotatedAccount(
  name: 'treasuryUsdc' | 'treasuryGold' | 'feeUsdc',
  mint: 'usdcMint' | 'goldMint',
  owner: 'treasury' | 'config',
): Refusal[] {
  return [
    ...wrongTokenContent(rotate, name, mint, owner),
    ...(['delegate', 'closeAuthority'] as const).map((power) => ({
      error: 'InvalidAccountData',
      when: `${name} has a ${power === 'delegate' ? 'delegate' : 'close authority'}`,
      arrange: (scenario: Scenario) => {
        const { at } = scenario;
        const fields = { mint: at[mint], owner: at[owner], [power]: addressOf('stranger') };
        scenario.setToken(at[name], fields);
      },
      instruction: rotate,
    })),
  ];
}

/** Everything that `rotateAccounts` refuses. */
export const rotateAccountsRefusals: Refusal[] = [
  ...malformed(rotate),
  ...wrongState(rotate, 'config'),
  ...wrongSigner(rotate, 'admin', { ...others, operations: 'operations' }),
  stale(rotate),
  ...rotatedAccount('treasuryUsdc', 'usdcMint', 'treasury'),
  ...rotatedAccount('treasuryGold', 'goldMint', 'treasury'),
  ...rotatedAccount('feeUsdc', 'usdcMint', 'config'),
  ...(['treasuryUsdc', 'treasuryGold', 'escrowGold'] as const).map((name) => ({
    error: 'AccountAlias',
    when: `the fee account is ${name}`,
    instruction: swapped(rotate, 'feeUsdc', (scenario) => scenario.at[name]),
  })),
  {
    error: 'AccountAlias',
    when: 'the GOLD of the treasury is the escrow',
    instruction: swapped(rotate, 'treasuryGold', (scenario) => scenario.at.escrowGold),
  },
  overflow(rotate),
];

const pause: Build = (scenario) => scenario.pause(1);
const resume: Build = (scenario) => scenario.resume();
const market: Build = (scenario) => scenario.setMarket(MarketState.Closed);
const masks = [0, 32, 255];

/** Everything that `pause` refuses. */
export const pauseRefusals: Refusal[] = [
  ...malformed(pause),
  ...wrongState(pause, 'config'),
  ...wrongSigner(pause, 'guardian', {
    'a stranger': addressOf('stranger'),
    'the market key': 'market',
    'the attestor': 'attestor',
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
  }),
  {
    error: 'Unauthorized',
    when: 'there is no operations key, and the zero address pauses',
    arrange: (scenario) => scenario.setConfig({ operations: ZERO_ADDRESS }),
    instruction: (scenario) => scenario.pause(1, ZERO_ADDRESS),
  },
  ...masks.map((mask) => ({
    error: 'InvalidArgument',
    when: `the mask is ${mask}`,
    instruction: (scenario: Scenario) => scenario.pause(mask),
  })),
  overflow(pause),
];

/** Everything that `resume` refuses. */
export const resumeRefusals: Refusal[] = [
  ...malformed(resume),
  ...wrongState(resume, 'config'),
  ...wrongSigner(resume, 'admin', { ...others, operations: 'operations', 'the market key': 'market' }),
  stale(resume),
  ...masks.map((mask) => ({
    error: 'InvalidArgument',
    when: `the mask is ${mask}`,
    instruction: (scenario: Scenario) => scenario.resume(mask),
  })),
  overflow(resume),
];

/** Everything that `setMarket` refuses. */
export const setMarketRefusals: Refusal[] = [
  ...malformed(market),
  ...wrongState(market, 'config'),
  ...wrongSigner(market, 'market', { ...others, operations: 'operations' }),
  {
    error: 'Unauthorized',
    when: 'there is no market key, and the zero address closes',
    arrange: (scenario) => scenario.setConfig({ market: ZERO_ADDRESS }),
    instruction: (scenario) => scenario.setMarket(MarketState.Closed, ZERO_ADDRESS),
  },
  {
    error: 'InvalidArgument',
    when: 'the state of the market is unknown',
    instruction: (scenario) => withData(market(scenario), Uint8Array.of(SET_MARKET_DISCRIMINATOR, 2)),
  },
  overflow(market),
];

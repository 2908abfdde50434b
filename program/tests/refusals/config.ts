import { MarketState } from '@karat/program-client';
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
const status: Build = (scenario) => scenario.setStatus(1);

/** `acceptAdmin` by the admin that was proposed, which the guardian of the scenario plays. */
const accept: Build = (scenario) => scenario.acceptAdmin(scenario.at.guardian);
const proposed = (scenario: Scenario): void => scenario.setConfig({ pendingAdmin: scenario.at.guardian });

/** Everything that `updateConfig` refuses. */
export const updateConfigRefusals: Refusal[] = [
  ...malformed(update),
  ...wrongState(update, 'config'),
  ...wrongSigner(update, 'admin', others),
  ...wrongTokenContent(update, 'feeUsdc', 'usdcMint', undefined),
  ...(['treasury', 'escrow'] as const).map((owner) => ({
    error: 'InvalidTokenOwner',
    when: `the fee account belongs to the ${owner}`,
    arrange: (scenario: Scenario) =>
      scenario.setToken(scenario.at.feeUsdc, { mint: scenario.at.usdcMint, owner: scenario.at[owner] }),
    instruction: update,
  })),
  ...(['treasuryUsdc', 'treasuryGold', 'escrowGold'] as const).map((name) => ({
    error: 'AccountAlias',
    when: `the fee account is ${name}`,
    instruction: swapped(update, 'feeUsdc', (scenario) => scenario.at[name]),
  })),
  ...Object.entries(invalidSettings).map(([when, settings]) => ({
    error: 'InvalidArgument',
    when,
    instruction: (scenario: Scenario) => scenario.updateConfig(settings(scenario)),
  })),
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

/** Everything that `setStatus` refuses. */
export const setStatusRefusals: Refusal[] = [
  ...malformed(status),
  ...wrongState(status, 'config'),
  ...wrongSigner(status, 'guardian', {
    'a stranger': addressOf('stranger'),
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
  }),
  { error: 'InvalidArgument', when: 'a flag is unknown', instruction: (scenario) => scenario.setStatus(32) },
  {
    error: 'InvalidArgument',
    when: 'the state of the market is unknown',
    instruction: (scenario) => withData(scenario.setStatus(0, MarketState.Open), Uint8Array.of(4, 0, 2)),
  },
];

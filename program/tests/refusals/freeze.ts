import { AccountState } from '@solana-program/token';
import { addressOf, type Scenario, ZERO_ADDRESS } from '../fixture.js';
import { type Build, malformed, swapped, wrongSigner, wrongState } from './accounts.js';
import { overflows } from './config.js';
import type { Refusal } from './refusal.js';
import { wrongTokenContent } from './token-accounts.js';
import { twinOf, wrongAccount, wrongTokenProgram } from './withdrawals.js';

const freeze: Build = (scenario) => scenario.freezeAccount();
const thaw: Build = (scenario) => scenario.thawAccount();
const twin = addressOf('twin');

const strangers = {
  'a stranger': addressOf('stranger'),
  'the operations key': 'operations',
  'the guardian': 'guardian',
  'the attestor': 'attestor',
  'the service signer': 'serviceSigner',
  'the user': 'user',
} as const;

/** What both refuse of the mint, its program and its authority. */
const wrongGold = (build: Build): Refusal[] => [
  ...wrongTokenProgram(build, 'Gold'),
  {
    error: 'InvalidMint',
    when: 'the mint is a foreign one',
    arrange: twinOf('goldMint'),
    instruction: swapped(build, 'goldMint', twin),
  },
  wrongAccount(build, 'InvalidMint', 'goldMint', 'usdcMint'),
  ...(['escrow', 'integrator', 'config'] as const).map((to) =>
    wrongAccount(build, 'InvalidAddress', 'treasury', to),
  ),
];

/** Everything that `freezeAccount` refuses. */
export const freezeAccountRefusals: Refusal[] = [
  ...malformed(freeze),
  ...wrongState(freeze, 'config').filter(({ when }) => when !== 'config is the integrator'),
  ...wrongSigner(freeze, 'compliance', { ...strangers, 'the admin': 'admin' }),
  {
    error: 'Unauthorized',
    when: 'there is no compliance key, and the zero address signs',
    arrange: (scenario) => scenario.setHotKeys({ compliance: ZERO_ADDRESS }),
    instruction: swapped(freeze, 'compliance', ZERO_ADDRESS),
  },
  {
    error: 'FreezeDisabled',
    when: 'the settings allow no freeze',
    arrange: (scenario) => scenario.setSettings({ freezeEnabled: 0 }),
    instruction: freeze,
  },
  {
    error: 'InvalidArgument',
    when: 'there is no reason',
    instruction: (scenario) => scenario.freezeAccount({ reasonHash: new Uint8Array(32) }),
  },
  ...wrongGold(freeze),
  ...wrongTokenContent(freeze, 'userGold', 'goldMint', 'user'),
  wrongAccount(freeze, 'InvalidTokenOwner', 'user', 'admin'),
  ...(
    [
      ['treasuryGold', 'treasury'],
      ['escrowGold', 'escrow'],
      ['vaultGold', 'integrator'],
    ] as const
  ).map(([account, owner]) => ({
    error: 'ProtectedAccount',
    when: `the account is ${account}`,
    instruction: (scenario: Scenario) =>
      scenario.freezeAccount({ account: scenario.at[account], owner: scenario.at[owner] }),
  })),
  {
    error: 'ProtectedAccount',
    when: 'the account belongs to the config',
    instruction: (scenario) => {
      scenario.setToken(twin, { mint: scenario.at.goldMint, owner: scenario.at.config });
      return scenario.freezeAccount({ account: twin, owner: scenario.at.config });
    },
  },
  ...overflows(freeze),
];

const frozen = (scenario: Scenario): void =>
  scenario.setToken(scenario.at.userGold, {
    mint: scenario.at.goldMint,
    owner: scenario.at.user,
    state: AccountState.Frozen,
  });

const thawCases: Refusal[] = [
  ...malformed(thaw),
  ...wrongState(thaw, 'config'),
  ...wrongSigner(thaw, 'compliance', strangers),
  {
    error: 'Unauthorized',
    when: 'there is no compliance key, and the zero address signs',
    arrange: (scenario) => scenario.setHotKeys({ compliance: ZERO_ADDRESS }),
    instruction: swapped(thaw, 'compliance', ZERO_ADDRESS),
  },
  ...wrongGold(thaw),
  ...wrongTokenContent(thaw, 'userGold', 'goldMint', undefined).filter(
    ({ error }) => error !== 'TokenAccountFrozen',
  ),
  {
    error: 'TokenAccountNotFrozen',
    when: 'it was thawed before',
    arrange: (scenario) => scenario.mustSend([thaw(scenario)]),
    instruction: thaw,
  },
  ...overflows(thaw),
];

/** Everything that `thawAccount` refuses; the user's account is frozen before each. */
export const thawAccountRefusals: Refusal[] = thawCases.map((refusal) => ({
  ...refusal,
  arrange: (scenario) => {
    frozen(scenario);
    refusal.arrange?.(scenario);
  },
}));

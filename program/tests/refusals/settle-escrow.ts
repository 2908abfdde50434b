import { SettlementMode } from '@karat/program-client';
import { addressOf, ONE, type Scenario, withData } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { type Build, malformed, swapped, wrongSigner, wrongState } from './accounts.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { wrongTokenContent } from './token-accounts.js';
import {
  houseDestinations,
  notAdmin,
  proposedAdmin,
  twinOf,
  wrongAccount,
  wrongTokenProgram,
} from './withdrawals.js';

const burn: Build = (scenario) => scenario.settleEscrow(SettlementMode.Burn);
const refund: Build = (scenario) => scenario.settleEscrow(SettlementMode.Refund);
const treasury: Build = (scenario) => scenario.settleEscrow(SettlementMode.Treasury);
const modes = { Burn: burn, Refund: refund, Treasury: treasury } as const;
const twin = addressOf('twin');

/** A settlement that names another destination than its mode's. */
const sentTo = (mode: SettlementMode, to: Exclude<keyof Scenario['at'], 'partnerId'>): Refusal => ({
  error: 'InvalidAddress',
  when: `${SettlementMode[mode]} has the destination ${to}`,
  instruction: (scenario) => scenario.settleEscrow(mode, { destination: scenario.at[to] }),
});

/** What every mode refuses. */
const everyMode: Refusal[] = (['Burn', 'Refund', 'Treasury'] as const).flatMap((name) => {
  const build = modes[name];
  const settle = (scenario: Scenario, amount: bigint) =>
    scenario.settleEscrow(SettlementMode[name], { amount });
  const cases: Refusal[] = [
    { error: 'ZeroAmount', when: 'nothing is settled', instruction: (scenario) => settle(scenario, 0n) },
    {
      error: 'InsufficientFunds',
      when: 'escrow is a base unit short',
      arrange: mintOf('escrowGold', ONE - 1n),
      instruction: build,
    },
    {
      error: 'InsufficientFunds',
      when: 'the largest number is settled',
      instruction: (scenario) => settle(scenario, U64_MAX),
    },
    {
      error: 'BalanceMismatch',
      when: 'the token program moves nothing and says nothing',
      arrange: silentTokenProgram,
      ruinous: true,
      instruction: (scenario) => settle(scenario, 65_536n),
    },
    {
      error: 'InvalidMint',
      when: 'the mint is the USDC mint',
      instruction: swapped(build, 'goldMint', (scenario) => scenario.at.usdcMint),
    },
    {
      error: 'InvalidMint',
      when: 'the mint is another one with the same content',
      arrange: twinOf('goldMint'),
      instruction: swapped(build, 'goldMint', twin),
    },
    wrongAccount(build, 'InvalidAddress', 'escrow', 'treasury'),
    wrongAccount(build, 'InvalidAddress', 'escrow', 'vault'),
    ...wrongTokenContent(build, 'escrowGold', 'goldMint', 'escrow'),
  ];
  return cases.map((refusal) => ({ ...refusal, when: `${name}: ${refusal.when}` }));
});

/** Sources other than the escrow's account; of a burn, the destination is the same account. */
const wrongSources: Refusal[] = [
  ...(['treasuryGold', 'vaultGold', 'feeUsdc'] as const).map((to) =>
    wrongAccount(refund, 'InvalidAddress', 'escrowGold', to),
  ),
  wrongAccount(treasury, 'InvalidAddress', 'escrowGold', 'vaultGold'),
  wrongAccount(burn, 'InvalidAddress', 'escrowGold', 'vaultGold'),
  wrongAccount(burn, 'InvalidAddress', 'escrowGold', 'treasuryGold'),
  {
    error: 'InvalidAddress',
    when: 'escrowGold is another account with the same content',
    arrange: twinOf('escrowGold'),
    instruction: swapped(refund, 'escrowGold', twin),
  },
];

const unknownMode: Build = (scenario) => {
  const data = new Uint8Array(refund(scenario).data ?? []);
  data[1] = 3;
  return withData(refund(scenario), data);
};

/** Everything that `settleEscrow` refuses. */
export const settleEscrowRefusals: Refusal[] = [
  ...malformed(refund),
  ...wrongState(refund, 'config'),
  ...wrongSigner(refund, 'admin', notAdmin),
  ...wrongSigner(burn, 'admin', { 'the guardian, for a burn': 'guardian' }).slice(1),
  proposedAdmin(refund),
  ...wrongTokenProgram(refund),
  ...everyMode,
  ...wrongSources,
  ...houseDestinations(refund, 'userGold', 'goldMint'),
  ...wrongTokenContent(refund, 'userGold', 'goldMint', undefined),
  ...wrongTokenContent(treasury, 'treasuryGold', 'goldMint', 'treasury'),
  sentTo(SettlementMode.Burn, 'userGold'),
  sentTo(SettlementMode.Burn, 'treasuryGold'),
  sentTo(SettlementMode.Treasury, 'userGold'),
  sentTo(SettlementMode.Treasury, 'escrowGold'),
  sentTo(SettlementMode.Treasury, 'vaultGold'),
  sentTo(SettlementMode.Treasury, 'treasuryUsdc'),
  { error: 'InvalidArgument', when: 'the mode is unknown', instruction: unknownMode },
  ...(
    [
      ['userGold', refund],
      ['treasuryGold', treasury],
    ] as const
  ).map(([name, instruction]) => ({
    error: 'ArithmeticOverflow',
    when: `the balance of ${name} would not fit into 64 bits`,
    arrange: mintOf(name, U64_MAX),
    instruction,
  })),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: refund,
  },
];

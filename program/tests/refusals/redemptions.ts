import { SettlementMode } from '@karat/program-client';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { addressOf, ONE, replaceAccount, type Scenario, SYSTEM_ADDRESS, withData } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import {
  type Build,
  malformed,
  type Name,
  swapped,
  unsignedPayer,
  wrongSigner,
  wrongState,
  wrongSystemProgram,
} from './accounts.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { TOKEN_2022_ADDRESS, wrongTokenContent } from './token-accounts.js';
import { notAdmin, proposedAdmin, treasuryDestinations, twinOf, wrongAccount } from './withdrawals.js';

const redeem: Build = (scenario) => scenario.redeem();
const burn: Build = (scenario) => scenario.settleRedemption(SettlementMode.Burn);
const refund: Build = (scenario) => scenario.settleRedemption(SettlementMode.Refund);
const sweep: Build = (scenario) => scenario.sweepEscrow();
const twin = addressOf('twin');
const otherId = new Uint8Array(16).fill(3);

/** Sets the bits of `paused`. */
const pause = (paused: number) => (scenario: Scenario) => scenario.setConfig({ paused });

/** Makes the escrow of the config and the mint wrong, in every way. */
function wrongEscrow(build: Build, sources: Name[]): Refusal[] {
  return [
    ...[TOKEN_2022_ADDRESS, SYSTEM_ADDRESS].map((program) => ({
      error: 'InvalidTokenProgram',
      when: `the token program is ${program}`,
      instruction: (scenario: Scenario) => replaceAccount(build(scenario), TOKEN_PROGRAM_ADDRESS, program),
    })),
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
    ...sources.map((to) => wrongAccount(build, 'InvalidAddress', 'escrowGold', to)),
    {
      error: 'InvalidAddress',
      when: 'escrowGold is another account with the same content',
      arrange: twinOf('escrowGold'),
      instruction: swapped(build, 'escrowGold', twin),
    },
    ...wrongTokenContent(build, 'escrowGold', 'goldMint', 'escrow'),
    {
      error: 'ArithmeticOverflow',
      when: 'the events of escrow can not be counted any further',
      arrange: (scenario) => scenario.setConfig({ escrowSeq: U64_MAX }),
      instruction: build,
    },
  ];
}

/** Everything that `redeem` refuses. */
export const redeemRefusals: Refusal[] = [
  ...malformed(redeem),
  ...wrongState(redeem, 'config'),
  unsignedPayer(redeem),
  wrongSystemProgram(redeem),
  ...wrongSigner(redeem, 'serviceSigner', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the partner wallet': 'partnerWallet',
    'the user': 'user',
  }),
  {
    error: 'Unauthorized',
    when: 'the service signer is an empty slot',
    arrange: (scenario) => scenario.setConfig({ serviceSigners: [SYSTEM_ADDRESS, scenario.at.spareSigner] }),
    instruction: swapped(redeem, 'serviceSigner', SYSTEM_ADDRESS),
  },
  ...wrongSigner(redeem, 'user', {}),
  {
    error: 'InvalidTokenOwner',
    when: 'another user signs',
    instruction: swapped(redeem, 'user', addressOf('another user')),
  },
  ...wrongTokenContent(redeem, 'userGold', 'goldMint', 'user'),
  {
    error: 'AccountAlias',
    when: "the user's account is the escrow's",
    instruction: swapped(redeem, 'userGold', (scenario) => scenario.at.escrowGold),
  },
  ...wrongEscrow(redeem, ['treasuryGold', 'vaultGold', 'feeUsdc']),
  {
    error: 'Paused',
    when: 'redemptions are paused',
    arrange: pause(8),
    instruction: redeem,
  },
  {
    error: 'InvalidArgument',
    when: 'no partner is named',
    instruction: (scenario) => scenario.redeem({ partnerId: new Uint8Array(16) }),
  },
  {
    error: 'ZeroAmount',
    when: 'nothing is redeemed',
    instruction: (scenario) => scenario.redeem({ amount: 0n }),
  },
  {
    error: 'InsufficientFunds',
    when: 'the user is a base unit short',
    arrange: mintOf('userGold', ONE - 1n),
    instruction: redeem,
  },
  {
    error: 'InvalidAddress',
    when: 'the redemption is of another id',
    instruction: (scenario) => scenario.redeem({ id: otherId }),
  },
  {
    error: 'InvalidAddress',
    when: 'the redemption is the treasury',
    instruction: swapped(redeem, 'redemption', (scenario) => scenario.at.treasury),
  },
  {
    error: 'AlreadyInitialized',
    when: 'the redemption is open already',
    arrange: (scenario) => void scenario.mustSend([scenario.redeem({ amount: 1n })]),
    instruction: redeem,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of escrow would not fit into 64 bits',
    arrange: mintOf('escrowGold', U64_MAX),
    instruction: redeem,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'what open redemptions need would not fit into 64 bits',
    arrange: (scenario) => scenario.setConfig({ escrowOpen: U64_MAX }),
    instruction: redeem,
  },
  {
    error: 'BalanceMismatch',
    when: 'the token program moves nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.redeem({ amount: 65_536n }),
  },
];

/** The scenario with its redemption open. */
export function withRedemption(chain: () => Promise<Scenario>): () => Promise<Scenario> {
  return async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.redeem()]);
    return scenario;
  };
}

/** What both modes refuse. */
const everyMode: Refusal[] = (['Burn', 'Refund'] as const).flatMap((name) => {
  const build: Build = (scenario) => scenario.settleRedemption(SettlementMode[name]);
  const cases: Refusal[] = [
    {
      error: 'InvalidAccountOwner',
      when: 'the redemption is settled already',
      arrange: (scenario) => void scenario.mustSend([build(scenario)]),
      instruction: build,
    },
    {
      error: 'InvalidAccountOwner',
      when: 'the other mode has settled the redemption already',
      arrange: (scenario) => void scenario.mustSend([name === 'Burn' ? refund(scenario) : burn(scenario)]),
      instruction: build,
    },
    {
      error: 'EscrowShort',
      when: 'escrow is a base unit short',
      arrange: mintOf('escrowGold', ONE - 1n),
      instruction: build,
    },
    {
      error: 'BalanceMismatch',
      when: 'the token program moves nothing and says nothing',
      arrange: (scenario) => {
        scenario.mustSend([scenario.redeem({ amount: 65_536n })]);
        silentTokenProgram(scenario);
      },
      ruinous: true,
      instruction: build,
    },
    wrongAccount(build, 'InvalidAddress', 'escrow', 'treasury'),
    wrongAccount(build, 'InvalidAddress', 'escrow', 'vault'),
    wrongAccount(build, 'InvalidAddress', 'payer', 'admin'),
    { error: 'Paused', when: 'settlements are paused', arrange: pause(16), instruction: build },
  ];
  return cases.map((refusal) => ({ ...refusal, when: `${name}: ${refusal.when}` }));
});

/** A refund to an account that is not the user's. */
const sentElsewhere: Refusal[] = (['treasuryGold', 'vaultGold', 'adminGold', 'withdrawalGold'] as const).map(
  (to) => ({
    error: 'InvalidTokenOwner',
    when: `a refund has the destination ${to}`,
    instruction: (scenario) =>
      scenario.settleRedemption(SettlementMode.Refund, { destination: scenario.at[to] }),
  }),
);

const ofMode = (mode: number): Build => {
  return (scenario) => {
    const data = new Uint8Array(refund(scenario).data ?? []);
    data[17] = mode;
    return withData(refund(scenario), data);
  };
};

/** Everything that `settleRedemption` refuses; the redemption of the scenario is open before each. */
export const settleRedemptionRefusals: Refusal[] = [
  ...malformed(refund),
  ...wrongState(refund, 'config'),
  ...wrongState(refund, 'redemption'),
  ...wrongSigner(refund, 'operations', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
    'the user': 'user',
  }),
  {
    error: 'Unauthorized',
    when: 'nobody has the role of operations',
    arrange: (scenario) => scenario.setConfig({ operations: SYSTEM_ADDRESS }),
    instruction: swapped(refund, 'operations', SYSTEM_ADDRESS),
  },
  ...wrongEscrow(refund, ['treasuryGold', 'vaultGold', 'feeUsdc']),
  ...everyMode,
  {
    error: 'InvalidAddress',
    when: 'the redemption is another one than is named',
    instruction: (scenario) => scenario.settleRedemption(SettlementMode.Refund, { id: otherId }),
  },
  {
    error: 'AccountAlias',
    when: 'the redemption has paid its own rent, which it would take along',
    arrange: (scenario) => scenario.setRedemption({ rentPayer: scenario.at.redemption }),
    instruction: (scenario) =>
      scenario.settleRedemption(SettlementMode.Refund, { rentPayer: scenario.at.redemption }),
  },
  ...sentElsewhere,
  {
    error: 'AccountAlias',
    when: 'a refund has the destination escrowGold',
    instruction: (scenario) =>
      scenario.settleRedemption(SettlementMode.Refund, { destination: scenario.at.escrowGold }),
  },
  ...wrongTokenContent(refund, 'userGold', 'goldMint', 'user'),
  ...(['userGold', 'treasuryGold'] as const).map((to) => ({
    error: 'InvalidAddress',
    when: `a burn has the destination ${to}`,
    instruction: (scenario: Scenario) =>
      scenario.settleRedemption(SettlementMode.Burn, { destination: scenario.at[to] }),
  })),
  { error: 'InvalidArgument', when: 'the mode is unknown', instruction: ofMode(2) },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of userGold would not fit into 64 bits',
    arrange: mintOf('userGold', U64_MAX),
    instruction: refund,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'less is open than the redemption needs',
    arrange: (scenario) => scenario.setConfig({ escrowOpen: ONE - 1n }),
    instruction: refund,
  },
];

/** Everything that `sweepEscrow` refuses; one GOLD of 21 in escrow is of an open redemption. */
export const sweepEscrowRefusals: Refusal[] = [
  ...malformed(sweep),
  ...wrongState(sweep, 'config'),
  ...wrongSigner(sweep, 'admin', notAdmin),
  proposedAdmin(sweep),
  ...wrongEscrow(sweep, ['vaultGold', 'feeUsdc']),
  wrongAccount(sweep, 'InvalidAddress', 'escrow', 'treasury'),
  wrongAccount(sweep, 'InvalidAddress', 'escrow', 'vault'),
  ...wrongTokenContent(sweep, 'treasuryGold', 'goldMint', 'treasury'),
  ...treasuryDestinations(
    (scenario) => scenario.sweepEscrow({ destination: scenario.at.userGold }),
    'userGold',
    'goldMint',
  ).filter(({ when }) => when !== 'userGold is treasuryGold'),
  ...wrongTokenContent(
    (scenario) => scenario.sweepEscrow({ destination: scenario.at.userGold }),
    'userGold',
    'goldMint',
    undefined,
  ),
  {
    error: 'ZeroAmount',
    when: 'nothing is swept',
    instruction: (scenario) => scenario.sweepEscrow({ amount: 0n }),
  },
  {
    error: 'NothingToSweep',
    when: 'a base unit of it belongs to an open redemption',
    instruction: (scenario) => scenario.sweepEscrow({ amount: 20n * ONE + 1n }),
  },
  {
    error: 'NothingToSweep',
    when: 'escrow holds exactly what open redemptions need',
    arrange: mintOf('escrowGold', ONE),
    instruction: (scenario) => scenario.sweepEscrow({ amount: 1n }),
  },
  {
    error: 'EscrowShort',
    when: 'escrow holds less than open redemptions need',
    arrange: mintOf('escrowGold', ONE - 1n),
    instruction: (scenario) => scenario.sweepEscrow({ amount: 1n }),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of the destination would not fit into 64 bits',
    arrange: mintOf('treasuryGold', U64_MAX),
    instruction: sweep,
  },
  {
    error: 'BalanceMismatch',
    when: 'the token program moves nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.sweepEscrow({ amount: 65_536n }),
  },
];

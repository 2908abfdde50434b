import type { AttestInstructionDataArgs } from '@karat/program-client';
import { addressOf, NOW, ONE, type Scenario, ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { type Build, malformed, swapped, wrongSigner, wrongState } from './accounts.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { wrongTokenContent } from './token-accounts.js';
import {
  notAdmin,
  proposedAdmin,
  treasuryPaused,
  twinOf,
  wrongAccount,
  wrongBacking,
  wrongTokenProgram,
} from './withdrawals.js';

const twin = addressOf('twin');

const attest: Build = (scenario) => scenario.attest();
const attestOf =
  (args: Partial<AttestInstructionDataArgs>): Build =>
  (scenario) =>
    scenario.attest(args);

/** Everything that `attest` refuses. */
export const attestRefusals: Refusal[] = [
  ...malformed(attest),
  ...wrongState(attest, 'config'),
  ...wrongSigner(attest, 'attestor', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the service signer': 'serviceSigner',
    'the upgrade authority': 'upgradeAuthority',
    'the operations key': 'operations',
    'the compliance key': 'compliance',
  }),
  {
    error: 'Unauthorized',
    when: 'nobody attests and the zero address signs',
    arrange: (scenario) => scenario.setSettings({ attestor: ZERO_ADDRESS }),
    instruction: swapped(attest, 'attestor', ZERO_ADDRESS),
  },
  {
    error: 'InvalidArgument',
    when: 'the report is from the future',
    instruction: attestOf({ asOf: NOW + 1n }),
  },
  {
    error: 'InvalidArgument',
    when: 'the report is of no moment',
    instruction: attestOf({ asOf: 0n }),
  },
  {
    error: 'InvalidArgument',
    when: 'there is no report',
    instruction: attestOf({ reportHash: new Uint8Array(32) }),
  },
  {
    error: 'InvalidArgument',
    when: 'the report is older than the last one',
    instruction: attestOf({ asOf: NOW - 2n }),
  },
  ...Object.entries({
    amount: { amount: 1n },
    hash: { reportHash: new Uint8Array(32).fill(8) },
    'counter of burns': { burnedAtAsOf: 1n },
  }).map(([what, args]) => ({
    error: 'InvalidArgument',
    when: `the report is of the moment of the last one, with another ${what}`,
    arrange: (scenario: Scenario) => scenario.setConfig({ burnedTotal: 1n }),
    instruction: attestOf({ asOf: NOW - 1n, burnedAtAsOf: 0n, ...args }),
  })),
  ...[-1n, 1n].map((change) => ({
    error: 'InvalidArgument',
    when: `the report knows a base unit ${change < 0n ? 'less burned than the last one' : 'more burned than there was'}`,
    arrange: (scenario: Scenario) => {
      scenario.setConfig({ burnedTotal: 7n });
      scenario.setAttestation({ burnedAtAsOf: 7n });
    },
    instruction: attestOf({ burnedAtAsOf: 7n + change }),
  })),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: attest,
  },
];

const mint: Build = (scenario) => scenario.mintGold();

/** Everything that `mintGold` refuses. */
export const mintGoldRefusals: Refusal[] = [
  ...malformed(mint),
  ...wrongState(mint, 'config'),
  ...wrongSigner(mint, 'admin', { ...notAdmin, 'the attestor': 'attestor' }),
  proposedAdmin(mint),
  treasuryPaused(mint),
  ...wrongTokenProgram(mint, 'Gold'),
  {
    error: 'InvalidMint',
    when: 'the mint is a foreign one',
    arrange: twinOf('goldMint'),
    instruction: swapped(mint, 'goldMint', twin),
  },
  wrongAccount(mint, 'InvalidMint', 'goldMint', 'usdcMint'),
  ...(['escrow', 'integrator', 'user'] as const).map((to) =>
    wrongAccount(mint, 'InvalidAddress', 'treasury', to),
  ),
  ...(['escrowGold', 'userGold', 'adminGold', 'vaultGold', 'treasuryUsdc'] as const).map((to) =>
    wrongAccount(mint, 'InvalidAddress', 'treasuryGold', to),
  ),
  ...wrongTokenContent(mint, 'treasuryGold', 'goldMint', 'treasury'),
  {
    error: 'ZeroAmount',
    when: 'nothing is minted',
    instruction: (scenario) => scenario.mintGold(0n),
  },
  ...wrongBacking(mint),
  {
    error: 'AttestationStale',
    when: 'nothing was attested yet',
    arrange: (scenario) => scenario.setAttestation({ amount: 0n, asOf: 0n }),
    instruction: mint,
  },
  {
    error: 'NotBacked',
    when: 'the supply would be a base unit above the attested gold',
    arrange: (scenario) => scenario.setAttestation({ amount: scenario.goldSupply() + ONE - 1n }),
    instruction: mint,
  },
  {
    error: 'NotBacked',
    when: 'the settings let GOLD leave that is not backed',
    arrange: (scenario) => {
      scenario.setSettings({ requireBacking: 0 });
      scenario.setAttestation({ amount: scenario.goldSupply() });
    },
    instruction: (scenario) => scenario.mintGold(1n),
  },
  {
    error: 'DailyLimitExceeded',
    when: 'it is a base unit above what may be minted in a day',
    arrange: (scenario) => scenario.setSettings({ dailyMint: ONE - 1n }),
    instruction: mint,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the supply would not fit into 64 bits',
    arrange: (scenario) => {
      scenario.setAttestation({ amount: U64_MAX });
      scenario.setGoldSupply(U64_MAX);
    },
    instruction: mint,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of the treasury would not fit into 64 bits',
    arrange: mintOf('treasuryGold', U64_MAX),
    instruction: mint,
  },
  {
    error: 'BalanceMismatch',
    when: 'the token program mints nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.mintGold(65_536n),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: mint,
  },
];

import type {
  CreateIntegratorInstructionDataArgs,
  UpdateIntegratorInstructionDataArgs,
} from '@karat/program-client';
import type { Address } from '@solana/kit';
import { addressOf, type Scenario, withData, ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import {
  type Build,
  malformed,
  swapped,
  unsignedPayer,
  wrongSigner,
  wrongState,
  wrongSystemProgram,
} from './accounts.js';
import type { Refusal } from './refusal.js';
import { wrongTokenContent } from './token-accounts.js';

const others = {
  'a stranger': addressOf('stranger'),
  'the guardian': 'guardian',
  'the market key': 'market',
  'the service signer': 'serviceSigner',
  "the partner's update authority": 'updateAuthority',
} as const;
const create: Build = (scenario) => scenario.createIntegrator();
const update: Build = (scenario) => scenario.updateIntegrator();

/** An integrator that can't be made although its partner has none yet: refused on a chain with a config only. */
const withArgs = (args: Partial<CreateIntegratorInstructionDataArgs>): Build => {
  return (scenario) => scenario.createIntegrator(args);
};
const executives = (...set: Address[]): Address[] => [
  ...set,
  ...Array<Address>(8 - set.length).fill(ZERO_ADDRESS),
];
const [one, two] = [addressOf('executive 1'), addressOf('executive 2')];

/** Bounds within which the terms of the scenario lie, but for their limit. */
const narrowTerms = (scenario: Scenario): void =>
  scenario.setSettings({ minFeeBps: 10, dailyOutflowUsdc: U64_MAX - 1n });

/** Terms that neither instruction takes, with their errors. */
const invalidTerms: [error: string, when: string, terms: Partial<UpdateIntegratorInstructionDataArgs>][] = [
  ['FeeTooHigh', 'the open fee is above the limit', { openFeeBps: 201 }],
  ['FeeTooHigh', 'the closed fee is above the limit', { closedFeeBps: 201 }],
  ['LimitTooHigh', 'the limit is above that of the treasury', { dailyLimitUsdc: U64_MAX }],
  ['InvalidArgument', 'there is no limit and no trade', { dailyLimitUsdc: 0n }],
  ['FeeTooLow', 'the open fee is below the limit', { openFeeBps: 9 }],
  ['FeeTooLow', 'the closed fee is below the limit', { closedFeeBps: 9 }],
];

const invalidExecutives: [when: string, args: Partial<CreateIntegratorInstructionDataArgs>][] = [
  ['there is no executive', { executiveCount: 0, executives: executives() }],
  ['there are nine executives', { executiveCount: 9, executives: executives(one) }],
  ['there are fewer executives than said', { executiveCount: 2, executives: executives(one) }],
  ['there are more executives than said', { executiveCount: 1, executives: executives(one, two) }],
  ['an executive stands there twice', { executiveCount: 2, executives: executives(one, one) }],
  ['there is a gap in the executives', { executiveCount: 2, executives: executives(one, ZERO_ADDRESS, two) }],
];

const missingKeys: [when: string, args: Partial<CreateIntegratorInstructionDataArgs>][] = [
  ['there is no partner wallet', { partnerWallet: ZERO_ADDRESS }],
  ['there is no update authority', { updateAuthority: ZERO_ADDRESS }],
  ['there is no withdrawal authority', { withdrawalAuthority: ZERO_ADDRESS }],
];

const unknownStatus = (build: Build, offset: number): Build => {
  return (scenario) => {
    const instruction = build(scenario);
    const data = new Uint8Array(instruction.data ?? []);
    data[offset] = 2;
    return withData(instruction, data);
  };
};

const vaultRefusals: Refusal[] = (
  [
    ['vaultUsdc', 'usdcMint'],
    ['vaultGold', 'goldMint'],
  ] as const
).flatMap(([name, mint]) => [
  ...wrongTokenContent(create, name, mint, 'integrator'),
  {
    error: 'InvalidAddress',
    when: `${name} is the vault's, but not its associated token account`,
    arrange: (scenario: Scenario) =>
      scenario.setToken(addressOf('second'), { mint: scenario.at[mint], owner: scenario.at.integrator }),
    instruction: swapped(create, name, addressOf('second')),
  },
  ...(['delegate', 'closeAuthority'] as const).map((power) => ({
    error: 'InvalidAccountData',
    when: `${name} has a ${power === 'delegate' ? 'delegate' : 'close authority'}`,
    arrange: (scenario: Scenario) => {
      const fields = {
        mint: scenario.at[mint],
        owner: scenario.at.integrator,
        [power]: addressOf('stranger'),
      };
      scenario.setToken(scenario.at[name], fields);
    },
    instruction: create,
  })),
]);

/** Everything that `createIntegrator` refuses; on a chain with a config and no integrator. */
export const createIntegratorRefusals: Refusal[] = [
  ...malformed(create),
  ...wrongState(create, 'config').filter(({ when }) => when !== 'config is the integrator'),
  ...wrongSigner(create, 'operations', others),
  unsignedPayer(create),
  wrongSystemProgram(create),
  {
    error: 'InvalidAddress',
    when: "the integrator is not its partner's derived address, although all else is right",
    instruction: swapped(create, 'integrator', addressOf('another integrator')),
  },
  {
    error: 'InvalidAddress',
    when: "the integrator is another partner's derived address",
    instruction: withArgs({ partnerId: new Uint8Array(16).fill(8) }),
  },
  {
    error: 'AlreadyInitialized',
    when: 'the integrator exists already',
    arrange: (scenario) => scenario.send([scenario.createIntegrator()]),
    instruction: create,
  },
  ...vaultRefusals,
  {
    error: 'AccountAlias',
    when: "the fee account is the vault's",
    arrange: (scenario) => scenario.setConfig({ feeUsdc: scenario.at.vaultUsdc }),
    instruction: create,
  },
  {
    error: 'InvalidArgument',
    when: 'the partner id is zero',
    instruction: withArgs({ partnerId: new Uint8Array(16) }),
  },
  { error: 'InvalidArgument', when: 'the status is unknown', instruction: unknownStatus(create, 17) },
  ...invalidTerms.map(([error, when, terms]) => ({
    error,
    when,
    arrange: narrowTerms,
    instruction: withArgs({ dailyLimitUsdc: 1n, ...terms }),
  })),
  ...[...missingKeys, ...invalidExecutives].map(([when, args]) => ({
    error: 'InvalidArgument',
    when,
    instruction: withArgs(args),
  })),
];

const suspend: Build = (scenario) => scenario.suspendIntegrator();

/** Everything that `suspendIntegrator` refuses. */
export const suspendIntegratorRefusals: Refusal[] = [
  ...malformed(suspend),
  ...wrongState(suspend, 'config'),
  ...wrongState(suspend, 'integrator'),
  ...wrongSigner(suspend, 'guardian', {
    'a stranger': addressOf('stranger'),
    'the market key': 'market',
    'the compliance key': 'compliance',
    'the service signer': 'serviceSigner',
    "the partner's update authority": 'updateAuthority',
  }),
  {
    error: 'Unauthorized',
    when: 'there is no operations key, and the zero address signs',
    arrange: (scenario) => scenario.setHotKeys({ operations: ZERO_ADDRESS }),
    instruction: (scenario) => scenario.suspendIntegrator(ZERO_ADDRESS),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setIntegrator({ seq: U64_MAX }),
    instruction: suspend,
  },
];

/** Everything that `updateIntegrator` refuses. */
export const updateIntegratorRefusals: Refusal[] = [
  ...malformed(update),
  ...wrongState(update, 'config'),
  ...wrongState(update, 'integrator'),
  ...wrongSigner(update, 'operations', others),
  { error: 'InvalidArgument', when: 'the status is unknown', instruction: unknownStatus(update, 5) },
  ...invalidTerms.map(([error, when, terms]) => ({
    error,
    when,
    arrange: narrowTerms,
    instruction: (scenario: Scenario) => scenario.updateIntegrator({ dailyLimitUsdc: 1n, ...terms }),
  })),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setIntegrator({ seq: 2n ** 64n - 1n }),
    instruction: update,
  },
  {
    error: 'StaleSequence',
    when: 'the terms changed since the caller looked',
    instruction: (scenario) => {
      const instruction = update(scenario);
      scenario.setIntegrator({ termsSeq: scenario.integrator().termsSeq + 1 });
      return instruction;
    },
  },
  {
    error: 'Unauthorized',
    when: 'there is no operations key, and the zero address signs',
    arrange: (scenario) => scenario.setHotKeys({ operations: ZERO_ADDRESS }),
    instruction: swapped(update, 'operations', ZERO_ADDRESS),
  },
];

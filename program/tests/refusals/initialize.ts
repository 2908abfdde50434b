import type { InitializeInstructionDataArgs } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  LOADER_ADDRESS,
  type MintFields,
  PROGRAM_ADDRESS,
  type Scenario,
  ZERO_ADDRESS,
} from '../fixture.js';
import {
  type Build,
  malformed,
  swapped,
  unsignedPayer,
  wrongSigner,
  wrongSystemProgram,
} from './accounts.js';
import type { Refusal } from './refusal.js';
import { MULTISIG_BYTES, wrongTokenContent } from './token-accounts.js';

const build: Build = (scenario) => scenario.initialize();
const withArgs = (args: (scenario: Scenario) => Partial<InitializeInstructionDataArgs>) => {
  return (scenario: Scenario): Instruction => scenario.initialize(args(scenario));
};

/** Settings that neither `initialize` nor `updateConfig` takes. */
export const invalidSettings: Record<
  string,
  (scenario: Scenario) => Partial<Omit<InitializeInstructionDataArgs, 'admin'>>
> = {
  'there is no guardian': () => ({ guardian: ZERO_ADDRESS }),
  'there is no price account': () => ({ priceAccount: ZERO_ADDRESS }),
  'there is no price owner': () => ({ priceOwner: ZERO_ADDRESS }),
  'both service signers are the same': ({ at }) => ({ serviceSigners: [at.serviceSigner, at.serviceSigner] }),
  'the lowest price is zero': () => ({ minPriceE8: 0n }),
  'the lowest price is above the highest': () => ({ minPriceE8: 2n, maxPriceE8: 1n }),
  'the largest trade is zero': () => ({ maxTradeUsdc: 0n }),
  'prices may have no age in the open market': () => ({ maxAgeOpen: 0 }),
  'prices may be older than 300 s in the open market': () => ({ maxAgeOpen: 301 }),
  'prices may be older than 7 days in the closed market': () => ({ maxAgeClosed: 604_801 }),
  'the confidence limit is above 5 %': () => ({ maxConfBps: 501 }),
  'the recovery delay is above 30 days': () => ({ recoveryDelay: 2_592_001 }),
  'the fee limit is above 10 %': () => ({ maxFeeBps: 1_001 }),
};

function writeProgramData(
  scenario: Scenario,
  change: (data: Uint8Array) => Uint8Array,
  owner = LOADER_ADDRESS,
): void {
  const data = new Uint8Array(scenario.account(scenario.at.programData).data);
  scenario.setAccount(scenario.at.programData, owner, change(data));
}

const upgradeRefusals: Refusal[] = [
  ...wrongSigner(build, 'upgradeAuthority', { 'a stranger': addressOf('stranger'), 'the admin': 'admin' }),
  unsignedPayer(build),
  {
    error: 'Unauthorized',
    when: 'the program has no upgrade authority',
    arrange: (scenario) => scenario.setProgramData(null),
    instruction: build,
  },
  {
    error: 'Unauthorized',
    when: 'the program has no upgrade authority any more, and its key stands there still',
    arrange: (scenario) =>
      writeProgramData(scenario, (data) => {
        data[12] = 0;
        return data;
      }),
    instruction: build,
  },
  {
    error: 'InvalidAddress',
    when: "the program data is another program's",
    arrange: (scenario) => {
      const data = new Uint8Array(scenario.account(scenario.at.programData).data);
      scenario.setAccount(addressOf('other program data'), LOADER_ADDRESS, data);
    },
    instruction: swapped(build, 'programData', addressOf('other program data')),
  },
  {
    error: 'InvalidAccountOwner',
    when: 'the program data is owned by another program',
    arrange: (scenario) => writeProgramData(scenario, (data) => data, TOKEN_PROGRAM_ADDRESS),
    instruction: build,
  },
];

const tokenRefusals: Refusal[] = [
  ...wrongTokenContent(build, 'treasuryUsdc', 'usdcMint', 'treasury'),
  ...wrongTokenContent(build, 'treasuryGold', 'goldMint', 'treasury'),
  ...wrongTokenContent(build, 'escrowGold', 'goldMint', 'escrow'),
  ...wrongTokenContent(build, 'feeUsdc', 'usdcMint', 'config'),
  ...(
    [
      ['treasuryUsdc', 'usdcMint', 'treasury'],
      ['treasuryGold', 'goldMint', 'treasury'],
      ['escrowGold', 'goldMint', 'escrow'],
      ['feeUsdc', 'usdcMint', 'config'],
    ] as const
  ).flatMap(([name, mint, owner]) =>
    (['delegate', 'closeAuthority'] as const).map((power) => ({
      error: 'InvalidAccountData',
      when: `${name} has a ${power === 'delegate' ? 'delegate' : 'close authority'}`,
      arrange: (scenario: Scenario) => {
        const fields = { mint: scenario.at[mint], owner: scenario.at[owner], [power]: addressOf('stranger') };
        scenario.setToken(scenario.at[name], fields);
      },
      instruction: build,
    })),
  ),
  ...(
    [
      ['treasuryGold', 'treasuryUsdc'],
      ['feeUsdc', 'treasuryUsdc'],
      ['escrowGold', 'treasuryGold'],
      ['escrowGold', 'feeUsdc'],
    ] as const
  ).map(([name, same]) => ({
    error: 'AccountAlias',
    when: `${name} is ${same}`,
    instruction: swapped(build, name, (scenario) => scenario.at[same]),
  })),
];

/** Who else could make or freeze tokens, or has made some. */
const unreservedGold: [when: string, fields: (scenario: Scenario) => MintFields][] = [
  ['nobody can make GOLD', () => ({ mintAuthority: null })],
  ['somebody else can make GOLD', () => ({ mintAuthority: addressOf('stranger') })],
  ['the admin can make GOLD', ({ at }) => ({ mintAuthority: at.admin })],
  ['the escrow can make GOLD', ({ at }) => ({ mintAuthority: at.escrow })],
  [
    'somebody else can freeze GOLD',
    ({ at }) => ({ mintAuthority: at.treasury, freezeAuthority: addressOf('stranger') }),
  ],
  ['there is GOLD already', ({ at }) => ({ mintAuthority: at.treasury, supply: 1n })],
];

const mintRefusals: Refusal[] = [
  ...unreservedGold.map(([when, fields]) => ({
    error: 'InvalidMint',
    when,
    arrange: (scenario: Scenario) => scenario.setMint(scenario.at.goldMint, fields(scenario)),
    instruction: build,
  })),
  {
    error: 'InvalidMint',
    when: 'the treasury has given up making GOLD, and its key stands there still',
    arrange: (scenario) => scenario.patch(scenario.at.goldMint, (data) => data.fill(0, 0, 4)),
    instruction: build,
  },
  {
    error: 'AccountAlias',
    when: 'both mints are the same',
    instruction: swapped(build, 'goldMint', (scenario) => scenario.at.usdcMint),
  },
  ...(['usdcMint', 'goldMint'] as const).flatMap((name): Refusal[] => [
    {
      error: 'InvalidMint',
      when: `${name} has 9 decimals`,
      arrange: (scenario) =>
        scenario.setMint(scenario.at[name], { mintAuthority: scenario.at.treasury, decimals: 9 }),
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is not initialized`,
      arrange: (scenario) => scenario.patch(scenario.at[name], (data) => data.fill(0, 45, 46)),
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is a multisig whose signers look like it`,
      arrange: (scenario) => {
        const data = new Uint8Array(MULTISIG_BYTES);
        data.set(scenario.account(scenario.at[name]).data);
        scenario.setAccount(scenario.at[name], TOKEN_PROGRAM_ADDRESS, data);
      },
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is a token account`,
      arrange: (scenario) =>
        scenario.setToken(scenario.at[name], { mint: scenario.at.usdcMint, owner: scenario.at.user }),
      instruction: build,
    },
    {
      error: 'InvalidAccountOwner',
      when: `${name} is owned by another program`,
      arrange: (scenario) =>
        scenario.setAccount(
          scenario.at[name],
          PROGRAM_ADDRESS,
          new Uint8Array(scenario.account(scenario.at[name]).data),
        ),
      instruction: build,
    },
  ]),
];

/** Everything that `initialize` refuses; on a chain where it has not run yet. */
export const initializeRefusals: Refusal[] = [
  ...malformed(build),
  ...upgradeRefusals,
  wrongSystemProgram(build),
  {
    error: 'InvalidAddress',
    when: 'the config is not the derived address',
    instruction: swapped(build, 'config', addressOf('stranger')),
  },
  {
    error: 'AlreadyInitialized',
    when: 'the config exists already',
    arrange: (scenario) => scenario.send([scenario.initialize()]),
    instruction: build,
  },
  ...mintRefusals,
  ...tokenRefusals,
  {
    error: 'InvalidArgument',
    when: 'there is no admin',
    instruction: withArgs(() => ({ admin: ZERO_ADDRESS })),
  },
  ...Object.entries(invalidSettings).map(([when, settings]) => ({
    error: 'InvalidArgument',
    when,
    instruction: withArgs(settings),
  })),
];

/** As above, for a ProgramData that isn't one: the runtime needs it to run the program, so its tag is the only thing to spoil. */
export const programDataRefusals: Refusal[] = [
  {
    error: 'InvalidAccountData',
    when: 'the program data has another tag',
    arrange: (scenario) =>
      writeProgramData(scenario, (data) => {
        data[0] = 2;
        return data;
      }),
    instruction: build,
  },
  {
    error: 'InvalidAccountData',
    when: 'the program data is too short',
    arrange: (scenario) => writeProgramData(scenario, (data) => data.slice(0, 44)),
    instruction: build,
  },
];

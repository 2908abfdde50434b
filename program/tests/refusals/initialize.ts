import type { InitializeInstructionDataArgs, SettingsArgs } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  DAY,
  goldExtensions,
  hotKeysOf,
  LOADER_ADDRESS,
  type MetadataFields,
  type MintFields,
  PROGRAM_ADDRESS,
  type Scenario,
  settingsOf,
  TOKEN_2022_PROGRAM_ADDRESS,
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

const withSettings = (change: Change) =>
  withArgs((scenario) => ({ settings: { ...settingsOf(scenario.at), ...change(scenario) } }));

/** A change of the settings of the scenario. */
type Change = (scenario: Scenario) => Partial<SettingsArgs>;
const MONTH = 30 * DAY;

/** Settings that neither `initialize` nor `proposeSettings` takes. */
export const invalidSettings: Record<string, Change> = {
  'there is no guardian': () => ({ guardian: ZERO_ADDRESS }),
  'there is no price account': () => ({ priceAccount: ZERO_ADDRESS }),
  'there is no price account of USDC': () => ({ usdcPriceAccount: ZERO_ADDRESS }),
  'there is no price owner': () => ({ priceOwner: ZERO_ADDRESS }),
  'the lowest price is zero': () => ({ minPriceE8: 0n }),
  'the lowest price is above the highest': () => ({ minPriceE8: 2n, maxPriceE8: 1n }),
  'the lowest price of USDC is zero': () => ({ minUsdcPriceE8: 0n }),
  'the lowest price of USDC is above a dollar': () => ({ minUsdcPriceE8: 100_000_001n }),
  'the largest trade is zero': () => ({ maxTradeUsdc: 0n }),
  'no USDC may leave the treasury': () => ({ dailyOutflowUsdc: 0n }),
  'no GOLD may leave the treasury': () => ({ dailyOutflowGold: 0n }),
  'no GOLD may be minted': () => ({ dailyMint: 0n }),
  'prices may have no age in the open market': () => ({ maxAgeOpen: 0 }),
  'prices may be older than 300 s in the open market': () => ({ maxAgeOpen: 301 }),
  'prices may be older than 7 days in the closed market': () => ({ maxAgeClosed: 604_801 }),
  'the confidence limit is above 5 %': () => ({ maxConfBps: 501 }),
  'the recovery delay is below a day': () => ({ recoveryDelay: DAY - 1 }),
  'the recovery delay is above 30 days': () => ({ recoveryDelay: MONTH + 1 }),
  'the delay of changes is below a day': () => ({ changeDelay: DAY - 1 }),
  'the delay of changes is above 30 days': () => ({ changeDelay: MONTH + 1 }),
  'the delay of burns is below an hour': () => ({ burnDelay: 3_599 }),
  'the delay of burns is above 30 days': () => ({ burnDelay: MONTH + 1 }),
  'users may reclaim before 30 days': () => ({ redemptionTimeout: MONTH - 1 }),
  'users may reclaim only after more than a year': () => ({ redemptionTimeout: 365 * DAY + 1 }),
  'vaults wait more than a day for the opposite side': () => ({ oppositeSideSeconds: DAY + 1 }),
  'attestations may have no age': () => ({ maxAttestationAge: 0 }),
  'attestations may be older than 92 days': () => ({ maxAttestationAge: 92 * DAY + 1 }),
  'the fee limit is above 10 %': () => ({ maxFeeBps: 1_001 }),
  'the lowest fee is above the highest': () => ({ minFeeBps: 201 }),
  'the switch of backing is neither on nor off': () => ({ requireBacking: 2 }),
  'the switch of freezing is neither on nor off': () => ({ freezeEnabled: 2 }),
};

/** Settings that would give one key two roles that must be apart. */
export const conflictingSettings: Record<string, Change> = {
  'the guardian is the admin': ({ at }) => ({ guardian: at.admin }),
  'the attestor is the admin': ({ at }) => ({ attestor: at.admin }),
  'the attestor is the guardian': ({ at }) => ({ attestor: at.guardian }),
  'the attestor is the operations key': ({ at }) => ({ attestor: at.operations }),
  'the attestor is a service signer': ({ at }) => ({ attestor: at.serviceSigner }),
  'the attestor is the other service signer': ({ at }) => ({ attestor: at.spareSigner }),
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
const unreservedGold: Record<string, MintFields> = {
  'GOLD can be made by no key': { mintAuthority: null },
  'GOLD can be made by a stranger': { mintAuthority: addressOf('stranger') },
  'GOLD can be made by the admin': { mintAuthority: addressOf('admin') },
  'GOLD can be frozen by no key': { freezeAuthority: null },
  'GOLD can be frozen by a stranger': { freezeAuthority: addressOf('stranger') },
  'there is GOLD already': { supply: 1n },
};

/** Writes the mint of GOLD as `initialize` takes it, but for a change. */
const goldMint =
  (fields: MintFields, metadata: Partial<MetadataFields> = {}) =>
  (scenario: Scenario): void => {
    const { goldMint, treasury } = scenario.at;
    const right = { mintAuthority: treasury, freezeAuthority: treasury };
    scenario.setGoldMint(goldMint, { ...right, ...fields }, goldExtensions(goldMint, metadata));
  };

const mintRefusals: Refusal[] = [
  ...Object.entries(unreservedGold).map(([when, fields]) => ({
    error: 'InvalidMint',
    when,
    arrange: goldMint(fields),
    instruction: build,
  })),
  {
    error: 'InvalidMint',
    when: 'the treasury has given up making GOLD, and its key stands there still',
    arrange: (scenario) => scenario.patch(scenario.at.goldMint, (data) => data.fill(0, 0, 4)),
    instruction: build,
  },
  {
    error: 'InvalidMint',
    when: 'the treasury has given up freezing GOLD, and its key stands there still',
    arrange: (scenario) => scenario.patch(scenario.at.goldMint, (data) => data.fill(0, 46, 50)),
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
      arrange: (scenario) => scenario.patch(scenario.at[name], (data) => data.set([9], 44)),
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
        const { data: mint, programAddress } = scenario.account(scenario.at[name]);
        const data = new Uint8Array(MULTISIG_BYTES);
        data.set(mint.slice(0, MULTISIG_BYTES));
        scenario.setAccount(scenario.at[name], programAddress, data);
      },
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is a token account`,
      arrange: (scenario) =>
        scenario.setToken(scenario.at[name], { mint: scenario.at[name], owner: scenario.at.user }),
      instruction: build,
    },
    ...[PROGRAM_ADDRESS, name === 'usdcMint' ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS].map(
      (owner): Refusal => ({
        error: 'InvalidAccountOwner',
        when: `${name} is owned by ${owner === PROGRAM_ADDRESS ? 'another program' : 'the other token program'}`,
        arrange: (scenario) =>
          scenario.setAccount(
            scenario.at[name],
            owner,
            new Uint8Array(scenario.account(scenario.at[name]).data),
          ),
        instruction: build,
      }),
    ),
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
  ...Object.entries(invalidSettings).map(([when, change]) => ({
    error: 'InvalidArgument',
    when,
    instruction: withSettings(change),
  })),
  ...Object.entries(conflictingSettings).map(([when, change]) => ({
    error: 'RoleConflict',
    when,
    instruction: withSettings(change),
  })),
  {
    error: 'RoleConflict',
    when: 'both service signers are the same',
    instruction: withArgs(({ at }) => ({
      hotKeys: { ...hotKeysOf(at), serviceSigners: [at.serviceSigner, at.serviceSigner] },
    })),
  },
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

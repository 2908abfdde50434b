import {
  getResumeInstruction,
  getSettingsProposalEncoder,
  HotKeyRole,
  MarketState,
  SET_MARKET_DISCRIMINATOR,
  type SettingsArgs,
} from '@karat/program-client';
import {
  addressOf,
  DAY,
  NOW,
  PROGRAM_ADDRESS,
  replaceAccount,
  type Scenario,
  signer,
  withData,
  withoutSignature,
  ZERO_ADDRESS,
} from '../fixture.js';
import { I64_MAX, U64_MAX } from '../numbers.js';
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
import { conflictingSettings, invalidSettings } from './initialize.js';
import type { Refusal } from './refusal.js';
import { wrongTokenContent } from './token-accounts.js';

const stranger = addressOf('stranger');
const FORTNIGHT = 14n * BigInt(DAY);

/** Who is neither guardian nor admin. */
const notGuardian = {
  'a stranger': stranger,
  'the operations key': 'operations',
  'the market key': 'market',
  'the compliance key': 'compliance',
  'the attestor': 'attestor',
  'the service signer': 'serviceSigner',
} as const;

const others = {
  'a stranger': addressOf('stranger'),
  'the guardian': 'guardian',
  'the service signer': 'serviceSigner',
} as const;
/** The counter that the caller compares has moved. */
function stale(build: Build, counter: 'settingsSeq' | 'pauseSeq'): Refusal {
  return {
    error: 'StaleSequence',
    when: 'it was decided on before the last change',
    instruction: (scenario) => {
      const instruction = build(scenario);
      scenario.setConfig({ [counter]: scenario.config()[counter] + 1n });
      return instruction;
    },
  };
}

/** No event can be counted, and nothing that is counted beside. */
export function overflows(
  build: Build,
  counters: ('seq' | 'settingsSeq' | 'pauseSeq')[] = ['seq'],
  arrange?: (scenario: Scenario) => void,
): Refusal[] {
  return counters.map((counter) => ({
    error: 'ArithmeticOverflow',
    when: `${counter} can not be counted any further`,
    arrange: (scenario) => {
      arrange?.(scenario);
      scenario.setConfig({ [counter]: U64_MAX });
    },
    instruction: build,
  }));
}

/** The clock is at its end: no delay fits behind it. */
const neverReady = (instruction: Build): Refusal => ({
  error: 'ArithmeticOverflow',
  when: 'its time would never come',
  arrange: (scenario) => scenario.setTime(I64_MAX),
  instruction,
});

const propose: Build = (scenario) => scenario.proposeSettings({ maxAgeOpen: 30 });

/** Proposes settings of which it is time, unless given otherwise. */
const proposedSettings =
  (change: Partial<SettingsArgs> = { maxAgeOpen: 30 }, readyAt = NOW) =>
  (scenario: Scenario): void => {
    const { at } = scenario;
    scenario.mustSend([scenario.proposeSettings({ maxAgeOpen: 30 })]);
    const settings = { ...scenario.config().settings, ...change };
    const proposal = { ...scenario.settingsProposal(), readyAt, settings };
    const data = getSettingsProposalEncoder().encode(proposal);
    scenario.setAccount(at.settingsProposal, PROGRAM_ADDRESS, new Uint8Array(data));
  };

/** The refusals, each on a chain where something is proposed before. */
const after = (arrange: (scenario: Scenario) => void, refusals: Refusal[]): Refusal[] =>
  refusals.map((refusal) => ({
    ...refusal,
    arrange: (scenario) => {
      arrange(scenario);
      refusal.arrange?.(scenario);
    },
  }));

/** Everything that `proposeSettings` refuses. */
export const proposeSettingsRefusals: Refusal[] = [
  ...malformed(propose),
  ...wrongState(propose, 'config'),
  ...wrongSigner(propose, 'admin', others),
  unsignedPayer(propose),
  wrongSystemProgram(propose),
  stale(propose, 'settingsSeq'),
  ...Object.entries(invalidSettings).map(([when, change]) => ({
    error: 'InvalidArgument',
    when,
    instruction: (scenario: Scenario) => scenario.proposeSettings(change(scenario)),
  })),
  ...Object.entries(conflictingSettings).map(([when, change]) => ({
    error: 'RoleConflict',
    when,
    instruction: (scenario: Scenario) => scenario.proposeSettings(change(scenario)),
  })),
  {
    error: 'GuardianChangeMixed',
    when: 'another guardian is hidden among other changes',
    instruction: (scenario) => scenario.proposeSettings({ guardian: stranger, maxAgeOpen: 30 }),
  },
  {
    error: 'InvalidAddress',
    when: 'the proposal is another address',
    instruction: swapped(propose, 'settingsProposal', stranger),
  },
  {
    error: 'ProposalPending',
    when: 'settings are proposed already, and can be applied for one more second',
    arrange: proposedSettings({}, NOW - FORTNIGHT),
    instruction: propose,
  },
  neverReady(propose),
  ...overflows(propose),
];

const apply: Build = (scenario) => scenario.applySettings();
const cancel: Build = (scenario) => scenario.cancelSettings();

/** What both ends of a proposal refuse of its accounts. */
const proposalAccounts = (build: Build): Refusal[] => [
  ...wrongState(build, 'settingsProposal'),
  {
    error: 'InvalidAddress',
    when: 'the rent would go to a stranger',
    instruction: (scenario) => replaceAccount(build(scenario), scenario.at.payer, stranger),
  },
  {
    error: 'AccountAlias',
    when: 'the proposal has paid its own rent, which it would take along',
    arrange: (scenario) => {
      const rentPayer = scenario.at.settingsProposal;
      const data = getSettingsProposalEncoder().encode({ ...scenario.settingsProposal(), rentPayer });
      scenario.setAccount(rentPayer, PROGRAM_ADDRESS, new Uint8Array(data));
    },
    instruction: (scenario) =>
      replaceAccount(build(scenario), scenario.at.payer, scenario.at.settingsProposal),
  },
];

/** Everything that `applySettings` refuses; settings are proposed before each, and can be applied. */
export const applySettingsRefusals: Refusal[] = after(proposedSettings(), [
  ...malformed(apply),
  ...wrongState(apply, 'config'),
  ...proposalAccounts(apply),
  {
    error: 'InvalidAccountOwner',
    when: 'they were applied before',
    arrange: (scenario) => scenario.mustSend([scenario.applySettings()]),
    instruction: apply,
  },
  {
    error: 'InvalidAccountOwner',
    when: 'they were cancelled',
    arrange: (scenario) => scenario.mustSend([scenario.cancelSettings()]),
    instruction: apply,
  },
  ...[
    ['NotReady', 'a second of the delay is left', {}, NOW + 1n] as const,
    ['ProposalExpired', 'they could be applied until a second ago', {}, NOW - FORTNIGHT - 1n] as const,
    ['InvalidArgument', 'they are not valid', { maxAgeOpen: 0 }, NOW] as const,
    [
      'GuardianChangeMixed',
      'another guardian is among them',
      { guardian: stranger, maxAgeOpen: 30 },
      NOW,
    ] as const,
  ].map(([error, when, change, readyAt]) => ({
    error,
    when,
    arrange: (scenario: Scenario) => {
      scenario.mustSend([scenario.cancelSettings(scenario.at.admin)]);
      proposedSettings(change, readyAt)(scenario);
    },
    instruction: apply,
  })),
  {
    error: 'RoleConflict',
    when: 'the proposed attestor has become operations since',
    arrange: (scenario) => {
      scenario.mustSend([scenario.cancelSettings(scenario.at.admin)]);
      proposedSettings({ attestor: stranger })(scenario);
      const { operations } = scenario.at;
      scenario.mustSend([scenario.replaceKey(HotKeyRole.Operations, operations, stranger)]);
    },
    instruction: apply,
  },
  ...overflows(apply, ['seq', 'settingsSeq']),
]);

/** Everything that `cancelSettings` refuses; settings are proposed before each. */
export const cancelSettingsRefusals: Refusal[] = after(proposedSettings(), [
  ...malformed(cancel),
  ...wrongState(cancel, 'config'),
  ...proposalAccounts(cancel),
  ...wrongSigner(cancel, 'guardian', notGuardian),
  {
    error: 'Unauthorized',
    when: 'the guardian cancels its own replacement',
    arrange: (scenario) => {
      scenario.mustSend([scenario.cancelSettings(scenario.at.admin)]);
      scenario.mustSend([scenario.proposeSettings({ guardian: stranger })]);
    },
    instruction: cancel,
  },
  {
    error: 'InvalidAccountOwner',
    when: 'they were cancelled before',
    arrange: (scenario) => scenario.mustSend([scenario.cancelSettings()]),
    instruction: cancel,
  },
  ...overflows(cancel),
]);

const next = addressOf('next admin');
const proposeAdmin: Build = (scenario) => scenario.proposeAdmin(next);

/** Everything that `proposeAdmin` refuses. */
export const proposeAdminRefusals: Refusal[] = [
  ...malformed(proposeAdmin),
  ...wrongState(proposeAdmin, 'config'),
  ...wrongSigner(proposeAdmin, 'admin', others),
  {
    error: 'InvalidArgument',
    when: 'the next admin is none',
    instruction: (scenario) => scenario.proposeAdmin(ZERO_ADDRESS),
  },
  {
    error: 'InvalidArgument',
    when: 'the next admin is the present one',
    instruction: (scenario) => scenario.proposeAdmin(scenario.at.admin),
  },
  ...(['guardian', 'attestor'] as const).map((name) => ({
    error: 'RoleConflict',
    when: `the next admin is the ${name}`,
    instruction: (scenario: Scenario) => scenario.proposeAdmin(scenario.at[name]),
  })),
  neverReady(proposeAdmin),
  ...overflows(proposeAdmin),
];

/** `acceptAdmin` by the admin that was proposed, which the user of the scenario plays. */
const accept: Build = (scenario) => scenario.acceptAdmin(scenario.at.user);
const proposedAdmin =
  (name: Name = 'user', readyAt = NOW) =>
  (scenario: Scenario): void =>
    scenario.setConfig({ adminProposal: { key: scenario.at[name], readyAt } });

/** Everything that `acceptAdmin` refuses. */
export const acceptAdminRefusals: Refusal[] = [
  ...after(proposedAdmin(), [
    ...malformed(accept),
    ...wrongState(accept, 'config'),
    ...wrongSigner(accept, 'user', {
      'a stranger': stranger,
      'the admin': 'admin',
      'the guardian': 'guardian',
    }),
    ...overflows(accept, ['seq', 'settingsSeq']),
    {
      error: 'Unauthorized',
      when: 'the proposal was cancelled',
      arrange: (scenario) => scenario.mustSend([scenario.cancelAdmin()]),
      instruction: accept,
    },
    {
      error: 'Unauthorized',
      when: 'another one is proposed by now',
      arrange: (scenario) => scenario.mustSend([scenario.proposeAdmin(next)]),
      instruction: accept,
    },
  ]),
  {
    error: 'Unauthorized',
    when: 'there is no proposal, and the zero address accepts',
    instruction: (scenario) => scenario.acceptAdmin(ZERO_ADDRESS),
  },
  {
    error: 'NotReady',
    when: 'a second of the delay is left',
    arrange: proposedAdmin('user', NOW + 1n),
    instruction: accept,
  },
  {
    error: 'ProposalExpired',
    when: 'it could be accepted until a second ago',
    arrange: proposedAdmin('user', NOW - FORTNIGHT - 1n),
    instruction: accept,
  },
  ...(['guardian', 'attestor'] as const).map((name) => ({
    error: 'RoleConflict',
    when: `the next admin is the ${name}`,
    arrange: proposedAdmin(name),
    instruction: (scenario: Scenario) => scenario.acceptAdmin(scenario.at[name]),
  })),
];

const cancelAdmin: Build = (scenario) => scenario.cancelAdmin();

/** Everything that `cancelAdmin` refuses. */
export const cancelAdminRefusals: Refusal[] = [
  ...after(proposedAdmin(), [
    ...malformed(cancelAdmin),
    ...wrongState(cancelAdmin, 'config'),
    ...wrongSigner(cancelAdmin, 'guardian', { ...notGuardian, 'the proposed admin': 'user' }),
    ...overflows(cancelAdmin),
  ]),
  { error: 'NothingProposed', when: 'there is no proposal', instruction: cancelAdmin },
];

const replace: Build = (scenario) =>
  scenario.replaceKey(HotKeyRole.Operations, scenario.at.operations, stranger);

/** Everything that `replaceKey` refuses. */
export const replaceKeyRefusals: Refusal[] = [
  ...malformed(replace),
  ...wrongState(replace, 'config'),
  ...wrongSigner(replace, 'admin', { ...others, 'the operations key': 'operations' }),
  {
    error: 'InvalidArgument',
    when: 'the role is unknown',
    instruction: (scenario) => {
      const data = new Uint8Array(replace(scenario).data ?? []);
      data[1] = 4;
      return withData(replace(scenario), data);
    },
  },
  {
    error: 'InvalidArgument',
    when: 'both keys are the same',
    instruction: (scenario) =>
      scenario.replaceKey(HotKeyRole.Operations, scenario.at.operations, scenario.at.operations),
  },
  ...(
    [
      ['operations', HotKeyRole.Operations],
      ['market', HotKeyRole.Market],
      ['compliance', HotKeyRole.Compliance],
      ['serviceSigner', HotKeyRole.ServiceSigner],
    ] as const
  ).flatMap(([name, role]): Refusal[] => [
    {
      error: 'KeyNotInRole',
      when: `a stranger is named as ${name}`,
      instruction: (scenario) => scenario.replaceKey(role, stranger, next),
    },
    {
      error: 'KeyNotInRole',
      when: `${name} was replaced before`,
      arrange: (scenario) => scenario.mustSend([scenario.replaceKey(role, scenario.at[name], stranger)]),
      instruction: (scenario) => scenario.replaceKey(role, scenario.at[name], next),
    },
    {
      error: 'KeyNotInRole',
      when: `${name} is named as an empty place`,
      instruction: (scenario) => scenario.replaceKey(role, ZERO_ADDRESS, next),
    },
  ]),
  ...(
    [
      ['operations', HotKeyRole.Operations],
      ['serviceSigner', HotKeyRole.ServiceSigner],
      ['spareSigner', HotKeyRole.ServiceSigner],
    ] as const
  ).map(([name, role]) => ({
    error: 'RoleConflict',
    when: `the attestor would be ${name}`,
    instruction: (scenario: Scenario) => scenario.replaceKey(role, scenario.at[name], scenario.at.attestor),
  })),
  {
    error: 'RoleConflict',
    when: 'both service signers would be the same',
    instruction: (scenario) =>
      scenario.replaceKey(HotKeyRole.ServiceSigner, scenario.at.spareSigner, scenario.at.serviceSigner),
  },
  ...overflows(replace, ['seq', 'settingsSeq']),
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
  stale(rotate, 'settingsSeq'),
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
  ...overflows(rotate, ['seq', 'settingsSeq']),
];

const pause: Build = (scenario) => scenario.pause(1);
const resume: Build = (scenario) => scenario.resume();
const market: Build = (scenario) => scenario.setMarket(MarketState.Closed);
const masks = [0, 64, 255];

/** Everything is paused, the treasury for one more second. */
const pausedAll = (scenario: Scenario): void =>
  scenario.setConfig({ paused: 63, treasuryPausedUntil: NOW + 1n });

/** Everything that `pause` refuses. */
export const pauseRefusals: Refusal[] = [
  ...malformed(pause),
  ...wrongState(pause, 'config'),
  ...wrongSigner(pause, 'guardian', {
    'a stranger': addressOf('stranger'),
    'the operations key': 'operations',
    'the market key': 'market',
    'the attestor': 'attestor',
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
  }),
  ...masks.map((mask) => ({
    error: 'InvalidArgument',
    when: `the mask is ${mask}`,
    instruction: (scenario: Scenario) => scenario.pause(mask),
  })),
  ...overflows(pause, ['seq', 'pauseSeq']),
];

/** Everything that `resume` refuses. */
export const resumeRefusals: Refusal[] = [
  ...malformed(resume),
  ...wrongState(resume, 'config'),
  ...wrongSigner(resume, 'admin', { ...others, operations: 'operations', 'the market key': 'market' }),
  stale(resume, 'pauseSeq'),
  ...masks.map((mask) => ({
    error: 'InvalidArgument',
    when: `the mask is ${mask}`,
    instruction: (scenario: Scenario) => scenario.resume(mask),
  })),
  ...[undefined, 'admin', 'operations'].map((second) => ({
    error: 'Unauthorized',
    when: `the pause of the treasury holds, and ${second ?? 'no second key'} signs beside the admin`,
    arrange: pausedAll,
    instruction: (scenario: Scenario) => {
      const { config, admin } = scenario.at;
      const guardian = second ? { guardian: signer(scenario.at[second as Name]) } : {};
      const expectedPauseSeq = scenario.config().pauseSeq;
      return getResumeInstruction({ config, admin: signer(admin), ...guardian, mask: 32, expectedPauseSeq });
    },
  })),
  {
    error: 'MissingSignature',
    when: 'the pause of the treasury holds, and the guardian does not sign',
    arrange: pausedAll,
    instruction: (scenario) => withoutSignature(scenario.resume(63), scenario.at.guardian),
  },
  ...overflows(resume, ['seq', 'pauseSeq'], pausedAll),
];

/** Everything that `setMarket` refuses. */
export const setMarketRefusals: Refusal[] = [
  ...malformed(market),
  ...wrongState(market, 'config'),
  ...wrongSigner(market, 'market', { ...others, operations: 'operations' }),
  {
    error: 'Unauthorized',
    when: 'there is no market key, and the zero address closes',
    arrange: (scenario) => scenario.setHotKeys({ market: ZERO_ADDRESS }),
    instruction: (scenario) => scenario.setMarket(MarketState.Closed, ZERO_ADDRESS),
  },
  {
    error: 'InvalidArgument',
    when: 'the state of the market is unknown',
    instruction: (scenario) => withData(market(scenario), Uint8Array.of(SET_MARKET_DISCRIMINATOR, 2)),
  },
  ...overflows(market),
];

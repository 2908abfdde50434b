import { SettlementMode } from '@karat/program-client';
import { addressOf, DAY, NOW, ONE, type Scenario, SYSTEM_ADDRESS, withData } from '../fixture.js';
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
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { wrongTokenContent } from './token-accounts.js';
import {
  notAdmin,
  proposedAdmin,
  treasuryPaused,
  twinOf,
  wrongAccount,
  wrongTokenProgram,
} from './withdrawals.js';

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
    ...wrongTokenProgram(build, 'Gold'),
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
      when: 'the events can not be counted any further',
      arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
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
    arrange: (scenario) => scenario.setHotKeys({ serviceSigners: [SYSTEM_ADDRESS, scenario.at.spareSigner] }),
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
    when: 'the redemption has no id',
    instruction: (scenario) => scenario.redeem({ id: new Uint8Array(16) }),
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

/** The scenario with its redemption open, and the burn of it announced so long ago that it can be done. */
export function withRedemption(chain: () => Promise<Scenario>): () => Promise<Scenario> {
  return async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.redeem()]);
    scenario.setRedemption({ burnReadyAt: NOW, wasAnnounced: 1 });
    return scenario;
  };
}

/** The announcement of a burn in the state that a test needs. */
const announced =
  (burnReadyAt: bigint, wasAnnounced = 1) =>
  (scenario: Scenario) =>
    scenario.setRedemption({ burnReadyAt, wasAnnounced });
const FORTNIGHT = 14n * BigInt(DAY);
const notAnnounced = announced(0n, 0);

/** The cases without an announced burn. */
const withoutBurn = (refusals: Refusal[]): Refusal[] =>
  refusals.map((refusal) => ({
    ...refusal,
    arrange: (scenario) => {
      if (!refusal.ruinous) notAnnounced(scenario);
      refusal.arrange?.(scenario);
    },
  }));

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
      arrange: (scenario) => {
        scenario.setRedemption({ burnReadyAt: name === 'Burn' ? 0n : NOW });
        scenario.mustSend([name === 'Burn' ? refund(scenario) : burn(scenario)]);
      },
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
        scenario.setRedemption({ burnReadyAt: name === 'Burn' ? NOW : 0n });
        silentTokenProgram(scenario);
      },
      ruinous: true,
      instruction: build,
    },
    wrongAccount(build, 'InvalidAddress', 'escrow', 'treasury'),
    wrongAccount(build, 'InvalidAddress', 'escrow', 'integrator'),
    wrongAccount(build, 'InvalidAddress', 'payer', 'admin'),
    { error: 'Paused', when: 'settlements are paused', arrange: pause(16), instruction: build },
  ];
  const named = cases.map((refusal) => ({ ...refusal, when: `${name}: ${refusal.when}` }));
  return name === 'Burn' ? named : withoutBurn(named);
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

/** Keys other than operations. */
const notOperations = {
  'a stranger': addressOf('stranger'),
  'the admin': 'admin',
  'the guardian': 'guardian',
  'the service signer': 'serviceSigner',
  'the partner wallet': 'partnerWallet',
  'the user': 'user',
} as const;

/** The instruction names another redemption than the account that it is given. */
function otherRedemption(build: Build): Refusal {
  return {
    error: 'InvalidAddress',
    when: 'the redemption is another one than is named',
    instruction: (scenario) => {
      const data = new Uint8Array(build(scenario).data ?? []);
      data.set(otherId, 1);
      return withData(build(scenario), data);
    },
  };
}

function eventsOverflow(build: Build, arrange?: (scenario: Scenario) => void): Refusal {
  return {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => {
      arrange?.(scenario);
      scenario.setConfig({ seq: U64_MAX });
    },
    instruction: build,
  };
}

/** What a refund refuses where no burn is announced. */
const refundRefusals: Refusal[] = [
  ...malformed(refund),
  ...wrongState(refund, 'config'),
  ...wrongState(refund, 'redemption'),
  ...wrongSigner(refund, 'operations', notOperations),
  {
    error: 'Unauthorized',
    when: 'nobody has the role of operations',
    arrange: (scenario) => scenario.setHotKeys({ operations: SYSTEM_ADDRESS }),
    instruction: swapped(refund, 'operations', SYSTEM_ADDRESS),
  },
  ...wrongEscrow(refund, ['treasuryGold', 'vaultGold', 'feeUsdc']),
  otherRedemption(refund),
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

/** Everything that `settleRedemption` refuses; the redemption of the scenario is open before each. */
export const settleRedemptionRefusals: Refusal[] = [
  ...everyMode,
  ...withoutBurn(refundRefusals),
  ...(['userGold', 'treasuryGold'] as const).map((to) => ({
    error: 'InvalidAddress',
    when: `a burn has the destination ${to}`,
    instruction: (scenario: Scenario) =>
      scenario.settleRedemption(SettlementMode.Burn, { destination: scenario.at[to] }),
  })),
  { error: 'InvalidArgument', when: 'the mode is unknown', instruction: ofMode(2) },
  { error: 'BurnNotAnnounced', when: 'the burn is not announced', arrange: announced(0n), instruction: burn },
  { error: 'BurnAnnounced', when: 'the burn of what is refunded is announced', instruction: refund },
  {
    error: 'BurnAnnounced',
    when: 'the burn of what is refunded was announced and is void, but not cancelled',
    arrange: announced(NOW - FORTNIGHT - 1n),
    instruction: refund,
  },
  {
    error: 'NotReady',
    when: 'a second of the delay of the burn is left',
    arrange: announced(NOW + 1n),
    instruction: burn,
  },
  {
    error: 'ProposalExpired',
    when: 'the burn could be done until a second ago',
    arrange: announced(NOW - FORTNIGHT - 1n),
    instruction: burn,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'what was burned does not fit into 64 bits',
    arrange: (scenario) => scenario.setConfig({ burnedTotal: U64_MAX }),
    instruction: burn,
  },
];

const announce: Build = (scenario) => scenario.announceBurn();

/** Everything that `announceBurn` refuses; the redemption of the scenario is open before each. */
export const announceBurnRefusals: Refusal[] = [
  ...malformed(announce).map((refusal) => ({ ...refusal, arrange: notAnnounced })),
  ...wrongState(announce, 'config'),
  ...wrongState(announce, 'redemption'),
  ...wrongSigner(announce, 'operations', notOperations),
  {
    error: 'Unauthorized',
    when: 'there is no operations key, and the zero address announces',
    arrange: (scenario) => scenario.setHotKeys({ operations: SYSTEM_ADDRESS }),
    instruction: (scenario) => scenario.announceBurn(SYSTEM_ADDRESS),
  },
  { error: 'Paused', when: 'settlements are paused', arrange: pause(16), instruction: announce },
  otherRedemption(announce),
  {
    error: 'InvalidAccountOwner',
    when: 'the redemption is settled',
    arrange: (scenario) => void scenario.mustSend([burn(scenario)]),
    instruction: announce,
  },
  { error: 'BurnAnnounced', when: 'the burn is announced', instruction: announce },
  {
    error: 'BurnAnnounced',
    when: 'the announced burn can be done for the last second',
    arrange: announced(NOW - FORTNIGHT),
    instruction: announce,
  },
  {
    error: 'BurnAnnouncedBefore',
    when: 'the burn was announced and cancelled, and the user may reclaim',
    arrange: (scenario) => scenario.setRedemption({ burnReadyAt: 0n, reclaimableAt: NOW }),
    instruction: announce,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'its time would never come',
    arrange: (scenario) => {
      notAnnounced(scenario);
      scenario.setTime(I64_MAX);
    },
    instruction: announce,
  },
  eventsOverflow(announce, notAnnounced),
];

const cancel: Build = (scenario) => scenario.cancelBurn();

/** Everything that `cancelBurn` refuses; the burn of the scenario's redemption is announced before each. */
export const cancelBurnRefusals: Refusal[] = [
  ...malformed(cancel),
  ...wrongState(cancel, 'config'),
  ...wrongState(cancel, 'redemption'),
  ...wrongSigner(cancel, 'guardian', {
    'a stranger': addressOf('stranger'),
    'the operations key': 'operations',
    'the service signer': 'serviceSigner',
    'the compliance key': 'compliance',
    'the partner wallet': 'partnerWallet',
    'the user': 'user',
  }),
  otherRedemption(cancel),
  {
    error: 'BurnNotAnnounced',
    when: 'the burn was cancelled before',
    arrange: (scenario) => void scenario.mustSend([cancel(scenario)]),
    instruction: cancel,
  },
  eventsOverflow(cancel),
];

const reclaim: Build = (scenario) => scenario.reclaimRedemption();

/** The user may reclaim since this second. */
const reclaimable = (scenario: Scenario): void =>
  scenario.setRedemption({ burnReadyAt: 0n, reclaimableAt: NOW });

const reclaimCases: Refusal[] = [
  ...malformed(reclaim),
  ...wrongState(reclaim, 'config'),
  ...wrongState(reclaim, 'redemption'),
  ...wrongSigner(reclaim, 'user', {
    'a stranger': addressOf('stranger'),
    'the operations key': 'operations',
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the partner wallet': 'partnerWallet',
    'the service signer': 'serviceSigner',
  }),
  ...wrongEscrow(reclaim, ['treasuryGold', 'vaultGold', 'feeUsdc']),
  ...wrongTokenContent(reclaim, 'userGold', 'goldMint', 'user'),
  wrongAccount(reclaim, 'InvalidAddress', 'escrow', 'treasury'),
  wrongAccount(reclaim, 'InvalidAddress', 'payer', 'admin'),
  otherRedemption(reclaim),
  ...(['treasuryGold', 'vaultGold', 'adminGold', 'withdrawalGold'] as const).map((to) =>
    wrongAccount(reclaim, 'InvalidTokenOwner', 'userGold', to),
  ),
  wrongAccount(reclaim, 'AccountAlias', 'userGold', 'escrowGold'),
  {
    error: 'NotReady',
    when: 'the user may reclaim in a second',
    arrange: (scenario) => scenario.setRedemption({ burnReadyAt: 0n, reclaimableAt: NOW + 1n }),
    instruction: reclaim,
  },
  {
    error: 'BurnAnnounced',
    when: 'the announced burn can be done for the last second',
    arrange: (scenario) =>
      scenario.setRedemption({ burnReadyAt: NOW - FORTNIGHT, reclaimableAt: NOW - FORTNIGHT }),
    instruction: reclaim,
  },
  {
    error: 'InvalidAccountOwner',
    when: 'it was reclaimed before',
    arrange: (scenario) => {
      reclaimable(scenario);
      scenario.mustSend([reclaim(scenario)]);
    },
    instruction: reclaim,
  },
  {
    error: 'EscrowShort',
    when: 'escrow is a base unit short',
    arrange: mintOf('escrowGold', ONE - 1n),
    instruction: reclaim,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of userGold would not fit into 64 bits',
    arrange: mintOf('userGold', U64_MAX),
    instruction: reclaim,
  },
  {
    error: 'BalanceMismatch',
    when: 'the token program moves nothing and says nothing',
    arrange: (scenario) => {
      scenario.mustSend([scenario.redeem({ amount: 65_536n })]);
      silentTokenProgram(scenario);
    },
    ruinous: true,
    instruction: reclaim,
  },
];

/** Everything that `reclaimRedemption` refuses; the redemption of the scenario is open before each, and can be reclaimed. */
export const reclaimRedemptionRefusals: Refusal[] = reclaimCases.map((refusal) => ({
  ...refusal,
  arrange: (scenario) => {
    if (!refusal.ruinous) reclaimable(scenario);
    refusal.arrange?.(scenario);
    if (refusal.ruinous) reclaimable(scenario);
  },
}));

/** Everything that `sweepEscrow` refuses; one GOLD of 21 in escrow is of an open redemption. */
export const sweepEscrowRefusals: Refusal[] = [
  ...malformed(sweep),
  ...wrongState(sweep, 'config'),
  ...wrongSigner(sweep, 'admin', notAdmin),
  proposedAdmin(sweep),
  ...wrongEscrow(sweep, ['vaultGold', 'feeUsdc']),
  wrongAccount(sweep, 'InvalidAddress', 'escrow', 'treasury'),
  wrongAccount(sweep, 'InvalidAddress', 'escrow', 'integrator'),
  treasuryPaused(sweep),
  ...(['userGold', 'adminGold', 'vaultGold', 'escrowGold', 'treasuryUsdc'] as const).map((to) =>
    wrongAccount(sweep, 'InvalidAddress', 'treasuryGold', to),
  ),
  ...wrongTokenContent(sweep, 'treasuryGold', 'goldMint', 'treasury'),
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

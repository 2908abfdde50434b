import { AuthorityRole } from '@karat/program-client';
import type { Address } from '@solana/kit';
import {
  addressOf,
  DAY,
  NOW,
  type Scenario,
  signer,
  withData,
  withoutSignature,
  ZERO_ADDRESS,
} from '../fixture.js';
import { I64_MAX, U64_MAX } from '../numbers.js';
import { type Build, malformed, type Name, wrongSigner, wrongState } from './accounts.js';
import type { Refusal } from './refusal.js';
import { notAdmin, proposedAdmin } from './withdrawals.js';

export const roles = [AuthorityRole.Wallet, AuthorityRole.Update, AuthorityRole.Withdrawal] as const;

/** Whose key each role is. */
export const holderOf: Record<
  AuthorityRole,
  Extract<Name, 'partnerWallet' | 'updateAuthority' | 'withdrawalAuthority'>
> = {
  [AuthorityRole.Wallet]: 'partnerWallet',
  [AuthorityRole.Update]: 'updateAuthority',
  [AuthorityRole.Withdrawal]: 'withdrawalAuthority',
};

const next = addressOf('next authority');

/** Proposes the next authority of a role. */
const proposed =
  (role: AuthorityRole = AuthorityRole.Update) =>
  (scenario: Scenario): void => {
    scenario.mustSend([scenario.proposeAuthority(role, next)]);
  };

/** What all four refuse. */
function common(build: Build, arrange?: (scenario: Scenario) => void): Refusal[] {
  const unknownRole: Build = (scenario) => {
    const instruction = build(scenario);
    const data = new Uint8Array(instruction.data ?? []);
    data[1] = 3;
    return withData(instruction, data);
  };
  const cases: Refusal[] = [
    ...malformed(build).map((refusal) => (arrange ? { ...refusal, arrange } : refusal)),
    ...wrongState(build, 'config'),
    ...wrongState(build, 'integrator'),
    { error: 'InvalidArgument', when: 'the role is unknown', instruction: unknownRole },
    {
      error: 'ArithmeticOverflow',
      when: 'the events can not be counted any further',
      arrange: (scenario) => {
        arrange?.(scenario);
        scenario.setIntegrator({ seq: U64_MAX });
      },
      instruction: build,
    },
  ];
  return cases;
}

/** A new key that is none. */
function badKeys(
  build: (scenario: Scenario, key: ReturnType<typeof addressOf>) => ReturnType<Build>,
): Refusal[] {
  return [
    {
      error: 'InvalidArgument',
      when: 'the new key is none',
      instruction: (scenario) => build(scenario, ZERO_ADDRESS),
    },
    {
      error: 'InvalidArgument',
      when: 'the new key is the present one',
      instruction: (scenario) => build(scenario, scenario.at.updateAuthority),
    },
  ];
}

const strangers = {
  'a stranger': addressOf('stranger'),
  'the admin': 'admin',
  'the guardian': 'guardian',
  'the operations key': 'operations',
  'an executive': 'executive',
  'the key that is to come': next,
} as const;

const handOver: Build = (scenario) => scenario.handOverAuthority(AuthorityRole.Update, next);

/** Everything that `handOverAuthority` refuses. */
export const handOverAuthorityRefusals: Refusal[] = [
  ...common(handOver),
  ...badKeys((scenario, key) => scenario.handOverAuthority(AuthorityRole.Update, key)),
  ...roles.flatMap((role) => {
    const others = roles.filter((other) => other !== role).map((other) => holderOf[other]);
    const all = { ...strangers, ...Object.fromEntries(others.map((name) => [`the ${name}`, name])) };
    return wrongSigner((scenario) => scenario.handOverAuthority(role, next), holderOf[role], all);
  }),
  {
    error: 'Unauthorized',
    when: 'it was handed over before',
    arrange: (scenario) => scenario.mustSend([handOver(scenario)]),
    instruction: (scenario) => scenario.handOverAuthority(AuthorityRole.Update, addressOf('third authority')),
  },
];

const propose: Build = (scenario) => scenario.proposeAuthority(AuthorityRole.Update, next);
const partners = {
  ...notAdmin,
  'the update authority': 'updateAuthority',
  'the operations key': 'operations',
} as const;

/** Everything that `proposeAuthority` refuses. */
export const proposeAuthorityRefusals: Refusal[] = [
  ...common(propose),
  ...badKeys((scenario, key) => scenario.proposeAuthority(AuthorityRole.Update, key)),
  ...wrongSigner(propose, 'admin', partners),
  proposedAdmin(propose),
  {
    error: 'ArithmeticOverflow',
    when: 'its time would never come',
    arrange: (scenario) => {
      scenario.setTime(I64_MAX);
    },
    instruction: propose,
  },
];

const cancel: Build = (scenario) => scenario.cancelAuthority(AuthorityRole.Update, next);

/** Two that sign instead of the update and the withdrawal authority. */
const by =
  (authority: Name | Address, second: Name | Address): Build =>
  (scenario) => {
    const keyOf = (key: Name | Address) =>
      signer(key in scenario.at ? scenario.at[key as Name] : (key as Address));
    return scenario.cancelAuthority(AuthorityRole.Update, next, {
      authority: keyOf(authority),
      second: keyOf(second),
    });
  };

const strangerToPartner = {
  'a stranger': addressOf('stranger'),
  'an executive': 'executive',
  'the operations key': 'operations',
  'the guardian': 'guardian',
  'the key that is to come': next,
} as const;

/** Everything that `cancelAuthority` refuses. */
export const cancelAuthorityRefusals: Refusal[] = [
  ...common(cancel, proposed()),
  ...wrongSigner(cancel, 'updateAuthority', {}),
  {
    error: 'Unauthorized',
    when: 'the second key of the partner does not sign',
    arrange: proposed(),
    instruction: (scenario) => withoutSignature(cancel(scenario), scenario.at.withdrawalAuthority),
  },
  {
    error: 'Unauthorized',
    when: 'the holder of the role signs alone',
    arrange: proposed(),
    instruction: (scenario) =>
      scenario.cancelAuthority(AuthorityRole.Update, next, {
        authority: signer(scenario.at.updateAuthority),
      }),
  },
  {
    error: 'Unauthorized',
    when: 'the holder of the role signs as both',
    arrange: proposed(),
    instruction: by('updateAuthority', 'updateAuthority'),
  },
  {
    error: 'Unauthorized',
    when: 'two other keys of the partner sign, without the holder of the role',
    arrange: proposed(),
    instruction: by('withdrawalAuthority', 'partnerWallet'),
  },
  ...Object.entries(strangerToPartner).flatMap(([who, key]) => [
    {
      error: 'Unauthorized',
      when: `the authority is ${who}`,
      arrange: proposed(),
      instruction: by(key, 'withdrawalAuthority'),
    },
    {
      error: 'Unauthorized',
      when: `the second key is ${who}`,
      arrange: proposed(),
      instruction: by('updateAuthority', key),
    },
  ]),
  { error: 'NothingProposed', when: 'nothing is proposed', instruction: cancel },
  {
    error: 'NothingProposed',
    when: 'something is proposed for another role',
    arrange: proposed(AuthorityRole.Withdrawal),
    instruction: cancel,
  },
  {
    error: 'InvalidArgument',
    when: 'another one is proposed by now',
    arrange: proposed(),
    instruction: (scenario) => scenario.cancelAuthority(AuthorityRole.Update, addressOf('third authority')),
  },
];

const apply: Build = (scenario) => scenario.applyAuthority(AuthorityRole.Update, next);

/** Proposes the next update authority so long ago that it can be applied now, and for 14 days. */
const ready =
  (readyAt = NOW) =>
  (scenario: Scenario): void => {
    const proposals = [...scenario.integrator().proposals];
    proposals[AuthorityRole.Update] = { key: next, readyAt };
    scenario.setIntegrator({ proposals });
  };

/** Everything that `applyAuthority` refuses. */
export const applyAuthorityRefusals: Refusal[] = [
  ...common(apply, ready()),
  ...wrongSigner(apply, 'admin', partners),
  proposedAdmin(apply),
  { error: 'NothingProposed', when: 'nothing is proposed', instruction: apply },
  {
    error: 'NothingProposed',
    when: 'it was cancelled',
    arrange: (scenario) => {
      ready()(scenario);
      scenario.mustSend([cancel(scenario)]);
    },
    instruction: apply,
  },
  {
    error: 'NothingProposed',
    when: 'it was applied before',
    arrange: (scenario) => {
      ready()(scenario);
      scenario.mustSend([apply(scenario)]);
    },
    instruction: apply,
  },
  {
    error: 'InvalidArgument',
    when: 'another one is proposed by now',
    arrange: ready(),
    instruction: (scenario) => scenario.applyAuthority(AuthorityRole.Update, addressOf('third authority')),
  },
  {
    error: 'NotReady',
    when: 'a second of the delay is left',
    arrange: (scenario) => {
      proposed()(scenario);
      scenario.setTime(NOW + BigInt(DAY) - 1n);
    },
    instruction: apply,
  },
  {
    error: 'ProposalExpired',
    when: 'it could be applied until a second ago',
    arrange: ready(NOW - 14n * BigInt(DAY) - 1n),
    instruction: apply,
  },
];

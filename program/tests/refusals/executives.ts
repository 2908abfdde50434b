import type { UpdateExecutivesInstructionDataArgs } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { addressOf, eight, type Scenario, ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { type Build, malformed, wrongSigner, wrongState } from './accounts.js';
import type { Refusal } from './refusal.js';

/** Executives that the scenario doesn't start with. */
export const newExecutives: Address[] = Array.from({ length: 9 }, (_, index) =>
  addressOf(`executive ${index + 1}`),
);

/** The n-th of them, from 1. */
const nth = (number: number): Address => {
  const executive = newExecutives[number - 1];
  if (!executive) throw new Error(`there is no executive ${number}`);
  return executive;
};

const update: Build = (scenario) => scenario.updateExecutives({ add: [nth(1)] });

/** A chain whose partner has all eight. */
function full(scenario: Scenario): void {
  scenario.setIntegrator({ executiveCount: 8, executives: newExecutives.slice(0, 8) });
}

const changed = (
  error: string,
  when: string,
  change: (at: Scenario['at']) => { remove?: Address[]; add?: Address[] },
  arrange?: (scenario: Scenario) => void,
): Refusal => ({
  error,
  when,
  ...(arrange ? { arrange } : {}),
  instruction: (scenario) => scenario.updateExecutives(change(scenario.at)),
});

/** Lists that are no lists: the program must not read past a count, or take an empty slot for an executive. */
const invalidLists: [
  when: string,
  args: (at: Scenario['at']) => Partial<UpdateExecutivesInstructionDataArgs>,
][] = [
  ['nothing is removed and nothing added', () => ({})],
  ['nine are added', () => ({ addCount: 9, add: newExecutives.slice(0, 8) })],
  ['nine are removed', () => ({ removeCount: 9, remove: newExecutives.slice(0, 8) })],
  ['255 are added', () => ({ addCount: 255, add: eight([nth(1)]) })],
  ['255 are removed', () => ({ removeCount: 255, remove: eight([nth(1)]) })],
  ['fewer are added than said', () => ({ addCount: 2, add: eight([nth(1)]) })],
  ['more are added than said', () => ({ addCount: 1, add: eight([nth(1), nth(2)]) })],
  ['fewer are removed than said', (at) => ({ removeCount: 2, remove: eight([at.executive]) })],
  ['more are removed than said', (at) => ({ removeCount: 1, remove: eight([at.executive, nth(1)]) })],
  ['the zero address is added', () => ({ addCount: 1, add: eight([]) })],
  ['the zero address is removed', () => ({ removeCount: 1, remove: eight([]) })],
  ['there is a gap in those added', () => ({ addCount: 3, add: eight([nth(1), ZERO_ADDRESS, nth(2)]) })],
  ['one is added twice', () => ({ addCount: 2, add: eight([nth(1), nth(1)]) })],
  ['one is removed twice', (at) => ({ removeCount: 2, remove: eight([at.executive, at.executive]) })],
  [
    'one is both removed and added',
    (at) => ({ removeCount: 1, remove: eight([at.executive]), addCount: 1, add: eight([at.executive]) }),
  ],
  [
    'a new one is both removed and added',
    () => ({ removeCount: 1, remove: eight([nth(1)]), addCount: 2, add: eight([nth(2), nth(1)]) }),
  ],
];

/** Everything that `updateExecutives` refuses. */
export const updateExecutivesRefusals: Refusal[] = [
  ...malformed(update),
  ...wrongState(update, 'config'),
  ...wrongState(update, 'integrator'),
  ...wrongSigner(update, 'updateAuthority', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
    'the withdrawal authority': 'withdrawalAuthority',
    'an executive': 'executive',
  }),
  {
    error: 'Unauthorized',
    when: 'the update authority was replaced',
    arrange: (scenario) => scenario.setIntegrator({ updateAuthority: addressOf('new authority') }),
    instruction: update,
  },
  ...invalidLists.map(([when, args]) => ({
    error: 'InvalidArgument',
    when,
    instruction: (scenario: Scenario) => scenario.updateExecutives({}, args(scenario.at)),
  })),
  changed('ExecutiveExists', 'the added one is there', ({ executive }) => ({ add: [executive] })),
  changed('ExecutiveExists', 'the last of several is there', ({ executive }) => ({
    add: [nth(1), nth(2), executive],
  })),
  changed('ExecutiveMissing', 'the removed one is not there', () => ({ remove: [nth(1)] })),
  changed('ExecutiveMissing', 'one of the removed is not there, and others are added', ({ executive }) => ({
    remove: [executive, nth(1)],
    add: [nth(2)],
  })),
  changed('TooManyExecutives', 'a ninth is added', () => ({ add: [nth(9)] }), full),
  changed('TooManyExecutives', 'eight are added to one', () => ({ add: newExecutives.slice(0, 8) })),
  changed(
    'TooManyExecutives',
    'two are added for one that is removed',
    ({ executive }) => ({ remove: [nth(8)], add: [nth(9), executive] }),
    full,
  ),
  changed('NoExecutiveLeft', 'the last one is removed', ({ executive }) => ({ remove: [executive] })),
  changed('NoExecutiveLeft', 'all eight are removed', () => ({ remove: newExecutives.slice(0, 8) }), full),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setIntegrator({ seq: U64_MAX }),
    instruction: update,
  },
];

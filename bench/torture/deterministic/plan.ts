/** What happens in a run: all of it follows from a seed, and any part of it can be left out. */
import { Random } from '../random.js';
import type { StepFault } from './scheduler.js';

interface Place {
  id: number;
  /** Of one phase, all begin at once. */
  phase: number;
}

/** Where a request goes first, and whether it is made twice at once: through both processes. */
interface Sent extends Place {
  process: number;
  twice: boolean;
}

export interface Trade extends Sent {
  kind: 'buy' | 'sell';
  user: number;
  amount: number;
  /** Which of the partner's keys; the second one may have been revoked. */
  key: number;
}

/** A treasurer trades for the vault. */
export interface Order extends Sent {
  kind: 'order';
  side: 'purchases' | 'sales';
  amount: number;
}

/** A partner revokes its second key. */
export interface Revoke extends Sent {
  kind: 'revoke';
}

export interface Redeem extends Sent {
  kind: 'redeem';
  user: number;
}

/** A partner cancels. */
export interface Cancel extends Sent {
  kind: 'cancel';
  redemption: number;
}

/** What a clerk does with a redemption. */
export interface ClerkMove extends Sent {
  kind: 'prepare' | 'ready' | 'agree' | 'refund' | 'collect' | 'reissue' | 'burn' | 'cancel-burn';
  redemption: number;
  clerk: number;
  /** Which bar, where one is named. */
  bar: number | undefined;
}

/** A clerk decides about what waits for a second person. */
export interface Decision extends Sent {
  kind: 'approve' | 'reject';
  clerk: number;
}

/** A process that indexes does its rounds; `takes`: it takes over the lead first, and the other does not know yet. */
export interface Index extends Place {
  kind: 'index';
  process: number;
  takes: boolean;
}

/** A process delivers webhooks for a moment. */
export interface Deliver extends Place {
  kind: 'deliver';
  process: number;
}

/** A process keeps: burns what is due; `takes` as above. */
export interface Keep extends Place {
  kind: 'keep';
  process: number;
  takes: boolean;
}

/** The database is lost, and the backup put back that was taken before the first phase. In a phase of its own. */
export interface Restore extends Place {
  kind: 'restore';
}

/** Time passes: blocks become final, quotes expire. */
export interface Wait extends Place {
  kind: 'wait';
  seconds: number;
}

/** What a caller, a clerk or a process does. */
export type Operation =
  | Trade
  | Order
  | Revoke
  | Redeem
  | Cancel
  | ClerkMove
  | Decision
  | Index
  | Deliver
  | Keep
  | Restore
  | Wait;

/** Something goes wrong at a step of an operation: what an operation does is counted from 0. */
export interface Fault {
  operation: number;
  step: number;
  kind: StepFault;
}

export interface Plan {
  seed: number;
  operations: Operation[];
  faults: Fault[];
}

const faultKinds = ['crash', 'crash', 'lost', 'lost', 'refused', 'hang'] as const;
/** Most faults hit a step that there is. */
const maxStep = 40;

/** Redemptions that every run begins with, by their states. */
export const states = ['submitted', 'ready', 'cancelled', 'preparing', 'collected', 'burn_due'] as const;

const kindsOfAll = [
  ...(['buy', 'sell', 'redeem', 'order', 'order', 'revoke', 'wait', 'deliver', 'deliver', 'keep'] as const),
  ...(['cancel', 'cancel', 'approve', 'approve', 'reject', 'index', 'index', 'index'] as const),
  ...(['prepare', 'prepare', 'ready', 'ready', 'agree', 'refund'] as const),
  ...(['collect', 'reissue', 'burn', 'cancel-burn'] as const),
];
/** What the chain brings back after a restore. The rest of what is lost takes people, as docs/operations explains. */
const kindsBeforeRestore = [
  ...(['buy', 'sell', 'revoke', 'wait', 'deliver', 'keep', 'index'] as const),
  ...(['refund', 'refund', 'refund', 'burn', 'approve', 'approve', 'approve', 'approve'] as const),
];
/** What is about the same rows. */
const kindsTogether = [
  ['buy', 'sell', 'redeem', 'index', 'deliver'],
  ['buy', 'sell', 'revoke'],
  ['order', 'index', 'deliver'],
  ['prepare', 'ready', 'cancel', 'agree'],
  ['ready', 'collect', 'reissue', 'cancel'],
  ['refund', 'approve', 'reject', 'index'],
  ['burn', 'approve', 'reject', 'keep', 'index'],
  ['burn', 'cancel-burn', 'cancel-burn', 'approve', 'keep', 'index'],
] as const;
type Kind = Exclude<Operation['kind'], 'restore'>;

/** How often a backup is put back: in one of so many plans. */
const restoreEvery = 6;
/** Where only one state allows a move, it is mostly made from that one. */
const stateFor: Partial<Record<Kind, readonly (typeof states)[number][]>> = {
  prepare: ['submitted'],
  ready: ['preparing', 'preparing', 'submitted'],
  refund: ['cancelled'],
  burn: ['collected', 'collected', 'burn_due'],
  'cancel-burn': ['burn_due'],
  collect: ['ready'],
  reissue: ['ready'],
};

/** Returns the plan of a seed. */
export function planOf(seed: number): Plan {
  const random = new Random(seed, 'operations');
  const operations: Operation[] = [];
  const phases = random.between(1, 4);
  // Most happens around one redemption and one bar, so that they are fought for.
  const disputed = { redemption: random.between(0, 3), bar: random.between(0, 2) };
  // A few kinds of operations in each plan: what goes wrong between two of them needs both, often.
  const fewOf = (kinds: readonly Kind[]) =>
    Array.from({ length: random.between(2, 7) }, () => random.pick(kinds));
  const kindsAfter = random.next() < 0.5 ? kindsOfAll : random.pick(kindsTogether);
  const [before, after] = [fewOf(kindsBeforeRestore), fewOf(kindsAfter)];
  const restoredAfter = random.between(1, restoreEvery) === 1 ? random.between(1, phases) : 0;
  for (let phase = 0; phase < phases; phase += 1) {
    const count = random.between(1, 4);
    const kinds = phase < restoredAfter ? before : after;
    for (let n = 0; n < count; n += 1)
      operations.push(operationOf(random, { id: operations.length, phase: 2 * phase }, { kinds, disputed }));
    if (phase + 1 === restoredAfter)
      operations.push({ id: operations.length, phase: 2 * phase + 1, kind: 'restore' });
  }
  const chance = new Random(seed, 'faults');
  const faults: Fault[] = Array.from({ length: chance.pick([0, 0, 1, 1, 2, 3]) }, () => ({
    operation: chance.pick(operations).id,
    step: chance.between(0, maxStep),
    kind: chance.pick(faultKinds),
  }));
  return { seed, operations, faults };
}

function operationOf(
  random: Random,
  place: Place,
  { kinds, disputed }: { kinds: readonly Kind[]; disputed: { redemption: number; bar: number } },
): Operation {
  const process = random.between(0, 1);
  const twice = random.next() < 0.4;
  const [user, clerk, key] = [random.between(0, 1), random.between(0, 2), random.between(0, 1)];
  const kind = random.pick(kinds);
  const usual = stateFor[kind];
  const isUsual = random.next() < 0.7;
  const anyOf = random.between(0, states.length - 1);
  const redemption = isUsual ? (usual ? states.indexOf(random.pick(usual)) : disputed.redemption) : anyOf;
  const takes = random.next() < 0.4;
  const sent = { ...place, process, twice };
  switch (kind) {
    case 'buy':
    case 'sell':
      return { ...sent, kind, user, amount: random.between(1, 9_999), key };
    case 'order':
      return {
        ...{ ...sent, kind },
        side: random.pick(['purchases', 'sales']),
        amount: random.between(1, 9_999),
      };
    case 'revoke':
      return { ...sent, kind };
    case 'redeem':
      return { ...sent, kind, user };
    case 'cancel':
      return { ...sent, kind, redemption };
    case 'approve':
    case 'reject':
      return { ...sent, kind, clerk };
    case 'index':
    case 'keep':
      return { ...place, kind, process, takes };
    case 'deliver':
      return { ...place, kind, process };
    case 'wait':
      return { ...place, kind, seconds: random.pick([1, 13, 30, 90]) };
    default:
      return {
        ...{ ...sent, kind, redemption, clerk },
        bar: random.next() < 0.8 ? random.pick([disputed.bar, random.between(0, 2)]) : undefined,
      };
  }
}

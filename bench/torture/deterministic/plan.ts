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
  kind: 'prepare' | 'ready' | 'agree' | 'refund' | 'collect' | 'reissue' | 'burn';
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

/** Time passes: blocks become final, quotes expire. */
export interface Wait extends Place {
  kind: 'wait';
  seconds: number;
}

/** What a caller, a clerk or a process does. */
export type Operation = Trade | Redeem | Cancel | ClerkMove | Decision | Index | Wait;

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

const kinds = ['crash', 'crash', 'lost', 'lost', 'refused', 'hang'] as const;
/** Most faults hit a step that there is. */
const maxStep = 40;

/** Returns the plan of a seed. */
export function planOf(seed: number): Plan {
  const random = new Random(seed, 'operations');
  const operations: Operation[] = [];
  const phases = random.between(1, 4);
  // Most happens around one redemption, so that it is fought for.
  const disputed = random.between(0, 3);
  for (let phase = 0; phase < phases; phase += 1) {
    const count = random.between(1, 4);
    for (let n = 0; n < count; n += 1)
      operations.push(operationOf(random, { id: operations.length, phase }, disputed));
  }
  const chance = new Random(seed, 'faults');
  const faults: Fault[] = Array.from({ length: chance.pick([0, 0, 1, 1, 2, 3]) }, () => ({
    operation: chance.pick(operations).id,
    step: chance.between(0, maxStep),
    kind: chance.pick(kinds),
  }));
  return { seed, operations, faults };
}

function operationOf(random: Random, place: Place, disputed: number): Operation {
  const process = random.between(0, 1);
  const twice = random.next() < 0.4;
  const [user, clerk] = [random.between(0, 1), random.between(0, 1)];
  const redemption = random.next() < 0.7 ? disputed : random.between(0, 3);
  const kind = random.pick([
    ...(['buy', 'sell', 'redeem', 'cancel', 'cancel', 'approve', 'reject', 'wait'] as const),
    ...(['prepare', 'prepare', 'ready', 'ready', 'agree', 'refund', 'collect', 'reissue', 'burn'] as const),
    ...(['index', 'index', 'index'] as const),
  ]);
  switch (kind) {
    case 'buy':
    case 'sell':
      return { ...place, kind, user, amount: random.between(1, 9_999), process, twice };
    case 'redeem':
      return { ...place, kind, user, process, twice };
    case 'cancel':
      return { ...place, kind, redemption, process, twice };
    case 'approve':
    case 'reject':
      return { ...place, kind, clerk, process, twice };
    case 'index':
      return { ...place, kind, process, takes: random.next() < 0.4 };
    case 'wait':
      return { ...place, kind, seconds: random.pick([1, 13, 30, 90]) };
    default:
      return {
        ...{ ...place, kind, redemption, clerk, process, twice },
        bar: random.next() < 0.8 ? random.between(0, 2) : undefined,
      };
  }
}

/** What happens in a run, and when: everything follows from the seed, and each role and the faults from a stream of their own. */
import { Random } from './random.js';

/** The processes of the deployment. */
export const processNames = [
  'serve-1',
  'serve-2',
  'index-1',
  'index-2',
  'keep-1',
  'keep-2',
  'deliver',
] as const;
export type ProcessName = (typeof processNames)[number];

/** Of which there are two processes. */
export const pairs = ['serve', 'index', 'keep'] as const;

/** What a process is connected to, each through a proxy of its own. */
export const wires = ['database', 'node-1', 'node-2', 'notifications'] as const;
export type Wire = (typeof wires)[number];

/** How a connection suffers. */
export const wireFaults = [
  /** Connections end and no new ones are taken. */
  'cut',
  /** Nothing comes through. */
  'freeze',
  /** Old connections stay silent for ever. */
  'half_open',
  /** What a process sends does not arrive. */
  'no_requests',
  /** What is sent to a process does not arrive: work is done, and its sender does not learn of it. */
  'no_responses',
  /** Each connection ends with the first part of a response. */
  'cut_responses',
  /** Everything arrives late. */
  'slow',
] as const;

/** How a node suffers. */
export const nodeFaults = ['error', 'close', 'hang', 'http_429', 'http_500', 'half_response'] as const;
/** How a node deceives: one of them at a time. */
export const nodeLies = [
  /** Says what it said before. */
  'lag',
  /** Does not know every other transaction. */
  'withhold',
  /** Lists everything twice. */
  'double',
  /** Reports what succeeded as failed. */
  'lie_failure',
  /** Reports what failed as succeeded. */
  'lie_success',
  /** Reports everything as finalized. */
  'lie_final',
  /** Is a thousand slots ahead of the chain. */
  'lie_ahead',
  /** Is a thousand slots behind it. */
  'lie_behind',
  /** Does not know accounts. */
  'lie_accounts',
] as const;

/** What goes wrong, from a moment on and for a while. */
export type Fault = { atMs: number; forMs: number } & (
  | { kind: 'kill'; process: ProcessName }
  | { kind: 'stop'; process: ProcessName }
  /** Both processes of a kind are killed. */
  | { kind: 'kill_both'; of: (typeof pairs)[number] }
  | { kind: (typeof wireFaults)[number]; process: ProcessName; wire: Wire }
  | { kind: 'node'; node: 1 | 2; how: (typeof nodeFaults)[number] | (typeof nodeLies)[number] }
  /** All processes end as they are asked to and start again, one after the other. `newer`: a later version has migrated. */
  | { kind: 'rolling_restart'; newer: boolean }
  /** The clock of a process jumps, and back again. */
  | { kind: 'clock'; process: ProcessName; bySeconds: number }
  | { kind: 'database_restart' }
  /** All its connections are taken. */
  | { kind: 'database_full' }
);

/** Who acts, and how often, ms on average. */
export const roles = {
  buyer: 2_500,
  seller: 5_000,
  redeemer: 5_000,
  canceller: 15_000,
  /** A partner that sends to the node itself: late, twice, or something else than was quoted. */
  direct: 6_000,
  auditor: 15_000,
  clerk: 2_000,
  approver: 3_000,
  treasurer: 6_000,
  /** A partner that wants gold for nothing, or the data of others. */
  hostile: 4_000,
  /** Has a hot key. */
  thief: 8_000,
  /** Wants a bar without a second person. */
  lone_clerk: 4_000,
  /** Wants the bar and the tokens. */
  greedy_holder: 4_000,
} as const;
export type Role = keyof typeof roles;

/** What a caller does, and when. */
export interface Operation {
  atMs: number;
  role: Role;
  user: number;
  /** Base units, or which of several. */
  amount: number;
  /** Does it twice at once, through both processes. */
  twice: boolean;
}

export interface Schedule {
  seed: number;
  minutes: number;
  operations: Operation[];
  faults: Fault[];
}

const faultEveryMs = 5_000;
/** Without a fault at the beginning and at the end, so that something works before, and all of it afterwards. */
const calmMs = 5_000;

/** Returns what happens in a run: the same for the same seed. */
export function scheduleOf(seed: number, minutes: number): Schedule {
  const endMs = minutes * 60_000;
  const operations = (Object.keys(roles) as Role[])
    .flatMap((role) => operationsOf(seed, role, endMs))
    .sort((one, other) => one.atMs - other.atMs);
  return { seed, minutes, operations, faults: faultsOf(seed, endMs) };
}

/** Returns a schedule as lines of JSON: the run, then each operation and fault in the order of their moments. */
export function linesOf({ seed, minutes, operations, faults }: Schedule): string[] {
  const steps = [...operations, ...faults].sort((one, other) => one.atMs - other.atMs);
  return [{ seed, minutes }, ...steps].map((line) => JSON.stringify(line));
}

/** Returns the schedule of such lines. Throws a SyntaxError for what is no JSON. */
export function readSchedule(text: string): Schedule {
  const [first, ...steps] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return {
    ...(first as Pick<Schedule, 'seed' | 'minutes'>),
    operations: steps.filter((step) => 'role' in step),
    faults: steps.filter((step) => 'kind' in step),
  };
}

function operationsOf(seed: number, role: Role, endMs: number): Operation[] {
  const random = new Random(seed, role);
  const everyMs = roles[role];
  const operations: Operation[] = [];
  for (
    let atMs = random.between(0, everyMs);
    atMs < endMs;
    atMs += random.between(everyMs / 2, everyMs * 1.5)
  )
    operations.push({
      atMs: Math.round(atMs),
      role,
      user: random.between(0, 1_000),
      amount: random.pick([1, random.between(2, 999), random.between(1_000, 9_999)]),
      twice: random.next() < 0.3,
    });
  return operations;
}

/** What fails, by how often. */
const groups = [
  ...(['process', 'process', 'process', 'process', 'both', 'both'] as const),
  ...(['wire', 'wire', 'wire', 'wire', 'node', 'node'] as const),
  ...(['lie', 'lie', 'lie', 'lie', 'database', 'all', 'clock', 'clock'] as const),
];

function faultsOf(seed: number, endMs: number): Fault[] {
  const random = new Random(seed, 'faults');
  const faults: Fault[] = [];
  for (
    let atMs = calmMs;
    atMs < endMs - calmMs;
    atMs += random.between(faultEveryMs / 2, faultEveryMs * 1.5)
  ) {
    const when = { atMs: Math.round(atMs), forMs: random.between(500, 8_000) };
    // There is one that delivers, and two of each other kind.
    const process = random.pick([...processNames, 'deliver', 'deliver'] as const);
    const wire = random.pick(wires);
    const node = random.pick([1, 2] as const);
    const newer = random.next() < 0.5;
    const of = random.pick(pairs);
    const bySeconds = random.pick([-30, -3, 3, 30]);
    const group = random.pick(groups);
    if (group === 'process') faults.push({ ...when, kind: random.pick(['kill', 'kill', 'stop']), process });
    else if (group === 'both') faults.push({ ...when, kind: 'kill_both', of });
    else if (group === 'wire') faults.push({ ...when, kind: random.pick(wireFaults), process, wire });
    else if (group === 'node') faults.push({ ...when, kind: 'node', node, how: random.pick(nodeFaults) });
    else if (group === 'lie')
      faults.push({ ...when, forMs: when.forMs * 2, kind: 'node', node, how: random.pick(nodeLies) });
    else if (group === 'clock') faults.push({ ...when, kind: 'clock', process, bySeconds });
    else if (group === 'database')
      faults.push({ ...when, kind: random.pick(['database_restart', 'database_full']) });
    else faults.push({ ...when, kind: 'rolling_restart', newer });
  }
  return faults;
}

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

/** What a process is connected to, each through a proxy of its own. */
export const wires = ['database', 'node', 'notifications'] as const;
export type Wire = (typeof wires)[number];

/** What goes wrong, from a moment on and for a while. */
export type Fault = { atMs: number; forMs: number } & (
  | { kind: 'kill' | 'stop'; process: ProcessName }
  /** `cut`: connections end and no new ones are taken. `freeze`: nothing comes through. `half_open`: old connections stay silent for ever. */
  | { kind: 'cut' | 'freeze' | 'half_open'; process: ProcessName; wire: Wire }
  /** The node responds with an error, breaks off, or says nothing. */
  | { kind: 'node_error' | 'node_close' | 'node_hang'; code: number }
  | { kind: 'database_restart' }
);

/** What a caller does, and when. */
export interface Operation {
  atMs: number;
  kind: 'buy' | 'sell' | 'redeem' | 'cancel' | 'clerk';
  user: number;
  /** Base units, or which of several. */
  amount: number;
  /** Submits twice, through both processes. */
  twice: boolean;
}

export interface Schedule {
  operations: Operation[];
  faults: Fault[];
}

const faultEveryMs = 6_000;
const operationEveryMs = 700;
/** Without a fault at the beginning and at the end, so that something works before, and all of it afterwards. */
const calmMs = 5_000;

/** Returns what happens in a run: the same for the same seed. */
export function scheduleOf(seed: number, minutes: number, users: number): Schedule {
  const endMs = minutes * 60_000;
  return { operations: operationsOf(seed, endMs, users), faults: faultsOf(seed, endMs) };
}

function operationsOf(seed: number, endMs: number, users: number): Operation[] {
  const random = new Random(seed, 'operations');
  const operations: Operation[] = [];
  const kinds = ['buy', 'buy', 'sell', 'redeem', 'redeem', 'cancel', 'clerk'] as const;
  for (let atMs = 0; atMs < endMs; atMs += random.between(operationEveryMs / 2, operationEveryMs * 1.5)) {
    operations.push({
      atMs: Math.round(atMs),
      kind: random.pick(kinds),
      user: random.between(0, users - 1),
      amount: random.pick([1, random.between(2, 999), random.between(1_000, 9_999)]),
      twice: random.next() < 0.3,
    });
  }
  return operations;
}

function faultsOf(seed: number, endMs: number): Fault[] {
  const random = new Random(seed, 'faults');
  const faults: Fault[] = [];
  for (
    let atMs = calmMs;
    atMs < endMs - calmMs;
    atMs += random.between(faultEveryMs / 2, faultEveryMs * 1.5)
  ) {
    const when = { atMs: Math.round(atMs), forMs: random.between(500, 8_000) };
    const process = random.pick(processNames);
    const wire = random.pick(wires);
    const kind = random.pick([
      'kill',
      'kill',
      'stop',
      'cut',
      'freeze',
      'half_open',
      'node',
      'database_restart',
    ] as const);
    if (kind === 'kill' || kind === 'stop') faults.push({ ...when, kind, process });
    else if (kind === 'database_restart') faults.push({ ...when, kind });
    else if (kind === 'node')
      faults.push({
        ...when,
        kind: random.pick(['node_error', 'node_close', 'node_hang'] as const),
        code: random.pick([-32_603, -32_005, 429]),
      });
    else faults.push({ ...when, kind, process, wire });
  }
  return faults;
}

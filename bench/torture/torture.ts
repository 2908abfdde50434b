/** One run of a schedule. */
import { setTimeout as pause } from 'node:timers/promises';
import { check, type TortureVerdict } from './check.js';
import type { History } from './history.js';
import { Machine, starvedBelow } from './machine.js';
import { Nemesis } from './nemesis.js';
import { Random } from './random.js';
import type { Schedule } from './schedule.js';
import { Stage } from './stage.js';
import { Workload } from './workload.js';
import { startWorld, type World } from './world.js';

export interface RunOptions {
  /** The bundle of the service. */
  script: string;
  /** Where the logs of processes go. */
  folder: string;
  history: History;
  /** How long the deployment may take to be in order after the last fault, ms. */
  withinMs: number;
}

/** What happened in a run. */
export interface Outcome extends TortureVerdict {
  operations: number;
  acknowledged: number;
  failed: number;
  faults: number;
}

/** How often the clock of a run ticks. */
const tickMs = 50;
/** The clock of a run stops once nothing has served for so long, and goes on after the other time at the latest. */
const outageMs = { least: 3_000, most: 90_000 };

/** How often it is looked at how much of its time the deployment gets. */
const shareEveryMs = 2_000;

/**
 * Begins each step at its moment. On a slow machine processes take long to come back, and there would soon be nothing left to
 * break and nothing to trade with: so the clock stops while none serves, and goes slowly while the deployment gets little time.
 */
async function play(steps: readonly { atMs: number; begin(): void }[], world: World): Promise<void> {
  const { ready } = world;
  const machine = new Machine(world);
  let [clockMs, awayMs, lastMs] = [0, 0, performance.now()];
  let [rate, ratedMs] = [1, lastMs];
  for (const { atMs, begin } of steps) {
    while (clockMs < atMs) {
      await pause(tickMs);
      const nowMs = performance.now();
      const passedMs = nowMs - lastMs;
      lastMs = nowMs;
      if (nowMs - ratedMs > shareEveryMs)
        [rate, ratedMs] = [Math.min(1, machine.share() / starvedBelow), nowMs];
      awayMs = ready.size > 0 ? 0 : awayMs + passedMs;
      if (awayMs < outageMs.least || awayMs > outageMs.most) clockMs += passedMs * rate;
    }
    begin();
  }
}

/** Starts a deployment, carries out a schedule, and checks what there is then. Rejects when the deployment does not start. */
export async function torture(schedule: Schedule, options: RunOptions): Promise<Outcome> {
  const { script, folder, history, withinMs } = options;
  const { seed, operations, faults } = schedule;
  const world = await startWorld(script, folder);
  const stop = () => void world.stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    const stage = new Stage(world);
    const workload = new Workload(stage, history, new Random(seed, 'receiver'));
    const nemesis = new Nemesis(world, history);
    const steps = [
      ...operations.map((operation, n) => ({
        atMs: operation.atMs,
        begin: () => workload.begin(operation, n),
      })),
      ...faults.map((fault, n) => ({ atMs: fault.atMs, begin: () => nemesis.begin(fault, n) })),
    ].sort((a, b) => a.atMs - b.atMs);
    await play(steps, world);
    await nemesis.ended();
    await workload.ended();
    const verdict = await check(stage, withinMs, history);
    history.write({ verdict });
    return {
      ...verdict,
      operations: workload.operations,
      acknowledged: stage.acknowledged.length,
      failed: workload.failed,
      faults: faults.length,
    };
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    await world.stop();
  }
}

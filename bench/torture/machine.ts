/** How much of the time that the deployment wanted of the machine it got: what is late on a starved one proves nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import type { World } from './world.js';

/** Below this share, what is late may be the machine. */
export const starvedBelow = 0.5;

/** Time that threads ran and waited for a core, ns. */
interface Times {
  ran: number;
  waited: number;
}

/** Follows the processes of a deployment, and this one. */
export class Machine {
  readonly #world: Pick<World, 'processes'>;
  readonly #last = new Map<string, Times>();
  #sum: Times = { ran: 0, waited: 0 };

  constructor(world: Pick<World, 'processes'>) {
    this.#world = world;
    this.#add();
  }

  /** Returns the share of the time since the last call in which threads that wanted to run did; 1 where Linux does not count. */
  share(): number {
    this.#sum = { ran: 0, waited: 0 };
    this.#add();
    const { ran, waited } = this.#sum;
    return ran + waited === 0 ? 1 : ran / (ran + waited);
  }

  #add(): void {
    const pids = [process.pid, ...[...this.#world.processes.values()].map(({ child }) => child.pid ?? 0)];
    for (const pid of pids) {
      for (const [thread, times] of timesOf(pid)) {
        const before = this.#last.get(thread) ?? { ran: 0, waited: 0 };
        this.#sum.ran += times.ran - before.ran;
        this.#sum.waited += times.waited - before.waited;
        this.#last.set(thread, times);
      }
    }
  }
}

/** Reads the times of the threads of a process: nothing of one that has ended, or on another system. */
function timesOf(pid: number): [thread: string, Times][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      const [ran = 0, waited = 0] = text.split(' ').map(Number);
      return [`${pid} ${thread}`, { ran, waited }];
    });
  } catch {
    return [];
  }
}

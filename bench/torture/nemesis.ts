/** What goes wrong, by a schedule. */
import { setTimeout as pause } from 'node:timers/promises';
import type { History } from './history.js';
import type { Fault } from './schedule.js';
import { end, type World } from './world.js';

const methods = [
  ...[
    'getAccountInfo',
    'getMultipleAccounts',
    'getProgramAccounts',
    'getSignatureStatuses',
    'getSignaturesForAddress',
  ],
  ...[
    'getTransaction',
    'getLatestBlockhash',
    'getSlot',
    'getEpochInfo',
    'sendTransaction',
    'getFirstAvailableBlock',
  ],
];

export class Nemesis {
  readonly #world: World;
  readonly #history: History;
  readonly #under = new Set<Promise<void>>();
  /** Faults of one kind wait for each other: what is stopped twice would be started once. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(world: World, history: History) {
    this.#world = world;
    this.#history = history;
  }

  begin(fault: Fault, number: number): void {
    const about =
      'process' in fault ? fault.process : fault.kind === 'database_restart' ? 'database' : 'node';
    const before = this.#turns.get(about) ?? Promise.resolve();
    const running = before.then(() => this.#carryOut(fault, number));
    this.#turns.set(about, running);
    const done = running.finally(() => this.#under.delete(done));
    this.#under.add(done);
  }

  /** Resolves once everything is mended. */
  async ended(): Promise<void> {
    await Promise.all(this.#under);
  }

  async #carryOut(fault: Fault, number: number): Promise<void> {
    this.#history.write({ fault: number, begins: fault });
    const mend = await this.#cause(fault);
    await pause(fault.forMs);
    await mend();
    this.#history.write({ fault: number, ends: fault.kind });
  }

  /** Causes a fault, and returns what mends it. */
  async #cause(fault: Fault): Promise<() => Promise<void> | void> {
    const { chain, postgres } = this.#world;
    if (fault.kind === 'database_restart') {
      await postgres.stop();
      return () => postgres.start();
    }
    if (!('process' in fault)) {
      const mode = fault.kind.slice('node_'.length);
      for (const method of methods)
        await chain.injectFault({
          method,
          mode,
          times: 1_000_000,
          ...(mode === 'error' && { code: fault.code, message: 'planned' }),
        });
      return () => chain.clearFaults();
    }
    const tortured = this.#world.processes.get(fault.process);
    if (!tortured) throw new Error(`there is no ${fault.process}`);
    if (!('wire' in fault)) {
      if (fault.kind === 'kill') {
        await end(tortured);
        return () => this.#world.start(fault.process);
      }
      const { child } = tortured;
      child.kill('SIGSTOP');
      return () => void child.kill('SIGCONT');
    }
    const proxy = tortured.proxies[fault.wire];
    if (fault.kind === 'cut') {
      await proxy.shut();
      return () => proxy.open();
    }
    proxy.freeze();
    return () => (fault.kind === 'freeze' ? proxy.thaw() : proxy.thawNewOnly());
  }
}

/** What goes wrong, by a schedule. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TcpProxy } from '../../packages/service/test/tcp-proxy.js';
import { setClock } from './clocks.js';
import type { History } from './history.js';
import { type Fault, processNames } from './schedule.js';
import { end, type Tortured, type World } from './world.js';

/** By how much a slow connection is late. */
const slowMs = 1_500;
/** After this, a restart of all goes on although a process is not ready. */
const readyWithinMs = 10_000;
/** A process that is asked to end is killed after this, as by a supervisor. */
const endsWithinMs = 15_000;
/** A migration of a later version, on which this one runs. */
const newerMigration = 'of a later version';

export class Nemesis {
  readonly #world: World;
  readonly #history: History;
  readonly #under = new Set<Promise<void>>();
  /** Faults of one thing wait for each other: what is stopped twice would be started once. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(world: World, history: History) {
    this.#world = world;
    this.#history = history;
  }

  begin(fault: Fault, number: number): void {
    const abouts = aboutOf(fault);
    const before = Promise.all(abouts.map((about) => this.#turns.get(about)));
    const running = before.then(() => this.#carryOut(fault, number));
    for (const about of abouts) this.#turns.set(about, running);
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
    const { postgres, nodes } = this.#world;
    if (fault.kind === 'database_restart') {
      await postgres.stop();
      return () => postgres.start();
    }
    if (fault.kind === 'database_full') return fillDatabase(this.#world.databaseUrl);
    if (fault.kind === 'rolling_restart') return this.#restartAll(fault.newer);
    if (fault.kind === 'node') {
      const node = nodes[fault.node - 1];
      if (node) node.suffers = fault.how;
      return () => {
        if (node) node.suffers = undefined;
      };
    }
    if (fault.kind === 'kill_both') return this.#killBoth(fault.of);
    const tortured = this.#world.processes.get(fault.process);
    if (!tortured) throw new Error(`there is no ${fault.process}`);
    if (fault.kind === 'kill') {
      await end(tortured);
      return () => this.#world.start(fault.process);
    }
    if (fault.kind === 'stop') {
      const { child } = tortured;
      child.kill('SIGSTOP');
      return () => void child.kill('SIGCONT');
    }
    if (fault.kind === 'clock') {
      setClock(tortured.clock, fault.bySeconds);
      return () => setClock(tortured.clock, 0);
    }
    return disturb(tortured.proxies[fault.wire], fault.kind);
  }

  async #killBoth(of: string): Promise<() => Promise<void>> {
    const names = namesOf(of);
    for (const name of names) {
      const process = this.#world.processes.get(name);
      if (process) await end(process);
    }
    return async () => {
      for (const name of names) await this.#world.start(name);
    };
  }

  /** Each process is asked to end, and started again once it has ended, the next one then. */
  async #restartAll(newer: boolean): Promise<() => Promise<void>> {
    if (newer) await onDatabase(this.#world.databaseUrl, insertMigration);
    for (const name of processNames) {
      const process = this.#world.processes.get(name);
      if (!process) continue;
      await askToEnd(process);
      await this.#world.start(name);
      await this.#untilReady(name);
    }
    return () => onDatabase(this.#world.databaseUrl, deleteMigration);
  }

  /** Waits for a process that serves, as a rolling restart does, but not for ever. */
  async #untilReady(name: Tortured['name']): Promise<void> {
    const endMs = performance.now() + readyWithinMs;
    await pause(500);
    while (name.startsWith('serve') && !this.#world.ready.has(name) && performance.now() < endMs)
      await pause(100);
  }
}

const namesOf = (of: string) => processNames.filter((name) => name.startsWith(of));

/** What a fault is about: only one at a time is. Only one node deceives at a time, and nothing is stopped in a restart. */
function aboutOf(fault: Fault): string[] {
  if (fault.kind === 'node') return ['node'];
  if (fault.kind === 'rolling_restart') return [...processNames, 'database'];
  if (fault.kind === 'kill_both') return namesOf(fault.of);
  return 'process' in fault ? [fault.process] : ['database'];
}

async function disturb(
  proxy: TcpProxy,
  kind: Exclude<Extract<Fault, { wire: unknown }>['kind'], undefined>,
): Promise<() => Promise<void> | void> {
  switch (kind) {
    case 'cut':
      await proxy.shut();
      return () => proxy.open();
    case 'half_open':
      proxy.freeze();
      return () => proxy.thawNewOnly();
    case 'slow':
      proxy.delayMs = slowMs;
      return () => {
        proxy.delayMs = 0;
      };
    case 'cut_responses':
      proxy.cutsResponses = true;
      return () => {
        proxy.cutsResponses = false;
      };
    case 'no_requests':
      proxy.freeze(['requests']);
      return () => proxy.thaw();
    case 'no_responses':
      proxy.freeze(['responses']);
      return () => proxy.thaw();
    case 'freeze':
      proxy.freeze();
      return () => proxy.thaw();
  }
}

async function askToEnd(process: Tortured): Promise<void> {
  const { child } = process;
  process.isDown = true;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = new AbortController();
  const killing = pause(endsWithinMs, undefined, { signal: late.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  await ended;
  late.abort();
  await killing;
}

/** Takes connections until there are no more, and goes on taking those that others give back. */
async function fillDatabase(url: string): Promise<() => Promise<void>> {
  const taken: pg.Client[] = [];
  const over = new AbortController();
  const taking = (async () => {
    while (!over.signal.aborted) {
      const client = new pg.Client({ connectionString: url, application_name: 'torture' });
      client.on('error', () => {});
      try {
        await client.connect();
        taken.push(client);
      } catch {
        await pause(100);
      }
    }
  })();
  return async () => {
    over.abort();
    await taking;
    await Promise.all(taken.map((client) => client.end().catch(() => {})));
  };
}

async function onDatabase(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'torture' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const insertMigration = (client: pg.Client) =>
  client.query(
    `insert into drizzle.__drizzle_migrations (hash, created_at, oldest_code) values ($1, 1, '0.1.0')`,
    [newerMigration],
  );
const deleteMigration = (client: pg.Client) =>
  client.query('delete from drizzle.__drizzle_migrations where hash = $1', [newerMigration]);

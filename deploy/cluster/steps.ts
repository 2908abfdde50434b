/** What the game day does to the cluster, one after the other. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Machine } from './machine.js';
import { until } from './until.js';

export interface Step {
  name: string;
  /** Whether another server becomes primary. */
  failsOver?: boolean;
  /** Whether the short form has it. */
  short?: boolean;
  /** Breaks something, and repairs what does not repair itself. Returns what is to be said about it. */
  act(machine: Machine): Promise<string | undefined>;
}

/** Long enough to see what a partner sees of it. */
const lastsMs = 15_000;
const lasts = `${lastsMs / 1_000} s`;
const home = join(import.meta.dirname, '../..');
const karatProcesses = ['serve', 'index', 'keep', 'deliver'].flatMap((kind) =>
  [1, 2].map((n) => `${kind}${n}`),
);

const killed = (
  name: string,
  which: (machine: Machine) => Promise<string> | string,
  short = false,
): Step => ({
  name: `kill -9: ${name}`,
  short,
  async act(machine) {
    machine.kill(await which(machine));
    await pause(6_000);
    return undefined;
  },
});

/** Has a process run with other lines before its command, until it is called again without. */
function rewrite(machine: Machine, name: string, change: (run: string) => string): void {
  const file = join(machine.folder, 'service', name, 'run');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** Restarts processes one after the other, each once the one before it responds. */
async function roll(machine: Machine, change: (run: string) => string): Promise<void> {
  for (const name of karatProcesses) {
    rewrite(machine, name, change);
    await machine.sv('restart', name);
    const port = machine.port(name.slice(0, -1), 10 * Number.parseInt(name.slice(-1), 10) + 2);
    await until(`${name} responded`, async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).ok);
    if (name.startsWith('serve')) await machine.whole();
    // HAProxy has to see it, too.
    await pause(2_000);
  }
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Some sessions may have ended.
    }
  }
}

/** Freezes processes for a while. */
async function freeze(pids: number[], ms = lastsMs): Promise<void> {
  signal(pids, 'SIGSTOP');
  await pause(ms);
  signal(pids.reverse(), 'SIGCONT');
}

/** Ends all that runs on the machine of a server at once. Returns what starts it again. */
async function die(machine: Machine, n: number): Promise<() => Promise<void>> {
  const folders = [`patroni${n}`, `etcd${n}`].map((name) => join(machine.folder, 'service', name));
  // Not to be started again meanwhile.
  for (const folder of folders) writeFileSync(join(folder, 'down'), '');
  const pids = machine.processesOf(n);
  for (const folder of folders) await machine.run('sv', 'once', folder);
  signal(pids, 'SIGKILL');
  return async () => {
    for (const folder of folders) {
      rmSync(join(folder, 'down'));
      await machine.run('sv', '-w', '30', 'start', folder);
    }
  };
}

/**
 * Fills the disk for the log of the primary and waits until another server is primary; then the disk has room again. Returns
 * what happened.
 */
async function fillDisk(machine: Machine, n: number): Promise<string> {
  const disk = join(machine.folder, `wal${n}`);
  const { bavail, bsize } = statfsSync(disk);
  const fill = join(disk, 'fill');
  execFileSync('fallocate', ['-l', String(bavail * bsize), fill]);
  try {
    const began = Date.now();
    // What is left of prepared segments is used up, as hours of load would.
    while ((await machine.primary()) === n && Date.now() - began < 60_000) {
      const use = 'select pg_switch_wal(); select txid_current()';
      await Promise.race([machine.sql(use).catch(() => {}), pause(1_000)]);
      await pause(200);
    }
    const primary = await machine.primary();
    return primary === n ? 'it stayed primary' : 'another took over';
  } finally {
    rmSync(fill);
  }
}

const hasDisks = (machine: Machine) =>
  spawnSync('mountpoint', ['-q', join(machine.folder, 'wal1')]).status === 0;
const noDisks = 'NOT TRIED: up was run without a size for disks';

async function provider(machine: Machine, n: number, mode: 'lag' | 'lie'): Promise<undefined> {
  await machine.mode(n, mode);
  await pause(lastsMs);
  await machine.mode(n, 'truth');
}

function withClock(offset: string): Step {
  return {
    name: `the clock of a process that serves, and of the leading indexer, ${offset} s off`,
    async act(machine) {
      const library = readdirSync('/usr/lib')
        .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
        .find(existsSync);
      if (library === undefined) throw new Error('missing on this machine: apt-get install faketime');
      const lines = `export LD_PRELOAD=${library} FAKETIME=${offset}s FAKETIME_DONT_FAKE_MONOTONIC=1\n`;
      const names = ['serve1', `index${await machine.leader('index', 'indexer')}`];
      for (const name of names) {
        rewrite(machine, name, (run) => run.replace('exec >>', `${lines}exec >>`));
        await machine.sv('restart', name);
      }
      await pause(lastsMs);
      for (const name of names) {
        rewrite(machine, name, (run) => run.replace(lines, ''));
        await machine.sv('restart', name);
      }
      return undefined;
    },
  };
}

const migration = '-- oldest code: 0.1.0\nalter table countries add column game_day integer;';

export const steps: Step[] = [
  { name: 'nothing, for comparison', act: () => pause(lastsMs, undefined) },
  {
    name: 'a wrong password, for each role on each path',
    short: true,
    async act(machine) {
      const opened = await machine.opensTo('wrong');
      if (opened.length > 0) throw new Error(`a wrong password opens ${opened.join(', ')}`);
      return undefined;
    },
  },
  killed('etcd1', () => 'etcd1'),
  killed('the HAProxy with the address', (machine) => `haproxy${machine.haproxy()}`, true),
  killed('one of two PgBouncers', () => 'pgbouncer1'),
  killed("the primary's Patroni", async (machine) => `patroni${await machine.primary()}`),
  killed('one of two serve', () => 'serve1'),
  killed('the leading index', async (machine) => `index${await machine.leader('index', 'indexer')}`),
  killed('the leading keep', async (machine) => `keep${await machine.leader('keep', 'keeper')}`),
  killed('deliver', () => 'deliver1'),
  killed("a provider's node", () => 'provider1'),
  killed('the only chain', () => 'node'),
  {
    name: 'kill -9: PostgreSQL, a standby',
    async act(machine) {
      process.kill(machine.postmaster(await machine.standby()), 'SIGKILL');
      await pause(6_000);
      return undefined;
    },
  },
  {
    name: 'kill -9: PostgreSQL, the primary; Patroni lives',
    failsOver: true,
    async act(machine) {
      const n = await machine.primary();
      process.kill(machine.postmaster(n), 'SIGKILL');
      await pause(10_000);
      return (await machine.primary()) === n ? 'it recovered by itself' : 'another took over';
    },
  },
  {
    name: `the primary's whole machine: PostgreSQL, Patroni and etcd killed, away for ${lasts}`,
    failsOver: true,
    short: true,
    async act(machine) {
      const start = await die(machine, await machine.primary());
      await pause(lastsMs);
      await start();
      return undefined;
    },
  },
  {
    name: 'switchover',
    failsOver: true,
    short: true,
    async act(machine) {
      await machine.patronictl('switchover', '--force');
      return undefined;
    },
  },
  {
    name: "the primary's whole machine frozen (SIGSTOP) for 25 s",
    failsOver: true,
    async act(machine) {
      await freeze(machine.processesOf(await machine.primary()), 25_000);
      return undefined;
    },
  },
  {
    name: "the primary's Patroni alone frozen (SIGSTOP) for 15 s",
    failsOver: true,
    async act(machine) {
      const pids = [machine.pid(`patroni${await machine.primary()}`)];
      signal(pids, 'SIGSTOP');
      const end = Date.now() + 15_000;
      let most = 0;
      while (Date.now() < end) {
        most = Math.max(most, await machine.primaries());
        await pause(100);
      }
      // The watchdog may have ended it.
      signal(pids, 'SIGCONT');
      if (most > 1) throw new Error('two servers took writes at once');
      return undefined;
    },
  },
  {
    name: `a standby's whole machine frozen (SIGSTOP) for ${lasts}`,
    async act(machine) {
      await freeze(machine.processesOf(await machine.standby()));
      return undefined;
    },
  },
  {
    name: `one of two PgBouncers frozen (SIGSTOP) for ${lasts}`,
    async act(machine) {
      await freeze([machine.pid('pgbouncer1')]);
      return undefined;
    },
  },
  {
    name: `the HAProxy with the address frozen (SIGSTOP) for ${lasts}`,
    async act(machine) {
      await freeze(machine.familyOf(`haproxy${machine.haproxy()}`));
      return undefined;
    },
  },
  {
    name: 'restart of a PgBouncer',
    async act(machine) {
      await machine.sv('restart', 'pgbouncer1');
      return undefined;
    },
  },
  {
    name: `a provider's node down for ${lasts}`,
    async act(machine) {
      await machine.sv('stop', 'provider1');
      await pause(lastsMs);
      await machine.sv('start', 'provider1');
      return undefined;
    },
  },
  { name: `the first node 50 slots behind for ${lasts}`, act: (machine) => provider(machine, 1, 'lag') },
  { name: `the second node 50 slots behind for ${lasts}`, act: (machine) => provider(machine, 2, 'lag') },
  {
    name: `the first node denies the transactions of the last minute for ${lasts}`,
    act: (machine) => provider(machine, 1, 'lie'),
  },
  {
    name: "the primary's disk for its log full",
    failsOver: true,
    async act(machine) {
      return hasDisks(machine) ? fillDisk(machine, await machine.primary()) : noDisks;
    },
  },
  {
    name: "the primary's disk for its log full, and a standby's whole machine dead, at once",
    failsOver: true,
    async act(machine) {
      if (!hasDisks(machine)) return noDisks;
      const [primary, standby] = [await machine.primary(), await machine.standby()];
      const start = await die(machine, standby);
      try {
        return await fillDisk(machine, primary);
      } finally {
        await start();
      }
    },
  },
  withClock('+5'),
  withClock('-5'),
  {
    name: 'a migration under old processes that restart; a version rolled forward, back and forward',
    async act(machine) {
      const next = join(machine.folder, 'next');
      rmSync(next, { recursive: true, force: true });
      const target = join(next, 'packages/service');
      mkdirSync(target, { recursive: true });
      const own = join(home, 'packages/service');
      for (const name of ['assets', 'dist-start', 'drizzle', 'package.json', 'market-holidays.json']) {
        cpSync(join(own, name), join(target, name), { recursive: true });
      }
      symlinkSync(join(home, 'node_modules'), join(next, 'node_modules'));
      if (existsSync(join(own, 'node_modules')))
        symlinkSync(join(own, 'node_modules'), join(target, 'node_modules'));
      const journalFile = join(target, 'drizzle/meta/_journal.json');
      const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as {
        entries: { idx: number; when: number }[];
      };
      const last = journal.entries.at(-1);
      const entry = { ...last, idx: (last?.idx ?? 0) + 1, when: (last?.when ?? 0) + 1, tag: '9999_game_day' };
      journal.entries.push(entry);
      writeFileSync(journalFile, JSON.stringify(journal));
      writeFileSync(join(target, 'drizzle/9999_game_day.sql'), migration);
      const main = join(target, 'dist-start/main.mjs');
      await machine.karat(main, 'migrate');
      const oldMain =
        readFileSync(join(machine.folder, 'service/serve1/run'), 'utf8').match(/'([^']+\/main\.mjs)'/)?.[1] ??
        '';
      try {
        // As when an old process dies before it is replaced.
        await roll(machine, (run) => run);
        await roll(machine, (run) => run.replace(oldMain, main));
        await roll(machine, (run) => run.replace(main, oldMain));
        await roll(machine, (run) => run.replace(oldMain, main));
      } finally {
        // For the next game day; the way back does not need it.
        await roll(machine, (run) => run.replace(main, oldMain));
        await machine.sql(
          `alter table countries drop column game_day; delete from drizzle.__drizzle_migrations where created_at = ${entry.when}`,
        );
      }
      return undefined;
    },
  },
];

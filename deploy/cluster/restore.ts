/** A restore to a point in time, which then catches up with the chain. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxInfo } from '../../packages/sandbox/src/info.js';
import { checkArchive } from './archive.js';
import type { Machine } from './machine.js';
import { until } from './until.js';

const bin = '/usr/lib/postgresql/15/bin';
const restoredPort = 17_029;

/** Makes an empty folder of the servers' user. */
export function ownFolder(machine: Machine, name: string, parent = machine.folder): string {
  const path = join(parent, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = statSync(join(machine.folder, 'repository'));
  chownSync(path, uid, gid);
  return path;
}

/** Starts a server in a folder, with settings besides those that it has there, and waits until it takes writes. */
export async function startServer(
  machine: Machine,
  path: string,
  settings: Record<string, string | number>,
): Promise<void> {
  const all = {
    // Not Patroni's: that of a server which has once been a standby names recovery targets, and one more is refused.
    config_file: join(path, 'postgresql.base.conf'),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: join(machine.folder, 'run'),
    synchronous_standby_names: '',
    max_connections: 150,
    hot_standby: 'off',
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  const log = join(machine.folder, 'log/restored');
  const how = ['-D', path, '-l', log, '-w', '-t', '1800', '-o', options.join(' ')];
  await machine.asServer(`${bin}/pg_ctl`, ...how, 'start');
  const outcome = await until(
    'the server took writes',
    async () => {
      if (!existsSync(join(path, 'postmaster.pid'))) return 'ended';
      const text = 'select not pg_is_in_recovery() as up';
      const [row] = await machine.sql<{ up: boolean }>(text, Number(settings.port));
      return row?.up && 'up';
    },
    1_800_000,
  );
  if (outcome === 'ended') throw new Error(`the server ended before it took writes, see ${log}`);
}

export const stopServer = (machine: Machine, path: string) =>
  machine.asServer(`${bin}/pg_ctl`, '-D', path, '-m', 'fast', '-t', '600', 'stop');

/** Runs an indexer on the database of a server. */
export function startIndexer(machine: Machine, port: number): ChildProcess {
  const url = new URL(machine.env.KARAT_DATABASE_DIRECT_URL ?? '');
  url.port = String(port);
  const names = ['PATH', 'KARAT_RPC_URL', 'KARAT_WS_URL', 'KARAT_PROGRAM_ID', 'KARAT_NETWORK'];
  const env = Object.fromEntries(names.map((name) => [name, machine.env[name] ?? process.env[name]]));
  const main = join(import.meta.dirname, '../../packages/service/dist-start/main.mjs');
  return spawn(process.execPath, [main, 'index'], {
    env: { ...env, DATABASE_URL: url.href },
    stdio: 'ignore',
  });
}

interface Trades {
  count: number;
  digest: string;
}

/** Returns what a server knows of the trades of the cluster's partners. */
export async function tradesAt(machine: Machine, port?: number): Promise<Trades> {
  const { default: info } = await import(`${machine.folder}/etc/world.json`, { with: { type: 'json' } });
  const ids = (info as SandboxInfo).partners.map(({ partner_id }) => `'${partner_id}'`);
  const [row] = await machine.sql<Trades>(
    `select count(*)::int as count, coalesce(md5(string_agg(concat_ws(' ', id, side, status, user_id, usdc_amount, gold_amount, fee_usdc, slot, event_seq), ',' order by id)), '') as digest
      from trades where partner_id in (${ids})`,
    port,
  );
  if (!row) throw new Error('a count without a row');
  return row;
}

/** A point in time as PostgreSQL reads it, which takes no Z at the end. */
const pointInTime = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00');

export interface Restored {
  says: string;
  isRight: boolean;
}

/**
 * Restores the archive to a point in time, into a server of its own, with a pgBackRest that knows where backups are. Returns
 * how long that took.
 */
async function restoreTo(
  machine: Machine,
  { path, target, pgbackrest }: { path: string; target: string; pgbackrest: Machine['pgbackrest'] },
): Promise<{ copied: string; restored: string; since: () => string }> {
  const startMs = Date.now();
  const since = () => `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
  // The second server's path has no meaning there.
  const how = ['--type=time', `--target=${target}`, '--target-action=promote', '--archive-mode=off'];
  await pgbackrest('restore', `--pg1-path=${path}`, ...how);
  const copied = since();
  await startServer(machine, path, { port: restoredPort, archive_mode: 'off' });
  return { copied, restored: since(), since };
}

/**
 * Restores the cluster to a moment ago, and compares the quotes of redemptions that were made before it, which the load
 * makes all the time. Returns undefined if they are the same, or what is not.
 */
export async function restoreRecent(machine: Machine): Promise<string | undefined> {
  const [{ now = '' } = {}] = await machine.sql<{ now: string }>('select now()::text as now');
  // The next commit has to be in the archive.
  await pause(3_000);
  const missing = await checkArchive(machine);
  if (missing.length > 0) return `the archive lacks ${missing.join(', ')}`;
  const path = ownFolder(machine, 'restored');
  await restoreTo(machine, { path, target: now, pgbackrest: (...args) => machine.pgbackrest(...args) });
  try {
    // What began before had 5 s to be committed.
    const count = `select count(*)::int as count from redemptions where created_at < '${now}'::timestamptz - interval '5 s'`;
    const [live, found] = await Promise.all([
      machine.sql<{ count: number }>(count),
      machine.sql<{ count: number }>(count, restoredPort),
    ]);
    if (live[0]?.count === found[0]?.count) return undefined;
    return `a restore to ${now} has ${found[0]?.count} of ${live[0]?.count} redemptions`;
  } finally {
    await stopServer(machine, path);
  }
}

/**
 * Restores the cluster to the middle of the load, or another repository to another moment, and runs an indexer on it until
 * it has every trade of the chain, as the primary of the cluster has.
 */
export async function restore(
  machine: Machine,
  targetMs: number,
  path = ownFolder(machine, 'restored'),
  pgbackrest: Machine['pgbackrest'] = (...args) => machine.pgbackrest(...args),
): Promise<Restored> {
  const target = pointInTime(targetMs);
  const wanted = await tradesAt(machine);
  const { copied, restored, since } = await restoreTo(machine, { path, target, pgbackrest });
  const [{ size = '' } = {}] = await machine.sql<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
    restoredPort,
  );
  const atStart = await tradesAt(machine, restoredPort);
  const indexer = startIndexer(machine, restoredPort);
  let found = atStart;
  const isRight = () => found.digest === wanted.digest;
  for (const end = Date.now() + 300_000; !isRight() && Date.now() < end; await pause(500)) {
    found = await tradesAt(machine, restoredPort);
  }
  const right = since();
  indexer.kill('SIGTERM');
  await stopServer(machine, path);
  const says =
    `restore of ${size} to ${target}: copied after ${copied}, restored after ${restored}, with ${atStart.count} trades; ` +
    `${isRight() ? 'right again' : 'NOT RIGHT'} after ${right}, with ${found.count} of ${wanted.count} trades`;
  return { says, isRight: isRight() };
}

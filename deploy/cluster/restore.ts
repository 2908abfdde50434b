/** A base backup, and a restore of it to a point in time, which then catches up with the chain. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxInfo } from '../../packages/sandbox/src/info.js';
import type { Machine } from './machine.js';

const bin = '/usr/lib/postgresql/15/bin';
const restoredPort = 17_029;

/** Runs a command as the user of the servers. */
function asServer(machine: Machine, ...command: string[]): Promise<string> {
  const [first = '', ...rest] = process.getuid?.() === 0 ? ['chpst', '-u', 'postgres', ...command] : command;
  return machine.run(first, ...rest);
}

/** Makes an empty folder of the servers' user. */
export function ownFolder(machine: Machine, name: string, parent = machine.folder): string {
  const path = join(parent, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = statSync(join(machine.folder, 'archive'));
  chownSync(path, uid, gid);
  return path;
}

interface BackUp {
  path?: string;
  /** Of the server. */
  port?: number;
  /** Whether the log that the backup needs is in it; without, the archive has it. */
  wal?: 'none' | 'stream';
}

/** Makes a base backup, of the primary unless a port is named, and returns its folder. */
export async function backUp(machine: Machine, wanted: BackUp = {}): Promise<string> {
  const { path = ownFolder(machine, 'backup'), port = machine.port('direct'), wal = 'none' } = wanted;
  const password = `PGPASSWORD=${machine.passwords.replication_password}`;
  const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'replicator'];
  const how = ['-D', path, '-X', wal, '-c', 'fast', '--no-manifest'];
  await asServer(machine, 'env', password, `${bin}/pg_basebackup`, ...how, ...from);
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
  await asServer(machine, `${bin}/pg_ctl`, ...how, 'start');
  const isUp = () =>
    machine.sql<{ up: boolean }>('select not pg_is_in_recovery() as up', Number(settings.port)).then(
      ([row]) => row?.up,
      () => false,
    );
  while (!(await isUp())) await pause(200);
}

export const stopServer = (machine: Machine, path: string) =>
  asServer(machine, `${bin}/pg_ctl`, '-D', path, '-m', 'fast', '-t', '600', 'stop');

/** Runs an indexer on the database of a server. */
export function startIndexer(machine: Machine, port: number): ChildProcess {
  const url = new URL(machine.env.KARAT_DATABASE_DIRECT_URL ?? '');
  url.port = String(port);
  const names = ['PATH', 'KARAT_RPC_URL', 'KARAT_WS_URL', 'KARAT_PROGRAM_ID', 'KARAT_NETWORK'];
  const env = Object.fromEntries(names.map((name) => [name, machine.env[name] ?? process.env[name]]));
  const main = join(import.meta.dirname, '../../packages/service/dist/main.js');
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
export const pointInTime = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00');

export interface Restored {
  says: string;
  isRight: boolean;
}

/**
 * Restores a backup to the middle of the load, into a server of its own, and runs an indexer on it until it has every
 * trade of the chain.
 */
export async function restore(machine: Machine, backup: string, beganMs: number): Promise<Restored> {
  await machine.sql('select pg_switch_wal()');
  await pause(3_000);
  const target = pointInTime((beganMs + Date.now()) / 2);
  const path = ownFolder(machine, 'restored');
  return restoreTo(machine, { backup, archive: join(machine.folder, 'archive'), path, target });
}

/** Restores a backup to a point in time. What is right is what the primary of the cluster has. */
export async function restoreTo(
  machine: Machine,
  { backup, archive, path, target }: { backup: string; archive: string; path: string; target: string },
): Promise<Restored> {
  const wanted = await tradesAt(machine);
  const startMs = Date.now();
  const since = () => `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
  await asServer(machine, 'cp', '-a', `${backup}/.`, path);
  const copied = since();
  writeFileSync(join(path, 'recovery.signal'), '');
  const { uid, gid } = statSync(path);
  chownSync(join(path, 'recovery.signal'), uid, gid);
  await startServer(machine, path, {
    port: restoredPort,
    archive_mode: 'off',
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: target,
    recovery_target_action: 'promote',
    recovery_target_timeline: 'latest',
  });
  const restored = since();
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

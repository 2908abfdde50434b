/** A base backup, and a restore of it to a point in time, which then catches up with the chain. */
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Machine } from './machine.js';

const bin = '/usr/lib/postgresql/15/bin';
const restoredPort = 17_029;

/** Runs a command as the user of the servers. */
function asServer(machine: Machine, ...command: string[]): Promise<string> {
  const [first = '', ...rest] = process.getuid?.() === 0 ? ['chpst', '-u', 'postgres', ...command] : command;
  return machine.run(first, ...rest);
}

function ownFolder(machine: Machine, name: string): string {
  const path = join(machine.folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = statSync(join(machine.folder, 'archive'));
  chownSync(path, uid, gid);
  return path;
}

/** Makes a base backup and returns its folder. The archive has what was written since. */
export async function backUp(machine: Machine): Promise<string> {
  const path = ownFolder(machine, 'backup');
  const address = new URL(`postgres://replicator@127.0.0.1:${machine.port('direct')}/`);
  address.password = machine.passwords.replication_password ?? '';
  await asServer(
    machine,
    'env',
    `PGPASSWORD=${address.password}`,
    `${bin}/pg_basebackup`,
    '-D',
    path,
    '-X',
    'none',
    '-c',
    'fast',
    '-h',
    '127.0.0.1',
    '-p',
    address.port,
    '-U',
    'replicator',
  );
  return path;
}

const trades = `select count(*)::int as count, coalesce(md5(string_agg(concat_ws(' ', id, side, status, user_id, usdc_amount, gold_amount, fee_usdc, slot, event_seq), ',' order by id)), '') as digest from trades`;

/**
 * Restores the backup to the middle of the load, into a server of its own, and runs an indexer on it until it has every
 * trade of the chain.
 */
export async function restore(
  machine: Machine,
  backup: string,
  beganMs: number,
): Promise<{ says: string; isRight: boolean }> {
  await machine.sql('select pg_switch_wal()');
  await pause(3_000);
  // PostgreSQL takes no Z at the end.
  const target = new Date((beganMs + Date.now()) / 2).toISOString().replace('T', ' ').replace('Z', '+00');
  const startMs = Date.now();
  const path = ownFolder(machine, 'restored');
  await asServer(machine, 'cp', '-a', `${backup}/.`, path);
  writeFileSync(join(path, 'recovery.signal'), '');
  const { uid, gid } = statSync(path);
  chownSync(join(path, 'recovery.signal'), uid, gid);
  const settings = {
    port: restoredPort,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: join(machine.folder, 'run'),
    archive_mode: 'off',
    synchronous_standby_names: '',
    restore_command: `cp ${machine.folder}/archive/%f %p`,
    recovery_target_time: target,
    recovery_target_action: 'promote',
    recovery_target_timeline: 'latest',
    max_connections: 150,
    hot_standby: 'off',
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const log = join(machine.folder, 'log/restored');
  await asServer(
    machine,
    `${bin}/pg_ctl`,
    '-D',
    path,
    '-l',
    log,
    '-w',
    '-t',
    '300',
    '-o',
    options.join(' '),
    'start',
  );
  const isUp = () =>
    machine.sql<{ up: boolean }>('select not pg_is_in_recovery() as up', restoredPort).then(
      ([row]) => row?.up,
      () => false,
    );
  while (!(await isUp())) await pause(200);
  const restoredMs = Date.now() - startMs;
  const [{ size = '' } = {}] = await machine.sql<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
    restoredPort,
  );
  const [atStart] = await machine.sql<{ count: number }>(trades, restoredPort);
  const url = new URL(machine.env.KARAT_DATABASE_DIRECT_URL ?? '');
  url.port = String(restoredPort);
  const names = ['PATH', 'KARAT_RPC_URL', 'KARAT_WS_URL', 'KARAT_PROGRAM_ID', 'KARAT_NETWORK'];
  const env = Object.fromEntries(names.map((name) => [name, machine.env[name] ?? process.env[name]]));
  const main = join(import.meta.dirname, '../../packages/service/dist/main.js');
  const indexer = spawn(process.execPath, [main, 'index'], {
    env: { ...env, DATABASE_URL: url.href },
    stdio: 'ignore',
  });
  let isRight = false;
  let found: { count: number; digest: string } | undefined;
  const [wanted] = await machine.sql<{ count: number; digest: string }>(trades);
  for (const end = Date.now() + 300_000; !isRight && Date.now() < end; await pause(500)) {
    [found] = await machine.sql<{ count: number; digest: string }>(trades, restoredPort);
    isRight = found?.digest === wanted?.digest;
  }
  const rightMs = Date.now() - startMs;
  indexer.kill('SIGTERM');
  await asServer(machine, `${bin}/pg_ctl`, '-D', path, '-m', 'fast', 'stop');
  const says =
    `restore of ${size} to ${target}: ${(restoredMs / 1_000).toFixed(1)} s, with ${atStart?.count} trades; ` +
    `${isRight ? 'right again' : 'NOT RIGHT'} after ${(rightMs / 1_000).toFixed(1)} s, with ${found?.count} of ${wanted?.count} trades`;
  return { says, isRight };
}

/**
 * Measures how long it takes to restore a large database to a point in time and to have it right again. A copy of the
 * cluster's database is filled with as many trades as wanted and backed up; then it changes while the cluster trades, and
 * is restored to the middle of that.
 *   node --conditions=source --import tsx deploy/cluster/large-restore.ts FOLDER WORK-FOLDER [ROWS]
 * WORK-FOLDER needs room for the database four times. A trade takes some 450 bytes, indexes included.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Karat } from '@karat/sdk';
import { createSolanaRpc } from '@solana/kit';
import { fillTrades } from '../../bench/tables.js';
import type { SandboxInfo } from '../../packages/sandbox/src/info.js';
import { Load } from './load.js';
import { Machine } from './machine.js';
import { ownFolder, restore, startIndexer, startServer, stopServer, tradesAt } from './restore.js';
import { until } from './until.js';

const [folder, work, rows = '22000000'] = process.argv.slice(2);
if (folder === undefined || work === undefined) throw new Error('a folder is missing');

const port = 17_028;
const machine = new Machine(folder);
const info = (await import(`${folder}/etc/world.json`, { with: { type: 'json' } })).default as SandboxInfo;
const baseUrl = `http://127.0.0.1:${machine.port('partners')}`;
const karats = new Map<string, Karat>(
  info.partners.map(({ partner_id, api_key = '' }) => [partner_id, new Karat({ apiKey: api_key, baseUrl })]),
);
const karatOf = (partnerId: string) => {
  const karat = karats.get(partnerId);
  if (!karat) throw new Error(`no partner ${partnerId}`);
  return karat;
};
const beganMs = Date.now();
const report = (what: string) => console.log(`${Math.round((Date.now() - beganMs) / 1_000)} s: ${what}`);

await machine.whole();
const live = ownFolder(machine, 'live', work);
await machine.pgbackrest('restore', `--pg1-path=${live}`, '--archive-mode=off');
const repository = ownFolder(machine, 'repository', work);
const configuration = join(work, 'pgbackrest.conf');
writeFileSync(
  configuration,
  `[global]
repo1-path=${repository}
repo1-retention-full=1
compress-type=zst
start-fast=y
lock-path=${repository}/lock
log-level-console=off
log-level-file=off
[karat]
pg1-path=${live}
pg1-port=${port}
pg1-socket-path=${join(machine.folder, 'run')}
pg1-user=postgres
`,
);
const pgbackrest = (...args: string[]) =>
  machine.asServer(
    'env',
    `PGPASSWORD=${machine.passwords.superuser_password}`,
    'pgbackrest',
    `--config=${configuration}`,
    '--stanza=karat',
    ...args,
  );
await startServer(machine, live, {
  port,
  archive_mode: 'off',
  fsync: 'off',
  max_wal_size: '8GB',
  shared_buffers: '4GB',
});
const url = new URL(`postgres://postgres@127.0.0.1:${port}/karat`);
url.password = machine.passwords.superuser_password ?? '';
await fillTrades(url.href, Number.parseInt(rows, 10));
const sizeOf = async () =>
  (
    await machine.sql<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
      port,
    )
  )[0]?.size;
report(`filled with ${rows} trades: ${await sizeOf()}`);
await stopServer(machine, live);
await startServer(machine, live, {
  port,
  archive_mode: 'on',
  archive_command: `pgbackrest --config=${configuration} --stanza=karat archive-push %p`,
});
await pgbackrest('stanza-create');
await pgbackrest('backup', '--type=full');
report('backed up');

await machine.whole();
const indexer = startIndexer(machine, port);
const load = new Load(folder, info, karatOf, createSolanaRpc(`http://127.0.0.1:${machine.port('node')}`));
const loadMs = Date.now();
await load.start();
// Changes all over the table: a log to replay.
await machine.sql('update trades set updated_at = updated_at where slot % 40 = 0', port);
await pause(20_000);
const target = (loadMs + Date.now()) / 2 + 5_000;
await pause(20_000);
await load.stop();
const wanted = await tradesAt(machine);
await until('both had the same trades', async () => (await tradesAt(machine, port)).digest === wanted.digest);
report(`${wanted.count} trades in both`);
indexer.kill('SIGTERM');
await machine.sql('select pg_switch_wal()', port);
await pause(5_000);
await stopServer(machine, live);
const log = await machine.run('du', '-sh', join(repository, 'archive'));
report(`log to replay, and a little more: ${log.split('\t')[0]}`);
await machine.run('sync');

const { says, isRight } = await restore(machine, target, ownFolder(machine, 'restored', work), pgbackrest);
report(says);
process.exit(isRight ? 0 : 1);

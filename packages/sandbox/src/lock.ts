import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { hasCode, readIfThere } from './files.js';
import { UserError } from './user-error.js';

export interface Lock {
  /** Whether the file is still ours: somebody may have deleted or replaced the folder under us. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface Owner {
  pid: number;
  /** When that process started, in the system's own words; tells it from a later one with the same number. */
  started: string;
}

/** How often the lock is tried for, and the pause while another process removes what a dead one left. */
const tries = 100;
const pauseMs = 10;

/**
 * Makes this process the only sandbox on a state folder: a file that names its process. The file of a process that is
 * gone (`kill -9`, power cut) is taken over. Throws a `UserError` when another sandbox is alive.
 */
export async function takeLock(path: string, folder: string): Promise<Lock> {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner);
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(draft, mine, { flag: 'wx', mode: 0o600 });
  try {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      if (await linked(draft, path)) return lockOf(path, mine);
      const text = await readIfThere(path);
      if (text === undefined) continue;
      const owner = parseOwner(text);
      if (owner && isAlive(owner)) throw inUse(folder, owner.pid);
      await removeDead(path, text, draft);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new UserError(`Another sandbox is starting on ${folder}; try again or use another --state-dir`);
}

function inUse(folder: string, pid: number): UserError {
  return new UserError(
    `A sandbox is already running on ${folder} (process ${pid}); stop it or use another --state-dir`,
  );
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Removes the file of a dead owner, or leaves that to another process that is at it. Between reading it and removing it
 * somebody else may have done so and taken the lock: only the holder of a second file, named after what the dead one
 * left, removes anything, and looks again before. That file may be left by a dead process itself, and goes the same way.
 */
async function removeDead(path: string, dead: string, draft: string): Promise<void> {
  const claim = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}.claim`;
  if (await linked(draft, claim)) {
    try {
      if ((await readIfThere(path)) === dead) await rm(path, { force: true });
    } finally {
      await rm(claim, { force: true });
    }
    return;
  }
  const text = await readIfThere(claim);
  const owner = text === undefined ? undefined : parseOwner(text);
  if (text === undefined || (owner && isAlive(owner))) await setTimeout(pauseMs);
  else await removeDead(claim, text, draft);
}

function lockOf(path: string, mine: string): Lock {
  const isHeld = async () => (await readIfThere(path)) === mine;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, started } = JSON.parse(text);
    return Number.isInteger(pid) && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(owner: Owner): boolean {
  return processExists(owner.pid) && startOf(owner.pid) === owner.started;
}

/** Whether a process with that number runs; one that has ended but was not collected by its parent does not. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
  return statOf(pid)?.[0] !== 'Z';
}

/** Start time of a process in clock ticks since boot, with the boot's id; empty where there is no /proc. */
function startOf(pid: number): string {
  const started = statOf(pid)?.[19];
  if (started === undefined) return '';
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${started}`;
}

/** What Linux says of a process, from its state (field 3 of proc(5)) on; undefined without such a process or /proc. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses before may hold spaces and parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

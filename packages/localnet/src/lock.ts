import { readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';

export interface Lock {
  /** Returns whether the lock is still ours: somebody may have deleted or replaced the folder under us. */
  isHeld(): boolean;
  release(): void;
}

/** How long a process waits while another one removes a dead owner's lock, and between two looks. */
const waitMs = 1_000;
const pauseMs = 5;

/**
 * Takes the lock at a path for this process; throws the error of `inUse` while another process holds it. The lock of a
 * process that is gone (`kill -9`, power cut), and whatever else stands at the path, is taken over.
 *
 * A lock is a symbolic link whose target names its owner: one call of the system makes it whole or fails because there is
 * one, so that a kill leaves no half of it.
 */
export function takeLock(path: string, inUse: (pid: number) => Error): Lock {
  const owner = linkTo(path);
  if (owner !== undefined) throw inUse(owner);
  const isHeld = () => targetOf(path) === ownName();
  const release = () => {
    if (isHeld()) rmSync(path, { force: true });
  };
  return { isHeld, release };
}

/** Makes the link; returns undefined, or the process whose link stands there. */
function linkTo(path: string): number | undefined {
  const until = performance.now() + waitMs;
  for (;;) {
    if (symlinked(ownName(), path)) return undefined;
    const target = targetOf(path);
    if (target === undefined) continue;
    const owner = livingOwner(target);
    if (owner !== undefined) return owner;
    const remover = removeDead(path, target);
    if (remover !== undefined && performance.now() > until) return remover;
    if (remover !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/**
 * Removes a dead owner's link; returns undefined, or the process that is doing so. Between the look at a link and its
 * removal another process may have taken the lock, so only the holder of a second lock removes it, after another look.
 */
function removeDead(path: string, dead: string): number | undefined {
  const removing = `${path}.removing`;
  const other = linkTo(removing);
  if (other !== undefined) return other;
  try {
    if (targetOf(path) === dead) rmSync(path, { force: true });
  } finally {
    rmSync(removing, { force: true });
  }
  return undefined;
}

function symlinked(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns the target of the link, empty for a file that is not a link, undefined if there is nothing. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL') return '';
    throw error;
  }
}

/** Returns the name of this process: its number, when it started and in which boot, where the system shows that. */
function ownName(): string {
  return nameOf(process.pid);
}

function nameOf(pid: number): string {
  const started = statOf(pid)?.[19];
  if (started === undefined) return String(pid);
  return `${pid} ${started} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}

/** Returns the process that a link names, undefined when it is gone: a number is given out again, a name is not. */
function livingOwner(name: string): number | undefined {
  const pid = /^[1-9]\d*(?= |$)/.exec(name)?.[0];
  return pid !== undefined && processExists(Number(pid)) && nameOf(Number(pid)) === name
    ? Number(pid)
    : undefined;
}

/** Returns whether a process with that number runs; one that has ended but was not collected by its parent does not. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statOf(pid)?.[0] !== 'Z';
}

/**
 * Returns the status fields of a process, from its state (field 3 of proc(5)) on; undefined without such a process or
 * /proc.
 */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses before may hold spaces and parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

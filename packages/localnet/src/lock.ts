import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type Libsql from 'libsql';

export interface Lock {
  /** Returns whether the lock is still ours: somebody may have deleted or replaced the folder under us. */
  isHeld(): boolean;
  release(): void;
}

/** How long a process waits while another one removes a dead owner's lock, and between two looks. */
const waitMs = 1_000;
const pauseMs = 5;

/**
 * Takes the lock at a path for this process; throws the error of `inUse` while another process holds it, also one of another
 * container on this machine. The lock of a process that is gone (`kill -9`, power cut), and whatever else stands at the path, is
 * taken over.
 *
 * A lock is a symbolic link whose target names its owner: one call of the system makes it whole or fails because there is
 * one, so that a kill leaves no half of it. The owner lives as long as a file of that name, next to the link, is locked: the
 * kernel unlocks it with the process, whose number means nothing to other containers.
 */
export function takeLock(path: string, inUse: (pid: number) => Error): Lock {
  const own = lockFile(path);
  const owner = linkTo(path, own.name);
  if (owner !== undefined) {
    own.close();
    throw inUse(owner);
  }
  const isHeld = () => targetOf(path) === own.name;
  const release = () => {
    if (isHeld()) rmSync(path, { force: true });
    own.close();
  };
  return { isHeld, release };
}

/** Makes a file that is locked as long as this process lives. */
function lockFile(path: string): { name: string; close(): void } {
  const file = `${path}.${randomBytes(6).toString('hex')}`;
  const database = openDatabase(file);
  // The journal would be another file.
  database.exec('pragma journal_mode = memory; begin exclusive');
  const close = () => {
    if (database.open) database.close();
    rmSync(file, { force: true });
  };
  return { name: `${process.pid} ${basename(file)}`, close };
}

/** Opens a file as SQLite does, which locks files by the kernel; Node itself locks none. */
function openDatabase(file: string): Libsql.Database {
  // Loaded here, as a chain in memory needs none.
  const Database = createRequire(import.meta.url)('libsql') as typeof Libsql;
  const database = new Database(file);
  database.exec('pragma busy_timeout = 0');
  return database;
}

/** Makes the link; returns undefined, or the process whose link stands there. */
function linkTo(path: string, name: string): number | undefined {
  const until = performance.now() + waitMs;
  for (;;) {
    if (symlinked(name, path)) return undefined;
    const target = targetOf(path);
    if (target === undefined) continue;
    const owner = livingOwner(path, target);
    if (owner !== undefined) return owner;
    const remover = removeDead(path, target, name);
    if (remover !== undefined && performance.now() > until) return remover;
    if (remover !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/**
 * Removes a dead owner's link; returns undefined, or the process that is doing so. Between the look at a link and its
 * removal another process may have taken the lock, so only the holder of a second lock removes it, after another look.
 */
function removeDead(path: string, dead: string, name: string): number | undefined {
  const removing = `${path}.removing`;
  const other = linkTo(removing, name);
  if (other !== undefined) return other;
  try {
    if (targetOf(path) === dead) {
      rmSync(path, { force: true });
      const owner = ownerOf(path, dead);
      if (owner) rmSync(owner.file, { force: true });
    }
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

/** Returns whom a link at a path names; undefined for any other target. */
function ownerOf(path: string, name: string): { pid: number; file: string } | undefined {
  const [, pid, file] = /^([1-9]\d*) ([\w.-]+\.[0-9a-f]{12})$/.exec(name) ?? [];
  return pid && file ? { pid: Number(pid), file: join(dirname(path), file) } : undefined;
}

/** Returns the process that a link names, by its number where it runs; undefined when it is gone. */
function livingOwner(path: string, name: string): number | undefined {
  const owner = ownerOf(path, name);
  if (!owner || !existsSync(owner.file)) return undefined;
  const database = openDatabase(owner.file);
  try {
    // Several look at once, and lock it for none of the others.
    database.prepare('select count(*) from sqlite_master').get();
    return undefined;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'SQLITE_BUSY') return owner.pid;
    if (code === 'SQLITE_NOTADB') return undefined;
    throw error;
  } finally {
    database.close();
  }
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

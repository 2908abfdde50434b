import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeLock } from '../src/lock.js';

function lockPath(): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'karat-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, 'sandbox.lock') };
}

test('a lock is taken once, told to others, and gone when released', async () => {
  const { folder, path } = lockPath();
  const lock = await takeLock(path, folder);
  await expect(takeLock(path, folder)).rejects.toThrow(
    `A sandbox is already running on ${folder} (process ${process.pid}); stop it or use another --state-dir`,
  );
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('of many who take it at once exactly one gets it, also from a dead owner', async () => {
  const { folder, path } = lockPath();
  const dead = JSON.stringify({ pid: 2 ** 22 + 1, started: 'x' });
  for (const left of [undefined, ...Array<string>(50).fill(dead)]) {
    if (left) writeFileSync(path, left);
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path, folder)));
    const [winner, ...others] = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(others).toEqual([]);
    expect(await winner?.isHeld()).toBe(true);
    await winner?.release();
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('what a process left that died while it removed the lock of a dead one is no obstacle', async () => {
  const { folder, path } = lockPath();
  const dead = (pid: number) => JSON.stringify({ pid, started: 'x' });
  const claimOf = (file: string, text: string) =>
    `${file}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}.claim`;
  const left = dead(2 ** 22 + 1);
  writeFileSync(path, left);
  writeFileSync(claimOf(path, left), dead(2 ** 22 + 2));
  writeFileSync(claimOf(claimOf(path, left), dead(2 ** 22 + 2)), dead(2 ** 22 + 3));
  const lock = await takeLock(path, folder);
  expect(readdirSync(folder)).toEqual(['sandbox.lock']);
  await lock.release();
});

test('a lock whose file was deleted or replaced is not ours, and is not released', async () => {
  const { folder, path } = lockPath();
  const lock = await takeLock(path, folder);
  expect(await lock.isHeld()).toBe(true);
  rmSync(path);
  expect(await lock.isHeld()).toBe(false);
  writeFileSync(path, 'another');
  expect(await lock.isHeld()).toBe(false);
  await lock.release();
  expect(readFileSync(path, 'utf8')).toBe('another');
});

test.each([
  ['of a process that is gone', { pid: 2 ** 22 + 1, started: 'x' }],
  ['of an earlier process with a number used again', { pid: process.pid, started: 'an earlier boot 1' }],
  ['that is empty', undefined],
])('a lock %s is taken over', async (_, owner) => {
  const { folder, path } = lockPath();
  writeFileSync(path, owner ? JSON.stringify(owner) : '');
  const lock = await takeLock(path, folder);
  expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(['sandbox.lock']);
  await lock.release();
  expect(existsSync(path)).toBe(false);
});

// Only /proc tells such a process from a running one.
const onLinux = process.platform === 'linux' ? test : () => undefined;

onLinux(
  'a lock of a process that has ended, but that its parent has not collected, is taken over',
  async () => {
    const { folder, path } = lockPath();
    // The child ends when its parent has become a `sleep`, which never collects it.
    const shell = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void shell.kill());
    const pid = Number(String((await once(shell.stdout, 'data'))[0]));
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    await vi.waitFor(() => expect(stat()[2]).toBe('Z'), { timeout: 10_000 });
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    writeFileSync(path, JSON.stringify({ pid, started: `${boot} ${stat()[21]}` }));
    await (await takeLock(path, folder)).release();
  },
);

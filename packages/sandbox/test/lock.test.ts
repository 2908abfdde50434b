import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

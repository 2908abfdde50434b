import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const STALE_AFTER_MS = 60_000;

/** Builds the package; test files run at the same time, so one builds and the others wait. Gives the folder of the build. */
export function build(): string {
  const dist = join(packageFolder, 'dist');
  const lock = `${dist}.lock`;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > STALE_AFTER_MS) rmdirSync(lock);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
  try {
    const tsc = fileURLToPath(import.meta.resolve('typescript/package.json'));
    execFileSync(process.execPath, [tsc.replace('package.json', 'bin/tsc'), '-b', packageFolder], {
      stdio: 'inherit',
    });
  } finally {
    rmdirSync(lock);
  }
  return dist;
}

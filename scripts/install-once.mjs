import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs a folder of the repository that has a lock file of its own, unless that was done before: tools which few people
 * need and which are large, so that `npm ci` goes without them.
 */
export function installOnce(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules', 'installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.error(`Installing ${folder}, once`);
  // What npm prints is no part of what the caller prints.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
  writeFileSync(installed, lock);
}

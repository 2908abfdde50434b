/**
 * Builds the documentation into docs/.vitepress/dist, which the sandbox serves. `npm ci` does so, too; an installation without
 * development dependencies goes without.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

function findVitepress() {
  try {
    return new URL('bin/vitepress.js', import.meta.resolve('vitepress/package.json'));
  } catch {
    return undefined;
  }
}

const vitepress = findVitepress();
if (vitepress !== undefined) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const args = [fileURLToPath(vitepress), 'build', 'docs'];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

/**
 * Builds the documentation into docs/.vitepress/dist, which the sandbox serves and builds when it is first opened. An
 * installation without development dependencies goes without.
 */
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
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
  // Half a site is never served: a build that was interrupted leaves the last one as it is.
  const folder = join(root, 'docs/.vitepress/dist');
  const outDir = `${folder}-${process.pid}`;
  const args = [fileURLToPath(vitepress), 'build', 'docs', '--outDir', outDir];
  const began = new Date();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(outDir, folder);
    // A page that changed meanwhile is younger.
    utimesSync(folder, began, began);
  } else {
    rmSync(outDir, { recursive: true, force: true });
  }
  process.exitCode = status ?? 1;
}

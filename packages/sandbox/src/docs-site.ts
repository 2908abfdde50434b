import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Closers } from './closers.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'docs/.vitepress/dist');
const script = join(root, 'scripts/build-docs.mjs');

/**
 * Returns what finds the folder of the documentation's site. The first call builds the site, if it is missing, and reports
 * that it does; until it is there, calls return undefined. Returns undefined itself where the site cannot be built, as in an
 * installation without development dependencies.
 */
export function openDocsSite(
  closers: Closers,
  report: (line: string) => void,
): (() => string | undefined) | undefined {
  let built = existsSync(join(folder, 'index.html'));
  if (!built && !existsSync(script)) return undefined;
  let building = false;
  return () => {
    if (built) return folder;
    if (!building) {
      building = true;
      report('The documentation is being built, which takes about 20 s; its page reloads until it is there');
      const build = spawn(process.execPath, [script], { cwd: root, stdio: 'ignore' });
      build.once('exit', (code) => {
        built = code === 0;
        report(
          built
            ? 'The documentation is built'
            : 'The documentation could not be built: npm run build:docs says why',
        );
      });
      closers.add('The build of the documentation', async () => build.kill());
    }
    return undefined;
  };
}

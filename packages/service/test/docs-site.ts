import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { eventually } from './karat-chain.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const vitepress = fileURLToPath(new URL('bin/vitepress.js', import.meta.resolve('vitepress/package.json')));

/** Returns the folder of the documentation, built from the pages as they are now, once in a run: it takes ten seconds. */
export async function builtDocs(): Promise<string> {
  const folder = inject('docsFolder');
  const [site, done] = [join(folder, 'site'), join(folder, 'done')];
  try {
    mkdirSync(site);
  } catch {
    // Another file builds it, or has.
    await eventually(async () => {
      if (!existsSync(done)) throw new Error('the documentation is not built yet');
    }, 150_000);
    return site;
  }
  execFileSync(process.execPath, [vitepress, 'build', 'docs', '--outDir', site], { cwd: root });
  writeFileSync(done, '');
  return site;
}

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { eventually } from './karat-chain.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where it is built, by the sandbox when it is first opened or by the tests. */
const dist = join(root, 'docs/.vitepress/dist');

/** Whether it is younger than everything that it could have been built from. */
function isCurrent(): boolean {
  if (!existsSync(dist)) return false;
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').slice(0, -1);
  const { mtimeMs } = statSync(dist);
  return files.every(
    (file) => (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < mtimeMs,
  );
}

/** Returns the folder of the documentation, of the pages as they are now. To build it takes half a minute of processor time. */
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
  if (!isCurrent()) execFileSync(process.execPath, ['scripts/build-docs.mjs'], { cwd: root });
  cpSync(dist, site, { recursive: true });
  writeFileSync(done, '');
  return site;
}

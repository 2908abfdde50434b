/** Builds the service that is tortured: as it is, or with faults that were put into a copy of its source. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const home = fileURLToPath(new URL('../..', import.meta.url));
/** What may be patched, and what makes the bundle of it; all else is as it is. */
const copied = ['packages/service', 'scripts'];
const notCopied = /\/(node_modules|dist|dist-test|test)(\/|$)/;

/** Bundles the service, with patches, if there are any, applied to a copy of it first. Throws when that fails. */
export async function buildService(patches: readonly string[]): Promise<{ script: string; remove(): void }> {
  if (patches.length === 0) return bundleIn(home);
  const copy = mkdtempSync(join(tmpdir(), 'karat-planted-'));
  mkdirSync(join(copy, 'packages'));
  for (const part of copied)
    cpSync(join(home, part), join(copy, part), { recursive: true, filter: (path) => !notCopied.test(path) });
  for (const folder of ['.', 'packages']) {
    const others = readdirSync(join(home, folder)).filter(
      (name) => name !== '.git' && !existsSync(join(copy, folder, name)),
    );
    for (const name of others) symlinkSync(join(home, folder, name), join(copy, folder, name));
  }
  const { status, stderr } = spawnSync('git', ['apply', ...patches], { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the patches ${patches.join(', ')} do not apply: ${stderr}`);
  const { script } = await bundleIn(copy);
  return { script, remove: () => rmSync(copy, { recursive: true, force: true }) };
}

async function bundleIn(folder: string): Promise<{ script: string; remove(): void }> {
  const { bundle } = await import(pathToFileURL(join(folder, 'scripts/bundle.mjs')).href);
  const { scripts, remove } = await bundle('service', { main: 'packages/service/src/main.ts' });
  return { script: scripts.main, remove };
}

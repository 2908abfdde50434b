/**
 * The programs of the sandbox as one bundle, which starts in half the processor time that a thousand modules take.
 * `npm ci` writes it; when a source is newer, it is written again.
 */
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'packages/sandbox/dist-start');
/** Its time is that of the bundle. */
const stamp = join(folder, 'built');
const entries = {
  main: 'packages/sandbox/src/main.ts',
  demo: 'packages/sandbox/src/demo.ts',
  // For the image: deploy/sandbox.Dockerfile.
  healthy: 'packages/sandbox/src/healthy.ts',
  karat: 'packages/service/src/main.ts',
};

/** Returns the path of a program, `main` or `demo`. Calls `report` first if the bundle has to be written, which takes seconds. */
export async function startScript(program, report = () => undefined) {
  if (isStale()) {
    report();
    await write();
  }
  return join(folder, `${program}.mjs`);
}

function isStale() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'src'));
  const names = [
    'package-lock.json',
    'scripts/bundle.mjs',
    'examples/shop/server.mjs',
    'examples/shop/web.mjs',
  ];
  const single = names.map((name) => join(root, name));
  return [...single, ...packages.filter(existsSync).flatMap(withContents)].some(
    (path) => statSync(path).mtimeMs > built,
  );
}

/** Folders count: their time is that of the last file that came or went. */
function withContents(path) {
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))];
}

async function write() {
  const { bundleForStart } = await import('./bundle.mjs');
  const began = new Date();
  await bundleForStart('sandbox', entries);
  writeFileSync(stamp, '');
  // A source that changed since then may not be in it.
  utimesSync(stamp, began, began);
}

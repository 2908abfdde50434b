// Writes programs of this repository as plain JavaScript, for production, for the sandbox, and for the tests that start processes:
// finding and reading a thousand modules takes most of the time until a process runs, and half of its memory.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'vite';

const home = join(import.meta.dirname, '..');

/** Packages of many small modules, which are read faster as a part of the bundle. All others are imported as they are. */
const inside = [
  /^@karat\//,
  /^@solana\//,
  /^@solana-program\//,
  /^@noble\//,
  '@fastify/type-provider-typebox',
  'drizzle-orm',
  'qrcode-generator',
  're2js',
  'typebox',
  'uuid',
];

/** Keeps the place of each module, as seen from the folder of the bundle: files of a package are found relative to its source. */
const placesFrom = (folder) => ({
  name: 'places',
  transform: (code, id) =>
    !id.includes('/node_modules/') && code.includes('import.meta.url')
      ? code.replaceAll(
          'import.meta.url',
          `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`,
        )
      : undefined,
});

/** Bundles the entries into `dist-start` of the named package, in place of what was there. */
export async function bundleForStart(packageName, entries) {
  const folder = join(home, 'packages', packageName, 'dist-start');
  const { scripts } = await bundle(packageName, entries, folder);
  rmSync(folder, { recursive: true, force: true });
  renameSync(dirname(Object.values(scripts)[0]), folder);
  // Processes run as other users than who builds.
  chmodSync(folder, 0o755);
}

/**
 * Bundles the entries, given as paths in the repository by name, into a folder of the named package, within which the
 * packages that stay outside are found. Returns the path of each script by name, and what removes them. `folder` is where
 * the bundle is moved to, if it is.
 */
export async function bundle(packageName, entries, folder) {
  const parent = join(home, 'packages', packageName, 'dist-test');
  mkdirSync(parent, { recursive: true });
  const outDir = mkdtempSync(join(parent, 'bundle-'));
  const conditions = ['source', 'node', 'module', 'import', 'default'];
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(home, path)]));
  await build({
    configFile: false,
    root: home,
    logLevel: 'error',
    plugins: [placesFrom(folder ?? outDir)],
    resolve: { conditions },
    ssr: { noExternal: inside, resolve: { conditions } },
    build: {
      ssr: true,
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: { input, output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
  return {
    scripts: Object.fromEntries(Object.keys(entries).map((name) => [name, join(outDir, `${name}.mjs`)])),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}

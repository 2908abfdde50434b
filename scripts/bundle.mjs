// Writes programs of this repository as plain JavaScript, for the tests that start processes: with tsx a process spends three times
// the processor time until it runs, most of it on finding and reading a thousand modules.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Keeps the place of each module: files of a package are found relative to its source. */
const places = {
  name: 'places',
  transform: (code, id) =>
    !id.includes('/node_modules/') && code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
};

/**
 * Bundles the entries, given as paths in the repository by name, into a folder of the named package, within which the
 * packages that stay outside are found. Returns the path of each script by name, and what removes them.
 */
export async function bundle(packageName, entries) {
  const parent = join(home, 'packages', packageName, 'dist-test');
  mkdirSync(parent, { recursive: true });
  const outDir = mkdtempSync(join(parent, 'bundle-'));
  const conditions = ['source', 'node', 'module', 'import', 'default'];
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(home, path)]));
  await build({
    configFile: false,
    root: home,
    logLevel: 'error',
    plugins: [places],
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

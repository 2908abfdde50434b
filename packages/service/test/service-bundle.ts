import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** Keeps the place of each module: files of the package are found relative to its source. */
const places: Plugin = {
  name: 'places',
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
};

/**
 * Writes the service and the packages of this repository that it imports as plain JavaScript, so that the tests' processes
 * start in half of the processor time; returns its script. Packages of the registry stay outside.
 */
export async function bundleService(): Promise<{ script: string; remove: () => void }> {
  mkdirSync(join(packageFolder, 'dist-test'), { recursive: true });
  const outDir = mkdtempSync(join(packageFolder, 'dist-test', 'bundle-'));
  const conditions = ['source'];
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [places],
    resolve: { conditions },
    ssr: { noExternal: [/^@karat\//], resolve: { conditions } },
    build: {
      ssr: join(packageFolder, 'src/main.ts'),
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
  return { script: join(outDir, 'main.mjs'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}

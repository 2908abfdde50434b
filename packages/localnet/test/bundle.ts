import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { packageFolder } from './build.js';

/**
 * Writes a script of this folder and what it imports into one file, which starts in a third of the time; gives its path.
 * The file is within the package, where its native modules are found.
 */
export async function bundle(script: string): Promise<string> {
  mkdirSync(join(packageFolder, 'dist-test'), { recursive: true });
  const outDir = mkdtempSync(join(packageFolder, 'dist-test', 'bundle-'));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source'] },
    ssr: {
      noExternal: true,
      external: ['litesvm', 'sodium-native', '@solana/kit'],
      resolve: { conditions: ['source'] },
    },
    build: {
      ssr: fileURLToPath(new URL(script, import.meta.url)),
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'bundle.mjs' } },
    },
  });
  return join(outDir, 'bundle.mjs');
}

import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { packageFolder } from './build.js';

/** Modules with native code, which stay outside. */
const NATIVE = ['litesvm', 'sodium-native'];

/**
 * Lets the native packages be required: as imports node looks through their text for what they export, which takes a
 * quarter of the time in which a process starts.
 */
function requireNative(code: string): string {
  const required = code.replace(/^import (\S+|\{.*\}) from "([^"]+)";$/gm, (line, names, name: string) =>
    NATIVE.includes(name.split('/')[0] ?? '') ? `const ${names} = requireOutside("${name}");` : line,
  );
  const head = "import { createRequire as makeRequire } from 'node:module';";
  return `${head}\nconst requireOutside = makeRequire(import.meta.url);\n${required}`;
}

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
    plugins: [{ name: 'require-native', renderChunk: requireNative }],
    resolve: { conditions: ['source'] },
    ssr: {
      noExternal: true,
      external: [...NATIVE, '@solana/kit'],
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

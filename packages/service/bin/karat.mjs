#!/usr/bin/env node
/**
 * Runs the command line from the source where that and what it takes to run it are there, which is in a checkout with its
 * development dependencies, and from the build everywhere else.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/main.ts', import.meta.url);
const built = ['../dist-start/main.mjs', '../dist/main.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));

function findTsx() {
  try {
    return import.meta.resolve('tsx');
  } catch {
    return undefined;
  }
}

const tsx = existsSync(source) ? findTsx() : undefined;
if (tsx !== undefined) {
  // Another process, because Node takes the condition that finds the other packages' sources at the start only.
  const args = [
    ...process.execArgv,
    '--conditions=source',
    '--import',
    tsx,
    fileURLToPath(source),
    ...process.argv.slice(2),
  ];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  // Ctrl-C reaches both; the end of this one is the end of the other.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
} else if (built !== undefined) {
  await import(built.href);
} else {
  process.stderr.write(
    'karat is not built: run npm run build, with the development dependencies installed\n',
  );
  process.exitCode = 1;
}

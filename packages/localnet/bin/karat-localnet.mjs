#!/usr/bin/env node
/** Runs the command line from the source in a checkout of the project, from the build everywhere else. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/cli.ts', import.meta.url);
const built = new URL('../dist/cli.js', import.meta.url);

if (existsSync(source)) {
  // Another process, because Node takes the condition that finds the other packages' sources at the start only.
  const tsx = import.meta.resolve('tsx');
  const args = ['--conditions=source', '--import', tsx, fileURLToPath(source), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  // Ctrl-C reaches both; the end of this one is the end of the other.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
} else {
  await import(built.href);
}

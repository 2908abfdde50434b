// Builds the console and the portal for their tests, so that they see them as they are now. They get the folder by `inject('consoleFolder')`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = join(import.meta.dirname, 'build-console.mjs');

export default function setup(project) {
  const folder = mkdtempSync(join(tmpdir(), 'karat-console-'));
  // In a process of its own: in that of the tests, React would be built as for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, [script, folder], { env, stdio: 'inherit' });
  project.provide('consoleFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Builds the console into packages/console/dist, which the service serves on the operator port. `npm ci` runs it; an
 * installation without development dependencies goes without. An argument names another folder.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
const root = join(import.meta.dirname, '../packages/console');

function isInstalled(name) {
  try {
    createRequire(join(root, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

if (existsSync(join(root, 'vite.config.ts')) && isInstalled('vite') && isInstalled('@vitejs/plugin-react')) {
  const { build } = await import('vite');
  const outDir = folder === undefined ? join(root, 'dist') : resolve(folder);
  const configFile = join(root, 'vite.config.ts');
  await build({ root, configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
}

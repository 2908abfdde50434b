/**
 * Builds the console into packages/console/dist, which the service serves on the operator port, and the portal of partners
 * into dist-portal next to it, for the port of partners. `npm ci` runs it; an installation without development
 * dependencies goes without. An argument names another folder that gets both.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
const root = join(import.meta.dirname, '../packages/console');

/** The configuration of each application, and where it is built. */
const applications = { 'vite.config.ts': 'dist', 'vite.portal.config.ts': 'dist-portal' };

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
  for (const [config, dist] of Object.entries(applications)) {
    const outDir = resolve(folder ?? root, dist);
    const configFile = join(root, config);
    await build({ root, configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
  }
}

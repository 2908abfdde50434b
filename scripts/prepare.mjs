/**
 * What `npm ci` builds: the SDK, which the examples import as partners do, the console, which the service serves, and the
 * bundle that `npm start` runs. An installation without development dependencies goes without them.
 */
import { compile } from './compile.mjs';

if (!compile('packages/sdk')) process.exit(1);
await import('./build-console.mjs');
if (isInstalled('vite')) {
  const { startScript } = await import('./start-bundle.mjs');
  await startScript('main');
}

function isInstalled(name) {
  try {
    import.meta.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

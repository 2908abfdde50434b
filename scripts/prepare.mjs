/**
 * What `npm ci` builds: the SDK, which the examples import as partners do, the console, which the service serves, and the
 * documentation, which the sandbox serves. An installation without development dependencies goes without all three.
 */
import { buildSdk } from './build-sdk.mjs';

buildSdk();
await import('./build-console.mjs');
await import('./build-docs.mjs');

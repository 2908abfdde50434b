/**
 * What `npm ci` builds: the SDK, which the examples import as partners do, and the documentation, which the sandbox serves.
 * An installation without development dependencies goes without both.
 */
import { buildSdk } from './build-sdk.mjs';

buildSdk();
await import('./build-docs.mjs');

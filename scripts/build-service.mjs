/**
 * Writes `karat` as one bundle, packages/service/dist-start, which production runs: it is ready in half the time that a thousand
 * modules take, with half of their memory.
 */
import { bundleForStart } from './bundle.mjs';

await bundleForStart('service', { main: 'packages/service/src/main.ts' });

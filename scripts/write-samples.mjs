// Writes the samples of the reference from the regions of the programs that the tests of the SDKs run. With --check writes nothing and
// exits with 1 when the committed ones are others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSamples } from './samples.mjs';

const target = join(import.meta.dirname, '../packages/service/src/http/openapi/code-samples.ts');
const text = `import type { CodeSample } from './conventions.js';

/** Code by the names of operations. Generated from the samples of the SDKs: npm run generate:openapi. */
export const codeSamples: Readonly<Record<string, readonly CodeSample[]>> = ${JSON.stringify(readSamples(), null, 2)};
`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) process.exitCode = 1;

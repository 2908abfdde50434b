// Writes the samples of the reference from the regions of the programs that the tests of the SDKs run. With --check writes nothing and
// exits with 1 when the committed ones are others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { regionNames, regionOf } from './regions.mjs';

const root = join(import.meta.dirname, '..');
const target = join(root, 'packages/service/src/http/openapi/code-samples.ts');
const programs = [
  { lang: 'typescript', label: 'TypeScript', file: 'packages/sdk/samples/partner.ts' },
  { lang: 'python', label: 'Python', file: 'packages/sdk-python/samples/partner.py' },
  { lang: 'go', label: 'Go', file: 'packages/sdk-go/samples/main.go' },
];

/** Returns the code of a region behind the import that it needs, and behind the client if it calls one. */
function sampleOf(program, name) {
  const code = regionOf(program, name);
  const [importing, client] = regionOf(program, 'client').split('\n\n');
  const [variable] = /\w+(?= :?=)/.exec(client);
  const parts = new RegExp(`\\b${variable}\\.`).test(code) ? [client, code] : [code];
  // Of the names in the import, those that the sample has.
  const used = (names) =>
    names.split(', ').filter((one) => new RegExp(`\\b${one}\\b`).test(parts.join('\n')));
  const imported = importing.replace(
    /(\{ |from \w+ import )([^}]*?)( \}|$)/,
    (_all, before, names, after) => `${before}${used(names).join(', ')}${after}`,
  );
  return [imported, ...parts].join('\n\n');
}

const samples = {};
for (const { lang, label, file } of programs) {
  const program = readFileSync(join(root, file), 'utf8');
  for (const name of regionNames(program).filter((one) => one !== 'client')) {
    samples[name] ??= [];
    samples[name].push({ lang, label, source: sampleOf(program, name) });
  }
}
const text = `import type { CodeSample } from './conventions.js';

/** Code by the names of operations. Generated from the samples of the SDKs: npm run generate:openapi. */
export const codeSamples: Readonly<Record<string, readonly CodeSample[]>> = ${JSON.stringify(samples, null, 2)};
`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) process.exitCode = 1;

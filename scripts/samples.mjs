// Samples of the SDKs: the regions of the programs that their tests run, each as code that stands by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { regionNames, regionOf } from './regions.mjs';

const root = join(import.meta.dirname, '..');
const programs = [
  { lang: 'typescript', label: 'TypeScript', file: 'packages/sdk/samples/partner.ts' },
  { lang: 'python', label: 'Python', file: 'packages/sdk-python/samples/partner.py' },
  { lang: 'go', label: 'Go', file: 'packages/sdk-go/samples/main.go' },
];

/** The programs that samples are of. */
export const sampleFiles = programs.map(({ file }) => join(root, file));

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

/** Returns the samples by the names of their regions, each in all languages. */
export function readSamples() {
  const samples = {};
  for (const { lang, label, file } of programs) {
    const program = readFileSync(join(root, file), 'utf8');
    for (const name of regionNames(program).filter((one) => one !== 'client')) {
      samples[name] ??= [];
      samples[name].push({ lang, label, source: sampleOf(program, name) });
    }
  }
  return samples;
}

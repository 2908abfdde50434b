import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from './harness.js';

/** Money is `bigint` base units: no float may touch it, neither in the code nor in the database. */

const conversions = [
  'export const one = Number(text);',
  'export const two = parseFloat(text);',
  'export const three = Number.parseFloat(text);',
  'export const four = value.toFixed(6);',
  'export const five = value.toPrecision(6);',
  'export const six = texts.map(Number);',
  'export const seven = column.mapWith(Number);',
];
const folder = 'packages/service/src';
const files = [
  'actions/probe.ts',
  'db/deep/probe.ts',
  'http/probe.ts',
  'indexer/probe.ts',
  'domain/quote.ts',
];
const allowed = ['domain/money.ts', 'domain/integer.ts'];

let root: string;
let flagged: Set<string>;
let h: Harness;
beforeAll(async () => {
  h = await harness();
  root = mkdtempSync(join(tmpdir(), 'karat-lint-'));
  const repository = fileURLToPath(new URL('../../..', import.meta.url));
  const settings = JSON.parse(readFileSync(join(repository, 'biome.json'), 'utf8'));
  writeFileSync(join(root, 'biome.json'), JSON.stringify({ ...settings, vcs: { enabled: false } }));
  copyFileSync(join(repository, 'no-number.grit'), join(root, 'no-number.grit'));
  for (const file of [...files, ...allowed]) {
    const path = join(root, folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, conversions.join('\n'));
  }
  flagged = await lint();
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await h.close();
});

/** What the rule refuses, as `file:line`. */
async function lint(): Promise<Set<string>> {
  const biome = createRequire(fileURLToPath(import.meta.url)).resolve('@biomejs/biome/bin/biome');
  const args = ['lint', '--reporter=github', '--max-diagnostics=none', '.'];
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [biome, ...args], { cwd: root }, (_error, stdout) => done(stdout));
  });
  const found = output.matchAll(/title=plugin,file=([^,]+),line=(\d+)/g);
  return new Set([...found].map(([, file = '', line = '']) => `${file.slice(file.indexOf(folder))}:${line}`));
}

test.each(files)('a conversion to a number is refused in %s', (file) => {
  for (const [index, conversion] of conversions.entries()) {
    expect(flagged, conversion).toContain(`${folder}/${file}:${index + 1}`);
  }
});

test.each(allowed)('a conversion to a number is allowed in %s, which names what it converts', (file) => {
  expect([...flagged].filter((place) => place.startsWith(`${folder}/${file}:`))).toEqual([]);
});

test('no column holds a float', async () => {
  const columns = await h.ctx.sql<{ name: string; type: string }[]>`
    select table_name || '.' || column_name as name, data_type as type
    from information_schema.columns where table_schema = 'public'`;
  expect(columns.length).toBeGreaterThan(100);
  expect(columns.filter(({ type }) => ['real', 'double precision', 'money'].includes(type))).toEqual([]);
});

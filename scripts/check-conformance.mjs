// Says whether docs/conformance.md keeps its word: every row names a section, a statement and tests, and every test it
// names exists. Exits with 1 and names the rows that do not hold.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = 'docs/conformance.md';
const suite = 'packages/service/test';
const sources = new Map();

/** The text of a test file; undefined when there is none. Paths are those of the service's suite unless they say more. */
function sourceOf(file) {
  const path = file.startsWith('packages/') || file.startsWith('program/') ? file : join(suite, file);
  if (!sources.has(path)) sources.set(path, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return sources.get(path);
}

/** Whether a name stands for a table of cases: it has a placeholder such as `%s` or `$name`. */
function isTable(name) {
  return name !== undefined && /%[sdij]|\$\w/.test(name);
}

/**
 * Whether a `test` or `describe` of a file has that name: a call whose first argument is the quoted name. A case of a
 * table is a quoted text of the file.
 */
function names(source, name, isCase) {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/['"`]/g, '\\\\?$&');
  const quoted = `(['"\`])${escaped}\\1`;
  return new RegExp(isCase ? quoted : `\\(\\s*${quoted}\\s*,`).test(source);
}

/** What is wrong with the tests of one row. */
function faultsOf(tests) {
  const found = [...tests.matchAll(/`([^`]+)` › `([^`]+)`/g)];
  if (found.length === 0) return ['names no test'];
  return found.flatMap(([, file, path]) => {
    const source = sourceOf(file);
    if (source === undefined) return [`${file} does not exist`];
    const parts = path.split(' › ');
    return parts
      .filter((name, at) => !names(source, name, isTable(parts[at - 1])))
      .map((name) => `${file} has no test "${name}"`);
  });
}

let rows = 0;
let broken = 0;
const sections = new Set();
for (const [index, line] of readFileSync(page, 'utf8').split('\n').entries()) {
  if (!line.startsWith('| ') || line.startsWith('| Section') || line.startsWith('|--')) continue;
  const [section, statement, tests, ...rest] = line
    .slice(1, -1)
    .split(' | ')
    .map((cell) => cell.trim());
  rows += 1;
  sections.add(section?.split('.')[0]);
  const faults = [
    ...(/^\d(\.\d+)?$/.test(section ?? '') ? [] : ['names no section']),
    ...(statement ? [] : ['says nothing']),
    ...(rest.length > 0 ? ['has too many cells'] : []),
    ...faultsOf(tests ?? ''),
  ];
  for (const fault of faults) console.log(`${page}:${index + 1}: ${fault}`);
  if (faults.length > 0) broken += 1;
}
for (const section of ['2', '3', '4', '5', '6', '7', '8', '9']) {
  if (sections.has(section)) continue;
  console.log(`${page}: no row of section ${section}`);
  broken += 1;
}
console.log(`${rows} statements, ${broken} without their test`);
process.exitCode = broken === 0 ? 0 : 1;

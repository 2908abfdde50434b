// Checks docs/conformance.md: every row names a section, a statement and tests, and every test that it names exists. A row
// about what Karat does differently also has a reason, and what a client loses by it.
// With `--report <file>`, the JSON report of a whole run of vitest, every test has to be in the report, and passed.
// Prints the rows that fail, and exits with 1 when there are any.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const page = 'docs/conformance.md';
const suite = 'packages/service/test';
const placeholder = /%[sdifjoOc#$]|\$\{[^}]*\}|\$[\w.]+/g;

const { values: options } = parseArgs({ options: { report: { type: 'string' } } });
const report = options.report === undefined ? undefined : readReport(options.report);
const sources = new Map();

/** Returns the path of a test file from the root. The page names files of the service's suite without their folder. */
function pathOf(file) {
  return file.startsWith('packages/') || file.startsWith('program/') ? file : join(suite, file);
}

/** Returns the text of a test file and of the suites next to it that it runs; undefined when it does not exist. */
function sourceOf(file) {
  const path = pathOf(file);
  if (!sources.has(path)) sources.set(path, existsSync(path) ? withSuites(path) : undefined);
  return sources.get(path);
}

function withSuites(path) {
  const text = readFileSync(path, 'utf8');
  const suites = [...text.matchAll(/ from '\.\/([\w.-]+)\.js';/g)].map(([, name]) => `${name}.ts`);
  return [text, ...suites.map((name) => readFileSync(join(dirname(path), name), 'utf8'))].join('\n');
}

/** Returns the tests that ran, by the absolute path of their file: their titles from the outermost `describe` in, and the status. */
function readReport(path) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  return new Map(
    testResults.map((file) => [
      resolve(file.name),
      file.assertionResults.map((test) => ({
        titles: [...test.ancestorTitles, test.title],
        status: test.status,
      })),
    ]),
  );
}

/** Returns whether a name stands for a table of cases: it has a placeholder such as `%s`, `$name` or `${name}`. */
function isTable(name) {
  return name !== undefined && name.search(placeholder) >= 0;
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Returns whether a `test` or `describe` of a file has that name: a call whose first argument is the quoted name. A
 * case of a table is any quoted text of the file.
 */
function isInSource(source, name, isCase) {
  const quoted = `(['"\`])${escaped(name).replace(/['"`]/g, '\\\\?$&')}\\1`;
  return new RegExp(isCase ? quoted : `\\(\\s*${quoted}\\s*,`).test(source);
}

/** Returns whether a name, with its placeholders filled in, is that title. */
function isTitle(name, title) {
  return new RegExp(`^${name.split(placeholder).map(escaped).join('.*')}$`, 's').test(title);
}

/**
 * Returns whether a test is one of those that a path names: its titles hold the names in their order, and a name behind
 * a table is either a title further in or a case, which the title of the table contains.
 */
function isNamed(path, titles) {
  const [name, ...inner] = path;
  if (name === undefined) return true;
  return titles.some((title, at) => {
    if (!isTitle(name, title)) return false;
    const further = titles.slice(at + 1);
    if (isNamed(inner, further)) return true;
    return (
      isTable(name) && inner[0] !== undefined && title.includes(inner[0]) && isNamed(inner.slice(1), further)
    );
  });
}

/** Returns what the sources say against a path of names; nothing when every name is in the file. */
function faultsOfSource(file, path) {
  const source = sourceOf(file);
  if (source === undefined) return [`${file} does not exist`];
  return path
    .filter((name, at) => !isInSource(source, name, isTable(path[at - 1])))
    .map((name) => `${file} has no test "${name}"`);
}

/** Returns what the report says against a path of names; nothing when tests with that path ran and all of them passed. */
function faultsOfRun(file, path) {
  if (report === undefined) return [];
  const ran = (report.get(resolve(pathOf(file))) ?? []).filter((test) => isNamed(path, test.titles));
  if (ran.length === 0) return [`${file}: "${path.join(' › ')}" is not in the report`];
  return ran
    .filter((test) => test.status !== 'passed')
    .map((test) => `${file}: "${test.titles.join(' › ')}" is ${test.status}`);
}

/** Returns what is wrong with the tests of one row. */
function faultsOf(tests) {
  const named = [...tests.matchAll(/`([^`]+)` › `([^`]+)`/g)];
  if (named.length === 0) return ['names no test'];
  return named.flatMap(([, file, names]) => {
    const path = names.split(' › ');
    const faults = faultsOfSource(file, path);
    return faults.length > 0 ? faults : faultsOfRun(file, path);
  });
}

/** The parts of the page about what Karat does differently, and what a row there has. */
const differs = new Set(['Deviations', 'Bounds']);
const explained = /\*Why:\* .+ \*Loses:\* ./;

let rows = 0;
let broken = 0;
const sections = new Set();
let heading = '';
for (const [index, line] of readFileSync(page, 'utf8').split('\n').entries()) {
  if (line.startsWith('## ')) heading = line.slice(3);
  if (!line.startsWith('| ') || line.startsWith('| Section') || line.startsWith('|--')) continue;
  const [section, statement, tests, ...rest] = line
    .slice(1, -1)
    .split(' | ')
    .map((cell) => cell.trim());
  rows += 1;
  sections.add(section?.split('.')[0]);
  const faults = [
    ...(/^[\dIVFPR](\.\d+)?$/.test(section ?? '') ? [] : ['names no section']),
    ...(statement ? [] : ['says nothing']),
    ...(rest.length > 0 ? ['has too many cells'] : []),
    ...(differs.has(heading) && !explained.test(statement ?? '') ? ['has no reason or no loss'] : []),
    ...faultsOf(tests ?? ''),
  ];
  for (const fault of faults) console.log(`${page}:${index + 1}: ${fault}`);
  if (faults.length > 0) broken += 1;
}
for (const section of ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
  if (sections.has(section)) continue;
  console.log(`${page}: no row of section ${section}`);
  broken += 1;
}
console.log(
  `${rows} statements, ${broken} without ${report === undefined ? 'their test' : 'a test that ran and passed'}`,
);
process.exitCode = broken === 0 ? 0 : 1;

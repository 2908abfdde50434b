// Shows that every check of the program has a test that fails without it.
//   node program/scripts/mutate.mjs                     every mutant of every file
//   node program/scripts/mutate.mjs --only settle       mutants of the files whose path has this text
//   node program/scripts/mutate.mjs --list              names them and stops
// Each mutant removes or weakens one check in a copy of the crate, which is built and put before the program's tests. A mutant
// that no test notices is a survivor: the script prints it and ends with 1, unless `mutants-alike.json` names it as equal to the
// original, with the reason. It takes some ten seconds a mutant: for a night or a by-hand run, not for CI.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const program = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(program, 'src');
/** No check lives here: memory and entry are the target's, arithmetic has a proof of its own against 128-bit integers. */
const leftOut = ['entrypoint.rs', 'memory.rs', 'lib.rs', 'math.rs', 'instruction.rs', 'error.rs'];
/** Tests that take longest come last: most mutants are dead before them. */
const slowTests = ['arithmetic', 'conservation', 'figures'];

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, list: { type: 'boolean', default: false } },
});

/** Returns the position behind the bracket that closes the one at `open`. */
function closing(text, open) {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if ('([{'.includes(text[at])) depth += 1;
    if (')]}'.includes(text[at])) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('a bracket is not closed');
}

/** Returns `text` with comments and strings blanked, of the same length. */
function codeOf(text) {
  return text.replace(/\/\/[^\n]*|b?"(?:[^"\\]|\\.)*"/g, (found) => ' '.repeat(found.length));
}

/** Returns the mutants of one file as { at, end, with, what }, in the order of the source. */
function mutantsOf(text) {
  const code = codeOf(text).replace(/#\[cfg\(test\)\][\s\S]*$|const _: \(\) = [^;]*;/g, (part) =>
    ' '.repeat(part.length),
  );
  const found = [];
  const add = (at, end, replacement, what) => found.push({ at, end, with: replacement, what });

  // A check that stands as a statement, `require…(…)?;` or `….validate(…)?;`, is removed; one that is a function's result passes.
  const checks = /(?<=[\s({])(?:[a-z_]+(?:::|\.))*(?:require\w*|check\w*|validate|\w+\.check\w*)\(/g;
  for (const match of code.matchAll(checks)) {
    const before = code.slice(code.lastIndexOf('\n', match.index) + 1, match.index);
    if (/\bfn\s*$|\blet\b|=|\breturn\b/.test(before)) continue;
    const end = closing(code, match.index + match[0].length - 1);
    if (code.startsWith('?;', end)) add(match.index, end + 2, '', 'removes');
    else if (/^\s*\}/.test(code.slice(end)) && /^(require|check)/.test(match[0])) {
      const isResult = /\)\s*->\s*(ProgramResult|Result<\(\), \w+>)\s*\{[^{}]*(\{[^{}]*\}[^{}]*)*$/.test(
        code.slice(Math.max(0, match.index - 3_000), match.index),
      );
      if (isResult) add(match.index, end, 'Ok(())', 'passes');
    }
  }

  // A comparison is moved by one.
  const moved = { ' <= ': ' < ', ' >= ': ' > ', ' < ': ' <= ', ' > ': ' >= ' };
  for (const [operator, other] of Object.entries(moved)) {
    for (let at = code.indexOf(operator); at >= 0; at = code.indexOf(operator, at + 1)) {
      add(at, at + operator.length, other, `turns${operator}into${other}in`);
    }
  }

  // A part of a condition joined by && or || is taken away.
  for (const operator of ['&&', '||']) {
    for (let at = code.indexOf(` ${operator} `); at >= 0; at = code.indexOf(` ${operator} `, at + 1)) {
      const neutral = operator === '&&' ? 'true' : 'false';
      const start = partStart(code, at);
      if (start < at) add(start, at, neutral, 'drops a part of');
      const last = partEnd(code, at + 4);
      if (last > at + 4) add(at + 4, last, neutral, 'drops a part of');
    }
  }
  const places = new Map(found.map((mutant) => [`${mutant.at} ${mutant.end} ${mutant.with}`, mutant]));
  return [...places.values()].sort((one, other) => one.at - other.at);
}

/** Returns where the operand that ends at `end` begins. */
function partStart(code, end) {
  let depth = 0;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (')]'.includes(code[at])) depth += 1;
    if ('(['.includes(code[at])) depth -= 1;
    const stops =
      code[at] === '{' || code[at] === ';' || code[at] === ',' || /^\s=\s/.test(code.slice(at - 1, at + 2));
    if (depth < 0 || (depth === 0 && (stops || ['&& ', '|| '].includes(code.slice(at, at + 3))))) {
      const from = at + (['&& ', '|| '].includes(code.slice(at, at + 3)) ? 3 : 1);
      return from + code.slice(from, end).search(/\S/);
    }
  }
  return end;
}

/** Returns where the operand that begins at `start` ends. */
function partEnd(code, start) {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    if ('(['.includes(code[at])) depth += 1;
    if (')]'.includes(code[at])) depth -= 1;
    if (
      depth < 0 ||
      (depth === 0 && (/[;,{}]/.test(code[at]) || [' && ', ' || '].includes(code.slice(at, at + 4))))
    ) {
      return start + code.slice(start, at).trimEnd().length;
    }
  }
  return start;
}

/** Names a mutant by file, line and the text that it changes; equal names of one file are counted. */
function nameMutants(file, text) {
  const counts = new Map();
  return mutantsOf(text).map((mutant) => {
    const lineStart = text.lastIndexOf('\n', mutant.at) + 1;
    const lineEnd = text.indexOf('\n', Math.max(mutant.end - 1, mutant.at));
    const line = text.slice(0, mutant.at).split('\n').length;
    const changed = mutant.what.startsWith('turns')
      ? text.slice(lineStart, lineEnd)
      : text.slice(mutant.at, mutant.end);
    const plain = `${file} ${mutant.what} ${changed.replace(/\s+/g, ' ').trim()}`;
    const count = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, count);
    return { ...mutant, file, line, name: count === 1 ? plain : `${plain} (${count})` };
  });
}

function rustFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return rustFiles(path);
    return entry.name.endsWith('.rs') && !leftOut.includes(relative(source, path)) ? [path] : [];
  });
}

/** Runs the program's tests against `binary`; true when all pass. */
function passes(binary) {
  const run = (patterns) =>
    spawnSync('npx', ['vitest', 'run', '--project', 'program', '--bail=1', '--reporter=dot', ...patterns], {
      cwd: dirname(program),
      env: { ...process.env, KARAT_PROGRAM_SO: binary },
      encoding: 'utf8',
    }).status === 0;
  return run(slowTests.map((name) => `--exclude=**/${name}.test.ts`)) && run(slowTests);
}

/** Builds the crate in `folder` to `binary`; false when it does not compile. */
function builds(folder, binary, target) {
  const { status } = spawnSync('bash', [join(program, 'build.sh'), '--to', binary, folder], {
    env: { ...process.env, KARAT_BUILD_TARGET: target },
    encoding: 'utf8',
  });
  return status === 0;
}

const mutants = rustFiles(source)
  .filter((path) => relative(source, path).includes(options.only ?? ''))
  .sort()
  .flatMap((path) => nameMutants(relative(source, path), readFileSync(path, 'utf8')));
if (options.list) {
  for (const { name, line } of mutants) console.log(`${line}: ${name}`);
  console.log(`${mutants.length} mutants`);
  process.exit(0);
}

const alike = JSON.parse(readFileSync(join(program, 'scripts/mutants-alike.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'karat-mutants-'));
const folder = join(work, 'program');
const target = join(work, 'target');
const binary = join(work, 'mutant.so');
mkdirSync(folder);
for (const part of ['Cargo.toml', 'Cargo.lock', 'src'])
  cpSync(join(program, part), join(folder, part), { recursive: true });
if (!builds(folder, binary, target) || !passes(binary)) {
  console.error('the program itself does not build or pass: nothing can be said of mutants');
  process.exit(2);
}

const survivors = [];
const counts = { killed: 0, 'does not compile': 0, 'equal by reason': 0, survived: 0 };
for (const [index, mutant] of mutants.entries()) {
  const path = join(folder, 'src', mutant.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, original.slice(0, mutant.at) + mutant.with + original.slice(mutant.end));
  let outcome = 'does not compile';
  if (alike[mutant.name]) outcome = 'equal by reason';
  else if (builds(folder, binary, target)) outcome = passes(binary) ? 'survived' : 'killed';
  writeFileSync(path, original);
  counts[outcome] += 1;
  if (outcome === 'survived') survivors.push(mutant);
  console.log(`${index + 1}/${mutants.length} ${outcome}: ${mutant.line}: ${mutant.name}`);
}
rmSync(work, { recursive: true });

for (const { name, line } of survivors) console.log(`SURVIVED ${line}: ${name}`);
const known = new Set(mutants.map(({ name }) => name));
const gone = options.only ? [] : Object.keys(alike).filter((name) => !known.has(name));
for (const name of gone) console.log(`mutants-alike.json names what is no mutant any more: ${name}`);
console.log(
  Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', '),
);
process.exit(survivors.length + gone.length > 0 ? 1 : 0);

// Shows that every check of the program has a test that fails without it.
//   node program/scripts/mutate.mjs                     every mutant of every file
//   node program/scripts/mutate.mjs --only settle       mutants of the files whose path contains this text
//   node program/scripts/mutate.mjs --part 1/2          the first half of them, so that two runs share the work
//   node program/scripts/mutate.mjs --list              prints the mutants and stops
// A mutant removes or weakens one check, or one write. One build holds all of them: it reads from four bytes of the binary which one is
// on, so that the next mutant costs a run of the tests and no build. The test file that killed the last mutant of the same source
// runs first. A mutant that no test notices is a survivor: the script prints it and ends with 1, unless `mutants-alike.json` names it as
// equal to the original, with the reason. Takes hours: `.ci/nightly` runs it, `.ci/run` does not.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, parseArgs } from 'node:util';
import { createServer, createServerModuleRunner } from 'vite';
import { expect } from 'vitest';

const program = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(program, 'src');
/** No check lives here; the arithmetic has a proof of its own against 128-bit integers. */
const leftOut = ['entrypoint.rs', 'memory.rs', 'lib.rs', 'error.rs', 'sysvar.rs', 'math.rs'];
/** Tests of random cases and of figures, which take minutes: they may not be the only ones that notice a missing check. */
const slowTests = ['fuzz', 'figures', 'arithmetic', 'persistent-thieves'];

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, part: { type: 'string' }, list: { type: 'boolean', default: false } },
});

/** Returns the position behind the bracket that closes the one at `open`. */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if ('([{'.includes(code[at])) depth += 1;
    if (')]}'.includes(code[at])) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('a bracket is not closed');
}

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** Returns `text` with comments, strings, macros, constant assertions and host tests blanked, of the same length. */
function codeOf(text) {
  let code = text
    .replace(/\/\/[^\n]*|b?"(?:[^"\\]|\\.)*"/g, blank)
    .replace(/#\[cfg\(test\)\][\s\S]*$|const \w+: \(\) = [^;]*;|const \{[^}]*\};|#\[[^\]]*\]/g, blank);
  for (const { index } of [...code.matchAll(/\bmacro_rules! \w+ \{/g)]) {
    const end = closing(code, code.indexOf('{', index));
    code = code.slice(0, index) + blank(code.slice(index, end)) + code.slice(end);
  }
  return code;
}

const item =
  /^(?:pub(?:\(\w+\))?\s+)?(?:unsafe\s+)?(?:const|static|use|mod|fn|impl|struct|enum|trait|type|extern)\b/;
const passed = /^(?:let|return|drop\(|break)/;
const isCheck = /^(?:(?:crate::)?accounts::|self\.|super::)?(?:require|check)\w*\(/;

/** Yields the statements of the block that opens at `open`: { at, end, tail }, `tail` for the expression that ends it. */
function* statements(code, open) {
  const close = closing(code, open) - 1;
  let start;
  for (let at = open + 1; at < close; at += 1) {
    if (/\s/.test(code[at])) continue;
    start ??= at;
    if (code[at] === ';') {
      yield { at: start, end: at + 1, tail: false };
      start = undefined;
      continue;
    }
    if (!'([{'.includes(code[at])) continue;
    const block = code[at] === '{';
    at = closing(code, at) - 1;
    const head = code.slice(start, at);
    const whole = /^(?:if|for|while|loop|match|unsafe)\b/.test(head) || item.test(head);
    if (block && whole && !/^\s*(?:else\b|[.?;)}])/.test(code.slice(at + 1, close + 1))) start = undefined;
  }
  if (start !== undefined) yield { at: start, end: code.slice(0, close).trimEnd().length, tail: true };
}

/** Returns where the chain of calls that ends at `end` begins. */
function chainStart(code, end) {
  let at = end;
  while (at > 0) {
    const before = code.slice(0, at);
    if (/[)\]]$/.test(before)) {
      let depth = 0;
      do {
        at -= 1;
        if (')]'.includes(code[at])) depth += 1;
        if ('(['.includes(code[at])) depth -= 1;
      } while (depth > 0);
    } else if (/[\w.:?>]$/.test(before) && !/[-=]>$/.test(before)) at -= 1;
    else if (/^\s*\./.test(code.slice(at)) && /\s$/.test(before)) at = before.trimEnd().length;
    else break;
  }
  return at;
}

/** Returns the range of the part of a condition in which `at` lies. */
function conditionPart(code, at) {
  let start = at;
  for (let depth = 0; start > 0; start -= 1) {
    const before = code.slice(Math.max(0, start - 60), start);
    if (/[)\]]$/.test(before)) depth += 1;
    if (/[([]$/.test(before)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && /(?:[{};,]|(?:&&|\|\||\s=|=>|\bif|\bwhile|\breturn|\|[\w&:, ]+\|)\s+)$/.test(before))
      break;
  }
  let end = at;
  for (let depth = 0; end < code.length; end += 1) {
    if ('(['.includes(code[end])) depth += 1;
    if (')]'.includes(code[end])) depth -= 1;
    if (
      depth < 0 ||
      (depth === 0 && (/[;,{}]/.test(code[end]) || /^ (?:&&|\|\||=>) /.test(code.slice(end, end + 4))))
    )
      break;
  }
  start += code.slice(start, end).search(/\S/);
  return [start, start + code.slice(start, end).trimEnd().length];
}

/** Returns the arguments between the brackets at `open`, as written. */
function argumentsAt(code, text, open) {
  const end = closing(code, open) - 1;
  const found = [];
  let start = open + 1;
  for (let at = start; at <= end; at += 1) {
    if (at < end && '([{'.includes(code[at])) at = closing(code, at) - 1;
    else if (at === end || code[at] === ',') {
      if (code.slice(start, at).trim()) found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found;
}

/** Returns the mutants of one file as { at, end, with, what, statement }, in the order of the source. */
function mutantsOf(text) {
  const code = codeOf(text);
  const found = new Map();
  const add = (at, end, replacement, what, statement = false) => {
    const key = `${at} ${end} ${replacement}`;
    if (text.slice(at, end) !== replacement && !found.has(key))
      found.set(key, { at, end, with: replacement, what, statement });
  };

  // A statement is removed: a check, a call or a write. The last call of a function that returns nothing is passed, and so is a check
  // that ends a block.
  for (let open = code.indexOf('{'); open >= 0; open = code.indexOf('{', open + 1)) {
    const head = code.slice(0, open);
    const body = /\bfn\s+\w+[^;{}]*$/.exec(head)?.[0];
    const isUnit = body && /->\s*(?:ProgramResult|Result<\(\), \w+>)\s*$/.test(body);
    const all = [...statements(code, open)];
    if (!body && !all.some(({ tail }) => !tail)) continue;
    for (const { at, end, tail } of all) {
      const statement = code.slice(at, end);
      if (item.test(statement) || passed.test(statement)) continue;
      if (!tail) add(at, end, '', 'removes', true);
      else if (isCheck.test(statement) || (isUnit && !/^(?:Ok\(\(\)\)$|match\b|if\b)/.test(statement)))
        add(at, end, 'Ok(())', 'passes');
      if (/ [|&]= /.test(statement) && !tail)
        add(at, end, statement.replace(/ [|&]= /, ' = '), 'overwrites in', true);
    }
  }
  for (const match of code.matchAll(/=> ((?:self\.)?(?:require|check)\w*\()/g)) {
    const at = match.index + 3;
    const end = closing(code, at + match[1].length - 1);
    if (code[end] === ',') add(at, end, 'Ok(())', 'passes');
  }

  // A condition always holds or never does.
  for (const match of code.matchAll(/\bif (?!let\b)/g)) {
    const at = match.index + match[0].length;
    let end = at;
    // That of a match arm ends before its arrow.
    while (code[end] !== '{' && !code.startsWith('=>', end))
      end = '(['.includes(code[end]) ? closing(code, end) : end + 1;
    end = code.slice(0, end).trimEnd().length;
    add(at, end, 'true', 'always takes');
    add(at, end, 'false', 'never takes');
  }

  // A part of a condition is taken away; a comparison is moved by one to both sides; a pause looks at all bits.
  for (const match of code.matchAll(/ (==|!=|<=|>=|<|>|&&|\|\|) /g)) {
    const [whole, operator] = match;
    const isJoint = operator === '&&' || operator === '||';
    const places = isJoint ? [match.index, match.index + whole.length] : [match.index];
    for (const place of places) {
      const [at, end] = conditionPart(code, place);
      const isAlone = /(?:require|check)\($/.test(code.slice(0, at).trimEnd()) && /^,/.test(code.slice(end));
      const isCondition = /\b(?:if|while)$/.test(code.slice(0, at).trimEnd());
      if (operator === '&&') add(at, end, 'true', 'drops a part:');
      else if (operator === '||') add(at, end, 'false', 'drops a part:');
      else if (operator === '==' || operator === '!=') {
        if (!isAlone && !isCondition) add(at, end, 'true', 'takes for true:');
        const bits = /^(\w+\.paused) & [\w:]+ == 0$/.exec(code.slice(at, end));
        if (bits) add(at, end, `${bits[1]} == 0`, 'looks at all bits in');
      } else {
        const left = text.slice(at, match.index);
        const right = text.slice(match.index + whole.length, end);
        if (/^Wide|'/.test(left)) continue;
        const method = operator.startsWith('<')
          ? ['saturating_add', 'saturating_sub']
          : ['saturating_sub', 'saturating_add'];
        const isStrict = operator.length === 1;
        const other = isStrict ? `${operator}=` : operator[0];
        const tighter = isStrict
          ? `(${left}).${method[0]}(1) ${operator} ${right}`
          : `${left} ${other} ${right}`;
        const looser = isStrict
          ? `${left} ${other} ${right}`
          : `(${left}).${method[1]}(1) ${operator} ${right}`;
        add(at, end, tighter, 'tightens by one');
        add(at, end, looser, 'loosens by one');
      }
    }
  }

  // Checked and saturating arithmetic wraps; a bound is taken away.
  for (const match of code.matchAll(/\.(checked|saturating)_(add|sub)\(/g)) {
    const at = chainStart(code, match.index);
    const open = match.index + match[0].length - 1;
    let end = closing(code, open);
    const wrapped = `${text.slice(at, match.index).trim()}.wrapping_${match[2]}${text.slice(open, end)}`;
    const orElse = /^\s*\.ok_or\(/.exec(code.slice(end));
    if (match[1] === 'saturating') add(at, end, wrapped, 'wraps');
    else if (orElse) {
      end = closing(code, end + orElse[0].length - 1);
      if (code[end] === '?') add(at, end + 1, wrapped, 'wraps');
      else add(at, end, `Ok(${wrapped})`, 'wraps');
    }
  }
  for (const match of code.matchAll(/\.(?:min|max)\(/g)) {
    const at = chainStart(code, match.index);
    add(
      at,
      closing(code, match.index + match[0].length - 1),
      text.slice(at, match.index),
      'takes the bound from',
    );
  }

  // An account of the program is read whoever owns it; a token account is read of any mint, of any owner, or unchecked.
  for (const match of code.matchAll(/\bstate::load(?:_mut)?::<\w+>\(/g)) {
    const open = match.index + match[0].length - 1;
    const [account] = argumentsAt(code, text, open);
    const end = closing(code, open);
    const mark = code[end] === '?' ? '?' : '';
    const owner = `let any_owner = unsafe { *${account}.owner() };`;
    add(
      match.index,
      end + mark.length,
      `{ ${owner} ${match[0]}${account}, &any_owner)${mark} }`,
      'takes any owner in',
    );
  }
  for (const match of code.matchAll(/(?<![:\w.])(?:token::)?(owned_balance|load|require_custody)\(/g)) {
    if (/\bfn $/.test(code.slice(0, match.index))) continue;
    const open = match.index + match[0].length - 1;
    const end = closing(code, open);
    const [account, token, ...owner] = argumentsAt(code, text, open);
    if (code[end] !== '?') continue;
    // `load` takes the token itself, the others a reference to it.
    const [reference, value] = match[1] === 'load' ? ['', token] : ['&', `*(${token})`];
    const ofAnyMint = `${reference}crate::token::Token { mint: &crate::mutants::mint_of(${account}), ..${value} }`;
    const anyMint = [account, ofAnyMint, ...owner].join(', ');
    add(match.index, end, `${match[0]}${anyMint})`, 'takes any mint in');
    if (match[1] !== 'owned_balance') continue;
    add(
      match.index,
      end + 1,
      `crate::token::load(${account}, ${value})?.amount.get()`,
      'takes any token owner in',
    );
    add(match.index, end + 1, `crate::token::balance(${account})?`, 'checks nothing in');
  }
  return [...found.values()].sort((one, other) => one.at - other.at || other.end - one.end);
}

/** Gives each mutant of a file its name, of file, change and text; equal names are counted. */
function nameMutants(file, text) {
  const counts = new Map();
  return mutantsOf(text).map((mutant) => {
    const line = text.slice(0, mutant.at).split('\n').length;
    const changed = text.slice(mutant.at, mutant.end).replace(/\s+/g, ' ').trim();
    const plain = `${file} ${mutant.what} ${changed}`;
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

/** Returns `text` between `at` and `end` with every mutant behind a switch. */
function withSwitches(text, mutants, at, end) {
  let written = '';
  let done = at;
  for (let index = 0; index < mutants.length; ) {
    const outer = mutants[index];
    const same = mutants.filter((mutant) => mutant.at === outer.at && mutant.end === outer.end);
    const inner = mutants.filter(
      (mutant) => mutant.at >= outer.at && mutant.end <= outer.end && !same.includes(mutant),
    );
    const cases = same
      .map((mutant) => `if crate::mutants::is_on(${mutant.id}) { ${mutant.with} } else `)
      .join('');
    const original = withSwitches(text, inner, outer.at, outer.end);
    const switched = `${cases}{ ${original} }`;
    written +=
      text.slice(done, outer.at) + (outer.statement || outer.with === 'Ok(())' ? switched : `(${switched})`);
    done = outer.end;
    index += same.length + inner.length;
    if (mutants[index]?.at < done)
      throw new Error(`two mutants overlap: ${outer.name}, ${mutants[index].name}`);
  }
  return written + text.slice(done, end);
}

const MARK = 'karat mutant number: ';
/** What the build with the mutants has in addition. */
const mutantsModule = `
pub mod mutants {
    use pinocchio::{AccountView, Address};
    #[repr(C, align(8))]
    struct Switch { mark: [u8; ${MARK.length}], number: [u8; 4] }
    #[no_mangle]
    static SWITCH: Switch = Switch { mark: *b"${MARK}", number: [0; 4] };
    #[inline(never)]
    fn number() -> u32 {
        // SAFETY: a static is valid; volatile, so that the compiler does not know the value, which is written into the binary later.
        let mark = unsafe { core::ptr::read_volatile(&SWITCH.mark) };
        let number = unsafe { core::ptr::read_volatile(&SWITCH.number) };
        if mark[0] == 0 { return 0; }
        u32::from_le_bytes(number)
    }
    #[inline(always)]
    pub fn is_on(id: u32) -> bool { number() == id }
    #[inline(never)]
    pub fn mint_of(account: &AccountView) -> Address {
        let mut mint = [0; 32];
        if let Ok(data) = account.try_borrow() {
            if data.len() >= 32 { mint.copy_from_slice(&data[..32]); }
        }
        Address::new_from_array(mint)
    }
}
`;

/** Builds the crate with all mutants behind switches; returns the binary and the position of the number of the one that is on. */
function build(mutants, work) {
  const folder = join(work, 'program');
  mkdirSync(folder);
  for (const part of ['Cargo.toml', 'Cargo.lock', 'src'])
    cpSync(join(program, part), join(folder, part), { recursive: true });
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const path = join(folder, 'src', file);
    const text = readFileSync(path, 'utf8');
    const own = mutants.filter((mutant) => mutant.file === file);
    writeFileSync(path, withSwitches(text, own, 0, text.length));
  }
  writeFileSync(join(folder, 'src/lib.rs'), readFileSync(join(folder, 'src/lib.rs'), 'utf8') + mutantsModule);
  const file = join(work, 'mutants.so');
  const { status } = spawnSync('bash', [join(program, 'build.sh'), '--to', file, folder], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`the program with the mutants does not build: see ${folder}`);
  const bytes = readFileSync(file);
  const place = bytes.indexOf(MARK) + MARK.length;
  if (place < MARK.length) throw new Error('the binary has no switch for the mutants');
  return { bytes, place };
}

/**
 * Runs test files in this process: a worker of vitest takes longer to start than most mutants to be noticed. Has what the program's tests
 * use of vitest: `describe` and `test`, each with `each`, `beforeAll` at the top of a file, and vitest's own `expect`.
 */
async function testRunner() {
  let collected = [];
  const path = [];
  const group = (name, body) => {
    path.push(name);
    body();
    path.pop();
  };
  const single = (name, run) => collected.push({ name: [...path, name].join(' > '), run });
  const withEach = (define) =>
    Object.assign(define, {
      each: (rows) => (name, body) => {
        for (const row of rows) {
          const values = Array.isArray(row) ? row : [row];
          define(format(name, ...values), () => body(...values));
        }
      },
    });
  const beforeAll = (run) => collected.push({ name: 'what comes before its tests', run });
  globalThis.karatTests = { beforeAll, describe: withEach(group), test: withEach(single), expect };
  const server = await createServer({
    configFile: false,
    root: dirname(program),
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    ssr: { noExternal: ['vitest'], resolve: { conditions: ['source'] } },
    plugins: [
      {
        name: 'tests',
        enforce: 'pre',
        resolveId: (id) => (id === 'vitest' ? '\0vitest' : undefined),
        load: (id) =>
          id === '\0vitest'
            ? 'export const { beforeAll, describe, test, expect } = globalThis.karatTests;'
            : undefined,
      },
    ],
  });
  const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
  return {
    /** Forgets the modules of tests, which keep chains with the program as it was. */
    forget() {
      for (const [id, module] of runner.evaluatedModules.idToModuleMap)
        if (id.includes('/program/tests/')) runner.evaluatedModules.invalidateModule(module);
    },
    async firstFailure(file) {
      collected = [];
      try {
        await runner.import(file);
      } catch {
        return 'outside its tests';
      }
      for (const { name, run } of collected) {
        try {
          await run();
        } catch {
          return name;
        }
      }
      return undefined;
    },
    close: () => server.close(),
  };
}

let mutants = rustFiles(source)
  .sort()
  .flatMap((path) => nameMutants(relative(source, path), readFileSync(path, 'utf8')))
  .map((mutant, index) => ({ ...mutant, id: index + 1 }));
const everyMutant = mutants;
const [part, parts] = (options.part ?? '1/1').split('/').map(Number);
mutants = mutants.filter(({ file }) => file.includes(options.only ?? ''));
mutants = mutants.slice(
  Math.floor(((part - 1) * mutants.length) / parts),
  Math.floor((part * mutants.length) / parts),
);
if (options.list) {
  for (const { name, line } of mutants) console.log(`${line}: ${name}`);
  console.log(`${mutants.length} mutants`);
  process.exit(0);
}

const alike = JSON.parse(readFileSync(join(program, 'scripts/mutants-alike.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'karat-mutants-'));
const { bytes, place } = build(everyMutant, work);
const binary = join(work, 'mutant.so');
process.env.KARAT_PROGRAM_SO = binary;
const tests = await testRunner();
const allTests = readdirSync(join(program, 'tests'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => basename(name, '.test.ts'));

/** Runs test files with the mutant on, 0 for none, to the first test that fails; returns its file and name. */
async function failure(id, files) {
  bytes.writeUInt32LE(id, place);
  writeFileSync(binary, bytes);
  tests.forget();
  for (const file of files) {
    const test = await tests.firstFailure(join(program, 'tests', `${file}.test.ts`));
    if (test) return { file, test: `${file}: ${test}` };
  }
  return undefined;
}

const fastTests = allTests.filter((name) => !slowTests.includes(name));
const broken = await failure(0, fastTests);
if (broken) {
  console.error(`the program itself does not pass: ${broken.test}; nothing can be said of mutants`);
  process.exit(2);
}

/** Test files by how often they name the instruction of the source file. */
function byRelevance(file) {
  const instruction = basename(file, '.rs').replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const mentions = (name) =>
    readFileSync(join(program, 'tests', `${name}.test.ts`), 'utf8').split(instruction).length;
  return [...fastTests].sort((one, other) => mentions(other) - mentions(one));
}

const killers = new Map();
const survivors = [];
let killed = 0;
let equal = 0;
for (const [index, mutant] of mutants.entries()) {
  const order = killers.get(mutant.file) ?? byRelevance(mutant.file);
  let outcome = 'alike';
  if (alike[mutant.name]) equal += 1;
  else {
    const found = await failure(mutant.id, order);
    if (found) {
      killed += 1;
      outcome = `killed by ${found.test}`;
      killers.set(mutant.file, [found.file, ...order.filter((name) => name !== found.file)]);
    } else {
      survivors.push(mutant);
      outcome = 'SURVIVED';
    }
  }
  console.log(`${index + 1}/${mutants.length} ${mutant.line}: ${mutant.name}: ${outcome}`);
}
await tests.close();
rmSync(work, { recursive: true });

for (const { name, line } of survivors) console.log(`SURVIVED ${line}: ${name}`);
const known = new Set(everyMutant.map(({ name }) => name));
const gone = Object.keys(alike).filter((name) => !known.has(name));
for (const name of gone) console.log(`mutants-alike.json names what is no mutant any more: ${name}`);
console.log(`${mutants.length} mutants: ${killed} killed, ${equal} alike, ${survivors.length} survivors`);
process.exit(survivors.length + gone.length > 0 ? 1 : 0);

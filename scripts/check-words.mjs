// Checks the words of CONTRIBUTING.md: a test title is a sentence with its subject, and titles use the words that the
// documentation uses. With `--identifiers`, names in the code are checked as well. Takes the files to check as arguments,
// and otherwise every file of the repository. Prints each fault with its place, and exits with 1 when there is one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseSync } from 'vite';

const beginnings = /^(that|of|with|without|by|is|are|and|has|may)\b/i;

/** Words that titles do not use, and what to use. */
const refusedInTitles = [
  [/\banswer(s|ed|ing)?\b/i, 'response'],
  [/\bask(s|ed|ing)?\b/i, 'request or query'],
  [/\b(tells?|telling|told|says?|saying|said)\b/i, 'report or return'],
  [/(?<!\bdead )\bletters?\b/i, 'dead letter, or character'],
  [/\bsettle[sd]?\b/i, 'finalize, complete or record, but for escrow'],
  [/\b(nobody|somebody|whoever)\b/i, 'the subject'],
  [/(?<!\bas )\bsoon\b/i, 'when'],
  [/\bquietly\b/i, 'what happens to the error'],
];

/** Words that names in the code do not use, and what to use. A name is checked as its words: `maxBytes` is "max Bytes". */
const refusedInNames = [
  [/^most [A-Z]/, 'max'],
  [/\banswers?\b/i, 'response'],
  [/\b(telling|wish|whoever|somebody|nobody)\b/i, 'what it is'],
  [/\bsoon\b/i, 'when, or what it is'],
  [/\bquietly\b/i, 'what happens to the error'],
  [/^is There\b/, 'what it is'],
];

const functions = new Set(['test', 'it', 'describe']);

/** Returns the function that a call such as `test.each(…)(…)` begins with. */
function functionOf(node) {
  if (node?.type === 'Identifier') return node.name;
  return node && functionOf(node.object ?? node.callee ?? node.tag);
}

/** Returns the title of a call of `test`, `it` or `describe`, as it stands in the source; undefined for any other node. */
function titleOf(node, text) {
  const [first] = node.type === 'CallExpression' ? node.arguments : [];
  const isText = first?.type === 'TemplateLiteral' || typeof first?.value === 'string';
  return isText && functions.has(functionOf(node.callee))
    ? text.slice(first.start + 1, first.end - 1)
    : undefined;
}

function faultsOfWords(text, refused) {
  const found = refused.map(([word, use]) => [text.match(word)?.[0], use]);
  return found.filter(([word]) => word !== undefined).map(([word, use]) => `"${word}": use ${use}`);
}

function faultsOfTitle(title) {
  const [beginning] = title.match(beginnings) ?? [];
  const faults = faultsOfWords(title, refusedInTitles);
  return beginning === undefined ? faults : [`begins with "${beginning}": name the subject`, ...faults];
}

function faultsOfName(name) {
  return faultsOfWords(name.replace(/_/g, ' ').replace(/([a-z0-9])(?=[A-Z])/g, '$1 '), refusedInNames);
}

/** Returns the faults of a file, each with its line. A name is shown where it stands first. */
function faultsOf(file) {
  const source = readFileSync(file, 'utf8');
  // Of a component, only its script is checked. Lines before it keep their number.
  const text = file.endsWith('.vue')
    ? source.replace(/^[\s\S]*?<script[^>]*>|<\/script>[\s\S]*$/g, (part) => part.replace(/[^\n]/g, ' '))
    : source;
  const faults = [];
  const names = new Set();
  const report = (node, shown, found) => {
    const line = text.slice(0, node.start).split('\n').length;
    for (const fault of found) faults.push(`${file}:${line}: ${shown}: ${fault}`);
  };
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    const title = titleOf(node, text);
    if (title !== undefined) report(node, `"${title}"`, faultsOfTitle(title));
    const isName = node.type === 'Identifier' || node.type === 'PrivateIdentifier';
    if (options.identifiers && isName && !names.has(node.name)) {
      names.add(node.name);
      report(node, node.name, faultsOfName(node.name));
    }
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseSync(file.replace(/\.vue$/, '.ts'), text).program);
  return faults;
}

/** Returns the files of the repository to check. What is generated follows its source. */
function filesOfRepository() {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
  const isGenerated = (file) => /\/generated\/|^packages\/program-client\/src\//.test(file);
  const isChecked = options.identifiers ? /\.(ts|tsx|mts|mjs|js|vue)$/ : /\/tests?\/.*\.ts$/;
  return files.filter((file) => isChecked.test(file) && !isGenerated(file));
}

const { values: options, positionals } = parseArgs({
  options: { identifiers: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const faults = (positionals.length > 0 ? positionals : filesOfRepository()).flatMap(faultsOf);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

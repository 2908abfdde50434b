// Writes docs/reasons: a page for each reason that errors and failed records carry, and a list of them, from the one list in the
// source. With --check writes nothing and exits with 1 when a committed page is another, missing or one too many.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reasonNames, reasonTexts } from '../src/reasons.js';

const folder = fileURLToPath(new URL('../../../docs/reasons/', import.meta.url));
const maxLineLength = 120;

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= maxLineLength)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines.join('\n');
}

function placeOf(code: string): string {
  return code === 'failed' ? 'the record of a `failed` transaction' : `the error \`${code}\``;
}

const pages = new Map<string, string>(
  reasonNames.map((name) => {
    const { meaning, advice, with: places } = reasonTexts[name];
    const page = [`# \`${name}\``, wrapped(meaning), `**What to do.** ${advice}`, ''];
    page[2] = wrapped(page[2] ?? '');
    page[3] = wrapped(`It comes with ${places.map(placeOf).join(', ')}.`);
    return [`${name}.md`, `${page.join('\n\n')}\n`] as const;
  }),
);
const rows = reasonNames.map((name) => `| [\`${name}\`](${name}.md) | ${reasonTexts[name].meaning} |`);
const intro =
  'An error may have a `reason` besides its code, for programs to act on, and `doc_url`, which links the page about it. `broadcast_failed`, `pricing_unavailable` and the record of a `failed` transaction always have one. The list is closed: reasons are never renamed or reused, and a new cause gets a new reason.';
const table = ['| Reason | Meaning |', '|---|---|', ...rows].join('\n');
pages.set('README.md', `# Reasons\n\n${wrapped(intro)}\n\n${table}\n`);

const present = existsSync(folder) ? readdirSync(folder) : [];
if (process.argv.includes('--check')) {
  const isCurrent = ([name, text]: readonly [string, string]) =>
    present.includes(name) && readFileSync(`${folder}${name}`, 'utf8') === text;
  if (present.length !== pages.size || ![...pages].every(isCurrent)) process.exitCode = 1;
} else {
  mkdirSync(folder, { recursive: true });
  for (const name of present) rmSync(`${folder}${name}`);
  for (const [name, text] of pages) writeFileSync(`${folder}${name}`, text);
}

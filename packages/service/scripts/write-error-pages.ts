// Writes docs/errors and docs/reasons: a page for each code and for each reason that errors and failed records carry, and a list of
// them, from the lists in the source. With --check writes nothing and exits with 1 when a committed page is another, missing or one
// too many.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCodes, errorStatus } from '../src/errors.js';
import { errorAdvice, errorTexts } from '../src/http/openapi/error-texts.js';
import { reasonNames, reasonTexts } from '../src/reasons.js';

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

interface Entry {
  name: string;
  meaning: string;
  advice: string;
  /** The last paragraph of its page. */
  more: string;
}

function pagesOf(title: string, intro: string, entries: Entry[]): Map<string, string> {
  const pages = new Map<string, string>(
    entries.map(({ name, meaning, advice, more }) => {
      const parts = [wrapped(meaning), wrapped(`**What to do.** ${advice}`), wrapped(more)];
      return [`${name}.md`, `# \`${name}\`\n\n${parts.join('\n\n')}\n`] as const;
    }),
  );
  const rows = entries.map(({ name, meaning }) => `| [\`${name}\`](${name}.md) | ${meaning} |`);
  const table = [`| ${title === 'Reasons' ? 'Reason' : 'Code'} | Meaning |`, '|---|---|', ...rows].join('\n');
  return pages.set('README.md', `# ${title}\n\n${wrapped(intro)}\n\n${table}\n`);
}

const reasons = reasonNames.map((name) => {
  const { meaning, advice, with: places } = reasonTexts[name];
  return { name, meaning, advice, more: `It comes with ${places.map(placeOf).join(', ')}.` };
});
const codes = errorCodes.map((name) => {
  const [meaning, advice] = [errorTexts[name], errorAdvice[name]];
  return { name, meaning, advice, more: `The HTTP status is ${errorStatus[name]}.` };
});
const folders = {
  reasons: pagesOf(
    'Reasons',
    'An error may have a `reason` besides its code, for programs to act on, and `doc_url`, which links the page about it. `broadcast_failed`, `pricing_unavailable` and the record of a `failed` transaction always have one. The list is closed: reasons are never renamed or reused, and a new cause gets a new reason.',
    reasons,
  ),
  errors: pagesOf(
    'Error codes',
    'Every error has a code, for programs to act on, and `doc_url`, which links the page about it, or about its [reason](../reasons/README.md) if it has one. The list is closed: codes are never renamed or reused, and a new cause gets a new code.',
    codes,
  ),
};

for (const [name, pages] of Object.entries(folders)) {
  const folder = fileURLToPath(new URL(`../../../docs/${name}/`, import.meta.url));
  const present = existsSync(folder) ? readdirSync(folder) : [];
  if (process.argv.includes('--check')) {
    const isCurrent = ([page, text]: readonly [string, string]) =>
      present.includes(page) && readFileSync(`${folder}${page}`, 'utf8') === text;
    if (present.length !== pages.size || ![...pages].every(isCurrent)) process.exitCode = 1;
    continue;
  }
  mkdirSync(folder, { recursive: true });
  for (const page of present) rmSync(`${folder}${page}`);
  for (const [page, text] of pages) writeFileSync(`${folder}${page}`, text);
}

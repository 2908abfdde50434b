// Holds the paths in Markdown pages to the files of the repository: a relative link leads to a file, and a path that stands as
// code, also as the text of a link, is the end of a file's or folder's path. Exits with 1 and names what is not so.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
const folders = new Set(files.flatMap((file) => parents(file)));

function parents(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}

const known = [...files, ...folders];
const isEndOfPath = (text) => known.some((path) => path === text || path.endsWith(`/${text}`));

/** Such as `http/auth/auth.ts` or `docs/operations/`. */
const pathLike = /^[\w@.-]+\/([\w@.-]+\/)*([\w@.-]+\.(ts|tsx|mts|mjs|rs|md|sql|sh|vue)|[\w@.-]+\/)$/;

/** Returns what is wrong with a page, one line each. */
function problemsOf(page) {
  const text = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const problems = [];
  for (const [, label, target] of text.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)) {
    if (/^([a-z]+:|#|\/)/.test(target)) continue;
    const path = normalize(join(dirname(page), decodeURI(target.split('#')[0])));
    const file = [path, `${path}.md`, join(path, 'README.md')].find((one) => existsSync(join(root, one)));
    if (file === undefined) problems.push(`[${label}](${target}) leads nowhere`);
    const [, code] = /^`([^`]+)`$/.exec(label) ?? [];
    const plain = `${path.replace(/\/$/, '')}/`;
    if (
      code?.includes('/') &&
      !code.startsWith('@') &&
      ![path, plain].some((one) => one === code || one.endsWith(`/${code}`))
    ) {
      problems.push(`[${label}](${target}): the text is not the path`);
    }
  }
  for (const [, code] of text.matchAll(/`([^`\n]+)`/g)) {
    if (pathLike.test(code) && !isEndOfPath(code)) problems.push(`\`${code}\` is no path of this repository`);
  }
  return [...new Set(problems)];
}

const pages = files.filter((file) => file.endsWith('.md') && !file.includes('node_modules/'));
const problems = pages.flatMap((page) => problemsOf(page).map((problem) => `${page}: ${problem}`));
for (const problem of problems) console.log(problem);
console.log(`${pages.length} pages, ${problems.length} wrong paths`);
process.exitCode = problems.length === 0 ? 0 : 1;

// Says whether the migrations can be rolled out one process after the other, and rolled back: check-migrations.mjs [ROOT]
// - Each begins with the oldest version of Karat that runs on it: `-- oldest code: 0.1.0`.
// - What a release has is never changed. CHANGELOG.md names the commit of each: `## [0.1.0] - 2026-12-01 (commit 1a2b3c4)`;
//   a clone may lack the tags.
// - A later migration only adds, so that the code of the release before runs on it. One that changes or removes something
//   has a second line with its plan, `-- plan: <what replaced it, and since which version nothing uses it>`, and states
//   that version as its oldest code: expand in one release, contract in a later one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? join(import.meta.dirname, '../../..');
const folder = 'packages/service/drizzle';
const faults = [];

const read = (path) => readFileSync(join(root, path), 'utf8');
function released(commit, path) {
  try {
    return execFileSync('git', ['show', `${commit}:${path}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch {
    console.error(
      `CHANGELOG.md names commit ${commit}, which this clone does not have: git fetch --unshallow`,
    );
    process.exit(1);
  }
}
const tagsOf = (journal) => JSON.parse(journal).entries.map(({ tag }) => tag);

/** What the code of an older version does not notice. */
const additive = [
  /^create (unique )?index\b/i,
  /^create (table|type|sequence|view|function)\b/i,
  /^alter type \S+ add value\b/i,
  /^comment on\b/i,
  /^insert into\b/i,
];
function statementsOf(sql) {
  return sql
    .split('--> statement-breakpoint')
    .flatMap((part) => (/\$\$/.test(part) ? [part] : part.split(';')))
    .map((part) => part.replace(/^\s*--.*$/gm, '').trim())
    .filter(Boolean);
}
const isAdditive = (statement) => {
  // Without a default, a row that an older version writes would lack the column.
  if (/^alter table \S+ add column\b/i.test(statement))
    return !/\bnot null\b/i.test(statement) || /\bdefault\b/i.test(statement);
  return additive.some((pattern) => pattern.test(statement));
};

const releases = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\].*$/gm)].map(([line, version]) => {
  const [, commit] = /\(commit ([0-9a-f]{7,40})\)$/.exec(line) ?? [];
  if (!commit) faults.push(`CHANGELOG.md does not name the commit of ${version}`);
  return { version, commit };
});
const last = releases[0];
const before = last?.commit ? tagsOf(released(last.commit, `${folder}/meta/_journal.json`)) : [];
const tags = tagsOf(read(`${folder}/meta/_journal.json`));

for (const [at, tag] of before.entries()) {
  if (tags[at] !== tag) faults.push(`${tag} of ${last.version} is gone, or no longer in its place`);
  else if (read(`${folder}/${tag}.sql`) !== released(last.commit, `${folder}/${tag}.sql`))
    faults.push(`${tag} was changed since ${last.version}: add another migration`);
}
for (const tag of tags) {
  const sql = read(`${folder}/${tag}.sql`);
  const [, oldest] = /^-- oldest code: (\d+\.\d+\.\d+)\n/.exec(sql) ?? [];
  if (!oldest)
    faults.push(`${tag} does not begin with the oldest version that runs on it: -- oldest code: 0.1.0`);
  // Until the first release, nothing older is to be kept running.
  if (!last || before.includes(tag)) continue;
  const changing = statementsOf(sql).filter((statement) => !isAdditive(statement));
  if (changing.length > 0 && !/^.*\n-- plan: .{20,}\n/.test(sql)) {
    faults.push(
      `${tag} does not only add, and has no plan in its second line (-- plan: …): ${changing[0].slice(0, 80)}`,
    );
  }
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);

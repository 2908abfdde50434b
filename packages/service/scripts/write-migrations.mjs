// Writes `drizzle/`, the migrations of the database, from the schema and from `src/db/rules.sql`. Until the first
// release there is one for the tables and one for what drizzle cannot express; from the first tag on migrations are
// added and never rewritten. The same sources give the same bytes, so that a check can compare them.
// Usage: node scripts/write-migrations.mjs [--out folder]
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const service = join(dirname(fileURLToPath(import.meta.url)), '..');
const named = process.argv.indexOf('--out');
const out = named < 0 ? join(service, 'drizzle') : resolve(process.argv[named + 1]);
/** drizzle-kit takes the present moment; the migrator only needs them in order. */
const firstMoment = Date.UTC(2026, 0, 1);

function drizzleKit(...args) {
  const run = spawnSync(
    process.execPath,
    [
      join(service, '../../node_modules/drizzle-kit/bin.cjs'),
      'generate',
      '--dialect=postgresql',
      '--schema=./src/db/schema.ts',
      `--out=${relative(service, out)}`,
      ...args,
    ],
    // Sources, also of the packages that the schema uses: a fresh clone has compiled none.
    { cwd: service, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '--conditions=source' } },
  );
  if (run.status !== 0) throw new Error(`drizzle-kit failed:\n${run.stdout}${run.stderr}`);
}

rmSync(out, { recursive: true, force: true });
drizzleKit('--name=init');
drizzleKit('--custom', '--name=rules');
copyFileSync(join(service, 'src/db/rules.sql'), join(out, '0001_rules.sql'));
// Both are part of the first release, and nothing older than it runs.
for (const name of ['0000_init.sql', '0001_rules.sql']) {
  const file = join(out, name);
  writeFileSync(file, `-- oldest code: 0.1.0\n${readFileSync(file, 'utf8')}`);
}
const meta = join(out, 'meta');
// Written from nothing each time, so nothing has to be compared with what was there before.
for (const name of readdirSync(meta)) if (name.endsWith('_snapshot.json')) rmSync(join(meta, name));
const journalFile = join(meta, '_journal.json');
const journal = JSON.parse(readFileSync(journalFile, 'utf8'));
for (const [index, entry] of journal.entries.entries()) entry.when = firstMoment + index;
writeFileSync(journalFile, `${JSON.stringify(journal, null, 2)}\n`);

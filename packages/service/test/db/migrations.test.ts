import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { compareMigrations, compareVersions, knownMigrations } from '../../src/db/migration-state.js';

/** Which migrations code runs on, and which may be merged. */

const known = [
  { hash: 'a', oldestCode: '0.1.0' },
  { hash: 'b', oldestCode: '0.1.0' },
];
const applied = known.map(({ hash }) => ({ hash, oldest_code: '0.1.0' }));

test('every migration states the oldest code that runs on it', () => {
  expect(knownMigrations().length).toBeGreaterThan(1);
  for (const { oldestCode } of knownMigrations()) expect(oldestCode).toBe('0.1.0');
});

test('versions are ordered by their numbers', () => {
  const versions = ['0.10.0', '0.9.1', '1.0.0', '0.9.0'];
  expect(versions.sort(compareVersions)).toEqual(['0.9.0', '0.9.1', '0.10.0', '1.0.0']);
});

test.each([
  ['has those of this version alone', applied, '0.1.0', { missing: 0, newer: 0, incompatible: 0 }],
  ['lacks one', applied.slice(1), '0.1.0', { missing: 1, newer: 0, incompatible: 0 }],
  [
    'has one more that runs with this version',
    [...applied, { hash: 'c', oldest_code: '0.1.0' }],
    '0.1.0',
    { missing: 0, newer: 1, incompatible: 0, oldestCode: '0.1.0' },
  ],
  [
    'has one more that needs a newer version',
    [...applied, { hash: 'c', oldest_code: '0.2.0' }, { hash: 'd', oldest_code: '0.1.0' }],
    '0.1.9',
    { missing: 0, newer: 1, incompatible: 1, oldestCode: '0.2.0' },
  ],
  [
    'has one more that states nothing',
    [...applied, { hash: 'c', oldest_code: null }],
    '9.0.0',
    { missing: 0, newer: 0, incompatible: 1, oldestCode: undefined },
  ],
])('compared with a version, a database that %s has that state', (_, rows, version, state) => {
  expect(compareMigrations(rows, known, version)).toMatchObject(state);
});

describe('the check of migrations', () => {
  const root = mkdtempSync(join(tmpdir(), 'karat-migrations-'));
  const folder = join(root, 'packages/service/drizzle');
  const script = fileURLToPath(new URL('../../scripts/check-migrations.mjs', import.meta.url));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  const write = (migrations: Record<string, string>, changelog: string) => {
    mkdirSync(join(folder, 'meta'), { recursive: true });
    const entries = Object.keys(migrations).map((tag, idx) => ({ idx, tag }));
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ entries }));
    for (const [tag, sql] of Object.entries(migrations)) writeFileSync(join(folder, `${tag}.sql`), sql);
    writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  };
  const check = () => {
    const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
    return status === 0 ? 'fine' : stderr;
  };
  const first = { '0000_init': '-- oldest code: 0.1.0\ncreate table a (b text);' };
  const unreleased = '# Changelog\n\n## [Unreleased]\n';
  let changelog = '';

  beforeEach(() => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    git('init', '-q');
    write(first, unreleased);
    git('add', '-A');
    git('commit', '-qm', 'Release 0.1.0');
    changelog = `${unreleased}\n## [0.1.0] - 2026-12-01 (commit ${git('rev-parse', 'HEAD').trim()})\n`;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('before the first release, a migration needs no more than its oldest code', () => {
    write({ '0000_init': '-- oldest code: 0.1.0\ndrop table a;' }, unreleased);
    expect(check()).toBe('fine');
    write({ '0000_init': 'drop table a;' }, unreleased);
    expect(check()).toContain('0000_init does not begin with the oldest version');
  });

  test('a migration of a release is never changed or removed', () => {
    write({ '0000_init': '-- oldest code: 0.1.0\ncreate table a (b text, c text);' }, changelog);
    expect(check()).toContain('0000_init was changed since 0.1.0');
    write({}, changelog);
    expect(check()).toContain('0000_init of 0.1.0 is gone');
  });

  test('a release whose commit is not named, or not there, fails', () => {
    write(first, `${unreleased}\n## [0.1.0] - 2026-12-01\n`);
    expect(check()).toContain('does not name the commit of 0.1.0');
    write(first, `${unreleased}\n## [0.1.0] - 2026-12-01 (commit 0123456789)\n`);
    expect(check()).toContain('this clone does not have');
  });

  test.each([
    'create table d (e text); create index f on d (e);',
    'alter table "a" add column "g" text;',
    "alter table a add column g integer default 0 not null; create type h as enum ('i');",
    'create function k() returns trigger language plpgsql as $$ begin drop table x; end $$;',
  ])('a migration that only adds is merged without a plan: %s', (sql) => {
    write({ ...first, '0001_next': `-- oldest code: 0.1.0\n${sql}` }, changelog);
    expect(check()).toBe('fine');
  });

  test.each([
    'drop table a;',
    'alter table a drop column b;',
    'alter table a rename column b to c;',
    'alter table a alter column b set not null;',
    'alter table a add column g integer not null;',
    "alter table a add constraint c check (b <> '');",
    "create table d (e text); update a set b = 'c';",
    'create or replace function k() returns trigger language plpgsql as $$ begin end $$;',
  ])('a migration that changes something is refused without a plan: %s', (sql) => {
    write({ ...first, '0001_next': `-- oldest code: 0.1.0\n${sql}` }, changelog);
    expect(check()).toContain('0001_next does not only add, and has no plan');
    const plan = '-- plan: b was replaced by c in 0.2.0, since when nothing reads it';
    write({ ...first, '0001_next': `-- oldest code: 0.2.0\n${plan}\n${sql}` }, changelog);
    expect(check()).toBe('fine');
  });
});

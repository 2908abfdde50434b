import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parseCommands } from '../src/commands.js';
import { migrate } from '../src/db/migrate.js';
import { cloneTemplate, newWallet, testConfig } from './harness.js';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let database: Awaited<ReturnType<typeof cloneTemplate>>;
beforeAll(async () => {
  database = await cloneTemplate('template0');
});
afterAll(() => database.drop());

/** Starting a process takes seconds on a busy machine. */
const patience = { timeout: 120_000 };

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Run {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

function start(args: string[], env: Record<string, string> = {}): Run {
  const { serviceKeypair } = testConfig(database.url);
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', main, ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      KARAT_PORT: '0',
      KARAT_OPERATOR_PORT: '0',
      KARAT_RPC_URL: 'http://127.0.0.1:1',
      KARAT_PROGRAM_ID: newWallet().address,
      KARAT_SERVICE_KEYPAIR: serviceKeypair,
      ...env,
    },
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'exit').then(([code]) => code) };
}

const journal = JSON.parse(
  readFileSync(new URL('../drizzle/meta/_journal.json', import.meta.url), 'utf8'),
) as { entries: unknown[] };

test(
  'migrate brings an empty database up once, also when several begin at the same time',
  patience,
  async () => {
    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    const run = start(['migrate']);
    expect(await run.ended, run.output()).toBe(0);
    const sql = postgres(database.url, { max: 1 });
    const [row] = await sql`select count(*)::int as n from drizzle.__drizzle_migrations`;
    expect(row?.n).toBe(journal.entries.length);
    expect((await sql`select 1 from partners`).length).toBe(0);
    await sql.end();
  },
);

test('migrate leaves a database alone that another version has migrated', patience, async () => {
  const other = await cloneTemplate();
  const sql = postgres(other.url, { max: 1 });
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 1)`;
  await sql.end();
  const run = start(['migrate'], { DATABASE_URL: other.url });
  try {
    expect(await run.ended, run.output()).toBe(1);
    expect(run.output()).toContain(
      'The database has 1 migrations that this version does not know: run the version',
    );
  } finally {
    await other.drop();
  }
});

test('serve,index answers while the node is down, and stops in order on SIGTERM', patience, async () => {
  const run = start(['serve,index']);
  const port = await expect
    .poll(() => /Server listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(run.output())?.[1], {
      timeout: 90_000,
    })
    .toBeTruthy()
    .then(() => /127\.0\.0\.1:(\d+)/.exec(run.output())?.[1]);
  const url = `http://127.0.0.1:${port}`;
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await expect
    .poll(async () => (await (await fetch(`${url}/ready`)).json()) as unknown, { timeout: 10_000 })
    .toMatchObject({
      checks: { database: { status: 'ok' }, chain: { status: 'failed' }, price: { status: 'failed' } },
    });
  run.child.kill('SIGTERM');
  expect(await run.ended, run.output()).toBe(0);
});

test('commands are taken apart by commas and spaces; an unknown one is none', () => {
  expect(parseCommands(['serve,index', 'keep'])).toEqual(new Set(['serve', 'index', 'keep']));
  for (const args of [[], [''], ['fly'], ['serve,fly'], ['serve,migrate'], ['serve,']])
    expect(parseCommands(args)).toBeUndefined();
});

test('an unknown command is refused', patience, async () => {
  const run = start(['serve,fly']);
  expect(await run.ended).toBe(2);
  expect(run.output()).toBe('karat cannot start "serve,fly": karat --help lists what it can\n');
});

test('a setting that is wrong or misspelt is named, its value is not', patience, async () => {
  const runs = [
    start(['serve'], { DATABASE_URL: 'http://secret' }),
    start(['serve'], { KARAT_PROT: 'secret' }),
  ];
  for (const run of runs) expect(await run.ended).toBe(1);
  expect(runs[0]?.output()).toMatch(/^DATABASE_URL must be a URL that starts with postgres/);
  expect(runs[1]?.output()).toMatch(/^unknown setting KARAT_PROT/);
  for (const run of runs) expect(run.output()).not.toContain('secret');
});

test('a database that is down at the start is said in one line', patience, async () => {
  const run = start(['serve'], { DATABASE_URL: 'postgres://karat:secret@127.0.0.1:1/karat' });
  expect(await run.ended).toBe(1);
  expect(run.output()).toMatch(/^No PostgreSQL answers at DATABASE_URL \(ECONNREFUSED\)/);
  expect(run.output().trim().split('\n')).toHaveLength(1);
  expect(run.output()).not.toContain('secret');
});

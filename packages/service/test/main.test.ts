import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { parseCommands } from '../src/commands.js';
import { openDatabase } from '../src/db/client.js';
import { appendEvents } from '../src/db/events/events.js';
import { advisoryLocks } from '../src/db/locks.js';
import { migrate, requireSchema } from '../src/db/migrate.js';
import { partners, webhookEndpoints } from '../src/db/schema.js';
import { newId, newUuid } from '../src/domain/index.js';
import { cloneTemplate, newWallet, testConfig } from './harness.js';
import { eventually } from './karat-chain.js';
import { kycKeyFile } from './kyc-key.js';
import { startReceiver } from './webhooks.js';

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
  const { serviceSignerUrl } = testConfig(database.url);
  const child = spawn(process.execPath, [inject('serviceScript'), ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      KARAT_PORT: '0',
      KARAT_OPERATOR_PORT: '0',
      KARAT_RPC_URL: 'http://127.0.0.1:1',
      KARAT_PROGRAM_ID: newWallet().address,
      KARAT_SERVICE_SIGNER: serviceSignerUrl,
      KARAT_PICKUP_SECRET: 'p'.repeat(32),
      KARAT_KYC_KEY: kycKeyFile(),
      ...env,
    },
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
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

test('migrate that is cancelled ends at once and changes nothing', patience, async () => {
  const empty = await cloneTemplate('template0');
  const sql = postgres(empty.url, { max: 1 });
  try {
    // Another one is at work.
    await sql`select pg_advisory_lock(${advisoryLocks.migration}::bigint)`;
    const cancelled = new AbortController();
    const migrating = migrate(empty.url, { signal: cancelled.signal });
    await eventually(async () => {
      const waiting = await sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      expect(waiting).toHaveLength(1);
    }, 30_000);
    cancelled.abort();
    await expect(migrating).rejects.toThrow();
    await sql`select pg_advisory_unlock(${advisoryLocks.migration}::bigint)`;
    await eventually(async () => {
      const others = await sql`select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'karat-migrate'`;
      expect(others).toEqual([]);
    }, 30_000);
    expect(await sql`select from pg_namespace where nspname = 'drizzle'`).toEqual([]);
  } finally {
    await sql.end();
    await empty.drop();
  }
});

test('migrate leaves a database alone that another version has migrated', patience, async () => {
  const other = await cloneTemplate();
  const sql = postgres(other.url, { max: 1 });
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 1)`;
  const run = start(['migrate'], { DATABASE_URL: other.url });
  try {
    expect(await run.ended, run.output()).toBe(1);
    expect(run.output()).toContain(
      'The database has 1 migrations that this version does not know and cannot run on: run the version',
    );
    await sql`update drizzle.__drizzle_migrations set oldest_code = '99.0.0' where hash = 'of the future'`;
    await expect(requireSchema(other.url)).rejects.toThrow('run Karat 99.0.0 or later');
  } finally {
    await sql.end();
    await other.drop();
  }
});

test('a process starts on the migrations of a newer version that it may run on', patience, async () => {
  const other = await cloneTemplate();
  const sql = postgres(other.url, { max: 1 });
  try {
    await sql`alter table countries add column of_the_future integer`;
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at, oldest_code)
      values ('of the future', 99999999999999, '0.1.0')`;
    await requireSchema(other.url);
    const again = start(['migrate'], { DATABASE_URL: other.url });
    expect(await again.ended, again.output()).toBe(0);
    // It has none of the migrations that this version would need, too: these are two lines of versions.
    await sql`delete from drizzle.__drizzle_migrations where hash <> 'of the future'`;
    await expect(requireSchema(other.url)).rejects.toThrow('cannot run on');
  } finally {
    await sql.end();
    await other.drop();
  }
});

test('serve,index responds while the node is down, and stops in order on SIGTERM', patience, async () => {
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

test(
  'deliver sends what is written while it runs and what was before, and stops in order',
  patience,
  async () => {
    const other = await cloneTemplate();
    const receiver = await startReceiver();
    const handle = openDatabase(other.url, { poolSize: 1 });
    const partnerId = newUuid();
    const at = new Date();
    const event = { partnerId, type: 'user.created', requestId: null, objectType: 'user' } as const;
    const write = (objectId: string) =>
      handle.db.transaction((tx) => appendEvents(tx, [{ ...event, objectId, object: {} }], at));
    try {
      await handle.db.transaction(async (tx) => {
        const times = { createdAt: at, updatedAt: at };
        await tx.insert(partners).values({ id: partnerId, name: 'Acme', feePercentage: '0.01', ...times });
        await tx.insert(webhookEndpoints).values({
          id: newId('we'),
          partnerId,
          url: receiver.url,
          secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
          plannedSequence: 0n,
          ...times,
        });
      });
      await write(newId('gu'));
      const run = start(['deliver'], { DATABASE_URL: other.url, KARAT_NETWORK: 'localnet' });
      const came = () => receiver.received.map(({ body }) => body.sequence);
      await expect.poll(came, { timeout: 30_000 }).toEqual([1]);
      await write(newId('gu'));
      await expect.poll(came, { timeout: 30_000 }).toEqual([1, 2]);
      run.child.kill('SIGTERM');
      expect(await run.ended, run.output()).toBe(0);
    } finally {
      await handle.close();
      await receiver.close();
      await other.drop();
    }
  },
);

test('commands are taken apart by commas and spaces; an unknown one is refused', () => {
  const both = ['serve-partners', 'serve-operators'];
  expect(parseCommands(['serve,index', 'keep'])).toEqual(new Set([...both, 'index', 'keep']));
  expect(parseCommands([both.join()])).toEqual(new Set(both));
  for (const args of [[], [''], ['fly'], ['serve,fly'], ['serve,migrate'], ['serve,']])
    expect(parseCommands(args)).toBeUndefined();
});

test('an unknown command is refused', patience, async () => {
  const run = start(['serve,fly']);
  expect(await run.ended).toBe(2);
  expect(run.output()).toBe('karat cannot start "serve,fly": karat --help lists what it can start\n');
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

test('a port that is taken is named with its setting', patience, async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const settings = ['KARAT_PORT', 'KARAT_OPERATOR_PORT', 'KARAT_METRICS_PORT'];
  try {
    const runs = settings.map((setting) =>
      start(['serve'], { KARAT_LOG_LEVEL: 'silent', [setting]: String(port) }),
    );
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([1, 1, 1]);
    expect(runs.map(({ output }) => output())).toEqual(
      settings.map(
        (setting) =>
          `Port ${port} of 127.0.0.1 is in use: stop what listens there, or set ${setting} to another port\n`,
      ),
    );
    const nowhere = start(['serve'], { KARAT_LOG_LEVEL: 'silent', KARAT_HOST: '192.0.2.1' });
    expect(await nowhere.ended).toBe(1);
    expect(nowhere.output()).toBe('This machine has no address 192.0.2.1: set KARAT_HOST to another one\n');
  } finally {
    taken.close();
  }
});

test('a key that others may read, and one that is missing, are refused in one line', patience, async () => {
  const { serviceSignerUrl: file = '' } = testConfig(database.url);
  chmodSync(file, 0o644);
  const runs = [
    start(['serve'], { KARAT_SERVICE_SIGNER: file }),
    start(['keep'], { KARAT_MARKET_SIGNER: file }),
    start(['serve'], { KARAT_SERVICE_SIGNER: '' }),
    start(['serve'], { KARAT_SERVICE_SIGNER: '/nowhere/at/all' }),
    start(['serve'], { KARAT_KYC_KEY: '' }),
    start(['deliver'], { KARAT_KYC_KEY: '' }),
    start(['deliver'], { KARAT_KYC_KEY: '/nowhere/at/all' }),
  ];
  for (const { ended } of runs) expect(await ended).toBe(1);
  expect(runs.map(({ output }) => output())).toEqual([
    `KARAT_SERVICE_SIGNER names ${file}, which may be read by other users of this machine: run chmod 600 ${file}\n`,
    `KARAT_MARKET_SIGNER names ${file}, which may be read by other users of this machine: run chmod 600 ${file}\n`,
    'KARAT_SERVICE_SIGNER is not set: karat serve signs quotes with its key\n',
    'KARAT_SERVICE_SIGNER names /nowhere/at/all, which cannot be read\n',
    'KARAT_KYC_KEY is not set: karat serve reads KYC data, which its key encrypts\n',
    'KARAT_KYC_KEY is not set: karat deliver reads KYC data, which its key encrypts\n',
    'KARAT_KYC_KEY names /nowhere/at/all, which cannot be read\n',
  ]);
});

test('index and keep need no key of those who serve, and do not read one', patience, async () => {
  const both = start(['index,keep'], {
    KARAT_SERVICE_SIGNER: '',
    KARAT_GUARDIAN_SIGNER: '/nowhere/at/all',
    KARAT_KYC_KEY: '/nowhere/at/all',
  });
  await expect.poll(both.output, { timeout: 90_000 }).toContain('this process is now the leading keeper');
  const index = start(['index'], {
    KARAT_SERVICE_SIGNER: '/nowhere/at/all',
    KARAT_MARKET_SIGNER: '/nowhere/at/all',
  });
  both.child.kill('SIGTERM');
  expect(await both.ended, both.output()).toBe(0);
  await expect.poll(index.output, { timeout: 90_000 }).toContain('this process now leads the indexing');
  index.child.kill('SIGTERM');
  expect(await index.ended, index.output()).toBe(0);
});

test('a database that is down at the start is reported in one line', patience, async () => {
  const run = start(['serve'], { DATABASE_URL: 'postgres://karat:secret@127.0.0.1:1/karat' });
  expect(await run.ended).toBe(1);
  expect(run.output()).toMatch(/^No PostgreSQL responds at DATABASE_URL \(ECONNREFUSED\)/);
  expect(run.output().trim().split('\n')).toHaveLength(1);
  expect(run.output()).not.toContain('secret');
});

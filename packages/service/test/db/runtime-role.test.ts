import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordChange, verifyAuditLog } from '../../src/actions/audit.js';
import { readConfig } from '../../src/config.js';
import { createContext } from '../../src/create-context.js';
import { migrate } from '../../src/db/migrate.js';
import { commandLine } from '../../src/domain/audit.js';
import { createLogger } from '../../src/log.js';
import { callKarat, type KaratRun, runKarat } from '../cli/run-karat.js';
import { cloneTemplate, testConfig } from '../harness.js';
import { kycKeyFile } from '../kyc-key.js';

/** An owner migrates and grants; the processes connect as a role that owns nothing. */
let database: Awaited<ReturnType<typeof cloneTemplate>>;
let admin: postgres.Sql;
let owner: postgres.Sql;
let runtime: postgres.Sql;
const suffix = randomBytes(4).toString('hex');
/** A name that has to be quoted. */
const names = { owner: `Owner-${suffix}`, runtime: `Runtime "${suffix}"` };
const url = (role: keyof typeof names) => {
  const named = new URL(database.url);
  named.username = encodeURIComponent(names[role]);
  named.password = 'secret';
  return named.href;
};
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Starting a process takes seconds on a busy machine. */
const patience = { timeout: 90_000 };

beforeAll(async () => {
  database = await cloneTemplate('template0');
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
  for (const name of Object.values(names)) {
    await admin.unsafe(`create role ${quote(name)} login password 'secret'`);
  }
  const [row] = await admin`select current_database() as name`;
  await admin.unsafe(`alter database ${row?.name} owner to ${quote(names.owner)}`);
  owner = postgres(url('owner'), { max: 1, onnotice: () => {} });
  runtime = postgres(url('runtime'), { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await owner?.end();
  await runtime?.end();
  const [row] = await admin`select current_database() as name`;
  await admin.unsafe(`alter database ${row?.name} owner to current_user`);
  for (const name of Object.values(names)) await admin.unsafe(`drop owned by ${quote(name)} cascade`);
  for (const name of Object.values(names)) await admin.unsafe(`drop role ${quote(name)}`);
  await admin.end();
  await database.drop();
});

/** The schema is made by the command, as the owner, and granted to the role of DATABASE_URL. */
const runMigrate = (env: Record<string, string>, ...args: string[]): Promise<KaratRun> =>
  runKarat(['migrate', ...args], env);
const both = () => ({ DATABASE_URL: url('runtime'), KARAT_OWNER_DATABASE_URL: url('owner') });

test('karat migrate grants nothing to a role that could take everything anyway', patience, async () => {
  const runs = [
    await runMigrate({ KARAT_OWNER_DATABASE_URL: url('owner') }, '--runtime-role', `none_${suffix}`),
    await runMigrate({ KARAT_OWNER_DATABASE_URL: url('owner') }, '--runtime-role', 'karat'),
    await runMigrate({ KARAT_OWNER_DATABASE_URL: url('owner') }, '--runtime-role', names.owner),
    await runMigrate({}),
  ];
  expect(runs.map(({ code, stdout, stderr }) => `${code}${stdout} ${stderr}`)).toEqual([
    `1 There is no role "none_${suffix}" in this PostgreSQL: create it first\n`,
    '1 The role "karat" is a superuser, creates roles or owns the tables: nothing can be kept from it. Name another role for the processes\n',
    `1 The role "${names.owner}" is a superuser, creates roles or owns the tables: nothing can be kept from it. Name another role for the processes\n`,
    '1 DATABASE_URL is not set\n',
  ]);
});

test(
  'karat migrate grants nothing to a role that could take everything by another one',
  patience,
  async () => {
    const [row] = await admin`select current_database() as name, current_user as superuser`;
    const strong = [
      String(row?.superuser),
      'pg_write_all_data',
      'pg_write_server_files',
      'pg_execute_server_program',
    ];
    const role = `strong_${suffix}`;
    const grants = [
      ...strong.map((each) => [`grant ${each} to ${role}`, `revoke ${each} from ${role}`]),
      // Then the schema is its own as well, and so is every table in it that it drops.
      [
        `alter database ${row?.name} owner to ${role}`,
        `alter database ${row?.name} owner to ${quote(names.owner)}`,
      ],
    ];
    await admin.unsafe(`create role ${role} login noinherit`);
    try {
      for (const [grant = '', revoke = ''] of grants) {
        await admin.unsafe(grant);
        await expect(migrate(url('owner'), { runtimeRole: role }), grant).rejects.toThrow(
          `The role "${role}" is a superuser`,
        );
        await admin.unsafe(revoke);
      }
    } finally {
      await admin.unsafe(`drop role ${role}`);
    }
  },
);

test(
  'karat migrate makes the schema as the owner and grants to the role of DATABASE_URL',
  patience,
  async () => {
    const run = await runMigrate(both());
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', '']);
    // Once more, and with the role by its name, changes nothing.
    await migrate(url('owner'), { runtimeRole: names.runtime });
    const owners =
      await owner`select distinct tableowner from pg_tables where schemaname in ('public', 'drizzle')`;
    expect(owners.map(({ tableowner }) => tableowner)).toEqual([names.owner]);
  },
);

test('karat migrate refuses a role whose rights on the audit log come by another way', patience, async () => {
  await owner`grant update on audit_log to public`;
  await expect(migrate(url('owner'), { runtimeRole: names.runtime })).rejects.toThrow(
    `The role "${names.runtime}" may change the audit log by a right of another role or of PUBLIC`,
  );
  await owner`revoke update on audit_log from public`;
  await migrate(url('owner'), { runtimeRole: names.runtime });
});

test('an address that the server refuses is reported in one line', patience, async () => {
  const wrong = (change: (url: URL) => void) => {
    const named = new URL(url('runtime'));
    change(named);
    return named.href;
  };
  const password = wrong((each) => {
    each.password = 'not it';
  });
  const name = wrong((each) => {
    each.pathname = '/none_of_this_name';
  });
  const disable = ['operator', 'disable', '--email', 'a@karat.test'];
  const runs = [
    await callKarat(disable, { DATABASE_URL: password }),
    await callKarat(['migrate'], { DATABASE_URL: url('runtime'), KARAT_OWNER_DATABASE_URL: password }),
    await callKarat(disable, { DATABASE_URL: name }),
  ];
  expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
    '1 PostgreSQL refuses the user or the password of DATABASE_URL: karat doctor shows what to do\n',
    '1 PostgreSQL refuses the user or the password of DATABASE_URL or KARAT_OWNER_DATABASE_URL: karat doctor shows what to do\n',
    '1 PostgreSQL does not have the database that DATABASE_URL names\n',
  ]);
});

describe('the runtime role', () => {
  const refused = expect.objectContaining({ code: '42501' });
  const attempt = (statement: string) =>
    runtime.unsafe(statement).then(
      () => 'done',
      (error: unknown) => error,
    );

  test.each([
    'create table mine (id int)',
    'alter table partners add column mine int',
    'drop table partners',
    'truncate partners',
    'create index mine on partners (name)',
    'alter table audit_log disable trigger all',
    'create function refuse_audit_change() returns trigger language plpgsql as $$ begin return null; end $$',
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1)",
    'delete from drizzle.__drizzle_migrations',
    "update audit_log set reason = 'better'",
    'delete from audit_log',
    'truncate audit_log',
    'update audit_head set seq = 0',
    "update audit_head set hash = decode(repeat('00', 32), 'hex')",
    'delete from audit_head',
    "insert into audit_head (id, seq, hash) values (1, 0, decode(repeat('00', 32), 'hex'))",
    'alter table audit_log owner to current_user',
    "update reserve_statements set body = '{}'",
    'delete from reserve_statements',
    'set session_replication_role = replica',
    `create temp table forged (seq bigint, hash bytea, previous_hash bytea);
    create trigger forged after insert on forged for each row execute function link_audit_row();
    insert into forged select seq + 1, sha256(hash), hash from audit_head`,
  ])('the runtime role may not: %s', async (statement) => {
    expect(await attempt(statement)).toEqual(refused);
  });

  test('the runtime role writes the audit log by its end alone', async () => {
    const { db, close } = await createContext(readConfigOf(url('runtime')), {
      log: createLogger('silent'),
    });
    try {
      const change = {
        action: 'country.create' as const,
        objectType: 'country',
        objectId: 'PK',
        before: null,
      };
      const write = () =>
        db.transaction((tx) => recordChange(tx, commandLine, { ...change, after: {} }, new Date()));
      await Promise.all([write(), write(), write()]);
      expect(await verifyAuditLog(db)).toMatchObject({ ok: true, rows: 3, head: { seq: 3 } });
      const copyAs = (seq: number, previous: string) => `insert into audit_log
        select ${seq}, at, person_id, action, object_type, object_id, before, after, reason, request_id,
          ${previous}, sha256(hash) from audit_log where seq = 3`;
      // Beyond a gap, in a branch of its own, and in place of a row.
      for (const statement of [copyAs(5, 'hash'), copyAs(4, 'previous_hash'), copyAs(3, 'previous_hash')]) {
        expect(await attempt(statement)).toEqual(
          expect.objectContaining({ code: expect.stringMatching(/^23/) }),
        );
      }
      await write();
      expect(await verifyAuditLog(db)).toMatchObject({ ok: true, rows: 4, head: { seq: 4 } });
    } finally {
      await close();
    }
  });

  test('the runtime role reads each month of events by itself, as a dump does, that was made after the migration', async () => {
    const months = () => owner<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass`;
    const migrated = await months();
    await runtime`select keep_partitions('events', now() + interval '3 months', '-infinity')`;
    const kept = await months();
    expect(kept).toHaveLength(migrated.length + 3);
    for (const { name } of kept) {
      const dumped = runtime.begin(async (tx) => {
        await tx.unsafe(`lock table only ${name} in access share mode`);
        return tx.unsafe(`select * from only ${name}`);
      });
      expect(await dumped, name).toEqual([]);
    }
  });

  test('the runtime role runs what the service does with its tables', async () => {
    const rights = await owner`
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('audit_log', 'audit_head', 'chain_genesis', 'reserve_statements', 'papers')
        and not (has_table_privilege(${names.runtime}, oid, 'select')
          and has_table_privilege(${names.runtime}, oid, 'insert')
          and has_table_privilege(${names.runtime}, oid, 'update')
          and has_table_privilege(${names.runtime}, oid, 'delete'))`;
    expect(rights).toEqual([]);
    const fixed = await owner`
      select has_table_privilege(${names.runtime}, 'chain_genesis', 'insert') as adds,
        has_table_privilege(${names.runtime}, 'chain_genesis', 'update, delete') as changes`;
    expect(fixed).toEqual([{ adds: true, changes: false }]);
    expect(
      await attempt(
        "update reserve_statements set countersignatures = '[]' where id in (select id from reserve_statements for no key update)",
      ),
    ).toBe('done');
  });
});

describe('a process', () => {
  const env = (databaseUrl: string) => {
    const { serviceSignerUrl, programId, rpcUrls } = testConfig(databaseUrl);
    return {
      DATABASE_URL: databaseUrl,
      KARAT_RPC_URL: rpcUrls.join(),
      KARAT_PROGRAM_ID: programId,
      KARAT_SERVICE_SIGNER: serviceSignerUrl ?? '',
      KARAT_PICKUP_SECRET: 'p'.repeat(32),
      KARAT_KYC_KEY: kycKeyFile(),
      KARAT_PORT: '0',
      KARAT_OPERATOR_PORT: '0',
    };
  };

  test('a process does not migrate: it refuses another schema in one line', patience, async () => {
    const empty = await cloneTemplate('template0');
    const foreign = await cloneTemplate();
    const sql = postgres(foreign.url, { max: 1 });
    try {
      await sql`update drizzle.__drizzle_migrations set hash = 'changed' where id = 1`;
      const runs = [
        await runKarat(['serve,index,keep'], env(empty.url)),
        await runKarat(['index'], env(foreign.url)),
        await runKarat(['keep'], { ...env(url('runtime')), KARAT_OWNER_DATABASE_URL: url('owner') }),
      ];
      expect(runs.map(({ code, stdout, stderr }) => `${code}${stdout} ${stderr}`)).toEqual([
        "1 The database at DATABASE_URL does not have this version's tables: run karat migrate\n",
        '1 The database has 1 migrations that this version does not know and cannot run on: run Karat 0.1.0 or later, or use another database\n',
        "1 KARAT_OWNER_DATABASE_URL is the address of the tables' owner, which only commands may use: unset it for processes\n",
      ]);
      const schema = postgres(empty.url, { max: 1 });
      expect(await schema`select 1 from pg_tables where schemaname = 'public'`).toEqual([]);
      await schema.end();
    } finally {
      await sql.end();
      await empty.drop();
      await foreign.drop();
    }
  });
});

function readConfigOf(databaseUrl: string) {
  const { serviceSignerUrl, programId, rpcUrls } = testConfig(databaseUrl);
  return readConfig({
    DATABASE_URL: databaseUrl,
    KARAT_RPC_URL: rpcUrls.join(),
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: serviceSignerUrl ?? '',
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { type Config, checkConfig } from '../../src/config.js';
import type { Finding } from '../../src/doctor/finding.js';
import { toInteger } from '../../src/domain/integer.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { watchCertificates } from '../../src/metrics/watch-certificates.js';
import { makeCertificate } from '../certificate.js';
import { type EmbeddedServer, startEmbeddedPostgres } from '../embedded-postgres.js';
import { eventually } from '../karat-chain.js';
import { ownPort } from '../own-port.js';
import { emptyDeployment } from './deployment.js';
import { callKarat, type Env } from './run-karat.js';

/** What people break most often, with the one line of `karat doctor` that names the cause. All parts are real. */

const folder = mkdtempSync(join(tmpdir(), 'karat-configurations-'));
const path = (name: string) => join(folder, name);
const pgBouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((each) => existsSync(each));
const dayMs = 86_400_000;

let deployment: Awaited<ReturnType<typeof emptyDeployment>>;
let server: EmbeddedServer;
let standby: string;
let administrator: postgres.Sql;
let secureNodes: Server[];
const poolers: ChildProcess[] = [];
/** The ports of PgBouncer in transaction mode: as it is by default, and passing parameters on that it does not know. */
let poolerPorts: [number, number];

const certificates = {
  expired: makeCertificate('localhost', new Date(Date.now() - dayMs)),
  ending: makeCertificate('localhost', new Date(Date.now() + 12.5 * dayMs)),
  elsewhere: makeCertificate('db.example'),
  good: makeCertificate('localhost'),
};

beforeAll(async () => {
  chmodSync(folder, 0o755);
  [deployment, server] = await Promise.all([
    emptyDeployment(),
    startEmbeddedPostgres({ database: 'karat', settings: ['fsync=off'] }),
  ]);
  for (const [name, { certificate }] of Object.entries(certificates))
    writeFileSync(path(`${name}.pem`), certificate);
  standby = (await server.startStandby(['recovery_min_apply_delay=1h'])).url;
  administrator = postgres(`${server.url}/karat`, { max: 1, onnotice: () => {} });
  await administrator`create database other`;
  poolerPorts = pgBouncer
    ? [await startPooler(''), await startPooler('statement_timeout, idle_in_transaction_session_timeout')]
    : [0, 0];
  secureNodes = (['expired', 'ending'] as const).map((name) => {
    const { certificate, key } = certificates[name];
    return createServer({ cert: certificate, key }, (request, response) => {
      // In front of the node, as a provider has it.
      void request.toArray().then(async (chunks) => {
        const body = Buffer.concat(chunks);
        const headers = { 'content-type': 'application/json' };
        const found = await fetch(deployment.node.rpcUrl, { method: 'POST', body, headers });
        response.setHeader('content-type', 'application/json').end(await found.text());
      });
    }).listen(0, '127.0.0.1');
  });
}, 120_000);
afterAll(async () => {
  for (const pooler of poolers) pooler.kill('SIGINT');
  for (const node of secureNodes ?? []) node.close();
  await administrator?.end();
  await server?.remove();
  await deployment?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a PgBouncer in front of the server, in transaction mode. Returns its port. */
async function startPooler(ignored: string): Promise<number> {
  const port = await ownPort();
  const { uid, gid } = statSync(server.data);
  const ini = path(`pgbouncer-${port}.ini`);
  writeFileSync(path('users.txt'), '"karat" "karat"\n');
  const { port: behind } = new URL(server.url);
  writeFileSync(
    ini,
    [
      '[databases]',
      `karat = host=127.0.0.1 port=${behind} dbname=karat`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${path('users.txt')}`,
      'pool_mode = transaction',
      ...(ignored === '' ? [] : [`ignore_startup_parameters = ${ignored}`]),
    ].join('\n'),
  );
  const owner = process.getuid?.() === 0 ? { uid, gid } : {};
  poolers.push(spawn(pgBouncer ?? 'pgbouncer', [ini], { stdio: 'ignore', ...owner }));
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  }, 10_000);
  return port;
}

/** Has PostgreSQL present a certificate from now on, or none. */
async function present(name: keyof typeof certificates | 'none'): Promise<void> {
  if (name !== 'none') {
    const { certificate, key } = certificates[name];
    const { uid, gid } = statSync(server.data);
    for (const [file, content] of [
      ['server.crt', certificate],
      ['server.key', key],
    ] as const) {
      const own = join(server.data, file);
      writeFileSync(own, content, { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(own, uid, gid);
    }
  }
  await administrator.unsafe(`alter system set ssl = ${name === 'none' ? 'off' : 'on'}`);
  await reload(async () => {
    const [row] = await administrator<{ pending: string }[]>`select current_setting('ssl') as pending`;
    return row?.pending === (name === 'none' ? 'off' : 'on');
  });
}

async function reload(isLoaded: () => Promise<boolean>): Promise<void> {
  await administrator`select pg_reload_conf()`;
  await eventually(async () => expect(await isLoaded()).toBe(true), 10_000);
}

const direct = () => `${server.url}/karat`;
const pooled = (at: 0 | 1, password = 'karat') =>
  `postgres://karat:${password}@127.0.0.1:${poolerPorts[at]}/karat`;
const secure = (root: string, query = '') =>
  `postgres://karat:karat@localhost:${new URL(server.url).port}/karat?sslmode=verify-full&sslrootcert=${path(`${root}.pem`)}${query}`;
const nodeAt = (index: 0 | 1) => {
  const { port } = (secureNodes[index] as Server).address() as AddressInfo;
  return `https://localhost:${port}`;
};

interface Row {
  /** What is wrong, as the table names it. */
  broken: string;
  /** What differs from an environment in order; made once all parts run. */
  changes: () => Env;
  without?: string[];
  kinds?: string;
  before?: () => Promise<unknown>;
  after?: () => Promise<unknown>;
  verdict: 'failed' | 'warning';
  says: RegExp;
  remedy: RegExp;
  needs?: 'pgbouncer';
}

const rows: Row[] = [
  {
    broken: 'a process that serves without the secret of pickup codes',
    changes: () => ({}),
    without: ['KARAT_PICKUP_SECRET'],
    kinds: 'serve,index',
    verdict: 'failed',
    says: /^KARAT_PICKUP_SECRET is not set: karat serve/,
    remedy: /^Set KARAT_PICKUP_SECRET/,
  },
  {
    broken: 'a process that serves without a signer',
    changes: () => ({}),
    without: ['KARAT_SERVICE_SIGNER'],
    kinds: 'serve',
    verdict: 'failed',
    says: /^KARAT_SERVICE_SIGNER is not set: karat serve/,
    remedy: /key file, or the URL/,
  },
  {
    broken: 'a process that has the address of the owner of the tables',
    changes: () => ({ KARAT_OWNER_DATABASE_URL: direct() }),
    kinds: 'index',
    verdict: 'failed',
    says: /^KARAT_OWNER_DATABASE_URL is set: no process starts/,
    remedy: /^Unset KARAT_OWNER_DATABASE_URL/,
  },
  {
    broken: 'a misspelt setting',
    changes: () => ({ KARAT_PICKUP_SECRT: 'x' }),
    verdict: 'failed',
    says: /^unknown setting KARAT_PICKUP_SECRT; did you mean KARAT_PICKUP_SECRET\?$/,
    remedy: /^Correct or unset KARAT_PICKUP_SECRT/,
  },
  {
    broken: 'a sanctions list that is not there',
    changes: () => ({ KARAT_SANCTIONS_LIST: path('absent.csv') }),
    verdict: 'failed',
    says: /KARAT_SANCTIONS_LIST does not name a usable list of wallets: it cannot be read/,
    remedy: /karat serve does not start/,
  },
  {
    broken: 'a wrong password',
    changes: () => ({ DATABASE_URL: direct().replace('karat:karat', 'karat:wrong') }),
    verdict: 'failed',
    says: /^PostgreSQL rejects the user or the password of DATABASE_URL/,
    remedy: /pg_hba\.conf/,
  },
  {
    broken: 'a wrong password through PgBouncer',
    changes: () => ({ DATABASE_URL: pooled(0, 'wrong'), KARAT_DATABASE_DIRECT_URL: direct() }),
    verdict: 'failed',
    says: /^A pooler rejects the user, the password or the database of DATABASE_URL \(08P01\)/,
    remedy: /auth_file/,
    needs: 'pgbouncer',
  },
  {
    broken: 'PgBouncer in transaction mode without a direct address',
    changes: () => ({ DATABASE_URL: pooled(0) }),
    verdict: 'failed',
    says: /^DATABASE_URL leads to a pooler in transaction mode/,
    remedy: /^Set KARAT_DATABASE_DIRECT_URL/,
    needs: 'pgbouncer',
  },
  {
    broken: 'the same PgBouncer, when it ignores parameters',
    changes: () => ({ DATABASE_URL: pooled(1) }),
    verdict: 'failed',
    says: /^DATABASE_URL leads to a pooler in transaction mode/,
    remedy: /^Set KARAT_DATABASE_DIRECT_URL/,
    needs: 'pgbouncer',
  },
  {
    broken: 'a direct address that leads to PgBouncer',
    changes: () => ({ DATABASE_URL: pooled(0), KARAT_DATABASE_DIRECT_URL: pooled(1) }),
    verdict: 'failed',
    says: /^KARAT_DATABASE_DIRECT_URL leads to a pooler in transaction mode/,
    remedy: /address of PostgreSQL itself/,
    needs: 'pgbouncer',
  },
  {
    broken: 'PgBouncer without limits of time',
    changes: () => ({ DATABASE_URL: pooled(0), KARAT_DATABASE_DIRECT_URL: direct() }),
    verdict: 'warning',
    says: /no statement_timeout and no idle_in_transaction_session_timeout/,
    remedy: /connect_query of PgBouncer/,
    needs: 'pgbouncer',
  },
  {
    broken: 'a direct address of another database',
    changes: () => ({ KARAT_DATABASE_DIRECT_URL: `${server.url}/other` }),
    verdict: 'failed',
    says: /^KARAT_DATABASE_DIRECT_URL leads to another database/,
    remedy: /^Correct KARAT_DATABASE_DIRECT_URL/,
  },
  {
    broken: 'a replica that does not follow',
    changes: () => ({ KARAT_DATABASE_REPLICA_URL: `${standby}/karat` }),
    before: () => administrator`insert into countries (code, name, active) values ('PK', 'Pakistan', true)`,
    verdict: 'warning',
    says: /^The replica at KARAT_DATABASE_REPLICA_URL is \d+ bytes.* behind/,
    remedy: /pg_stat_replication/,
  },
  {
    broken: 'a database that no standby follows',
    changes: () => ({ DATABASE_URL: deployment.env.DATABASE_URL ?? '', KARAT_NETWORK: 'devnet' }),
    before: () => callKarat(['migrate'], { DATABASE_URL: deployment.env.DATABASE_URL ?? '' }),
    verdict: 'warning',
    says: /^No standby follows the database/,
    remedy: /cluster\.md/,
  },
  {
    broken: 'the id of another program',
    changes: () => ({ KARAT_PROGRAM_ID: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' }),
    verdict: 'failed',
    says: /^The program at Memo\w+ is not Karat's program/,
    remedy: /^Correct KARAT_PROGRAM_ID(?!.*init)/,
  },
  {
    broken: 'a program that is not initialized',
    changes: () => ({}),
    verdict: 'failed',
    says: /^The program is not initialized/,
    remedy: /karat chain init/,
  },
  {
    broken: 'an address without a program',
    changes: () => ({ KARAT_PROGRAM_ID: deployment.keys.spare.address }),
    verdict: 'failed',
    says: /^There is no program at/,
    remedy: /karat chain deploy/,
  },
  {
    broken: 'a database with an expired certificate',
    changes: () => ({ DATABASE_URL: secure('expired') }),
    before: () => present('expired'),
    verdict: 'failed',
    says: /^The server at DATABASE_URL has a certificate that has expired \(CERT_HAS_EXPIRED\)/,
    remedy: /^Renew/,
  },
  {
    broken: 'a database with a certificate of another name',
    changes: () => ({ DATABASE_URL: secure('elsewhere') }),
    before: () => present('elsewhere'),
    verdict: 'failed',
    says: /certificate for another name .*\(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    remedy: /name in the address/,
  },
  {
    broken: 'a database with a certificate that nothing vouches for',
    changes: () => ({ DATABASE_URL: secure('elsewhere') }),
    before: () => present('good'),
    verdict: 'failed',
    says: /^The server at DATABASE_URL has a certificate (that it signed itself|of an authority)/,
    remedy: /sslrootcert/,
  },
  {
    broken: 'a database with a certificate that ends within 30 days',
    changes: () => ({ DATABASE_URL: secure('ending') }),
    before: () => present('ending'),
    verdict: 'warning',
    says: /^The certificate of localhost \(DATABASE_URL\) expires in 12 days/,
    remedy: /^Renew it/,
  },
  {
    broken: 'a certificate authority whose file is not there',
    changes: () => ({ DATABASE_URL: secure('absent') }),
    verdict: 'failed',
    says: /^The file of sslrootcert in DATABASE_URL cannot be read \(ENOENT\)/,
    remedy: /readable/,
  },
  {
    broken: 'a database without TLS',
    changes: () => ({ DATABASE_URL: secure('good') }),
    before: () => present('none'),
    verdict: 'failed',
    says: /^The server at DATABASE_URL has no TLS/,
    remedy: /ssl=on/,
  },
  {
    broken: 'a node with an expired certificate',
    changes: () => ({ KARAT_RPC_URL: nodeAt(0) }),
    verdict: 'failed',
    says: /^The node has a certificate that (has expired|it signed itself)/,
    remedy: /Renew|NODE_EXTRA_CA_CERTS/,
  },
  {
    broken: 'a node with a certificate that ends within 30 days',
    changes: () => ({ KARAT_RPC_URL: nodeAt(1) }),
    verdict: 'warning',
    says: /^The certificate of localhost \(KARAT_RPC_URL\) expires in 12 days/,
    remedy: /^Renew it/,
  },
  ...['KARAT_APPROVALS=1', 'KARAT_SECOND_FACTOR=optional', 'KARAT_MARKET_HOURS=always'].map(
    (setting): Row => ({
      broken: `${setting} on devnet`,
      changes: () => ({ ...Object.fromEntries([setting.split('=')]), KARAT_NETWORK: 'devnet' }),
      verdict: 'warning',
      says: new RegExp(`^${setting} is for tests, and the network is devnet`),
      remedy: /^Unset KARAT_/,
    }),
  ),
  {
    broken: 'a setting of tests where no network is named',
    changes: () => ({ KARAT_APPROVALS: '1' }),
    without: ['KARAT_NETWORK'],
    verdict: 'warning',
    says: /^KARAT_APPROVALS=1 is for tests, and KARAT_NETWORK does not name localnet/,
    remedy: /^Unset KARAT_APPROVALS/,
  },
  {
    broken: 'KARAT_NETWORK of another chain than the node',
    changes: () => ({ KARAT_NETWORK: 'mainnet-beta' }),
    verdict: 'failed',
    says: /^KARAT_NETWORK is mainnet-beta, but the Solana node is on another chain/,
    remedy: /No process starts/,
  },
];

test.each(rows.map((row) => [row.broken, row] as const))('doctor: %s is named in words', async (_, row) => {
  const { changes, without = [], kinds, before, verdict, says, remedy, needs } = row;
  if (needs === 'pgbouncer' && pgBouncer === undefined) return;
  await before?.();
  const env: Env = {
    ...deployment.env,
    DATABASE_URL: direct(),
    KARAT_NETWORK: 'localnet',
    KARAT_PICKUP_SECRET: 'a secret of at least 32 characters',
    ...changes(),
  };
  for (const name of without) delete env[name];
  const args = ['doctor', '--output', 'json', ...(kinds === undefined ? [] : ['--for', kinds])];
  const { code, stdout } = await callKarat(args, env);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const wanted = { verdict, says: expect.stringMatching(says), remedy: expect.stringMatching(remedy) };
  expect(findings).toContainEqual(expect.objectContaining(wanted));
  if (verdict === 'failed') expect(code).toBe(1);
  expect(stdout).not.toMatch(/karat:(karat|wrong)@/);
});

test('metrics: what is left of a certificate is measured, by the setting that names its server', async () => {
  const metrics = new Metrics();
  const { values } = checkConfig({ ...deployment.env, KARAT_RPC_URL: nodeAt(1) });
  watchCertificates({ config: values as Config, metrics, clock: systemClock });
  const line = /^karat_certificate_seconds_left\{setting="KARAT_RPC_URL"\} (\d+)/m;
  const left = await eventually(async () => {
    const [, seconds] = line.exec(await metrics.text()) ?? [];
    if (seconds === undefined) throw new Error('nothing was measured yet');
    return toInteger(seconds);
  }, 10_000);
  expect(Math.floor(left / 86_400)).toBe(12);
});

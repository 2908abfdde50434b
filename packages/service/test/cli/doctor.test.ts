import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarketState } from '@karat/program-client';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createContext } from '../../src/create-context.js';
import { type DbHandle, openDatabase } from '../../src/db/client.js';
import type { Finding } from '../../src/doctor/finding.js';
import { buildApp } from '../../src/http/app.js';
import { KycSeal } from '../../src/kyc/kyc-seal.js';
import { openKeyWrappers } from '../../src/kyc/open-key-wrappers.js';
import { createLogger } from '../../src/log.js';
import { clientOf, cloneTemplate, newWallet } from '../harness.js';
import { type Lie, refusingMinContextSlot, startLyingNode } from '../indexer/lying-node.js';
import { eventually, type KaratChain, startKaratChain } from '../karat-chain.js';
import { kycKeyFile } from '../kyc-key.js';
import { givenRuntimeRole } from '../runtime-role.js';
import { callKarat, type Env, runKarat } from './run-karat.js';

/** A deployment in order, in which each test breaks one thing. */
let chain: KaratChain;
let database: Awaited<ReturnType<typeof cloneTemplate>>;
let runtime: Awaited<ReturnType<typeof givenRuntimeRole>>;
let handle: DbHandle;
let env: Env;

beforeAll(async () => {
  [chain, database] = await Promise.all([startKaratChain({ slotMs: 100 }), cloneTemplate()]);
  handle = openDatabase(database.url, { poolSize: 1 });
  runtime = await givenRuntimeRole(database.url);
  env = {
    DATABASE_URL: runtime.url,
    KARAT_OWNER_DATABASE_URL: database.url,
    KARAT_RPC_URL: chain.config.rpcUrls.join(),
    KARAT_WS_URL: chain.config.wsUrls.join(),
    KARAT_PROGRAM_ID: chain.config.programId,
    KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
    KARAT_KYC_KEY: kycKeyFile(),
    KARAT_ADMIN_SIGNER: chain.keyFile(chain.admin),
    KARAT_GUARDIAN_SIGNER: chain.keyFile(chain.guardian),
    KARAT_MIN_TREASURY_GOLD: '1',
    KARAT_APPROVALS: '1',
    KARAT_NETWORK: 'localnet',
    KARAT_OPERATOR_EMAIL: 'sana@karat.test',
    KARAT_OPERATOR_NAME: 'Sana',
    KARAT_OPERATOR_ROLE: 'admin',
    KARAT_OPERATOR_PASSWORD: 'correct horse battery staple',
  };
  expect((await callKarat(['operator', 'create'], env)).code).toBe(0);
  await handle.db.execute(sql`insert into countries (code, name, active) values ('PK', 'Pakistan', true)`);
  await handle.db.execute(sql`
    insert into keeper_reports (name, status, value, detail, checked_at, changed_at)
    values ('paused', 'ok', '0', '', clock_timestamp() + interval '1 hour', clock_timestamp())`);
}, 120_000);
afterAll(async () => {
  await handle?.close();
  await chain?.stop();
  await runtime?.drop();
  await database?.drop();
});

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** What the doctor says; nothing that is in order. `without` are variables that are not set. */
async function doctor(changes: Env = {}, without: string[] = []) {
  const given = Object.fromEntries(
    Object.entries({ ...env, ...changes }).filter(([name]) => !without.includes(name)),
  );
  const { code, stdout, stderr } = await callKarat(['doctor', '--output', 'json'], given);
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  for (const { verdict, remedy } of findings) {
    expect(remedy === undefined).toBe(verdict === 'ok' || verdict === 'skipped');
  }
  // Neither of the database's own, nor any other secret that a setting holds.
  const password = new URL(database.url).password;
  if (password !== '') expect(stdout).not.toContain(`:${password}@`);
  return { code, findings, wrong: findings.filter(({ verdict }) => verdict !== 'ok') };
}

/** A finding as tests look for it. */
const finding = (check: Finding['check'], verdict: Finding['verdict'], says: string, remedy?: string) => ({
  check,
  verdict,
  says: expect.stringContaining(says),
  ...(remedy === undefined ? {} : { remedy: expect.stringContaining(remedy) }),
});

/** No process indexes here, which is all there is to say of a deployment in order. */
const idle = finding('operation', 'warning', 'No process is indexing', 'karat index');
const skippedProgram = finding('program', 'skipped', 'Without a node');

test('doctor: a deployment in order is reported in words, with exit code 0', {
  timeout: 90_000,
}, async () => {
  const run = await runKarat(['doctor'], env);
  expect([run.code, run.stderr]).toEqual([0, '']);
  const lines = run.stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe('Nothing keeps Karat from working; 1 warning.');
  for (const line of [
    'ok       configuration  All settings are valid.',
    expect.stringMatching(/^ok {7}database {7}PostgreSQL \d\d responds and has this version's schema\.$/),
    expect.stringMatching(/^ok {7}node {11}The node responds; it is at slot \d+\.$/),
    'ok       node           The node reports new slots by WebSocket.',
    `ok       program        The program ${chain.config.programId} is initialized.`,
    expect.stringMatching(/^ok {7}price {10}The price is \d+ s old, at most 60 s are accepted/),
    'warning  operation      No process is indexing: nothing is recorded.',
    '                        -> Start one with karat index.',
  ])
    expect(lines).toContainEqual(line);
  expect((await doctor()).wrong).toEqual([idle]);
});

test.each([
  ['serve', 'KARAT_SERVICE_SIGNER'],
  ['serve,index', 'KARAT_PICKUP_SECRET'],
  ['serve-operators', 'KARAT_PICKUP_SECRET'],
  ['serve-partners', 'KARAT_KYC_KEY'],
  ['deliver', 'KARAT_KYC_KEY'],
])('doctor: what a process of %s would refuse without %s is a failure for it alone', async (kinds, name) => {
  const without = await doctor({ KARAT_DOCTOR_FOR: kinds }, [name, 'KARAT_OWNER_DATABASE_URL']);
  expect(without.code).toBe(1);
  expect(without.wrong).toContainEqual(
    finding('configuration', 'failed', `${name} is not set: karat`, `Set ${name}`),
  );
  const others = await doctor({ KARAT_DOCTOR_FOR: 'index,keep' }, [name, 'KARAT_OWNER_DATABASE_URL']);
  expect(others.wrong.filter(({ check }) => check === 'configuration')).toEqual([]);
});

test('doctor: keys of operators are a failure for a process of partners, and for no other', async () => {
  const foreign = { KARAT_OPERATIONS_SIGNER: '/nowhere/at/all' };
  const { wrong } = await doctor({ ...foreign, KARAT_DOCTOR_FOR: 'serve-partners' });
  expect(wrong).toContainEqual(
    finding('configuration', 'failed', 'KARAT_OPERATIONS_SIGNER is set, and its key is for', 'Unset KARAT_'),
  );
  for (const kinds of ['serve-operators', 'serve', 'keep']) {
    const other = await doctor({ ...foreign, KARAT_DOCTOR_FOR: kinds });
    expect(other.wrong.filter(({ says }) => says.startsWith('KARAT_OPERATIONS_SIGNER is set'))).toEqual([]);
  }
});

test('doctor: an unknown kind of process is refused', async () => {
  const { code, stderr } = await callKarat(['doctor', '--for', 'serve,everything'], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining('serve-operators, index, keep or deliver')]);
});

test('doctor: settings for tests are warned of where money is real, and only there', async () => {
  const loose = { KARAT_APPROVALS: '1', KARAT_SECOND_FACTOR: 'optional', KARAT_MARKET_HOURS: 'always' };
  const { wrong } = await doctor({ ...loose, KARAT_NETWORK: 'mainnet-beta' });
  for (const setting of Object.entries(loose).map((pair) => pair.join('=')))
    expect(wrong).toContainEqual(
      finding('configuration', 'warning', `${setting} is for tests`, 'Unset KARAT_'),
    );
  const local = await doctor({ ...loose, KARAT_NETWORK: 'localnet' });
  expect(local.wrong.filter(({ check }) => check === 'configuration')).toEqual([]);
});

test('doctor: all wrong settings are reported at once, without the values', async () => {
  const holidays = join(chain.config.serviceSignerUrl, '..', 'holidays.json');
  writeFileSync(holidays, '{"years":"secret"}');
  const { code, wrong, findings } = await doctor(
    {
      KARAT_PORT: 'secret-8080',
      KARAT_PROT: 'secret',
      KARAT_MARKET_HOURS: holidays,
      DATABASE_URL: 'secret',
    },
    ['KARAT_RPC_URL'],
  );
  expect(code).toBe(1);
  expect(wrong).toEqual([
    finding(
      'configuration',
      'failed',
      'unknown setting KARAT_PROT; did you mean KARAT_PORT?',
      'Correct or unset KARAT_PROT',
    ),
    finding('configuration', 'failed', 'KARAT_PORT must be a whole number', 'Set KARAT_PORT'),
    finding('configuration', 'failed', 'DATABASE_URL must be a URL', 'the PostgreSQL database'),
    finding('configuration', 'failed', 'KARAT_RPC_URL is not set', 'the Solana node'),
    finding(
      'configuration',
      'failed',
      'KARAT_MARKET_HOURS does not name a usable holidays file',
      'unset KARAT_MARKET',
    ),
    finding('database', 'skipped', 'DATABASE_URL'),
    finding('node', 'skipped', 'KARAT_RPC_URL'),
    skippedProgram,
    finding('operation', 'skipped', 'Without a database'),
  ]);
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test('doctor: the database is away, refuses the login, has no schema, has a newer one, or is empty', async () => {
  const down = 'postgres://karat:secret@127.0.0.1:1/karat';
  const away = await doctor({ DATABASE_URL: down });
  expect([away.code, away.wrong]).toEqual([
    1,
    [
      finding('database', 'failed', 'No PostgreSQL responds at DATABASE_URL', 'Start it'),
      finding('operation', 'skipped', 'Without a database'),
    ],
  ]);
  expect(JSON.stringify(away.findings)).not.toContain('secret');

  const wrongUser = new URL(database.url);
  wrongUser.username = 'nobody_of_this_name';
  expect((await doctor({ DATABASE_URL: wrongUser.href })).wrong[0]).toEqual(
    finding('database', 'failed', 'rejects the user or the password', 'Correct the user and the password'),
  );

  const empty = await cloneTemplate('template0');
  undo.push(() => empty.drop());
  expect((await doctor({ DATABASE_URL: empty.url })).wrong[0]).toEqual(
    finding('database', 'failed', 'migrations of this version are missing', 'karat migrate'),
  );
  const { KARAT_OWNER_DATABASE_URL: _owner, ...withoutOwner } = env;
  expect((await callKarat(['migrate'], { ...withoutOwner, DATABASE_URL: empty.url })).code).toBe(0);
  expect((await doctor({ DATABASE_URL: empty.url })).wrong).toEqual([
    finding('database', 'warning', 'owns the tables', '--runtime-role'),
    finding('database', 'warning', 'no active admin', 'karat operator create'),
    finding('database', 'warning', 'No country is active', 'PUT /operator/v1/countries'),
    idle,
    finding('operation', 'warning', 'No keeper is running', 'karat keep'),
  ]);

  const pool = (size: string) => doctor({ KARAT_DATABASE_POOL_SIZE: size });
  expect((await pool('13')).wrong).toEqual([
    finding('database', 'warning', 'A pool of 13 connections', 'KARAT_DATABASE_POOL_SIZE to 14'),
    idle,
  ]);
  expect((await pool('14')).wrong).toEqual([idle]);

  expect((await doctor({ KARAT_APPROVALS: '2' })).wrong).toEqual([
    finding('database', 'warning', 'there is only one active admin', 'karat operator create'),
    idle,
  ]);

  const newer = openDatabase(empty.url, { poolSize: 1 });
  await newer.db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)`,
  );
  await newer.close();
  expect((await doctor({ DATABASE_URL: empty.url })).wrong[0]).toEqual(
    finding('database', 'failed', 'migrations that this version does not know', 'Run the version'),
  );
  const newest = openDatabase(empty.url, { poolSize: 1 });
  await newest.db.execute(
    sql`update drizzle.__drizzle_migrations set oldest_code = '0.1.0' where hash = 'of the future'`,
  );
  await newest.close();
  const { findings } = await doctor({ DATABASE_URL: empty.url });
  expect(findings.filter(({ check }) => check === 'database')[0]).toMatchObject(
    finding('database', 'ok', '1 migrations of a newer version, on which this one runs'),
  );
});

test('doctor: the database behind a pooler, and a replica: without time limits, another database, away', async () => {
  const direct = { KARAT_DATABASE_DIRECT_URL: runtime.url };
  // PostgreSQL itself stands for a pooler that sets nothing.
  expect((await doctor(direct)).wrong).toEqual([
    finding('database', 'warning', 'no statement_timeout and no idle_in_transaction', 'connect_query'),
    idle,
  ]);
  const other = await cloneTemplate();
  undo.push(() => other.drop());
  expect((await doctor({ KARAT_DATABASE_REPLICA_URL: runtime.url })).wrong).toEqual([idle]);
  expect((await doctor({ KARAT_DATABASE_REPLICA_URL: other.url })).wrong).toContainEqual(
    finding('database', 'failed', 'KARAT_DATABASE_REPLICA_URL leads to another database', 'Correct'),
  );
  const away = { KARAT_DATABASE_DIRECT_URL: 'postgres://karat@127.0.0.1:1/karat' };
  expect((await doctor(away)).wrong).toContainEqual(
    finding(
      'database',
      'failed',
      'No PostgreSQL responds at KARAT_DATABASE_DIRECT_URL (ECONNREFUSED)',
      'Start it',
    ),
  );
});

test('doctor: the node is away, or without notifications', async () => {
  expect((await doctor({ KARAT_RPC_URL: 'http://127.0.0.1:1' })).wrong).toEqual([
    finding('node', 'failed', 'No Solana node responds', 'KARAT_RPC_URL'),
    skippedProgram,
    idle,
  ]);
  const deaf = await doctor({ KARAT_WS_URL: 'ws://127.0.0.1:1' });
  expect([deaf.code, deaf.wrong]).toEqual([
    0,
    [finding('node', 'warning', 'by WebSocket', 'Correct KARAT_WS_URL'), idle],
  ]);
});

test('doctor: one of several nodes is away, or of another chain than the database', async () => {
  const both = `${chain.node.rpcUrl},http://127.0.0.1:1`;
  expect((await doctor({ KARAT_RPC_URL: both })).wrong).toEqual([
    finding('node', 'failed', 'Node 2 of KARAT_RPC_URL does not respond', 'correct KARAT_RPC_URL'),
    idle,
  ]);
  await handle.db.execute(sql`insert into chain_genesis (hash, noted_at) values ('another', now())`);
  undo.push(() => handle.db.execute(sql`delete from chain_genesis`));
  expect((await doctor({})).wrong).toContainEqual(
    finding('node', 'failed', 'The node is on another chain than the database', 'needs a new database'),
  );
});

/** A node that returns its newest slot for the final one. */
const processedForFinal: Lie = async ({ method }, ask) => {
  const response = await ask();
  return method === 'getEpochInfo' ? { ...response, absoluteSlot: response.absoluteSlot + 32 } : response;
};

test.each([
  ['ignores the commitment of getEpochInfo', processedForFinal, /^The node .*getEpochInfo.* 3\d slots ahead/],
  ['refuses minContextSlot', refusingMinContextSlot, /^The node does not take minContextSlot/],
])('doctor: a node that %s is a warning', async (_, lie, says) => {
  const node = await startLyingNode(chain.node.rpcUrl);
  undo.push(() => node.close());
  node.lie = lie;
  const { code, wrong } = await doctor({ KARAT_RPC_URL: node.url, KARAT_WS_URL: chain.node.wsUrl });
  expect([code, wrong]).toEqual([
    0,
    [
      {
        check: 'node',
        verdict: 'warning',
        says: expect.stringMatching(says),
        remedy: expect.stringContaining('another node'),
      },
      idle,
    ],
  ]);
});

test('doctor: the program does not exist, is another one, or has another address', async () => {
  expect((await doctor({ KARAT_PROGRAM_ID: 'nowhere' })).wrong[0]).toEqual(
    finding('program', 'failed', 'is not an address', 'Set it'),
  );
  const nothing = newWallet().address;
  expect((await doctor({ KARAT_PROGRAM_ID: nothing })).wrong[0]).toEqual(
    finding('program', 'failed', `no program at ${nothing}`, 'run karat chain deploy'),
  );
  const memo = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
  expect((await doctor({ KARAT_PROGRAM_ID: memo })).wrong[0]).toEqual(
    finding('program', 'failed', `The program at ${memo} is not Karat's program`, 'Correct KARAT_PROGRAM_ID'),
  );
});

test('doctor: USDC is worth too little to buy gold at par', async () => {
  undo.push(() => chain.price.setUsdc());
  chain.price.setUsdc({ price: 97_000_000n, confidence: 20_000n, exponent: -8 });
  const { wrong, code } = await doctor();
  expect(wrong.filter(({ check }) => check === 'price')).toEqual([
    finding('price', 'warning', 'It is worth less than is accepted', 'sells and redemptions go on'),
  ]);
  expect(code).toBe(0);
});

test('doctor: the price is old, wide or gone', async () => {
  undo.push(() => chain.price.thaw());
  chain.price.freeze();
  chain.node.warp({ seconds: 40 });
  const ageing = (await doctor()).wrong.filter(({ check }) => check === 'price');
  expect(ageing).toEqual([finding('price', 'warning', 'at most 60 s', 'publisher')]);
  chain.node.warp({ seconds: 40 });
  const old = await doctor();
  expect(old.code).toBe(1);
  expect(old.wrong.filter(({ check }) => check === 'price')).toEqual([
    finding('price', 'failed', 'The oracle price is stale', 'publisher'),
    finding('price', 'warning', 'Gold cannot be bought with USDC', 'min_usdc_price'),
  ]);
  // This machine's clock is behind the chain's by now.
  expect(old.wrong).toContainEqual(finding('node', 'failed', "s ahead of this machine's.", 'NTP'));
  const { owner, lamports, executable } = chain.node.getAccount(chain.settings.priceAccount) ?? {};
  if (owner === undefined || lamports === undefined || executable === undefined) throw new Error('no price');
  chain.node.setAccount(chain.settings.priceAccount, {
    owner,
    lamports,
    executable,
    data: new Uint8Array(8),
  });
  expect((await doctor()).wrong).toContainEqual(
    finding('price', 'failed', 'The price account does not contain a price', 'publisher'),
  );
});

test('doctor: the price is judged as by GET /ready', async () => {
  const { KARAT_OWNER_DATABASE_URL: _owner, ...settings } = env;
  const service = Object.entries(settings).filter(([name]) => !name.startsWith('KARAT_OPERATOR_'));
  const ctx = await createContext(readConfig(Object.fromEntries(service)), { log: createLogger('silent') });
  const app = await buildApp(ctx);
  undo.push(async () => {
    await app.close();
    await ctx.close();
  });
  await ctx.chain.start();
  const bothReport = (detail: string, verdict: Finding['verdict'] = 'failed') =>
    eventually(async () => {
      const { body } = await clientOf(app, {}).get('/ready');
      expect(body.checks.price).toEqual({ status: 'failed', detail: expect.stringContaining(detail) });
      const { wrong } = await doctor();
      expect(wrong.filter(({ check }) => check === 'price')).toEqual([
        finding('price', verdict, detail, verdict === 'failed' ? 'publisher' : 'max-age-closed'),
      ]);
    }, 20_000);
  // The chain's clock is ahead of this machine's by now, and so is every price.
  chain.price.thaw();
  chain.price.set({ price: 410_012_000_000n, confidence: 80_000_000n, exponent: -8 });
  await bothReport('The oracle price is from the future');
  await chain.setStatus({ marketState: MarketState.Closed });
  undo.push(() => chain.setStatus({ marketState: MarketState.Open }));
  await bothReport('The oracle price is from the future');
  await chain.changeSettings({ maxAgeClosed: 0 });
  undo.push(() => chain.changeSettings({}));
  await bothReport('The market is closed', 'warning');
});

test('doctor: keys are missing, no keys, readable for others, unknown to the program, or without SOL', async () => {
  const ofKeys = async (changes: Env, without: string[] = []) =>
    (await doctor(changes, without)).findings.filter(
      ({ check, verdict }) => check === 'keys' && verdict !== 'ok',
    );
  expect(await ofKeys({ KARAT_SERVICE_SIGNER: '/nowhere/at/all' })).toEqual([
    finding('keys', 'failed', 'KARAT_SERVICE_SIGNER names /nowhere/at/all', 'JSON array of 64 bytes'),
  ]);
  const stranger = newWallet();
  const file = chain.keyFile(stranger);
  const torn = join(file, '..', 'torn.json');
  writeFileSync(
    torn,
    JSON.stringify([...stranger.secretKey.slice(0, 32), ...newWallet().secretKey.slice(32)]),
  );
  chmodSync(torn, 0o600);
  const [tornKey] = await ofKeys({ KARAT_ADMIN_SIGNER: torn });
  expect(tornKey).toEqual(finding('keys', 'failed', `KARAT_ADMIN_SIGNER names ${torn}`, 'key file'));
  expect(await ofKeys({ KARAT_SERVICE_SIGNER: file })).toEqual([
    finding(
      'keys',
      'failed',
      `does not know the service signer ${stranger.address}`,
      'karat chain replace-key --role service --old none',
    ),
    finding('keys', 'failed', `SOL of ${stranger.address}: 0`, 'Send it SOL'),
  ]);
  const [admin] = await ofKeys({ KARAT_ADMIN_SIGNER: file });
  expect(admin).toEqual(finding('keys', 'failed', 'KARAT_ADMIN_SIGNER holds', chain.admin.address));
  const [guardian] = await ofKeys({ KARAT_GUARDIAN_SIGNER: file });
  expect(guardian).toEqual(finding('keys', 'failed', 'KARAT_GUARDIAN_SIGNER holds', chain.guardian.address));
  // Not to hold them is no fault.
  expect(await ofKeys({}, ['KARAT_ADMIN_SIGNER', 'KARAT_GUARDIAN_SIGNER'])).toEqual([]);
  chmodSync(chain.config.serviceSignerUrl, 0o644);
  undo.push(() => chmodSync(chain.config.serviceSignerUrl, 0o600));
  expect(await ofKeys({})).toEqual([
    finding('keys', 'failed', 'may be read by other users of this machine', 'this user may read'),
  ]);
  chmodSync(chain.config.serviceSignerUrl, 0o640);
  expect(await ofKeys({})).toEqual([finding('keys', 'warning', 'The group of', 'chmod 600')]);
  chmodSync(chain.config.serviceSignerUrl, 0o600);
  expect(await ofKeys({}, ['KARAT_SERVICE_SIGNER'])).toEqual([]);
  expect(await ofKeys({}, ['KARAT_SERVICE_SIGNER', 'KARAT_KYC_KEY'])).toEqual([
    finding('keys', 'warning', 'karat deliver does not start without it', 'encrypts KYC data'),
  ]);
  expect(await ofKeys({}, ['KARAT_KYC_KEY'])).toEqual([
    finding('keys', 'failed', 'KARAT_KYC_KEY is not set', 'encrypts KYC data'),
  ]);
  const text = kycKeyFile('not a key');
  expect(await ofKeys({ KARAT_KYC_KEY: text })).toEqual([
    finding('keys', 'failed', `KARAT_KYC_KEY names ${text}, which does not hold 32 random bytes`, 'backup'),
  ]);
  const former = kycKeyFile('cd'.repeat(32));
  const kyc = new KycSeal(await openKeyWrappers({ kycKeyUrl: former, otherKycKeyUrl: undefined }));
  await handle.db.transaction((tx) => kyc.makeKey(tx));
  undo.push(() => handle.db.execute(sql`delete from kyc_keys`));
  expect(await ofKeys({})).toEqual([
    finding('keys', 'failed', `KARAT_KYC_KEY is not the key ${kyc.name}`, 'backup'),
  ]);
  expect(await ofKeys({ KARAT_OTHER_KYC_KEY: former })).toEqual([
    finding('keys', 'warning', 'still encrypted with an earlier key', 'karat kyc rotate'),
  ]);
  expect(await ofKeys({ KARAT_KYC_KEY: former })).toEqual([]);
  expect(await ofKeys({ KARAT_MIN_SIGNER_SOL: '900' })).toContainEqual(
    finding('keys', 'warning', `SOL of ${chain.service.address}`, 'Send it SOL'),
  );
});

test('doctor: treasury and pauses are reported', async () => {
  const { wrong } = await doctor({ KARAT_MIN_TREASURY_GOLD: '5000', KARAT_MIN_TREASURY_USDC: '9000000' });
  expect(wrong.filter(({ check }) => check === 'program')).toEqual([
    finding('program', 'warning', 'USDC of the treasury: 1000000', 'KARAT_MIN_TREASURY'),
    finding('program', 'warning', 'GOLD of the treasury: 1000', 'KARAT_MIN_TREASURY'),
  ]);
  await chain.setStatus({ paused: 5 });
  undo.push(() => chain.setStatus({ paused: 0 }));
  const paused = (await doctor()).wrong.filter(({ check }) => check === 'program');
  expect(paused).toEqual([
    finding('program', 'warning', 'Paused: trades of users, withdrawals', 'karat chain resume'),
  ]);
});

test('doctor: dead letters are reported, and an unknown form of output is refused', async () => {
  await handle.db.execute(sql`
    insert into dead_letters (id, signature, slot, reason, detail, created_at)
    values (gen_random_uuid(), sha512('a transaction'), 1, 'undecodable', '{}', now())`);
  undo.push(() => handle.db.execute(sql`delete from dead_letters`));
  expect((await doctor()).wrong).toContainEqual(
    finding('operation', 'warning', '1 dead letters with the reason undecodable', 'dead-letters'),
  );
  expect(await callKarat(['doctor', '--output', 'xml'], env)).toEqual({
    code: 2,
    stdout: '',
    stderr: '--output must be text or json, not "xml"\n',
  });
});

/**
 * What the service is measured in: a PostgreSQL of its own, a node with the program on it, and partners with users in both.
 * `karat` itself runs as it is deployed: built, one process for each command, on a core of its own.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Command } from '../packages/service/src/commands.js';
import { type DbHandle, openDatabase, type Tx } from '../packages/service/src/db/client.js';
import {
  apiKeys,
  countries,
  partners,
  partnerWallets,
  userKyc,
  users,
} from '../packages/service/src/db/schema.js';
import type { UserKyc } from '../packages/service/src/db/users.js';
import { hashApiKey, newId, newUuid, type UserId, type Uuid } from '../packages/service/src/domain/index.js';
import { KycSeal } from '../packages/service/src/kyc/kyc-seal.js';
import { openKeyWrappers } from '../packages/service/src/kyc/open-key-wrappers.js';
import { type EmbeddedServer, startEmbeddedPostgres } from '../packages/service/test/embedded-postgres.js';
import { newWallet, type Wallet } from '../packages/service/test/harness.js';
import { type KaratChain, startKaratChain } from '../packages/service/test/karat-chain.js';
import { kycKeyFile } from '../packages/service/test/kyc-key.js';
import { ownPort } from '../packages/service/test/own-port.js';
import { allCores, cpuSecondsOf, end, keepOn, otherCores, pause, serviceCore, spawnOn } from './machine.js';

const home = fileURLToPath(new URL('..', import.meta.url));
/** The folder of the built service, as a URL. */
export const builtService = new URL('../packages/service/dist/', import.meta.url).href;
/** What production runs. */
export const karat = join(home, 'packages/service/dist-start/main.mjs');

const kycKey = kycKeyFile();
const anyUser = {
  country: 'PK',
  fullName: 'Somebody',
  kycProvider: 'sumsub',
  kycLevel: 'full',
  kycData: null,
};

/** A partner with what quotes need: keys, and users that have money and both token accounts. */
export interface Partner {
  id: Uuid;
  wallet: Wallet;
  apiKeys: string[];
  users: { id: UserId; wallet: Wallet }[];
}

/** One request, such as for a quote, as the load is made of. */
export interface QuoteRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  responses: number;
  /** Seconds. */
  elapsed: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  statuses: Record<string, number>;
  errors: number;
  /** Share of one core that the load generator itself used. */
  cpuShare: number;
}

export interface LoadJob {
  requests: QuoteRequest[];
  connections: number;
  seconds: number;
  /** Whether each connection has requests of its own, so that none is made twice before all of them were. */
  apart?: boolean;
}

export interface KaratProcess {
  child: ChildProcess;
  pid: number;
  url: string;
  /** Where it logs. */
  logFile: string;
  stop(): Promise<void>;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

const partnerCount = 4;
const usersOfEach = 25;
/** The limit on requests is one of keys, and no key may be used without one. */
const keysOfEach = 5;
const template = 'karat_template';

/** Builds what is measured, so that it is what the source says. Throws when that fails. */
export function build(): void {
  const steps = [
    ['node_modules/typescript/bin/tsc', '-b', 'packages/service'],
    ['scripts/build-service.mjs'],
  ];
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: home, stdio: 'inherit' });
    if (status !== 0) throw new Error('npm run build failed');
  }
}

/** Starts PostgreSQL with a migrated database that others are copied from. Its settings but these are the defaults. */
function startPostgres(settings: string[]): Promise<EmbeddedServer> {
  const usual = ['max_connections=300', 'shared_buffers=1GB', 'max_wal_size=8GB', 'wal_level=minimal'];
  return startEmbeddedPostgres({
    database: template,
    settings: [...usual, 'max_wal_senders=0', ...settings],
  });
}

/** Makes another database with the schema, and returns its address. */
export async function newDatabase(server: EmbeddedServer): Promise<string> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  await withClient(`${server.url}/postgres`, (sql) =>
    sql.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return `${server.url}/${name}`;
}

/** Runs queries without any limit on their time. */
export async function withClient<T>(url: string, work: (sql: pg.Client) => Promise<T>): Promise<T> {
  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export async function startWorld() {
  keepOn(otherCores);
  const folder = mkdtempSync(join(tmpdir(), 'karat-bench-'));
  const servers = new Set<EmbeddedServer>();
  const startServer = async (settings: string[] = []) => {
    const server = await startPostgres(settings);
    servers.add(server);
    return server;
  };
  const postgres = await startServer();
  const chain = await startKaratChain();
  const generator = fork(join(home, 'bench/processes/load.mjs'), { execArgv: [] });
  const running = new Set<KaratProcess>();
  const given = Array.from({ length: partnerCount }, () => newPartner());
  for (const partner of given) await putOnChain(chain, partner);
  const main = await newDatabase(postgres);
  await insertPartners(main, given);

  const envOf = (databaseUrl: string, more: Record<string, string>): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    DATABASE_URL: databaseUrl,
    KARAT_RPC_URL: chain.config.rpcUrls.join(','),
    KARAT_WS_URL: chain.config.wsUrls.join(','),
    KARAT_PROGRAM_ID: chain.config.programId,
    KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
    KARAT_PICKUP_SECRET: 'p'.repeat(32),
    KARAT_KYC_KEY: kycKey,
    KARAT_KEY_RATE_LIMIT: '1000000',
    KARAT_OPEN_RATE_LIMIT: '1000000',
    KARAT_LOG_LEVEL: 'info',
    ...more,
  });

  /** Starts a process of the service, by default on the core that is measured. It logs to a file, as in production. */
  async function start(
    command: 'serve' | Command,
    options: {
      databaseUrl?: string;
      env?: Record<string, string>;
      cores?: string;
      /** The service as modules of their own, for what is put in place of one of them. */
      script?: string;
      /** What has to succeed before it is taken for started; default: a quote for one of the world's users. */
      firstRequest?: QuoteRequest | undefined;
    } = {},
  ): Promise<KaratProcess> {
    const { databaseUrl = main, env = {}, cores = serviceCore, script = karat } = options;
    const [port, operatorPort] = [await ownPort(), await ownPort()];
    const logFile = join(folder, `${command}-${port}.log`);
    const log = openSync(logFile, 'w');
    const child = spawnOn(cores, [script, command], {
      stdio: ['ignore', log, log],
      env: envOf(databaseUrl, {
        KARAT_PORT: String(port),
        KARAT_OPERATOR_PORT: String(operatorPort),
        ...env,
      }),
    });
    closeSync(log);
    const process: KaratProcess = {
      child,
      pid: child.pid ?? 0,
      url: `http://127.0.0.1:${port}`,
      logFile,
      async stop() {
        running.delete(process);
        await end(child);
        rmSync(logFile, { force: true });
      },
    };
    running.add(process);
    if (command === 'serve' || command === 'serve-partners')
      await firstResponse(process, logFile, options.firstRequest ?? requests[0]);
    return process;
  }

  async function firstResponse(
    process: KaratProcess,
    logFile: string,
    request: QuoteRequest | undefined,
  ): Promise<void> {
    let last = 'no response';
    const deadline = performance.now() + 120_000;
    while (request && performance.now() < deadline && process.child.exitCode === null) {
      const response = await fetch(`${process.url}${request.path}`, request).catch(() => undefined);
      if (response?.status === 200) return;
      if (response) last = `${response.status} ${await response.text()}`;
      await pause(10);
    }
    throw new Error(
      `karat serve does not respond as it should: ${last}\n${readFileSync(logFile, 'utf8').slice(-2_000)}`,
    );
  }

  const requests = requestsOf(given);
  return {
    postgres,
    chain,
    folder,
    main,
    partners: given,
    /** Every user of every partner, buying, with the partner's keys in turns. */
    requests,
    /** The settings of a process of the service. */
    envOf,
    start,
    /** Starts another PostgreSQL, which is gone with `removeServer` or, at the latest, with the world. */
    startServer,
    async removeServer(server: EmbeddedServer) {
      servers.delete(server);
      await server.remove();
    },
    /** Runs requests without a pause. `begun` is called once every connection has had a response: the measurement begins then. */
    async load(job: LoadJob & { url: string }, begun = () => {}): Promise<Load> {
      generator.send(job);
      await once(generator, 'message');
      begun();
      const [load] = (await once(generator, 'message')) as [Load];
      return load;
    },
    async stop() {
      generator.disconnect();
      for (const process of [...running]) await process.stop();
      await chain.stop();
      for (const server of servers) await server.remove();
      rmSync(folder, { recursive: true, force: true });
      keepOn(allCores);
    },
  };
}

/**
 * Runs load on a process and returns what it cost that process. Throws when a request fails, for then the figure would not
 * be one of quotes.
 */
export async function measureLoad(
  world: World,
  { url, pid }: Pick<KaratProcess, 'url' | 'pid'>,
  job: LoadJob,
): Promise<Load & { perCpuSecond: number; busy: number }> {
  let before = 0;
  const load = await world.load({ url, ...job }, () => {
    before = cpuSecondsOf(pid);
  });
  const cpuSeconds = cpuSecondsOf(pid) - before;
  await idle(pid);
  if (failuresOf(load) > 0) throw new Error(`not every request succeeded: ${JSON.stringify(load)}`);
  return { ...load, perCpuSecond: load.responses / cpuSeconds, busy: cpuSeconds / load.elapsed };
}

/** Resolves once a process has done what it was asked for, so that it takes no time from the turn of the next one. */
async function idle(pid: number): Promise<void> {
  let used: number;
  do {
    used = cpuSecondsOf(pid);
    await pause(100);
  } while (cpuSecondsOf(pid) - used >= 0.02);
}

/** Returns how many requests got no quote. */
export function failuresOf({ statuses, errors }: Load): number {
  return Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (status === '200' ? 0 : count),
    errors,
  );
}

export function newPartner(userCount = usersOfEach, keyCount = keysOfEach): Partner {
  return {
    id: newUuid(),
    wallet: newWallet(),
    apiKeys: Array.from({ length: keyCount }, () => `service_partner_${randomBytes(32).toString('hex')}`),
    users: Array.from({ length: userCount }, () => ({ id: newId('gu'), wallet: newWallet() })),
  };
}

async function putOnChain(chain: KaratChain, partner: Partner): Promise<void> {
  await chain.addPartner({ partnerId: partner.id, wallet: partner.wallet.address });
  for (const { wallet } of partner.users) await fund(chain, wallet);
}

/** Gives a wallet money and both token accounts, one of which a first buy would make. */
export async function fund(chain: KaratChain, { address }: Pick<Wallet, 'address'>): Promise<void> {
  await chain.fund(address, 1_000_000_000_000n);
  await chain.node.setTokenBalance(address, chain.goldMint, 1n);
}

/** Writes partners with their keys and users to a database. */
export async function insertPartners(databaseUrl: string, given: readonly Partner[]): Promise<void> {
  const createdAt = new Date();
  const times = { createdAt, updatedAt: createdAt };
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      await tx.insert(countries).values({ code: 'PK', name: 'Pakistan', active: true }).onConflictDoNothing();
      for (const some of chunksOf(given, 500)) {
        await tx
          .insert(partners)
          .values(some.map(({ id }) => ({ id, name: 'Acme Gold', feePercentage: '0.015', ...times })));
        await insertKeys(tx, some);
      }
    }),
  );
  await insertUsers(
    databaseUrl,
    given.flatMap(({ id, users: own }) => own.map((user) => ({ ...user, partnerId: id }))),
  );
}

/** Writes the wallets and keys of partners that are there. */
export async function insertKeys(tx: Tx, given: readonly Partner[]): Promise<void> {
  const createdAt = new Date();
  await tx
    .insert(partnerWallets)
    .values(given.map(({ id, wallet }) => ({ walletAddress: wallet.address, partnerId: id, createdAt })));
  await tx.insert(apiKeys).values(
    given.flatMap(({ id, wallet, apiKeys: keys }) =>
      keys.map((key) => ({
        id: newUuid(),
        partnerId: id,
        walletAddress: wallet.address,
        name: 'bench',
        hash: hashApiKey(key),
        surface: 'partner' as const,
        scope: 'PARTNER',
        createdAt,
      })),
    ),
  );
}

/** Writes users of partners that are there. */
export async function insertUsers(
  databaseUrl: string,
  own: readonly (Partner['users'][number] & { partnerId: Uuid })[],
): Promise<void> {
  const createdAt = new Date();
  const kyc = new KycSeal(await openKeyWrappers({ kycKeyUrl: kycKey, otherKycKeyUrl: undefined }));
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      for (const some of chunksOf(own, 500)) {
        await tx.insert(users).values(
          some.map(({ id, partnerId, wallet }) => ({
            id,
            partnerId,
            partnerUserId: id,
            walletAddress: wallet.address,
            createdAt,
            updatedAt: createdAt,
          })),
        );
        const records: UserKyc[] = [];
        for (const user of some)
          records.push(await kyc.seal(tx, user, { ...anyUser, kycVerifiedAt: createdAt }));
        await tx.insert(userKyc).values(records);
      }
    }),
  );
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

export async function withDatabase<T>(url: string, work: (handle: DbHandle) => Promise<T>): Promise<T> {
  const handle = openDatabase(url, { poolSize: 4 });
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

export function quoteRequest(apiKey: string, userId: string): QuoteRequest {
  return {
    method: 'POST',
    path: '/v1/buy',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ service_user_id: userId, usdc_amount: 1 }),
  };
}

function requestsOf(given: readonly Partner[]): QuoteRequest[] {
  const requests: QuoteRequest[] = [];
  for (let place = 0; place < usersOfEach; place += 1) {
    for (const { apiKeys: keys, users: own } of given) {
      const [apiKey, user] = [keys[place % keys.length], own[place]];
      if (apiKey && user) requests.push(quoteRequest(apiKey, user.id));
    }
  }
  return requests;
}

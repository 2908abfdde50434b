/** A deployment within one process: a database and a chain that go back to the same state for each run, and processes over them. */
import { randomBytes } from 'node:crypto';
import { Localnet } from '@karat/localnet';
import { getConfigDecoder } from '@karat/program-client';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { reconcile } from '../../../packages/service/src/actions/treasury/reconcile.js';
import { readTreasurySnapshot } from '../../../packages/service/src/chain/program/program-snapshot.js';
import { type Config, readConfig } from '../../../packages/service/src/config.js';
import type { Context } from '../../../packages/service/src/context.js';
import { createContext, type OwnedContext } from '../../../packages/service/src/create-context.js';
import { insertBars } from '../../../packages/service/src/db/bars/bars.js';
import { insertDenomination } from '../../../packages/service/src/db/catalogue/denominations.js';
import { openLeadDatabase } from '../../../packages/service/src/db/client.js';
import { beginLead } from '../../../packages/service/src/db/leads.js';
import { insertOperatorToken } from '../../../packages/service/src/db/operators/operator-tokens.js';
import { insertOperator } from '../../../packages/service/src/db/operators/operators.js';
import { apiKeys } from '../../../packages/service/src/db/schema.js';
import { openSession } from '../../../packages/service/src/db/session.js';
import { insertEndpoint } from '../../../packages/service/src/db/webhooks/webhook-endpoints.js';
import { hashApiKey, newId, newUuid, type Uuid } from '../../../packages/service/src/domain/index.js';
import { newOperatorToken } from '../../../packages/service/src/domain/operator-token.js';
import { hashSecret } from '../../../packages/service/src/domain/session.js';
import { createLogger } from '../../../packages/service/src/log.js';
import { cosign } from '../../../packages/service/test/chain/signed-trade.js';
import { startEmbeddedPostgres } from '../../../packages/service/test/embedded-postgres.js';
import { type Indexing, indexingOf, never } from '../../../packages/service/test/indexer/indexing.js';
import { allowOldPrices } from '../../../packages/service/test/indexer/world.js';
import { type KaratChain, startKaratChain } from '../../../packages/service/test/karat-chain.js';
import { tola } from '../../../packages/service/test/redeeming.js';
import { insertPartners, newPartner, type Partner, withDatabase } from '../../world.js';
import { settingsOf } from '../settings.js';
import { states } from './plan.js';
import { Receiver } from './receiver.js';
import { Scheduler } from './scheduler.js';
import { buildClerksApp, buildPartnerApp } from './serving.js';
import { Sessions } from './sessions.js';
import { Snapshot } from './snapshot.js';
import { type Actor, actors, beginningMs, type Process, VirtualTime } from './virtual-time.js';

export const serving = ['serve-1', 'serve-2'] as const;
export const indexing = ['index-1', 'index-2'] as const;
export const delivering = ['deliver-1', 'deliver-2'] as const;
export const keeping = ['keep-1', 'keep-2'] as const;
const processNames = [...serving, ...indexing, ...delivering, ...keeping] as const;
export type ProcessName = (typeof processNames)[number];

/** What a process that serves has. */
export interface Serving extends Process {
  ctx: OwnedContext;
  app: FastifyInstance;
  operatorApp: FastifyInstance;
}

/** What a process that indexes has: the parts of its lead, once it has led. */
export interface Indexer extends Process {
  ctx: OwnedContext;
  led: Led | undefined;
}

/** What a process that delivers has. */
export interface Delivering extends Process {
  ctx: OwnedContext;
}

/** What a process that keeps has: its context as a leader, once it has led. */
export interface Keeping extends Process {
  ctx: OwnedContext;
  kept: { ctx: Context; epoch: number } | undefined;
}

export type Running = Serving | Indexer | Delivering | Keeping;

/** The parts of a lead, and the number by which the database knows it. */
interface Led {
  indexing: Indexing;
  epoch: number;
}

const slotMs = 400;
const users = 2;
/** Until what was sent is final, s. */
export const finalAfterSeconds = 20;
const funding = { usdc: 1_000_000_000_000n, gold: 20_000_000n };
const vaultGold = 500_000_000n;
const dayMs = 86_400_000;
/** Where webhooks go. */
export const receiverUrl = 'http://127.0.0.1:9999/events';
export type World = Awaited<ReturnType<typeof openWorld>>;

/** @param server a PostgreSQL with the migrated database `karat_template`; default: one of its own. */
export async function openWorld(server?: string) {
  const time = new VirtualTime();
  time.install();
  time.reset(0);
  const own = server === undefined ? await startPostgres() : undefined;
  const { url: databaseUrl, admin } = await newDatabase(own?.url ?? server ?? '');
  const monitor = await connect(databaseUrl);
  const chain = await startStillChain();
  let passedMs = 0;
  const pass = (ms: number) => {
    passedMs += ms;
    const slots = Math.floor(passedMs / slotMs);
    if (slots === 0) return;
    passedMs -= slots * slotMs;
    chain.node.warp({ slots });
  };
  const sessions = new Sessions();
  sessions.install();
  const { rpcUrl } = chain.node;
  const respond = (text: string) => chain.node.respond(text);
  const receiver = new Receiver();
  const scheduler = new Scheduler({
    time,
    monitor,
    sessions,
    node: { url: rpcUrl, respond },
    receiver,
    pass,
  });
  const config = configOf(chain, databaseUrl);
  const parts = { clock: chain.clock, log: createLogger(process.env.KARAT_TORTURE_LOG ?? 'silent') };

  async function start(name: ProcessName): Promise<Running> {
    const process: Process = { name, isDead: false };
    const number = 1_000 + processNames.indexOf(name);
    const actor: Actor = { name: `${name} itself`, process, number, steps: { next: 0 } };
    const started = await actors.run(actor, async () => {
      if (name.startsWith('index')) {
        const ctx = await createContext({ ...config, ...withoutKeys }, parts);
        await ctx.chain.start({ quoting: false });
        return Object.assign(process, { ctx, led: undefined });
      }
      if (name.startsWith('deliver')) {
        const ctx = await createContext({ ...config, ...withoutKeys }, parts);
        // Its notifications only make it quicker.
        return Object.assign(process, { ctx: { ...ctx, feed: silentFeed } });
      }
      if (name.startsWith('keep'))
        return Object.assign(process, { ctx: await createContext(config, parts), kept: undefined });
      const ctx = await createContext(config, parts);
      await ctx.chain.start({ quoting: true });
      const [app, operatorApp] = [await buildPartnerApp(ctx), await buildClerksApp(ctx)];
      return Object.assign(process, { ctx, app, operatorApp });
    });
    // What it has begun in the background ends before anything else begins.
    await scheduler.quiet();
    return started;
  }

  const partner = newPartner(users, 2);
  const vaultKey = `service_tradebook_${randomBytes(32).toString('hex')}`;
  const operators = await seed({ chain, databaseUrl, partner, vaultKey });
  // The service makes partitions for the days to come from the database's clock.
  for (const days of [0, 3])
    await monitor.query(
      `select keep_partitions(name, $1::timestamptz, $1::timestamptz - interval '9 days') from unnest(array['events', 'request_log']) as name`,
      [new Date(beginningMs + days * dayMs)],
    );
  const secondKey = await monitor.query<{ id: string }>('select id from api_keys where hash = $1', [
    hashApiKey(partner.apiKeys[1] ?? ''),
  ]);
  const auditor = withoutReaders(await createContext({ ...config, ...withoutKeys }, parts), chain);
  const base = { time, scheduler, chain, databaseUrl, monitor, partner, vaultKey, operators, pass, start };
  const redemptions = await prepare(base, auditor);
  const keeper = await connect(databaseUrl);
  const snapshot = await Snapshot.take(keeper);
  const backOnChain = chain.node.mark();
  return {
    ...base,
    /** Has no time limits, and judges. */
    auditor,
    secondKeyId: secondKey.rows[0]?.id,
    /** One in each of `states`. */
    redemptions,
    receiver,
    /** Restores chain and database. No process may live. */
    async goBack(seed: number): Promise<void> {
      backOnChain();
      passedMs = 0;
      receiver.reset(seed);
      await snapshot.restore();
    },
    /** Restores the database alone. No process may live. */
    restore: () => snapshot.restore(),
    async close() {
      await auditor.close();
      await sessions.end();
      await keeper.end();
      await monitor.end();
      await chain.stop();
      await admin.query(`drop database ${new URL(databaseUrl).pathname.slice(1)} with (force)`);
      await admin.end();
      await own?.remove();
    },
  };
}

/** Returns a context whose chain needs no reader that reads again and again: what it reads of the configuration does not change. */
function withoutReaders(ctx: OwnedContext, { node, addresses }: KaratChain): OwnedContext {
  const config = getConfigDecoder().decode(node.getAccount(addresses.config)?.data ?? new Uint8Array());
  const integratorAddress = (id: Uuid) => ctx.chain.program.integratorAddress(id);
  const program = { config: () => config, integratorAddress } as typeof ctx.chain.program;
  return { ...ctx, chain: Object.assign(Object.create(ctx.chain), { program }) };
}

const silentFeed = { follow: () => () => {}, stop: async () => {} } as unknown as Context['feed'];

/** Begins to lead, as one who has won the election does. Returns the context of the lead, and its number. */
export async function lead(ctx: Context, role: 'indexer' | 'keeper', databaseUrl: string) {
  const session = await openSession(databaseUrl, { applicationName: `karat-${role}` });
  const won = await beginLead(session.client, role);
  const { db, pool } = openLeadDatabase(databaseUrl, won, { poolSize: 3 });
  return { ctx: { ...ctx, db, pool }, epoch: won.epoch };
}

/** The same, with the parts of an indexer. */
export async function leadIndexing(ctx: Context, databaseUrl: string): Promise<Led> {
  const { ctx: led, epoch } = await lead(ctx, 'indexer', databaseUrl);
  return { indexing: await indexingOf(led, { finalAfterMs: 0 }), epoch };
}

const startPostgres = () =>
  startEmbeddedPostgres({
    database: 'karat_template',
    settings: [
      ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal'],
      ...['max_wal_senders=0', 'max_wal_size=128MB', 'min_wal_size=32MB', 'autovacuum=off'],
    ],
  });

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function newDatabase(server: string): Promise<{ url: string; admin: pg.Client }> {
  const admin = await connect(`${server}/postgres`);
  const name = `torture_${process.pid}_${randomBytes(3).toString('hex')}`;
  // Cloning fails while another process clones the same template.
  await admin.query('select pg_advisory_lock(1)');
  await admin.query(`create database ${name} template karat_template strategy file_copy`);
  await admin.query('select pg_advisory_unlock(1)');
  return { url: `${server}/${name}`, admin };
}

/** A chain whose slots and time move only when they are moved. */
async function startStillChain(): Promise<KaratChain> {
  const start = Localnet.start;
  Localnet.start = async (options) => {
    const node = await start.call(Localnet, options);
    node.pause();
    return node;
  };
  const chain = await startKaratChain({ slotMs }).finally(() => {
    Localnet.start = start;
  });
  chain.price.freeze();
  allowOldPrices(chain.node, chain.addresses.config);
  return chain;
}

const endpointAt = (at: Date) => ({
  ...{ id: newId('we'), url: receiverUrl, types: null, description: null, status: 'active' as const },
  ...{ secret: `whsec_${Buffer.alloc(24).toString('base64')}`, previousSecret: null, previousUntil: null },
  ...{ plannedSequence: 0n, failingSince: null, createdAt: at, updatedAt: at },
});

const withoutKeys = {
  serviceSignerUrl: undefined,
  operationsSignerUrl: undefined,
  guardianSignerUrl: undefined,
  kycKeyUrl: undefined,
} satisfies Partial<Config>;

function configOf(chain: KaratChain, databaseUrl: string): Config {
  const config = readConfig({ ...settingsOf(chain, databaseUrl), KARAT_LOG_LEVEL: 'silent' });
  // Notifications come when they come; polling does without them.
  return { ...config, guardianSignerUrl: chain.keyFile(chain.guardian), wsUrls: [], databasePoolSize: 4 };
}

interface Seeding {
  chain: KaratChain;
  databaseUrl: string;
  partner: Partner;
  vaultKey: string;
}

/** Writes what partners and operators would enter; returns the tokens of three clerks. */
async function seed({ chain, databaseUrl, partner, vaultKey }: Seeding): Promise<string[]> {
  const vault = await chain.addPartner({ partnerId: partner.id, wallet: partner.wallet.address });
  await chain.node.setTokenBalance(vault, chain.usdcMint, funding.usdc);
  await chain.node.setTokenBalance(vault, chain.goldMint, vaultGold);
  chain.node.airdrop(partner.wallet.address, 1_000_000_000n);
  for (const { wallet } of partner.users) {
    await chain.fund(wallet.address, funding.usdc);
    await chain.node.setTokenBalance(wallet.address, chain.goldMint, funding.gold);
  }
  await insertPartners(databaseUrl, [partner]);
  const at = new Date(beginningMs);
  const bar = { refiner: 'Valcambi', fineness: '999.9', denominationId: tola.id, city: tola.city };
  const bars = Array.from({ length: 6 }, (_, n) => ({ ...bar, serial: `T${n}`, weightG: tola.weightG }));
  const large = Array.from({ length: 60 }, (_, n) => ({ ...bar, serial: `K${n}`, weightG: '1000' }));
  const tokens: string[] = [];
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      await insertDenomination(tx, tola, at);
      await insertBars(tx, [...bars, ...large], at);
      await insertEndpoint(tx, { ...endpointAt(at), partnerId: partner.id });
      await tx.insert(apiKeys).values({
        ...{
          id: newUuid(),
          surface: 'tradebook',
          partnerId: partner.id,
          walletAddress: partner.wallet.address,
        },
        ...{ name: 'vault', hash: hashApiKey(vaultKey), createdAt: at, scope: 'PARTNER_EXECUTIVE_AUTHORITY' },
      });
      for (const name of ['one', 'two', 'three']) {
        const id = newUuid();
        const account = { id, email: `${name}@karat.test`, name, role: 'fulfilment' } as const;
        const passwordHash = '$argon2id$none';
        await insertOperator(tx, { ...account, passwordHash, createdAt: at, updatedAt: at });
        const token = newOperatorToken();
        const row = {
          id: newUuid(),
          operatorId: id,
          name: 'torture',
          hash: hashSecret(token),
          createdAt: at,
        };
        await insertOperatorToken(tx, { ...row, expiresAt: new Date(at.getTime() + 30 * dayMs) });
        tokens.push(token);
      }
    }),
  );
  return tokens;
}

interface Base {
  chain: KaratChain;
  partner: Partner;
  operators: string[];
  scheduler: Scheduler;
  start(name: ProcessName): Promise<Running>;
}

/** Has redemptions paid and brings them to their states; everything that the chain carries is recorded. */
async function prepare(
  { chain, partner, operators, scheduler, start }: Base,
  auditor: Context,
): Promise<string[]> {
  const process = (await start('serve-1')) as Serving;
  const actor: Actor = { name: 'setup', process, number: 0, steps: { next: 0 } };
  const send = async (method: 'GET' | 'POST', url: string, body?: object, clerk = 0) => {
    const isClerks = url.startsWith('/operator');
    const headers = isClerks
      ? { authorization: `Bearer ${operators[clerk]}` }
      : { 'x-api-key': partner.apiKeys[0] ?? '' };
    const app = isClerks ? process.operatorApp : process.app;
    const sent = { method, url, headers, ...(body && { payload: body }) };
    const work = { name: url, ended: false };
    const responding = actors
      .run(actor, async () => await app.inject(sent))
      .finally(() => {
        work.ended = true;
      });
    // What it waits for comes in turn, and its timers fire.
    await scheduler.run([work]);
    const response = await responding;
    if (response.statusCode >= 300) throw new Error(`${url}: ${response.body}`);
    return response.json();
  };
  const indexer = await indexingOf(auditor, { finalAfterMs: 0 });
  const index = async () => {
    chain.node.warp({ seconds: finalAfterSeconds });
    await indexer.round();
    await indexer.complete();
    await indexer.settle();
  };
  const redemptions: string[] = [];
  for (const [n] of states.entries()) {
    const user = partner.users[n % partner.users.length];
    if (!user) throw new Error('there is no user');
    const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    const quoted = await send('POST', '/v1/redemptions', body);
    const signed = cosign(Buffer.from(quoted.partially_signed_transaction, 'base64'), [user.wallet]);
    await chain.sendStraight(signed);
    redemptions.push(quoted.redemption_id);
  }
  await index();
  const idOf = (state: (typeof states)[number]) => redemptions[states.indexOf(state)];
  const move = (id: string | undefined, step: string, body = {}) =>
    send('POST', `/operator/v1/redemptions/${id}/${step}`, body);
  for (const id of [idOf('ready'), idOf('preparing'), idOf('collected'), idOf('burn_due')])
    await move(id, 'prepare');
  const handOver = async (id: string | undefined, bar: number) => {
    await move(id, 'ready', { bar_serial: `T${bar}` });
    const { pickup_code } = await send('GET', `/v1/redemptions/${id}`);
    await move(id, 'collect', { pickup_code });
  };
  await move(idOf('ready'), 'ready', { bar_serial: 'T3' });
  await handOver(idOf('collected'), 4);
  await handOver(idOf('burn_due'), 5);
  await send('POST', `/v1/redemptions/${idOf('cancelled')}/cancel`, {});
  await move(idOf('cancelled'), 'cancel', { physical_gold_committed: false });
  const { approval_id } = await move(idOf('burn_due'), 'burn');
  await send('POST', `/operator/v1/approvals/${approval_id}/approve`, {}, 1);
  await index();
  // Burns are announced a day ahead.
  chain.node.warp({ seconds: dayMs / 1_000 });
  await index();
  const snapshot = await readTreasurySnapshot(auditor.chain, never);
  await index();
  const parts = { doubts: new Map(), recordDeposits: async () => {} };
  if (!(await reconcile(auditor, snapshot, parts, never)))
    throw new Error('the balances of the treasury are not compared');
  await scheduler.end(process);
  return redemptions;
}

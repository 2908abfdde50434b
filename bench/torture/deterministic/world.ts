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
import { openSession } from '../../../packages/service/src/db/session.js';
import { newUuid, type Uuid } from '../../../packages/service/src/domain/index.js';
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
import { Scheduler } from './scheduler.js';
import { buildClerksApp, buildPartnerApp } from './serving.js';
import { Snapshot } from './snapshot.js';
import { type Actor, actors, beginningMs, type Process, VirtualTime } from './virtual-time.js';

export const serving = ['serve-1', 'serve-2'] as const;
export const indexing = ['index-1', 'index-2'] as const;
const processNames = [...serving, ...indexing] as const;
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
  const { rpcUrl } = chain.node;
  const respond = (text: string) => chain.node.respond(text);
  const scheduler = new Scheduler({ time, monitor, node: { url: rpcUrl, respond }, pass });
  const config = configOf(chain, databaseUrl);
  const parts = { clock: chain.clock, log: createLogger(process.env.KARAT_TORTURE_LOG ?? 'silent') };

  async function start(name: ProcessName): Promise<Serving | Indexer> {
    const process: Process = { name, isDead: false };
    const number = 1_000 + processNames.indexOf(name);
    const actor: Actor = { name: `${name} itself`, process, number, steps: { next: 0 } };
    const started = await actors.run(actor, async () => {
      if (name.startsWith('index')) {
        const ctx = await createContext({ ...config, ...withoutKeys }, parts);
        await ctx.chain.start({ quoting: false });
        return Object.assign(process, { ctx, led: undefined });
      }
      const ctx = await createContext(config, parts);
      await ctx.chain.start({ quoting: true });
      const [app, operatorApp] = [await buildPartnerApp(ctx), await buildClerksApp(ctx)];
      return Object.assign(process, { ctx, app, operatorApp });
    });
    // What it has begun in the background ends before anything else begins.
    await scheduler.quiet();
    return started;
  }

  const partner = newPartner(users, 1);
  const operators = await seed(chain, databaseUrl, partner);
  // The service makes partitions for the days to come from the database's clock.
  await monitor.query(
    `select keep_partitions(name, $1::timestamptz, $1::timestamptz - interval '3 days') from unnest(array['events', 'request_log']) as name`,
    [new Date(beginningMs)],
  );
  const auditor = withoutReaders(await createContext({ ...config, ...withoutKeys }, parts), chain);
  const base = { time, scheduler, chain, databaseUrl, monitor, partner, operators, pass, start };
  const redemptions = await prepare(base, auditor);
  const keeper = await connect(databaseUrl);
  const snapshot = await Snapshot.take(keeper);
  const backOnChain = chain.node.mark();
  return {
    ...base,
    /** Has no time limits, and judges. */
    auditor,
    /** A redemption that is paid, one that is ready, one that is cancelled, and one in preparation. */
    redemptions,
    /** Restores chain and database. No process may live. */
    async goBack(): Promise<void> {
      backOnChain();
      passedMs = 0;
      await snapshot.restore();
    },
    async close() {
      await auditor.close();
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

/** Begins to lead, as one who has won the election does, and returns the parts of the lead. */
export async function lead(ctx: Context, databaseUrl: string): Promise<Led> {
  const session = await openSession(databaseUrl, { applicationName: 'karat-indexer' });
  const won = await beginLead(session.client, 'indexer');
  const { db, pool } = openLeadDatabase(databaseUrl, won, { poolSize: 3 });
  return { indexing: await indexingOf({ ...ctx, db, pool }, { finalAfterMs: 0 }), epoch: won.epoch };
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

const withoutKeys = {
  serviceSignerUrl: undefined,
  operationsSignerUrl: undefined,
  kycKeyUrl: undefined,
} satisfies Partial<Config>;

function configOf(chain: KaratChain, databaseUrl: string): Config {
  const config = readConfig({ ...settingsOf(chain, databaseUrl), KARAT_LOG_LEVEL: 'silent' });
  // Notifications come when they come; polling does without them.
  return { ...config, wsUrls: [], databasePoolSize: 4 };
}

/** Writes what partners and operators would enter; returns the tokens of two clerks and an admin. */
async function seed(chain: KaratChain, databaseUrl: string, partner: Partner): Promise<string[]> {
  await chain.addPartner({ partnerId: partner.id, wallet: partner.wallet.address });
  for (const { wallet } of partner.users) {
    await chain.fund(wallet.address, funding.usdc);
    await chain.node.setTokenBalance(wallet.address, chain.goldMint, funding.gold);
  }
  await insertPartners(databaseUrl, [partner]);
  const at = new Date(beginningMs);
  const bar = { refiner: 'Valcambi', fineness: '999.9', denominationId: tola.id, city: tola.city };
  const bars = Array.from({ length: 4 }, (_, n) => ({ ...bar, serial: `T${n}`, weightG: tola.weightG }));
  const large = Array.from({ length: 40 }, (_, n) => ({ ...bar, serial: `K${n}`, weightG: '1000' }));
  const tokens: string[] = [];
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      await insertDenomination(tx, tola, at);
      await insertBars(tx, [...bars, ...large], at);
      for (const name of ['one', 'two']) {
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
        await insertOperatorToken(tx, { ...row, expiresAt: new Date(at.getTime() + 86_400_000) });
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
  start(name: ProcessName): Promise<Serving | Indexer>;
}

/** Has four redemptions paid and brings them to their states; everything that the chain carries is recorded. */
async function prepare(
  { chain, partner, operators, scheduler, start }: Base,
  auditor: Context,
): Promise<string[]> {
  const process = (await start('serve-1')) as Serving;
  const actor: Actor = { name: 'setup', process, number: 0, steps: { next: 0 } };
  const post = async (url: string, body: object) => {
    const headers = url.startsWith('/operator')
      ? { authorization: `Bearer ${operators[0]}` }
      : { 'x-api-key': partner.apiKeys[0] ?? '' };
    const app = url.startsWith('/operator') ? process.operatorApp : process.app;
    const response = await actors.run(
      actor,
      async () => await app.inject({ method: 'POST', url, headers, payload: body }),
    );
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
  for (let n = 0; n < 4; n += 1) {
    const user = partner.users[n % partner.users.length];
    if (!user) throw new Error('there is no user');
    const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    const { redemption_id: id, partially_signed_transaction: wire } = await post('/v1/redemptions', body);
    const signed = cosign(Buffer.from(wire, 'base64'), [user.wallet]);
    await chain.sendStraight(signed);
    redemptions.push(id);
  }
  await index();
  const [, ready, cancelled, preparing] = redemptions;
  const at = '/operator/v1/redemptions';
  await post(`${at}/${ready}/prepare`, {});
  await post(`${at}/${ready}/ready`, { bar_serial: 'T3' });
  await post(`${at}/${preparing}/prepare`, {});
  await post(`/v1/redemptions/${cancelled}/cancel`, {});
  await post(`${at}/${cancelled}/cancel`, { physical_gold_committed: false });
  await index();
  const snapshot = await readTreasurySnapshot(auditor.chain, never);
  await index();
  const compared = await reconcile(
    auditor,
    snapshot,
    { doubts: new Map(), recordDeposits: async () => {} },
    never,
  );
  if (!compared) throw new Error('the balances of the treasury are not compared');
  await scheduler.end(process);
  return redemptions;
}

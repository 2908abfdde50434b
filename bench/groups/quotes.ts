/**
 * Quotes for each CPU second of `karat serve`, next to raw signatures and to what others would build. All of them take
 * turns on one core, with load, PostgreSQL and node on the others, so that only the ratios between them say anything.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUY_DISCRIMINATOR, findIntegratorPda } from '../../packages/program-client/src/index.js';
import { uuidBytes } from '../../packages/service/src/domain/index.js';
import { ownPort } from '../../packages/service/test/own-port.js';
import { type BenchOptions, type Figure, median, report, shown, warmUpSeconds } from '../figures.js';
import { end, pause, serviceCore, spawnOn } from '../machine.js';
import { type KaratProcess, measureLoad, type World, withClient } from '../world.js';

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const usual = 50;
/** One after the other, and more than anyone needs. */
const others = [1, 500];

type Measured = Awaited<ReturnType<typeof measureLoad>>;
type Target = Pick<KaratProcess, 'url' | 'pid'>;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = options.quick ? [3, 1] : [5, 2];
  const ours = await world.start('serve');
  const limit = startRaw(await messageLength(world, ours.url));
  const peers = await startPeers(world);
  try {
    const targets = { ours, ...peers.processes };
    const warmUp = { requests: world.requests, connections: usual, seconds: warmUpSeconds(options) };
    for (const target of Object.values(targets)) await measureLoad(world, target, warmUp);
    const figures = await takeTurns(world, targets, limit, { rounds, seconds });
    for (const connections of others) {
      figures.push(await measureAt(world, ours, limit, { connections, rounds: 3, seconds }));
    }
    return figures;
  } finally {
    await limit.stop();
    await peers.stop();
    await ours.stop();
  }
}

/** Measures everything in every round, now from the first to the last and now the other way. */
async function takeTurns(
  world: World,
  targets: Record<'ours' | 'fastify' | 'express', Target>,
  limit: Raw,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figure[]> {
  const job = { requests: world.requests, connections: usual, seconds };
  const raw: number[] = [];
  const taken = { ours: [] as Measured[], fastify: [] as Measured[], express: [] as Measured[] };
  const names = ['ours', 'fastify', 'express'] as const;
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await limit.measure(seconds / 2));
    for (const name of round % 2 ? names.toReversed() : names) {
      taken[name].push(await measureLoad(world, targets[name], job));
    }
  }
  warnOfOthers(taken.ours);
  const ours = taken.ours.map(worth);
  const peer = (name: string, theirs: number[], required: number, aim: number): Figure => ({
    name: `peer: ${name}`,
    value: median(theirs),
    unit,
    ratio: { to: 'quotes of ours for one of theirs', value: medianRatio(ours, theirs) },
    required,
    aim,
    better: 'higher',
  });
  return [
    { name: 'raw Ed25519 signatures', value: median(raw), unit, better: 'higher', detail: { rounds: raw } },
    {
      name: `quotes, ${usual} connections`,
      value: median(ours),
      unit,
      ratio: { to: 'raw signatures', value: medianRatio(ours, raw) },
      required: 0.17,
      aim: 0.25,
      better: 'higher',
      detail: {
        rounds: taken.ours,
        // Of the queue before it, under as much load as there can be.
        p50: median(taken.ours.map(({ p50 }) => p50)),
        p99: median(taken.ours.map(({ p99 }) => p99)),
      },
    },
    peer('Fastify + kit', taken.fastify.map(worth), 15, 20),
    peer('Express + web3.js 1', taken.express.map(worth), 45, 80),
  ];
}

/** Measures quotes at another number of connections, in turns with raw signatures. */
async function measureAt(
  world: World,
  ours: Target,
  limit: Raw,
  { connections, rounds, seconds }: { connections: number; rounds: number; seconds: number },
): Promise<Figure> {
  const job = { requests: world.requests, connections, seconds: Math.max(1, seconds - 1) };
  const [raw, taken]: [number[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await limit.measure(seconds / 4));
    taken.push(await measureLoad(world, ours, job));
  }
  const values = taken.map(worth);
  return {
    name: `quotes, ${connections} connection${connections === 1 ? '' : 's'}`,
    value: median(values),
    unit,
    ratio: { to: 'raw signatures', value: medianRatio(values, raw) },
    better: 'higher',
    detail: { p50: median(taken.map(({ p50 }) => p50)), p99: median(taken.map(({ p99 }) => p99)) },
  };
}

const unit = 'per CPU second';
const worth = ({ perCpuSecond }: Measured) => perCpuSecond;
const medianRatio = (of: readonly number[], to: readonly number[]) =>
  median(of.map((value, round) => value / (to[round] ?? Number.NaN)));

/** Returns how long the message of a quote is, in bytes. */
export async function messageLength(world: World, url: string): Promise<number> {
  const [request] = world.requests;
  const response = request && (await fetch(`${url}${request.path}`, request));
  const body = (await response?.json()) as { partially_signed_transaction: string };
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  return transaction.length - 1 - 64 * (transaction[0] ?? 0);
}

type Raw = ReturnType<typeof startRaw>;

/** Starts raw signatures of a message of that length on the core that is measured; `measure` returns how many a CPU second. */
export function startRaw(bytes: number) {
  const child = spawnOn(serviceCore, [path('processes/raw-signatures.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    async measure(seconds: number): Promise<number> {
      child.send({ seconds, bytes });
      const { perCpuSecond } = await new Promise<{ perCpuSecond: number }>((resolve) =>
        child.once('message', (sent) => resolve(sent as { perCpuSecond: number })),
      );
      return perCpuSecond;
    },
    stop: () => end(child),
  };
}

/** Says so when the figure is one of the load generator, or of other work on the machine. */
function warnOfOthers(loads: { busy: number; cpuShare: number }[]): void {
  const busy = median(loads.map((load) => load.busy));
  const generator = median(loads.map(({ cpuShare }) => cpuShare));
  report(
    `the service used ${shown(busy * 100)} % of its core, the load generator ${shown(generator * 100)} %`,
  );
  if (generator > 0.8) report('WARNING: the load generator was the limit');
  else if (busy < 0.9)
    report('WARNING: other work kept the service from its core; latencies are longer for it');
}

/** Starts the peers on the same core, with tables of their own that hold the same partners, keys and users. */
async function startPeers(world: World) {
  const databaseUrl = await peerDatabase(world);
  const { chain } = world;
  const { programId: programAddress } = chain.config;
  const integrators = await Promise.all(
    world.partners.map(async ({ id }) => {
      const [integrator] = await findIntegratorPda(
        { partnerId: uuidBytes(id) },
        { programAddress: programAddress as never },
      );
      return [id, integrator];
    }),
  );
  const accounts = {
    ...chain.addresses,
    usdcMint: chain.usdcMint,
    goldMint: chain.goldMint,
    priceAccount: chain.settings.priceAccount,
    usdcPriceAccount: chain.settings.usdcPriceAccount,
    programAddress,
    integrators: Object.fromEntries(integrators),
    buy: BUY_DISCRIMINATOR,
  };
  const children: ChildProcess[] = [];
  const start = async (file: string) => {
    const port = await ownPort();
    const log = openSync(join(world.folder, `${port}.log`), 'w');
    const options: SpawnOptions = {
      stdio: ['ignore', log, 'inherit'],
      env: {
        PATH: process.env.PATH ?? '',
        NODE_ENV: 'production',
        PEER: JSON.stringify({
          databaseUrl,
          rpcUrl: chain.node.rpcUrl,
          keypair: chain.config.serviceSignerUrl,
          port,
          accounts,
          priceE8: '410012000000',
        }),
      },
    };
    const child = spawnOn(serviceCore, [path(`peers/${file}`)], options);
    closeSync(log);
    children.push(child);
    const url = `http://127.0.0.1:${port}`;
    for (let tries = 0; ; tries += 1) {
      const [request] = world.requests;
      const response = request && (await fetch(`${url}${request.path}`, request).catch(() => undefined));
      if (response?.status === 200) break;
      if (tries > 200 || child.exitCode !== null)
        throw new Error(`${file} does not quote: ${await response?.text()}`);
      await pause(50);
    }
    return { url, pid: child.pid ?? 0 };
  };
  return {
    processes: { fastify: await start('fastify-kit.mjs'), express: await start('express-web3.mjs') },
    async stop() {
      for (const child of children) await end(child);
    },
  };
}

async function peerDatabase({ postgres, partners }: World): Promise<string> {
  const name = `peers_${randomBytes(4).toString('hex')}`;
  await withClient(`${postgres.url}/postgres`, (sql) => sql.query(`create database ${name}`));
  const url = `${postgres.url}/${name}`;
  await withClient(url, async (sql) => {
    await sql.query(`
      create table peer_partners (id uuid primary key, wallet text not null, status text not null);
      create table peer_keys (hash bytea primary key, partner_id uuid not null references peer_partners, revoked_at timestamptz);
      create table peer_users (id text primary key, partner_id uuid not null references peer_partners,
        wallet text not null, status text not null, kyc_level text not null)`);
    for (const { id, wallet, apiKeys, users } of partners) {
      await sql.query('insert into peer_partners values ($1, $2, $3)', [id, wallet.address, 'active']);
      for (const key of apiKeys) {
        const hash = createHash('sha256').update(key).digest();
        await sql.query('insert into peer_keys values ($1, $2)', [hash, id]);
      }
      for (const user of users) {
        await sql.query('insert into peer_users values ($1, $2, $3, $4, $5)', [
          user.id,
          id,
          user.wallet.address,
          'active',
          'full',
        ]);
      }
    }
  });
  return url;
}

/** A deployment as in production, on one machine: each process, and between each process and what it needs a proxy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { insertBars } from '../../packages/service/src/db/bars/bars.js';
import { insertDenomination } from '../../packages/service/src/db/catalogue/denominations.js';
import { insertOperatorToken } from '../../packages/service/src/db/operators/operator-tokens.js';
import { insertOperator } from '../../packages/service/src/db/operators/operators.js';
import { insertEndpoint } from '../../packages/service/src/db/webhooks/webhook-endpoints.js';
import { newId, newUuid } from '../../packages/service/src/domain/index.js';
import { newOperatorToken } from '../../packages/service/src/domain/operator-token.js';
import { hashSecret } from '../../packages/service/src/domain/session.js';
import { type EmbeddedServer, startEmbeddedPostgres } from '../../packages/service/test/embedded-postgres.js';
import { type KaratChain, startKaratChain } from '../../packages/service/test/karat-chain.js';
import { kycKeyFile } from '../../packages/service/test/kyc-key.js';
import { ownPort } from '../../packages/service/test/own-port.js';
import { tola } from '../../packages/service/test/redeeming.js';
import { TcpProxy } from '../../packages/service/test/tcp-proxy.js';
import { type Receiver, startReceiver } from '../../packages/service/test/webhooks.js';
import { insertPartners, newPartner, type Partner, withDatabase } from '../world.js';
import { type ProcessName, processNames, type Wire, wires } from './schedule.js';

const usersOfEach = 4;
/** After so long a supervisor starts a process again that ended by itself. */
const restartMs = 1_000;
const funding = { usdc: 1_000_000_000_000n, gold: 20_000_000n };

/** One process of the service with the proxies that it is connected through. */
export interface Tortured {
  name: ProcessName;
  child: ChildProcess;
  /** Whether it is meant to be down: otherwise it is started again, as a supervisor does. */
  isDown: boolean;
  proxies: Record<Wire, TcpProxy>;
  /** Where it serves partners and operators. */
  url: string;
  operatorUrl: string;
}

export interface World {
  chain: KaratChain;
  postgres: EmbeddedServer;
  databaseUrl: string;
  partners: Partner[];
  receiver: Receiver;
  /** The events that the receiver has taken. */
  taken: Set<string>;
  operatorToken: string;
  processes: Map<ProcessName, Tortured>;
  /** The settings of a process that is connected directly. */
  env: Record<string, string>;
  start(name: ProcessName): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(script: string, folder: string): Promise<World> {
  const postgres = await startEmbeddedPostgres({ database: 'karat' });
  const databaseUrl = `${postgres.url}/karat`;
  const chain = await startKaratChain({ slotMs: 250 });
  const receiver = await startReceiver();
  const partners = [newPartner(usersOfEach, 1), newPartner(usersOfEach, 1)];
  for (const partner of partners) {
    await chain.addPartner({ partnerId: partner.id, wallet: partner.wallet.address });
    for (const { wallet } of partner.users) {
      await chain.fund(wallet.address, funding.usdc);
      await chain.node.setTokenBalance(wallet.address, chain.goldMint, funding.gold);
    }
  }
  await insertPartners(databaseUrl, partners);
  const operatorToken = await insertRest(databaseUrl, partners, receiver.url);
  const env = envOf(chain, databaseUrl);
  const processes = new Map<ProcessName, Tortured>();
  for (const name of processNames) processes.set(name, await newProcess(name, { chain, databaseUrl }));
  const world: World = {
    ...{ chain, postgres, databaseUrl, partners, receiver, taken: new Set(), operatorToken, processes, env },
    async start(name) {
      const process = processes.get(name);
      if (!process) return;
      process.isDown = false;
      process.child = launch(process, { script, folder, env });
      process.child.once('exit', () => {
        setTimeout(() => !process.isDown && world.start(name), restartMs).unref();
      });
    },
    async stop() {
      for (const process of processes.values()) {
        await end(process);
        for (const proxy of Object.values(process.proxies)) await proxy.shut();
      }
      await receiver.close();
      await chain.stop();
      await postgres.remove();
    },
  };
  try {
    for (const name of processNames) await world.start(name);
    await untilReady(world);
    return world;
  } catch (error) {
    await world.stop();
    throw error;
  }
}

function envOf(chain: KaratChain, databaseUrl: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    KARAT_NETWORK: 'localnet',
    KARAT_RPC_URL: chain.node.rpcUrl,
    KARAT_WS_URL: chain.node.wsUrl,
    KARAT_PROGRAM_ID: chain.config.programId,
    KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
    KARAT_OPERATIONS_SIGNER: chain.keyFile(chain.operations),
    KARAT_MARKET_SIGNER: chain.keyFile(chain.market),
    KARAT_MARKET_HOURS: 'always',
    KARAT_APPROVALS: '1',
    KARAT_SECOND_FACTOR: 'optional',
    KARAT_PICKUP_SECRET: 'p'.repeat(32),
    KARAT_KYC_KEY: kycKeyFile(),
    KARAT_KEY_RATE_LIMIT: '1000000',
  };
}

async function newProcess(
  name: ProcessName,
  { chain, databaseUrl }: { chain: KaratChain; databaseUrl: string },
): Promise<Tortured> {
  const targets = { database: databaseUrl, node: chain.node.rpcUrl, notifications: chain.node.wsUrl };
  const proxies = { database: new TcpProxy(), node: new TcpProxy(), notifications: new TcpProxy() };
  for (const wire of wires) {
    proxies[wire].target = { host: '127.0.0.1', port: Number.parseInt(new URL(targets[wire]).port, 10) };
    await proxies[wire].open();
  }
  const [port, operatorPort] = [await ownPort(), await ownPort()];
  // Replaced by `start`.
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  return {
    name,
    child,
    isDown: true,
    proxies,
    url: `http://127.0.0.1:${port}`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
  };
}

function launch(
  { name, proxies, url, operatorUrl }: Tortured,
  { script, folder, env }: { script: string; folder: string; env: Record<string, string> },
): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const through = (address: string, wire: Wire) => {
    const to = new URL(address);
    to.port = String(proxies[wire].port);
    return to.href;
  };
  const child = spawn(process.execPath, [script, name.replace(/-\d$/, '')], {
    stdio: ['ignore', log, log],
    env: {
      ...env,
      DATABASE_URL: through(env.DATABASE_URL ?? '', 'database'),
      KARAT_RPC_URL: through(env.KARAT_RPC_URL ?? '', 'node'),
      KARAT_WS_URL: through(env.KARAT_WS_URL ?? '', 'notifications'),
      KARAT_PORT: new URL(url).port,
      KARAT_OPERATOR_PORT: new URL(operatorUrl).port,
    },
  });
  closeSync(log);
  return child;
}

/** Ends a process as a crash does. */
export async function end(process: Tortured): Promise<void> {
  const { child } = process;
  process.isDown = true;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Writes what operators would enter. Returns the token of one who may do everything. */
async function insertRest(databaseUrl: string, partners: Partner[], url: string): Promise<string> {
  const token = newOperatorToken();
  const at = new Date();
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      await insertDenomination(tx, tola, at);
      const bar = { refiner: 'Valcambi', fineness: '999.9', denominationId: tola.id, city: tola.city };
      const small = Array.from({ length: 200 }, (_, n) => ({
        ...bar,
        serial: `T${n}`,
        weightG: tola.weightG,
      }));
      const large = Array.from({ length: 100 }, (_, n) => ({ ...bar, serial: `K${n}`, weightG: '1000' }));
      await insertBars(tx, [...small, ...large], at);
      for (const { id: partnerId } of partners) await insertEndpoint(tx, { ...endpoint(url, at), partnerId });
      const operatorId = newUuid();
      const account = {
        id: operatorId,
        email: 'clerk@karat.test',
        name: 'Clerk',
        role: 'fulfilment',
      } as const;
      await insertOperator(tx, { ...account, passwordHash: '$argon2id$none', createdAt: at, updatedAt: at });
      const expiresAt = new Date(at.getTime() + 86_400_000);
      await insertOperatorToken(tx, {
        id: newUuid(),
        operatorId,
        name: 'torture',
        hash: hashSecret(token),
        createdAt: at,
        expiresAt,
      });
    }),
  );
  return token;
}

const endpoint = (url: string, at: Date) => ({
  ...{ id: newId('we'), url, types: null, description: null, status: 'active' as const },
  ...{ secret: `whsec_${Buffer.alloc(24).toString('base64')}`, previousSecret: null, previousUntil: null },
  ...{ plannedSequence: 0n, failingSince: null, createdAt: at, updatedAt: at },
});

/** Seven processes start at once, on a machine that may have other work. */
const readyWithinMs = 400_000;

async function untilReady({ processes }: World): Promise<void> {
  const endMs = performance.now() + readyWithinMs;
  for (const { name, url } of processes.values()) {
    if (!name.startsWith('serve')) continue;
    for (;;) {
      const response = await fetch(`${url}/ready`).catch(() => undefined);
      if (response?.status === 200) break;
      if (performance.now() > endMs) throw new Error(`${name} is not ready: ${await response?.text()}`);
      await pause(250);
    }
  }
}

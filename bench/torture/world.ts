/** A deployment as in production, on one machine: each process, and between each process and what it needs a proxy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedServer, startEmbeddedPostgres } from '../../packages/service/test/embedded-postgres.js';
import { newWallet } from '../../packages/service/test/harness.js';
import { type KaratChain, startKaratChain } from '../../packages/service/test/karat-chain.js';
import { ownPort } from '../../packages/service/test/own-port.js';
import { TcpProxy } from '../../packages/service/test/tcp-proxy.js';
import { type Receiver, startReceiver } from '../../packages/service/test/webhooks.js';
import { clockEnvOf, setClock } from './clocks.js';
import { LyingNode } from './lying-node.js';
import { invite, type People } from './people.js';
import { type ProcessName, processNames, type Wire, wires } from './schedule.js';
import { settingsOf } from './settings.js';

/** After so long a supervisor starts a process again that ended by itself. */
const restartMs = 1_000;
/** How often a balancer looks which processes are ready. */
const lookMs = 500;

/** One process of the service with the proxies that it is connected through. */
export interface Tortured {
  name: ProcessName;
  child: ChildProcess;
  /** Whether it is meant to be down: otherwise it is started again, as a supervisor does. */
  isDown: boolean;
  proxies: Record<Wire, TcpProxy>;
  /** Where libfaketime reads its clock from. */
  clock: string;
  /** Where it serves partners and operators. */
  url: string;
  operatorUrl: string;
}

export interface World {
  chain: KaratChain;
  /** The two nodes that processes are configured with. */
  nodes: LyingNode[];
  postgres: EmbeddedServer;
  databaseUrl: string;
  people: People;
  receiver: Receiver;
  /** The events that the receiver has taken. */
  taken: Set<string>;
  processes: Map<ProcessName, Tortured>;
  /** Those that serve and are ready, as a balancer knows it. */
  ready: Set<ProcessName>;
  /** Where the logs of processes are. */
  folder: string;
  /** The settings of a process that is connected directly. */
  env: Record<string, string>;
  start(name: ProcessName): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(script: string, folder: string): Promise<World> {
  // More than the pools of all processes together.
  const postgres = await startEmbeddedPostgres({
    database: 'karat',
    settings: ['max_connections=250', 'fsync=off'],
  });
  const databaseUrl = `${postgres.url}/karat`;
  const chain = await startKaratChain({ slotMs: 250 });
  const nodes = [await LyingNode.start(chain.node.rpcUrl), await LyingNode.start(chain.node.rpcUrl)];
  const receiver = await startReceiver();
  const people = await invite(chain, databaseUrl, receiver.url);
  const env = envOf(chain, databaseUrl);
  const processes = new Map<ProcessName, Tortured>();
  const targets = targetsOf({ databaseUrl, nodes, chain });
  for (const name of processNames) processes.set(name, await newProcess(name, targets, folder));
  // However this process ends, it leaves none of them behind.
  process.once('exit', () => {
    for (const { child } of processes.values()) child.kill('SIGKILL');
  });
  const ready = new Set<ProcessName>();
  const looking = setInterval(() => void lookAt(processes, ready), lookMs);
  const world: World = {
    ...{
      chain,
      nodes,
      postgres,
      databaseUrl,
      people,
      receiver,
      taken: new Set(),
      processes,
      ready,
      folder,
      env,
    },
    async start(name) {
      const process = processes.get(name);
      if (!process) return;
      process.isDown = false;
      const child = launch(process, { script, folder, env });
      process.child = child;
      child.once('exit', () => {
        // By then another one may have been started in its place.
        setTimeout(() => !process.isDown && process.child === child && world.start(name), restartMs).unref();
      });
    },
    async stop() {
      clearInterval(looking);
      for (const process of processes.values()) {
        await end(process);
        for (const proxy of Object.values(process.proxies)) await proxy.shut();
      }
      await receiver.close();
      for (const node of nodes) await node.stop();
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

type Targets = Record<Wire, number>;

/** The ports that proxies lead to. */
function targetsOf({ databaseUrl, nodes, chain }: Pick<World, 'databaseUrl' | 'nodes' | 'chain'>): Targets {
  const portOf = (url: string) => Number.parseInt(new URL(url).port, 10);
  const [one, two] = nodes.map(({ port }) => port);
  return {
    database: portOf(databaseUrl),
    'node-1': one ?? 0,
    'node-2': two ?? 0,
    notifications: portOf(chain.node.wsUrl),
  };
}

function envOf(chain: KaratChain, databaseUrl: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    ...settingsOf(chain, databaseUrl),
    KARAT_MARKET_SIGNER: chain.keyFile(chain.market),
    KARAT_RESERVES_SIGNER: chain.keyFile(newWallet()),
    KARAT_OPEN_RATE_LIMIT: '1000000',
  };
}

async function newProcess(name: ProcessName, targets: Targets, folder: string): Promise<Tortured> {
  const proxies = Object.fromEntries(wires.map((wire) => [wire, new TcpProxy({ notes: false })])) as Record<
    Wire,
    TcpProxy
  >;
  for (const wire of wires) {
    proxies[wire].target = { host: '127.0.0.1', port: targets[wire] };
    await proxies[wire].open();
  }
  const [port, operatorPort] = [await ownPort(), await ownPort()];
  const clock = join(folder, `${name}.clock`);
  setClock(clock, 0);
  // Replaced by `start`.
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  return {
    name,
    child,
    isDown: true,
    proxies,
    clock,
    url: `http://127.0.0.1:${port}`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
  };
}

function launch(
  { name, proxies, clock, url, operatorUrl }: Tortured,
  { script, folder, env }: { script: string; folder: string; env: Record<string, string> },
): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const through = (address: string, wire: Wire) => {
    const to = new URL(address);
    to.port = String(proxies[wire].port);
    return to.href;
  };
  const nodes = (['node-1', 'node-2'] as const).map((wire) => through(env.KARAT_RPC_URL ?? '', wire));
  const child = spawn(process.execPath, [script, name.replace(/-\d$/, '')], {
    stdio: ['ignore', log, log],
    env: {
      ...env,
      ...clockEnvOf(clock),
      DATABASE_URL: through(env.DATABASE_URL ?? '', 'database'),
      KARAT_RPC_URL: nodes.join(','),
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

/** Notes which processes that serve are ready. */
async function lookAt(processes: World['processes'], ready: World['ready']): Promise<void> {
  for (const { name, url } of processes.values()) {
    if (!name.startsWith('serve')) continue;
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(lookMs * 4) }).catch(
      () => undefined,
    );
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) ready.add(name);
    else ready.delete(name);
  }
}

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

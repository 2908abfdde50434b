import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { fetchMaybeConfig } from '@karat/program-client';
import { builtApp, consoleApp, portalApp, SchemaError } from '@karat/service';
import { isLoopbackHost } from '@karat/service/domain';
import { createSolanaRpc } from '@solana/kit';
import { type Closers, createClosers } from './closers.js';
import { formatMs } from './demo/teller.js';
import { openDocsSite } from './docs-site.js';
import { type SandboxInfo, sandboxInfo } from './info.js';
import { secretFile } from './keys.js';
import { startLocalnet } from './localnet.js';
import type { SandboxOptions } from './options.js';
import { advertisedUrl, passkeyUrl } from './ports.js';
import { startDatabase } from './postgres.js';
import { createPricePublisher } from './price-publisher.js';
import type { Screen } from './screen.js';
import { nameGold, seedChain } from './seed-chain.js';
import { planMembers, type SeededMember } from './seed-members.js';
import { planOperators, type SeededOperator } from './seed-operators.js';
import { partnerPlans } from './seed-plan.js';
import { startService } from './service.js';
import { serviceConfig } from './service-config.js';
import { openShop } from './shop.js';
import { type State, type StateFolder, stateVersion } from './state-folder.js';
import { UserError } from './user-error.js';
import { openWorld, type World } from './world.js';

export interface Sandbox {
  info: SandboxInfo;
  /** Undefined where the operator API is open to others: metrics are for this machine alone. */
  metricsUrl: string | undefined;
  /** Stops everything in order, the last started first. */
  stop(): Promise<void>;
}

export interface StartOptions extends SandboxOptions {
  /** Opened, and with it locked; `stop` lets it go. */
  folder: StateFolder;
  env: Record<string, string | undefined>;
  screen: Pick<Screen, 'print' | 'warn' | 'during'>;
  /** Aborted when the person at the keyboard has had enough: starting ends at the next part. */
  signal: AbortSignal;
}

/**
 * Starts a whole sandbox. Throws a `UserError` for what the user can put right; whatever had been started by then is
 * stopped again.
 */
export async function startSandbox(options: StartOptions): Promise<Sandbox> {
  const closers = createClosers(options.screen.warn);
  try {
    const started = await start(options, closers);
    return { ...started, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function start(options: StartOptions, closers: Closers): Promise<Omit<Sandbox, 'stop'>> {
  const timed = stopwatch(options);
  const { folder, signal } = options;
  closers.add('The state folder', async () => folder.release());
  const state = await completeState(folder);
  const world = await openWorld(folder, state);
  const [databaseUrl, chain] = await together(
    timed('database', () => openDatabase(options, folder, state, closers)),
    timed('chain', () => openChain(options, folder, state, world, closers)),
  );
  const pickupSecret = await secretFile(folder.file('keys', 'pickup-secret'));
  const totpSecret = await secretFile(folder.file('keys', 'totp-secret'));
  const kycKeyUrl = folder.file('keys', 'kyc-key');
  await secretFile(kycKeyUrl);
  const config = serviceConfig(
    {
      host: options.host,
      port: options.port,
      operatorPort: options.operatorPort,
      databaseUrl,
      rpcUrl: chain.rpcUrl,
      wsUrl: chain.wsUrl,
      programId: world.programAddress,
      serviceSignerUrl: folder.file(world.service.file),
      pickupSecret,
      totpSecret,
      kycKeyUrl,
      adminSignerUrl: folder.file(world.admin.file),
      operationsSignerUrl: folder.file(world.operations.file),
      guardianSignerUrl: folder.file(world.guardian.file),
      marketSignerUrl: folder.file(world.market.file),
      reservesSignerUrl: folder.file(world.reserves.file),
      marketHours: options.marketHours,
      webhooks: options.webhooks,
    },
    options.env,
  );
  const docs = openDocsSite(closers, options.screen.print);
  const { operators, members, api_keys: apiKeys = {} } = state;
  const logFile = folder.file('service.log');
  const service = await timed('service', () =>
    startService({
      config,
      now: chain.now,
      logFile,
      world,
      operators,
      members,
      apiKeys,
      docs,
      closers,
      signal,
    }).catch((error: unknown) => {
      throw error instanceof SchemaError ? otherVersion(options, error) : error;
    }),
  );
  const seen = (url: string) => advertisedUrl(url, options.advertisedHost);
  const [apiUrl, operatorUrl] = [seen(service.apiUrl), seen(service.operatorUrl)];
  if (options.rpcUrl === undefined) await nameGold(chain.rpcUrl, world, apiUrl);
  if (!isDeepStrictEqual(service.apiKeys, apiKeys)) {
    await folder.save({ ...state, seeded: true, api_keys: service.apiKeys });
  }
  await timed('first responses', () => untilReady(service.apiUrl, signal));
  const shopUrl = await timed('shop', () => openShop(options, world, service, closers));
  const info = sandboxInfo(
    world,
    service.users,
    { operators, members, apiKeys: service.apiKeys },
    {
      apiUrl,
      operatorUrl,
      // Those of a node of the user's own are theirs already.
      rpcUrl: options.rpcUrl ?? seen(chain.rpcUrl),
      wsUrl: chain.wsUrl === undefined ? (config.wsUrls[0] ?? '') : seen(chain.wsUrl),
      databaseUrl,
      shopUrl: shopUrl && `${seen(shopUrl)}/`,
      docsUrl: docs && `${apiUrl}/`,
      consoleUrl: builtApp(consoleApp) && `${passkeyUrl(operatorUrl)}/`,
      portalUrl: builtApp(portalApp) && `${passkeyUrl(apiUrl)}/portal`,
    },
  );
  signal.throwIfAborted();
  closers.add('sandbox.json', async () => {
    if (folder.isOurs()) await folder.removeInfo();
  });
  await folder.writeInfo(info);
  const isOperatorHere = isLoopbackHost(config.operatorHost);
  return { info, metricsUrl: isOperatorHere ? `${service.operatorUrl}/metrics` : undefined };
}

/** Runs a part of the start, reports how long it took, and stops early if the start was cancelled. */
function stopwatch({ screen, signal }: StartOptions) {
  return async <T>(part: string, run: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const begin = performance.now();
    const result = await screen.during(part, run);
    screen.print(`  ${part.padEnd(16)} ${formatMs(performance.now() - begin)}`);
    return result;
  };
}

/** Both results; when one fails, it waits for the other before it throws, so that nothing starts behind our back. */
async function together<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Returns the folder's state, with what a folder of an older Karat lacks. */
async function completeState(
  folder: StateFolder,
): Promise<State & { operators: SeededOperator[]; members: SeededMember[] }> {
  const state = folder.state ?? (await firstState(folder));
  const { operators = planOperators(), members = planMembers(partnerPlans) } = state;
  if (!state.operators || !state.members) await folder.save({ ...state, operators, members });
  return { ...state, operators, members };
}

async function firstState(folder: StateFolder): Promise<State> {
  const state: State = {
    karat_sandbox: stateVersion,
    database_password: randomBytes(24).toString('hex'),
    partner_ids: Object.fromEntries(partnerPlans.map((plan) => [plan.slug, plan.partnerId])),
    seeded: false,
  };
  await folder.save(state);
  return state;
}

async function openDatabase(
  options: StartOptions,
  folder: StateFolder,
  state: State,
  closers: Closers,
): Promise<string> {
  if (options.databaseUrl !== undefined) return options.databaseUrl;
  const database = await startDatabase({
    dataDir: folder.file('postgres'),
    logFile: folder.file('postgres.log'),
    password: state.database_password,
    signal: options.signal,
  });
  closers.add('PostgreSQL', () => database.stop());
  return database.url;
}

interface ChainAccess {
  rpcUrl: string;
  wsUrl: string | undefined;
  /** The clock that the service follows, in milliseconds. */
  now: () => number;
}

async function openChain(
  options: StartOptions,
  folder: StateFolder,
  state: State,
  world: World,
  closers: Closers,
): Promise<ChainAccess> {
  if (options.rpcUrl !== undefined) return foreignNode(options.rpcUrl, world);
  const publisher = createPricePublisher(world.prices);
  const node = await startLocalnet({
    ledger: folder.file('chain'),
    host: options.host,
    rpcPort: options.rpcPort,
    world,
    publisher,
  });
  closers.add('The chain', async () => {
    // Stopping writes the chain's state to the folder's path, where another sandbox may live by now.
    if (folder.isOurs()) return node.stop();
    throw new Error('the state folder was deleted or replaced under it, so the end of its chain is lost');
  });
  options.signal.throwIfAborted();
  if (!state.seeded || node.genesisCreated) {
    await seedChain(node, world, options.signal);
    // Otherwise reads of the finalized chain would find nothing of it for 12 s.
    node.finalize();
    await folder.save({ ...state, seeded: true });
  }
  publisher.start(node);
  closers.add('The price', async () => publisher.stop());
  return { rpcUrl: node.rpcUrl, wsUrl: node.wsUrl, now: () => node.nowUnixMs() };
}

/** Returns a node of the user's own: nothing is written to it, and Karat has to be there already. */
async function foreignNode(rpcUrl: string, world: World): Promise<ChainAccess> {
  const config = await fetchMaybeConfig(createSolanaRpc(rpcUrl), world.program.config);
  if (!config.exists || !config.data.hotKeys.serviceSigners.includes(world.service.address)) {
    throw new UserError(
      `The node at --rpc-url has no program ${world.programAddress} that knows this state folder's service key`,
    );
  }
  return { rpcUrl, wsUrl: undefined, now: () => Date.now() };
}

/** Far beyond what it takes, for a machine that is busy with other things. */
const readyWithinMs = 60_000;

async function untilReady(apiUrl: string, signal: AbortSignal): Promise<void> {
  const end = Date.now() + readyWithinMs;
  for (;;) {
    signal.throwIfAborted();
    const response = await fetch(`${apiUrl}/ready`);
    if (response.ok) return;
    const text = await response.text();
    if (Date.now() > end) throw new Error(`The service did not become ready: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns how to go on where another version of Karat has written the database. */
function otherVersion({ databaseUrl, stateDir }: SandboxOptions, { message }: SchemaError): UserError {
  if (databaseUrl !== undefined) return new UserError(message);
  return new UserError(
    `${stateDir} was written by another version of Karat; begin again with npm start -- --reset, which empties it, or use another --state-dir`,
  );
}

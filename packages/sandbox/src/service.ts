import {
  buildApp,
  buildMetricsApp,
  buildOperatorApp,
  builtApp,
  type Config,
  consoleApp,
  createContext,
  createLogger,
  followScreening,
  migrate,
  portalApp,
  startDeliverer,
  startIndexer,
  startKeeper,
  watchLeads,
} from '@karat/service';
import { pino } from 'pino';
import type { Closers } from './closers.js';
import { setAsideLog } from './files.js';
import type { SeededUser } from './info.js';
import { localUrl, portError } from './ports.js';
import { seedApiKeys } from './seed-api-keys.js';
import { seedDatabase } from './seed-database.js';
import { type SeededMember, seedMembers } from './seed-members.js';
import { type SeededOperator, seedOperators } from './seed-operators.js';
import { seedUsers } from './seed-users.js';
import type { ApiKeys } from './state-folder.js';
import type { World } from './world.js';

/**
 * Starts the service in this process: schema, seeded rows, both APIs, indexer, keeper and deliverer; the caller closes it through `closers`.
 * `now` is the chain's clock in milliseconds.
 */
export async function startService(options: {
  config: Config;
  now: () => number;
  logFile: string;
  world: World;
  operators: SeededOperator[];
  members: SeededMember[];
  /** Keys of the partner API that an earlier start made. */
  apiKeys: ApiKeys;
  /** Finds the folder of the built documentation. */
  docs: (() => string | undefined) | undefined;
  closers: Closers;
  /** Aborted when the start is cancelled. */
  signal: AbortSignal;
}): Promise<{ apiUrl: string; operatorUrl: string; users: SeededUser[]; apiKeys: ApiKeys }> {
  const { config, now, world, closers, signal } = options;
  // The whole takes longer on a busy machine than a start that was cancelled may go on.
  const proceed = <T>(done: T): T => {
    signal.throwIfAborted();
    return done;
  };
  await setAsideLog(options.logFile);
  const destination = pino.destination({ dest: options.logFile, sync: false, mkdir: true, mode: 0o600 });
  closers.add('The log', async () => destination.flushSync());
  await migrate(config.databaseUrl.reveal(), { signal });
  const ctx = await createContext(config, {
    clock: { now },
    log: createLogger(config.logLevel, destination),
  });
  closers.add('The service', () => ctx.close());
  proceed(await seedDatabase(ctx, world));
  const users = proceed(await seedUsers(ctx, world));
  proceed(await seedOperators(ctx, options.operators));
  proceed(await seedMembers(ctx, world.partners, options.members));
  const apiKeys = proceed(await seedApiKeys(ctx, world, options.apiKeys));
  proceed(await ctx.chain.start());
  const indexer = startIndexer(ctx);
  closers.add('The indexer', () => indexer.stop());
  const keeper = startKeeper(ctx);
  closers.add('The keeper', () => keeper.stop());
  const deliverer = startDeliverer(ctx);
  closers.add('The deliverer', () => deliverer.stop());
  watchLeads(ctx, { indexer, keeper });
  const screening = followScreening(ctx);
  closers.add('The screening', () => screening.stop());
  const app = await buildApp(ctx, { indexer, site: options.docs, portal: builtApp(portalApp) });
  closers.add('The API', () => app.close());
  const apiUrl = await listen(app, config.host, config.port, '--port');
  const operatorApp = await buildOperatorApp(ctx, { console: builtApp(consoleApp) });
  closers.add('The operator API', () => operatorApp.close());
  const operatorUrl = await listen(operatorApp, config.operatorHost, config.operatorPort, '--operator-port');
  if (config.metricsPort !== undefined) {
    const metricsApp = await buildMetricsApp(ctx);
    closers.add('The metrics', () => metricsApp.close());
    await listen(metricsApp, config.metricsHost, config.metricsPort, 'KARAT_METRICS_PORT');
  }
  return { apiUrl, operatorUrl, users, apiKeys };
}

/** Where an application listens from now on. Throws a `UserError` that names the option of a port that is taken. */
async function listen(
  app: Awaited<ReturnType<typeof buildApp>>,
  host: string,
  port: number,
  option: string,
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw portError(error, host, port, option);
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('An API listens nowhere');
  return localUrl(host, address.port);
}

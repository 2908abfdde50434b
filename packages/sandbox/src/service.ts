import {
  buildApp,
  ConfigError,
  createContext,
  createLogger,
  migrate,
  readConfig,
  startIndexer,
} from '@karat/service';
import { pino } from 'pino';
import type { Closers } from './closers.js';
import type { SeededUser } from './info.js';
import { optionVariables } from './options.js';
import { localUrl, portError } from './ports.js';
import { seedDatabase } from './seed-database.js';
import { seedUsers } from './seed-users.js';
import { UserError } from './user-error.js';
import type { World } from './world.js';

type Config = ReturnType<typeof readConfig>;

export interface ServiceSettings {
  host: string;
  port: number;
  databaseUrl: string;
  rpcUrl: string;
  wsUrl: string | undefined;
  programId: string;
  serviceKeypair: string;
}

/**
 * The service's configuration: what the sandbox decides, and beside it the `KARAT_` settings of the environment that
 * are not options of the sandbox. Throws a `UserError` for a setting that nobody knows.
 */
export function serviceConfig(settings: ServiceSettings, env: Record<string, string | undefined>): Config {
  const others = Object.entries(env).filter(
    ([name]) => name.startsWith('KARAT_') && !optionVariables.includes(name),
  );
  try {
    return readConfig({
      ...Object.fromEntries(others),
      KARAT_HOST: settings.host,
      KARAT_PORT: String(settings.port),
      DATABASE_URL: settings.databaseUrl,
      KARAT_RPC_URL: settings.rpcUrl,
      KARAT_WS_URL: settings.wsUrl ?? '',
      KARAT_PROGRAM_ID: settings.programId,
      KARAT_SERVICE_KEYPAIR: settings.serviceKeypair,
    });
  } catch (error) {
    if (error instanceof ConfigError) throw new UserError(error.message);
    throw error;
  }
}

/** Throws a `UserError` for a `KARAT_` variable that is misspelt or has a bad value, before anything is made. */
export function checkEnvironment(env: Record<string, string | undefined>): void {
  const any = {
    host: '127.0.0.1',
    port: 0,
    databaseUrl: 'postgres://any',
    rpcUrl: 'http://any',
    wsUrl: undefined,
    programId: 'any',
    serviceKeypair: 'any',
  };
  serviceConfig(any, env);
}

/**
 * Starts the service in this process: schema, seeded rows, API and indexer; the caller closes it through `closers`.
 * `now` is the chain's clock in milliseconds.
 */
export async function startService(options: {
  config: Config;
  now: () => number;
  logFile: string;
  world: World;
  closers: Closers;
}): Promise<{ apiUrl: string; users: SeededUser[] }> {
  const { config, now, world, closers } = options;
  const destination = pino.destination({ dest: options.logFile, sync: false, mkdir: true, mode: 0o600 });
  closers.add('The log', async () => destination.flushSync());
  await migrate(config.databaseUrl.reveal());
  const ctx = await createContext(config, {
    clock: { now },
    log: createLogger(config.logLevel, destination),
  });
  closers.add('The service', () => ctx.close());
  await seedDatabase(ctx, world);
  const users = await seedUsers(ctx, world);
  await ctx.chain.start();
  const indexer = startIndexer(ctx);
  closers.add('The indexer', () => indexer.stop());
  const app = await buildApp(ctx, { indexer });
  closers.add('The API', () => app.close());
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw portError(error, config.host, config.port, '--port');
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('The API listens nowhere');
  return { apiUrl: localUrl(config.host, address.port), users };
}

import { buildApp, type Config, createContext, createLogger, migrate, startIndexer } from '@karat/service';
import { pino } from 'pino';
import type { Closers } from './closers.js';
import { setAsideLog } from './files.js';
import type { SeededUser } from './info.js';
import { localUrl, portError } from './ports.js';
import { seedDatabase } from './seed-database.js';
import { seedUsers } from './seed-users.js';
import type { World } from './world.js';

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
  await setAsideLog(options.logFile);
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

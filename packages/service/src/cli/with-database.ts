import { systemClock } from '../clock.js';
import { readConfig, readDatabaseUrl } from '../config.js';
import type { Context } from '../context.js';
import { openDatabase } from '../db/client.js';
import type { Call } from './command.js';

/** Runs something on the database of `DATABASE_URL`; nothing else has to run or to be set. Throws a `ConfigError`. */
export async function withDatabase<T>(
  call: Call,
  run: (ctx: Pick<Context, 'db' | 'clock'>) => Promise<T>,
): Promise<T> {
  const database = openDatabase(readDatabaseUrl(call.env).reveal(), { poolSize: 1 });
  try {
    return await run({ db: database.db, clock: systemClock });
  } finally {
    await database.close();
  }
}

/** Runs something with everything that the service holds, the chain not yet started. Throws a `ConfigError`. */
export async function withContext<T>(call: Call, run: (ctx: Context) => Promise<T>): Promise<T> {
  const config = readConfig(call.env);
  const [{ createContext }, { createLogger }] = await Promise.all([
    import('../create-context.js'),
    import('../log.js'),
  ]);
  // What a command has to say it says itself, in one line.
  const ctx = await createContext(config, { log: createLogger('silent') });
  try {
    return await run(ctx);
  } finally {
    await ctx.close();
  }
}

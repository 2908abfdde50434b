import type { Chain } from '../chain/chain.js';
import { systemClock } from '../clock.js';
import {
  type Config,
  findOwnerUrl,
  ownerUrlVariable,
  readChainConfig,
  readConfig,
  readDatabaseUrl,
  type Secret,
} from '../config.js';
import type { Context } from '../context.js';
import { openDatabase } from '../db/client.js';
import { isTableOwner } from '../db/runtime-role.js';
import { type Call, CommandError } from './command.js';

export type OnDatabase<T> = (ctx: Pick<Context, 'db' | 'clock'>) => Promise<T>;

/** Runs something on the database of `DATABASE_URL`; nothing else has to run or to be set. Throws a `ConfigError`. */
export async function withDatabase<T>(call: Call, run: OnDatabase<T>): Promise<T> {
  return on(readDatabaseUrl(call.env), run);
}

/**
 * Runs what only the owner of the tables may do, by the owner's address. Throws a `CommandError` with `refusal` when
 * that address is not set, and for an address of another role.
 */
export async function withOwner<T>(call: Call, refusal: string, run: OnDatabase<T>): Promise<T> {
  const url = findOwnerUrl(call.terminal.env);
  if (!url) throw new CommandError(`${refusal}; set its address as ${ownerUrlVariable}`);
  return on(url, async (ctx) => {
    if (await isTableOwner(ctx.db)) return run(ctx);
    throw new CommandError(`The role of ${ownerUrlVariable} does not own the tables`);
  });
}

async function on<T>(url: Secret, run: OnDatabase<T>): Promise<T> {
  const database = openDatabase(url.reveal(), { poolSize: 1 });
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
  // A command reports its result itself, in one line.
  const ctx = await createContext(config, { log: createLogger('silent') });
  try {
    await ctx.chain.requireNetwork();
    return await run(ctx);
  } finally {
    await ctx.close();
  }
}

/** Runs something on the chain alone, not started; no database has to be there. Throws a `ConfigError`. */
export async function withChain<T>(
  call: Call,
  run: (chain: Chain, config: Omit<Config, 'databaseUrl'>) => Promise<T>,
): Promise<T> {
  const config = readChainConfig(call.env);
  const [{ createChain }, { createLogger }] = await Promise.all([
    import('../chain/create-chain.js'),
    import('../log.js'),
  ]);
  const chain = await createChain({ config, clock: systemClock, log: createLogger('silent') });
  try {
    await chain.requireNetwork();
    return await run(chain, config);
  } finally {
    await chain.stop();
  }
}

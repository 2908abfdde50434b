import type { Config } from './config.js';
import { createContext } from './create-context.js';
import { migrate } from './db/migrate.js';
import { buildApp } from './http/app.js';
import { buildOperatorApp } from './http/operator/app.js';
import { startIndexer } from './indexer/index.js';
import { startKeeper } from './keeper/index.js';

/** What a process of the service may do; any number of them at once. */
export const commands = ['serve', 'index', 'keep', 'migrate'] as const;
export type Command = (typeof commands)[number];

/** Whether the process goes on after it has started. */
export function staysUp(wanted: ReadonlySet<Command>): boolean {
  return wanted.has('serve') || wanted.has('index') || wanted.has('keep');
}

/** Commands of a command line, such as `serve,index` or `serve index`; undefined when one is unknown or none is given. */
export function parseCommands(args: string[]): Set<Command> | undefined {
  const names = args.flatMap((arg) => arg.split(','));
  const known = names.filter((name): name is Command => (commands as readonly string[]).includes(name));
  return known.length === names.length && known.length > 0 ? new Set(known) : undefined;
}

export interface RunningService {
  /** Where the APIs of partners listen, when they are served. */
  url: string | undefined;
  /** Where the API of operators listens, when it is served. */
  operatorUrl: string | undefined;
  /** Answers what is under way, then stops everything in order. */
  stop(): Promise<void>;
}

const nowhere = { url: undefined, operatorUrl: undefined };

/**
 * Does what the commands say. The database is migrated first, whatever they are; a node that is down at the start is
 * waited for in the background, a database that is down is an error.
 */
export async function run(wanted: ReadonlySet<Command>, config: Config): Promise<RunningService> {
  await migrate(config.databaseUrl.reveal());
  if (!staysUp(wanted)) return { ...nowhere, stop: async () => {} };
  const ctx = await createContext(config);
  const closers: (() => Promise<void>)[] = [() => ctx.close()];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    await ctx.chain.start();
    const indexer = wanted.has('index') ? startIndexer(ctx) : undefined;
    if (indexer) closers.push(() => indexer.stop());
    if (wanted.has('keep')) {
      const keeper = startKeeper(ctx);
      closers.push(() => keeper.stop());
    }
    if (!wanted.has('serve')) return { ...nowhere, stop };
    const app = await buildApp(ctx, indexer ? { indexer } : {});
    closers.push(() => app.close());
    const operatorApp = await buildOperatorApp(ctx);
    closers.push(() => operatorApp.close());
    return {
      url: await app.listen({ host: config.host, port: config.port }),
      operatorUrl: await operatorApp.listen({ host: config.operatorHost, port: config.operatorPort }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

import type { FastifyInstance } from 'fastify';
import { type Command, surfaces } from './commands.js';
import { type Config, ConfigError, sessionUrlOf, settingsFor } from './config.js';
import type { Context } from './context.js';
import { createContext } from './create-context.js';
import { requireSchema } from './db/migrate.js';
import type { AppParts } from './http/app.js';
import { watchLeads } from './metrics/watch-leads.js';

export interface RunningService {
  /** Where the APIs of partners listen, when they are served. */
  url: string | undefined;
  /** Where the API of operators listens, when it is served. */
  operatorUrl: string | undefined;
  /** Where the metrics alone are served, when a port is named for them. */
  metricsUrl: string | undefined;
  /** Completes requests under way, then stops everything in order. */
  stop(): Promise<void>;
}

const nowhere = { url: undefined, operatorUrl: undefined, metricsUrl: undefined };

/**
 * Starts what the commands name. A node that is down at the start is waited for in the background; a database that is
 * down is an error, and so is one with another schema than this version's (`SchemaError`).
 */
export async function run(wanted: ReadonlySet<Command>, config: Config): Promise<RunningService> {
  await requireSchema(sessionUrlOf(config));
  const serves = surfaces.some((surface) => wanted.has(surface));
  const ctx = await createContext(settingsFor(wanted, config));
  const closers: (() => Promise<void>)[] = [() => ctx.close()];
  const stop = () => closeAll(closers);
  try {
    await traceIfWanted(ctx, closers);
    if (serves || wanted.has('deliver')) await ctx.kyc.requireKeys(ctx.db);
    await ctx.chain.requireNetwork();
    // The keeper reads what it needs itself.
    if (serves || wanted.has('index')) await ctx.chain.start({ quoting: serves });
    // Each process loads what it runs: what the others run takes half of its memory and of the time that it starts in.
    const indexer = wanted.has('index') ? (await import('./indexer/index.js')).startIndexer(ctx) : undefined;
    if (indexer) closers.push(() => indexer.stop());
    const keeper = wanted.has('keep') ? (await import('./keeper/index.js')).startKeeper(ctx) : undefined;
    if (keeper) closers.push(() => keeper.stop());
    const deliverer = wanted.has('deliver')
      ? (await import('./events/delivery/deliverer.js')).startDeliverer(ctx)
      : undefined;
    if (deliverer) closers.push(() => deliverer.stop());
    watchLeads(ctx, { indexer, keeper });
    const metricsUrl = await serveMetrics(ctx, closers);
    if (!serves) return { ...nowhere, metricsUrl, stop };
    const served = await serve(ctx, closers, { wanted, parts: indexer ? { indexer } : {} });
    return { ...served, metricsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Begins to trace when a collector is named: OpenTelemetry's SDK is loaded only then. */
async function traceIfWanted({ config, log }: Context, closers: (() => Promise<void>)[]): Promise<void> {
  if (config.otlpEndpoint === undefined) return;
  const { startTracing } = await import('./tracing/start.js');
  const tracing = startTracing(log);
  // Last of all, so that what the others do as they stop is sent too.
  closers.unshift(() => tracing.stop());
}

async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** Serves the APIs of the wanted surfaces; returns where. */
async function serve(
  ctx: Context,
  closers: (() => Promise<void>)[],
  { wanted, parts }: { wanted: ReadonlySet<Command>; parts: AppParts },
): Promise<Pick<RunningService, 'url' | 'operatorUrl'>> {
  const { host, port, operatorHost, operatorPort } = ctx.config;
  const { followScreening } = await import('./actions/screening/follow-screening.js');
  const screening = followScreening(ctx);
  closers.push(() => screening.stop());
  const { builtApp, consoleApp, portalApp } = await import('./http/server/browser-app.js');
  // Both are built before either listens.
  const app = wanted.has('serve-partners')
    ? await (await import('./http/app.js')).buildApp(ctx, { ...parts, portal: builtApp(portalApp) })
    : undefined;
  if (app) closers.push(() => app.close());
  const operatorApp = wanted.has('serve-operators')
    ? await (await import('./http/operator/app.js')).buildOperatorApp(ctx, { console: builtApp(consoleApp) })
    : undefined;
  if (operatorApp) closers.push(() => operatorApp.close());
  return {
    url: app && (await listen(app, host, port, 'KARAT_PORT')),
    operatorUrl:
      operatorApp && (await listen(operatorApp, operatorHost, operatorPort, 'KARAT_OPERATOR_PORT')),
  };
}

/** Serves the metrics on the port that is named for them; undefined without one. */
async function serveMetrics(ctx: Context, closers: (() => Promise<void>)[]): Promise<string | undefined> {
  const { metricsHost: host, metricsPort: port } = ctx.config;
  if (port === undefined) return undefined;
  const app = await (await import('./http/server/metrics.js')).buildMetricsApp(ctx);
  closers.push(() => app.close());
  return listen(app, host, port, 'KARAT_METRICS_PORT');
}

/** Makes an application listen, and returns where. Throws a `ConfigError` if it cannot listen there. */
async function listen(app: FastifyInstance, host: string, port: number, setting: string): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new ConfigError(
        `Port ${port} of ${host} is in use: stop what listens there, or set ${setting} to another port`,
      );
    }
    const hostSetting = setting.replace('_PORT', '_HOST');
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`This machine has no address ${host}: set ${hostSetting} to another one`);
    }
    if (code === 'EACCES') {
      throw new ConfigError(
        `This user may not listen on port ${port} of ${host}: set ${setting} to another port`,
      );
    }
    throw error;
  }
}

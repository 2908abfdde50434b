import type { Logger } from 'pino';
import { DecisionLog } from './actions/decision-log.js';
import { refusalRecorder } from './actions/keys/record-refused-signature.js';
import { FeeBudgets } from './actions/limits/fee-budgets.js';
import { VelocityReservations } from './actions/limits/reservations.js';
import type { Chain } from './chain/chain.js';
import { createChain } from './chain/create-chain.js';
import type { RecordedChain } from './chain/node/genesis.js';
import { openReservesKey } from './chain/sign/keys.js';
import { type Clock, systemClock } from './clock.js';
import type { Config } from './config.js';
import type { Context } from './context.js';
import { type Db, openDatabase } from './db/client.js';
import { findGenesis, findRecordedSlot, keepGenesis } from './db/indexing/chain-genesis.js';
import { ChangeFeed } from './events/change-feed.js';
import { KycSeal } from './kyc/kyc-seal.js';
import { openKeyWrappers } from './kyc/open-key-wrappers.js';
import { createLogger } from './log.js';
import { loadMarketCalendar } from './market-calendar.js';
import { Metrics } from './metrics/metrics.js';
import { watchCertificates } from './metrics/watch-certificates.js';
import { watchProcess } from './metrics/watch-process.js';
import { watchService } from './metrics/watch-service.js';
import { ListFile } from './screening/list-file.js';
import { noScreening } from './screening/screening.js';

export interface OwnedContext extends Context {
  /** Stops what the context started and closes its connections. */
  close(): Promise<void>;
}

/** What a test or the sandbox brings instead of the usual parts. */
export interface ContextParts {
  clock?: Clock;
  log?: Logger;
  chain?: Chain;
}

/** Connections to a copy of the database, at most. */
const replicaPoolSize = 4;

/** Makes everything that the service holds. Starts nothing: `ctx.chain.start()` does, when a command needs it. */
export async function createContext(config: Config, parts: ContextParts = {}): Promise<OwnedContext> {
  const clock = parts.clock ?? systemClock;
  const metrics = new Metrics();
  const log =
    parts.log ??
    createLogger(config.logLevel, undefined, {
      onDrop: () => metrics.lineDropped(),
      traced: config.otlpEndpoint !== undefined,
    });
  const calendar = loadMarketCalendar(config);
  const { sanctionsList } = config;
  const screening =
    sanctionsList === undefined ? noScreening : await ListFile.open(sanctionsList, { log, clock, metrics });
  const kyc = new KycSeal(await openKeyWrappers(config));
  const { databaseUrl, databaseDirectUrl, databaseReplicaUrl, databasePoolSize: poolSize } = config;
  const database = openDatabase(databaseUrl.reveal(), { poolSize, pooled: databaseDirectUrl !== undefined });
  const replica =
    databaseReplicaUrl && openDatabase(databaseReplicaUrl.reveal(), { poolSize: replicaPoolSize });
  const onRefused = refusalRecorder({ db: database.db, clock, log, metrics });
  const reservesSigner = await openReservesKey(config, onRefused);
  const chain =
    parts.chain ??
    (await createChain({
      config,
      clock,
      log,
      recorded: recordedChain(database.db),
      onRefused,
      onDisagreement: () => metrics.nodeDisagreements.inc(),
    }));
  const ctx: Context = {
    config,
    clock,
    log,
    db: database.db,
    replica: replica?.db ?? database.db,
    pool: database.pool,
    feed: new ChangeFeed({ config, db: database.db, log }),
    chain,
    reservesSigner,
    kyc,
    calendar,
    screening,
    feeBudgets: new FeeBudgets({ db: database.db, clock, log, metrics }),
    reservations: new VelocityReservations({ db: database.db, clock, log, metrics }),
    decisions: new DecisionLog({ db: database.db, clock, log }),
    metrics,
  };
  watchProcess(ctx);
  watchService(ctx);
  watchCertificates(ctx);
  return {
    ...ctx,
    async close() {
      try {
        await Promise.all([ctx.feed.stop(), chain.stop(), reservesSigner?.close(), ctx.decisions.written()]);
      } finally {
        await Promise.all([database.close(), replica?.close()]);
      }
    },
  };
}

/**
 * Returns what the nodes are held to. A database that is down for a while changes nothing
 * about what was read before.
 */
function recordedChain(db: Db): RecordedChain {
  let genesis: string | undefined;
  let newest = 0n;
  return {
    async findGenesis() {
      genesis ??= await findGenesis(db);
      return genesis;
    },
    async keepGenesis(hash) {
      genesis ??= await keepGenesis(db, hash);
      return genesis;
    },
    async newestSlot() {
      newest = await findRecordedSlot(db).catch(() => newest);
      return newest;
    },
  };
}

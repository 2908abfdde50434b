import type { Logger } from 'pino';
import type { DecisionLog } from './actions/decision-log.js';
import type { FeeBudgets } from './actions/limits/fee-budgets.js';
import type { VelocityReservations } from './actions/limits/reservations.js';
import type { Chain } from './chain/chain.js';
import type { Signer } from './chain/sign/signer.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import type { Db } from './db/client.js';
import type { Pool } from './db/connections.js';
import type { MarketCalendar } from './domain/market-calendar.js';
import type { ChangeFeed } from './events/change-feed.js';
import type { KycSeal } from './kyc/kyc-seal.js';
import type { Metrics } from './metrics/metrics.js';
import type { Screening } from './screening/screening.js';

/** Everything the service holds while it runs, made and disposed in one place. */
export interface Context {
  config: Config;
  clock: Clock;
  log: Logger;
  db: Db;
  /** A copy of the database that may lag, or `db` itself: for rows that never change once they are written. */
  replica: Db;
  /** The connections behind `db`. */
  pool: Pool;
  /** Wakes those in this process who wait for something to be committed. */
  feed: ChangeFeed;
  chain: Chain;
  /** Signs statements of the reserves, in a process that holds its key. */
  reservesSigner: Signer | undefined;
  /** Encrypts and decrypts KYC records, in a process that holds their key. */
  kyc: KycSeal;
  /** When the market of gold is open. */
  calendar: MarketCalendar;
  /** Which wallets may not be served. */
  screening: Screening;
  /** Which partners get no quotes because their transactions cost the service too much. */
  feeBudgets: FeeBudgets;
  /** What the open quotes of this process may still move of limits. */
  reservations: VelocityReservations;
  /** Writes what this process decides about callers into the audit log. */
  decisions: DecisionLog;
  /** What this process counts and measures. */
  metrics: Metrics;
}

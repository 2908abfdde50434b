/** The service as a library: what a program needs that runs it in its own process, as the sandbox does. */
export { createOperator, createOperatorToken } from './actions/operators/create-operator.js';
export { createUser } from './actions/users/create-user.js';
export type { Clock } from './clock.js';
export { type Config, ConfigError, readConfig } from './config.js';
export type { Context } from './context.js';
export { type ContextParts, createContext, type OwnedContext } from './create-context.js';
export { insertDenomination } from './db/catalogue/denominations.js';
export { migrate } from './db/migrate.js';
export { findOperatorByEmail } from './db/operators/operators.js';
export { countries, idTypePatterns, partners, partnerWallets } from './db/schema.js';
export { findUsers } from './db/users.js';
export { buildApp } from './http/app.js';
export { buildOperatorApp } from './http/operator/app.js';
export { buildMetricsApp } from './http/server/metrics.js';
export { startIndexer } from './indexer/index.js';
export { startKeeper } from './keeper/index.js';
export { createLogger } from './log.js';
export { watchLeads } from './metrics/watch-leads.js';

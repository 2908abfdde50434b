/** Every table, one file each; drizzle-kit writes the migrations from here. */
export * from './api-keys.js';
export * from './auth-attempts.js';
export * from './challenges.js';
export * from './countries.js';
export * from './dead-letters.js';
export * from './denominations.js';
export * from './idempotency-keys.js';
export * from './indexer-cursors.js';
export * from './partner-wallets.js';
export * from './partners.js';
export * from './program-events.js';
export * from './redemption-history.js';
export * from './redemption-status.js';
export * from './redemptions.js';
export * from './trades.js';
export * from './users.js';

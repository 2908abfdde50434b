import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { isConnectionLost } from './outage.js';
import * as schema from './schema.js';

/** The pool. Reads take a `Db` or a `Tx`; writes take a `Tx`, so that none can happen outside a transaction. */
export type Db = PostgresJsDatabase<typeof schema>;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface DbHandle {
  db: Db;
  /** The driver itself, for what drizzle has no words for: advisory locks on a session of their own, LISTEN. */
  sql: postgres.Sql;
  close(): Promise<void>;
}

/** Opens a pool on `url`. No connection is made before the first query; a dead server fails a query within 3 s. */
export function openDatabase(url: string, options: { poolSize: number }): DbHandle {
  const sql = postgres(url, {
    max: options.poolSize,
    connect_timeout: 3,
    idle_timeout: 60,
    // Its query for array types has nobody to take its error when a connection breaks, which would end the process.
    fetch_types: false,
    // A server that comes back is found at once; the default waits up to 20 s between tries.
    backoff: () => 0.1,
    onnotice: () => {},
    connection: { application_name: 'karat', statement_timeout: 4_000 },
  });
  keepRollbackOffDeadConnections(sql);
  return {
    db: drizzle(sql, { schema }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}

/**
 * A transaction whose connection is gone has nothing to roll back. The driver (3.4.9) tries all the same: it writes to
 * a socket that is no more, which throws where nobody can catch it and would end the process, and leaves the connection
 * so that it never sends anything again. `begin` rejects by itself when its connection closes, so the function's own
 * rejection is kept from it.
 */
function keepRollbackOffDeadConnections(sql: postgres.Sql): void {
  type Work = (tx: postgres.TransactionSql) => unknown;
  const begin = sql.begin.bind(sql) as (options: string, work: Work) => Promise<unknown>;
  const guarded = (work: Work) => (tx: postgres.TransactionSql) =>
    new Promise((resolve, reject) => {
      Promise.resolve(work(tx)).then(resolve, (error: unknown) => {
        if (!isConnectionLost(error)) reject(error);
      });
    });
  const replacement = (...args: [Work] | [string, Work]) =>
    args.length === 1 ? begin('', guarded(args[0])) : begin(args[0], guarded(args[1]));
  sql.begin = replacement as typeof sql.begin;
}

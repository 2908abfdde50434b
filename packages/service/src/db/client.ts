import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
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
  return {
    db: drizzle(sql, { schema }),
    sql,
    close: () => sql.end({ timeout: 5 }),
  };
}

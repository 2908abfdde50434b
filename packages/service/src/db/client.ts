import type { Logger } from 'drizzle-orm/logger';
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDatabase, PgDialect, type PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { type Connection, Pool, type PoolOptions, type TransactionOptions } from './connections.js';
import type { Executor, Rows } from './executor.js';
import type { Lead } from './leads.js';

/** The result of a raw query: its rows. */
interface RowsResult extends PgQueryResultHKT {
  type: Rows<this['row']>;
}

/**
 * The pool. Reads take a `Db` or a `Tx`; writes take a `Tx`, so that none can happen outside a transaction, but for those of
 * one statement that nothing else belongs to.
 */
export type Db = PgDatabase<RowsResult>;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface DbHandle {
  db: Db;
  /** The connections behind `db`. */
  pool: Pool;
  close(): Promise<void>;
}

/**
 * Opens a pool on `url`. No connection is made before the first query; a dead server fails a query within 3 s. `pooled`:
 * `url` leads to a pooler that lends its sessions for one transaction each.
 */
export function openDatabase(
  url: string,
  { poolSize, pooled = false }: { poolSize: number; pooled?: boolean },
): DbHandle {
  return openPool(url, { size: poolSize, pooled });
}

/**
 * Opens a pool for the work of a lead. Its transactions that can write fail with a `LostLeadError` once another process
 * leads, and one that is left alone ends before another process takes over.
 */
export function openLeadDatabase(url: string, lead: Lead, options: { poolSize: number }): DbHandle {
  return openPool(url, { size: options.poolSize, lead, idleInTransactionMs: 5_000 });
}

function openPool(
  url: string,
  options: Pick<PoolOptions, 'size' | 'lead' | 'idleInTransactionMs' | 'pooled'>,
): DbHandle {
  const pool = new Pool(url, { ...options, applicationName: 'karat', statementTimeoutMs: 4_000 });
  return {
    db: drizzleOn(pool),
    pool,
    close: () => pool.end(5_000),
  };
}

/** Drizzle's queries on a pool; `logger` gets every one, but not the ends of transactions. */
export function drizzleOn(pool: Pool, logger?: Logger): Db {
  return new PgDatabase(dialect, new Session(pool, undefined, logger), undefined);
}

const dialect = new PgDialect();
/** No relations: queries are written out. */
type Schema = Record<string, never>;

/**
 * Drizzle's session over our pool. Its own transactions keep a connection for ever when `begin` fails, hide an error
 * behind that of the rollback, and take a commit that the server turned into a rollback for one.
 */
class Session extends NodePgSession<Schema, Schema> {
  readonly #pool: Pool;
  /** Of the transaction; undefined outside of one. */
  readonly #connection: Connection | undefined;
  readonly #logger: Logger | undefined;

  constructor(pool: Pool, connection: Connection | undefined, logger: Logger | undefined) {
    const executor: Executor = connection ?? pool;
    super(executor as unknown as pg.Pool, dialect, undefined, logger && { logger });
    this.#pool = pool;
    this.#connection = connection;
    this.#logger = logger;
  }

  override transaction<T>(
    work: (tx: NodePgTransaction<Schema, Schema>) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#pool.transaction((connection) => {
      const session = new Session(this.#pool, connection, this.#logger);
      return work(new NodePgTransaction<Schema, Schema>(dialect, session, undefined));
    }, options);
  }

  notifyOfCommit(channel: string, payloads: string[]): void {
    if (this.#connection) this.#connection.notices.push({ channel, payloads });
    else this.#pool.notify(channel, payloads);
  }
}

/**
 * Notifies those who listen on a channel once what was written is committed, and never if it is rolled back. Outside of a
 * transaction it is committed already.
 */
export function notifyOfCommit(db: Db | Tx, channel: string, payloads: string[]): void {
  const { session } = db._;
  if (!(session instanceof Session)) throw new TypeError('a database that is none of ours');
  session.notifyOfCommit(channel, payloads);
}

/**
 * Runs a transaction whose statements may take up to `statementTimeoutMs` each, which is longer than others may. On a
 * database that `openLeadDatabase` opened it has to be `read only`, and throws a `TypeError` otherwise.
 */
export function slowTransaction<T>(
  db: Db,
  statementTimeoutMs: number,
  work: (tx: Tx) => Promise<T>,
  config: Omit<TransactionOptions, 'statementTimeoutMs'> = {},
): Promise<T> {
  const options: TransactionOptions = { ...config, statementTimeoutMs };
  return db.transaction(work, options);
}

import type pg from 'pg';

/** A query as drizzle hands it to the driver. */
export interface Statement {
  text: string;
  /** Of a prepared statement; always the same text under the same name. */
  name?: string | undefined;
  /** Rows as arrays of their columns; default: as objects. */
  rowMode?: 'array';
  types?: { getTypeParser: typeof pg.types.getTypeParser };
}

/** The result of a query; `count` is the number of rows that it read or wrote. */
export type Rows<T> = T[] & { readonly count: number };

/** Takes queries: the pool, or a transaction's connection. The part of the driver that drizzle's session uses. */
export interface Executor {
  query(statement: Statement, values: unknown[]): Promise<unknown>;
}

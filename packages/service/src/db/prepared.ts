import { createHash } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { PgDialect, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';
import type { Rows } from './executor.js';

const dialect = new PgDialect();

/**
 * Runs a statement that each connection parses and plans once, whatever its values. Only for texts of which there are few:
 * a connection keeps every one of them.
 */
export function runPrepared<Row>(db: Db | Tx, statement: SQL): Promise<Rows<Row>> {
  const query = dialect.sqlToQuery(statement);
  const name = `karat_${createHash('md5').update(query.sql).digest('base64url')}`;
  return db._.session
    .prepareQuery<PreparedQueryConfig & { execute: Rows<Row> }>(query, undefined, name, false)
    .execute();
}

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
  return prepare<Row>(statement)(db, {});
}

/**
 * Returns how to run a statement as `runPrepared` does, with the values of its placeholders by name. Its text is made once,
 * which takes longer than all else that this process does for a small one.
 */
export function prepare<Row>(
  statement: SQL,
): (db: Db | Tx, values: Record<string, unknown>) => Promise<Rows<Row>> {
  const query = dialect.sqlToQuery(statement);
  const name = `karat_${createHash('md5').update(query.sql).digest('base64url')}`;
  return (db, values) =>
    db._.session
      .prepareQuery<PreparedQueryConfig & { execute: Rows<Row> }>(query, undefined, name, false)
      .execute(values);
}

import { is, type SQL, sql } from 'drizzle-orm';
import { type PgColumn, PgEnumColumn } from 'drizzle-orm/pg-core';

/** Types no value of which has a character that means something in the text of an array. */
const plainTypes = /^(bigint|boolean|integer|numeric|smallint|timestamp|uuid)\b/;
const byteaOid = 17;

/**
 * Returns values, as the driver takes them, as an array of a column's type: one parameter, in the form that costs both
 * sides least. The driver's own looks into every element for what has to be escaped.
 */
export function arrayOf(column: PgColumn, values: readonly unknown[]): SQL {
  const type = column.getSQLType();
  const typed = (value: unknown) => sql`${sql.param(value)}::${sql.raw(type)}[]`;
  if (type === 'bytea') return typed(binaryArray(values as (Uint8Array | null)[]));
  // JSON text has no line break in it.
  if (type === 'json') return sql`${linesOf(values as (string | null)[])}::json[]`;
  if (plainTypes.test(type) || is(column, PgEnumColumn))
    return typed(`{${values.map((value) => value ?? 'null').join(',')}}`);
  return typed(values);
}

/** Returns texts that are not empty and have no line break as an array of texts; a null stays one. */
export function linesOf(values: readonly (string | null)[]): SQL {
  return sql`string_to_array(${values.map((value) => value ?? '').join('\n')}, E'\n', '')`;
}

/** Returns an array of `bytea` in the binary format of PostgreSQL, which is how the driver sends a buffer. */
function binaryArray(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 20));
  // Dimensions, whether there are nulls, type of the elements, their number, and the index of the first.
  const header = [1, values.includes(null) ? 1 : 0, byteaOid, values.length, 1];
  let at = 0;
  for (const field of header) at = bytes.writeInt32BE(field, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? -1, at);
    if (!value) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

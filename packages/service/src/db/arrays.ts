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
  return arrayFrom(column, sql`${sql.param(arrayText(column, values))}`);
}

/** Returns the array that a parameter with the value of `arrayText` stands for. */
export function arrayFrom(column: PgColumn, parameter: SQL): SQL {
  const type = column.getSQLType();
  // JSON text has no line break in it.
  if (type === 'json') return sql`${lines(parameter)}::json[]`;
  return sql`${parameter}::${sql.raw(type)}[]`;
}

/** Returns the value of the parameter that `arrayFrom` makes an array of a column's type of. */
export function arrayText(column: PgColumn, values: readonly unknown[]): unknown {
  const type = column.getSQLType();
  if (type === 'bytea') return binaryArray(values as (Uint8Array | null)[]);
  if (type === 'json') return joined(values as (string | null)[]);
  if (plainTypes.test(type) || is(column, PgEnumColumn))
    return `{${values.map((value) => value ?? 'null').join(',')}}`;
  return values;
}

/** Returns texts that are not empty and have no line break as an array of texts; a null stays one. */
export function linesOf(values: readonly (string | null)[]): SQL {
  return lines(sql`${joined(values)}`);
}

const joined = (values: readonly (string | null)[]) => values.map((value) => value ?? '').join('\n');
const lines = (text: SQL) => sql`string_to_array(${text}, E'\n', '')`;

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

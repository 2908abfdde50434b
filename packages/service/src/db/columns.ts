import { customType, timestamp } from 'drizzle-orm/pg-core';

/** An amount in base units: `bigint` in code, `numeric(20,0)` at rest, which holds every u64. */
export const baseUnits = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'numeric(20,0)',
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/**
 * Any text of JavaScript, exactly as it is: at rest a JSON string, for PostgreSQL stores neither NUL nor half of a surrogate
 * pair.
 */
export const verbatim = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  fromDriver: (value) => JSON.parse(value),
  toDriver: (value) => JSON.stringify(value),
});

/** Raw bytes, such as the SHA-256 of an API key. */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  fromDriver: (value) => new Uint8Array(value),
  toDriver: (value) => Buffer.from(value),
});

/** A moment, in UTC with milliseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

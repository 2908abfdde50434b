import { customType, timestamp } from 'drizzle-orm/pg-core';
import { type Gold, goldUnits, type Usdc, usdcUnits } from '../domain/money.js';

/** A whole number of the chain: a slot, a block height, the number of an event. `numeric(20,0)` holds every u64. */
export const u64 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'numeric(20,0)',
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** Base units of a token that the row or the account names, or a sum that may be negative, or millionths of a dollar. */
export const baseUnits = u64;

/** GOLD in base units. */
export const gold = customType<{ data: Gold; driverData: string }>({
  dataType: () => 'numeric(20,0)',
  fromDriver: (value) => goldUnits(BigInt(value)),
  toDriver: (value) => value.toString(),
});

/** USDC in base units. */
export const usdc = customType<{ data: Usdc; driverData: string }>({
  dataType: () => 'numeric(20,0)',
  fromDriver: (value) => usdcUnits(BigInt(value)),
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

/** A column for a moment, in UTC with milliseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

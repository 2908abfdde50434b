import { type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, customType, timestamp } from 'drizzle-orm/pg-core';
import { type Id, type Prefix, prefixedId, uuidOf } from '../domain/ids.js';
import { type Gold, goldUnits, type Usdc, usdcUnits } from '../domain/money.js';
import {
  type Address,
  addressOf,
  addressToBytes,
  signatureToBytes,
  type TxSignature,
  txSignatureOf,
} from '../domain/solana.js';

/**
 * A whole number of the chain: a slot, a block height, the number of an event. All of them end far below 2⁶³; what does
 * not is refused by PostgreSQL (SQLSTATE 22003), and the transaction that has it becomes a dead letter.
 */
export const int64 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'bigint',
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** Base units of a token that the row or the account names, or a sum that may be negative, or millionths of a dollar. */
export const baseUnits = int64;

/** GOLD in base units. */
export const gold = customType<{ data: Gold; driverData: string }>({
  dataType: () => 'bigint',
  fromDriver: (value) => goldUnits(BigInt(value)),
  toDriver: (value) => value.toString(),
});

/** USDC in base units. */
export const usdc = customType<{ data: Usdc; driverData: string }>({
  dataType: () => 'bigint',
  fromDriver: (value) => usdcUnits(BigInt(value)),
  toDriver: (value) => value.toString(),
});

/** A limit in base units of USDC that a transaction names: any u64, for the highest stands for no limit. */
export const usdcLimit = customType<{ data: Usdc; driverData: string }>({
  dataType: () => 'numeric(20,0)',
  fromDriver: (value) => usdcUnits(BigInt(value)),
  toDriver: (value) => value.toString(),
});

/** The 32 bytes of an address, which is base58 text everywhere above the database. */
export const address = customType<{ data: Address; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: addressOf,
  toDriver: addressToBytes,
});

/** The 64 bytes of a transaction's first signature, which is base58 text everywhere above the database. */
export const txSignature = customType<{ data: TxSignature; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: txSignatureOf,
  toDriver: signatureToBytes,
});

/** Condition of a check: what a column of addresses or signatures holds has their length. */
export const hasBytes = (column: AnyPgColumn, length: 32 | 64): SQL =>
  sql`octet_length(${column}) = ${sql.raw(String(length))}`;

/** Condition: a status is one of these. Written out, so that a partial index of them serves whatever the plan is. */
export const statusIn = (status: AnyPgColumn, statuses: readonly string[]): SQL =>
  sql`${status} in (${sql.raw(statuses.map((each) => `'${each}'`).join(', '))})`;

/** The UUID of an id that has a prefix everywhere above the database. */
export const prefixed = <P extends Prefix>(prefix: P) =>
  customType<{ data: Id<P>; driverData: string }>({
    dataType: () => 'uuid',
    fromDriver: (value) => prefixedId(prefix, value),
    toDriver: uuidOf,
  });

/**
 * What indexes of partners' numbers have of a partner's id: each partner's newest entries lie in the middle of such an index,
 * where PostgreSQL fills pages only for keys of at most 16 bytes, and leaves half of them empty for longer ones.
 */
export const hashOfPartner = (id: AnyPgColumn | SQL): SQL => sql`uuid_hash_extended(${id}, 0)`;

/** Condition: two ids of partners have the same hash. Of those in the table of partners no two do. */
export const sameHash = (one: AnyPgColumn | SQL, other: SQL): SQL =>
  sql`${hashOfPartner(one)} = ${hashOfPartner(other)}`;

/** Condition: two ids of partners, which may come from the chain, are the same. */
export const samePartner = (one: AnyPgColumn | SQL, other: SQL): SQL =>
  sql`${one} = ${other} and ${sameHash(one, other)}`;

/** Raw bytes, such as the SHA-256 of an API key. */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  fromDriver: (value) => new Uint8Array(value),
  toDriver: (value) => Buffer.from(value),
});

/** Several of them. */
export const bytesList = customType<{ data: Uint8Array[]; driverData: Buffer[] }>({
  dataType: () => 'bytea[]',
  fromDriver: (values) => values.map((value) => new Uint8Array(value)),
  toDriver: (values) => values.map((value) => Buffer.from(value)),
});

/** A column for a moment, in UTC with milliseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

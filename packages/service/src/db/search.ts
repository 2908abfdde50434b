import { or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { barName } from '../domain/bar.js';
import { uuidsBeginning } from '../domain/ids.js';
import { asAddress, asTxSignature } from '../domain/solana.js';
import { approvals } from './approvals/approvals.js';
import { bars } from './bars/bars.js';
import { denominations } from './catalogue/denominations.js';
import { deadLetters } from './indexing/dead-letters.js';
import { apiKeys } from './keys/api-keys.js';
import { orders } from './orders/orders.js';
import { partners } from './partners/partners.js';
import { people } from './people/people.js';
import { redemptions } from './redemptions/redemptions.js';
import { trades } from './trades/trades.js';
import { users } from './users.js';

/**
 * What a text that somebody searches for means in each list. KYC data is not searched here: what is searched for stands in
 * the address of the request.
 */
export const searches = {
  partners: (q: string) => any(isId(partners.id, q), contains(q, partners.name)),
  users: (q: string) =>
    any(isPrefixed(users.id, 'gu', q), isAddress(users.walletAddress, q), begins(q, users.partnerUserId)),
  redemptions: (q: string) =>
    any(
      isPrefixed(redemptions.id, 'red', q),
      isSignature(redemptions.txSignature, q),
      isOfUser(redemptions.userId, q),
      sql`exists (select from ${bars} where ${bars.redemptionId} = ${redemptions.id} and upper(${bars.serial}) = upper(${barName(q)}))`,
    ),
  bars: (q: string) => contains(barName(q), bars.serial, bars.refiner),
  trades: (q: string) =>
    any(isPrefixed(trades.id, 'trd', q), isSignature(trades.txSignature, q), isOfUser(trades.userId, q)),
  orders: (q: string) =>
    any(isId(orders.id, q), isSignature(orders.txSignature, q), isAddress(orders.signer, q)),
  denominations: (q: string) => contains(q, denominations.id, denominations.label, denominations.city),
  apiKeys: (q: string) =>
    any(isId(apiKeys.id, q), isAddress(apiKeys.walletAddress, q), contains(q, apiKeys.name)),
  operators: (q: string) => any(isId(people.id, q), contains(q, people.name, people.email)),
  approvals: (q: string) => any(sql`${approvals.objectId} = ${q}`, contains(q, approvals.action)),
  deadLetters: (q: string) =>
    any(isId(deadLetters.id, q), isSignature(deadLetters.signature, q), contains(q, deadLetters.reason)),
};

/** Whether any of these holds. */
const any = (...conditions: (SQL | undefined)[]): SQL => or(...conditions) ?? sql`false`;

/** Whether an id begins as a text does, which a whole id does too: by the index of the ids. */
const isId = (column: AnyPgColumn, q: string): SQL | undefined => {
  const [lowest, highest] = uuidsBeginning(q) ?? [];
  return lowest && sql`${column} between ${lowest}::uuid and ${highest}::uuid`;
};

/** The same of an id with a prefix. */
const isPrefixed = (column: AnyPgColumn, prefix: 'gu' | 'red' | 'trd', q: string): SQL | undefined =>
  q.toLowerCase().startsWith(`${prefix}_`) ? isId(column, q.slice(prefix.length + 1)) : undefined;

const isAddress = (column: AnyPgColumn, q: string): SQL | undefined => {
  const address = asAddress(q);
  return address && sql`${column} = ${sql.param(address, column)}`;
};

const isSignature = (column: AnyPgColumn, q: string): SQL | undefined => {
  const signature = asTxSignature(q);
  return signature && sql`${column} = ${sql.param(signature, column)}`;
};

/** Whether a row is that of a user, by any of the user's ids, or the wallet. */
const isOfUser = (column: AnyPgColumn, q: string): SQL => {
  const whose = any(
    isPrefixed(users.id, 'gu', q),
    isAddress(users.walletAddress, q),
    sql`${users.partnerUserId} = ${q}`,
  );
  return sql`${column} in (select ${users.id} from ${users} where ${whose})`;
};

const literally = (q: string) => q.replace(/[\\%_]/g, '\\$&');

/** Whether one of the texts contains another, in any case. */
const contains = (q: string, ...columns: AnyPgColumn[]): SQL =>
  any(...columns.map((column) => sql`${column} ilike ${`%${literally(q)}%`}`));

/** Whether a text begins with another: by an index, for tables with many rows. */
const begins = (q: string, column: AnyPgColumn): SQL => sql`${column} like ${`${literally(q)}%`}`;

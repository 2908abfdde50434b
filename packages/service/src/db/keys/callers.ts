import { eq, sql } from 'drizzle-orm';
import { type UserId, type Uuid, uuidOf } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { partners } from '../partners/partners.js';
import { type Trader, traderColumns } from '../trades/traders.js';
import { userKyc, users } from '../users.js';
import { apiKeys } from './api-keys.js';

/** What authentication needs to know of a key. */
export interface KeyHolder {
  keyId: Uuid;
  surface: 'partner' | 'tradebook';
  /** Null for a key of the program's admin, which is one of the tradebook API. */
  partnerId: Uuid | null;
  walletAddress: WalletAddress;
  scope: string;
  keyStatus: 'active' | 'revoked';
  /** When the key expires; null if it never does. */
  expiresAt: Date | null;
  partnerStatus: 'active' | 'suspended' | null;
}

/** A key by its SHA-256, and the user whom its request is about, if it names one. */
export interface CallerQuery {
  keyHash: Uint8Array;
  userId: UserId | undefined;
}

export interface FoundCaller extends KeyHolder {
  /** The named user, whosever that is; undefined when none was named or there is none. */
  trader: Trader | undefined;
}

/**
 * Returns the holders of keys with the users that their requests name, one for each query in its order, undefined for
 * an unknown key: one prepared statement, however many there are.
 */
export async function findCallers(db: Db | Tx, queries: CallerQuery[]): Promise<(FoundCaller | undefined)[]> {
  const rows = await preparedFor(db).execute({
    hashes: arrayText(queries.map(({ keyHash }) => Buffer.from(keyHash).toString('hex'))),
    userIds: arrayText(queries.map(({ userId }) => (userId === undefined ? 'null' : uuidOf(userId)))),
  });
  const found: (FoundCaller | undefined)[] = queries.map(() => undefined);
  for (const { position, userId, trader, ...holder } of rows) {
    // The join leaves the columns of a user that is not there empty.
    found[position - 1] = { ...holder, trader: userId === null ? undefined : (trader as Trader) };
  }
  return found;
}

/** Returns an array in PostgreSQL's own text. Its elements are hex and ids, which need no quoting. */
function arrayText(members: string[]): string {
  return `{${members.join(',')}}`;
}

const prepared = new WeakMap<Db | Tx, ReturnType<typeof prepare>>();

function preparedFor(db: Db | Tx) {
  const known = prepared.get(db) ?? prepare(db);
  prepared.set(db, known);
  return known;
}

function prepare(db: Db | Tx) {
  const { placeholder } = sql;
  // Behind a select, the planner does not see how many there are: it would otherwise plan again for every call, which
  // takes longer than the call.
  const asked = sql`unnest((select ${placeholder('hashes')}::text[]), (select ${placeholder('userIds')}::uuid[]))
    with ordinality as asked (hash, user_id, position)`;
  return db
    .select({
      position: sql<number>`asked.position`.mapWith(toInteger),
      keyId: apiKeys.id,
      surface: apiKeys.surface,
      partnerId: apiKeys.partnerId,
      walletAddress: apiKeys.walletAddress,
      scope: apiKeys.scope,
      keyStatus: apiKeys.status,
      expiresAt: apiKeys.expiresAt,
      partnerStatus: partners.status,
      userId: sql<UserId | null>`${users.id}`,
      trader: traderColumns,
    })
    .from(asked)
    .innerJoin(apiKeys, eq(apiKeys.hash, sql`decode(asked.hash, 'hex')`))
    .leftJoin(partners, eq(partners.id, apiKeys.partnerId))
    .leftJoin(users, eq(users.id, sql`asked.user_id`))
    .leftJoin(userKyc, eq(userKyc.userId, users.id))
    .prepare('find_callers');
}

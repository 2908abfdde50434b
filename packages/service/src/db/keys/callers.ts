import { eq, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { type UserId, type Uuid, uuidOf } from '../../domain/ids.js';
import { addressOf, type WalletAddress } from '../../domain/solana.js';
import type { Db } from '../client.js';
import { toVelocity, velocityOf } from '../limits/velocity.js';
import { partnerWallets } from '../partners/partner-wallets.js';
import { partners } from '../partners/partners.js';
import type { Trader } from '../trades/traders.js';
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
  /** Active wallets of the partner. */
  partnerWallets: WalletAddress[];
}

/** A key by its SHA-256, and the user whom its request is about, if it names one. */
export interface CallerQuery {
  keyHash: Buffer;
  userId: UserId | undefined;
}

export interface FoundCaller {
  holder: KeyHolder;
  /** The named user, of whichever partner; undefined when none was named or there is none. */
  trader: Trader | undefined;
}

/**
 * Returns the holders of keys with the users that their requests name, one for each query in its order, undefined for
 * an unknown key: one prepared statement, however many there are.
 */
export async function findCallers(db: Db, queries: CallerQuery[]): Promise<(FoundCaller | undefined)[]> {
  // Most of what is asked at once comes with the same few keys: each is looked up and read once.
  const places = new Map<string, number>();
  const placeOf: number[] = [];
  const hashes: (string | null)[] = [];
  for (const [place, { keyHash }] of queries.entries()) {
    const hash = keyHash.toString('hex');
    const first = places.get(hash) ?? place;
    if (first === place) places.set(hash, place);
    placeOf.push(first);
    hashes.push(first === place ? hash : null);
  }
  const userIds = queries.map(({ userId }) => (userId === undefined ? null : uuidOf(userId)));
  const rows = (await preparedFor(db).execute({ hashes, userIds })) as Row[];
  const rowAt: Row[] = [];
  for (const row of rows) rowAt[row.position] = row;
  const holders = new Map<number, KeyHolder | undefined>();
  return queries.map((_query, place) => {
    const first = placeOf[place] ?? place;
    if (!holders.has(first)) holders.set(first, toHolder(rowAt[first]));
    const holder = holders.get(first);
    return holder && { holder, trader: toTrader(rowAt[place], holder, queries[place]?.userId) };
  });
}

/** A row as the driver reads it: where nothing was joined, its columns are null. */
interface Row {
  /** Of the query, from 0. */
  position: number;
  key_id: Uuid | null;
  surface: KeyHolder['surface'];
  partner_id: Uuid | null;
  key_wallet: Uint8Array;
  scope: string;
  key_status: KeyHolder['keyStatus'];
  expires_at: string | null;
  partner_status: KeyHolder['partnerStatus'];
  /** Active wallets of the key's partner, if it has one. */
  wallets: Uint8Array[] | null;
  user_partner_id: Uuid | null;
  user_wallet: Uint8Array;
  user_status: Trader['status'];
  kyc_level: string | null;
  velocity: unknown;
}

function toHolder(row: Row | undefined): KeyHolder | undefined {
  if (!row?.key_id) return undefined;
  return {
    keyId: row.key_id,
    surface: row.surface,
    partnerId: row.partner_id,
    walletAddress: addressOf(row.key_wallet),
    scope: row.scope,
    keyStatus: row.key_status,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    partnerStatus: row.partner_status,
    partnerWallets: row.wallets?.map(addressOf) ?? [],
  };
}

function toTrader(row: Row | undefined, holder: KeyHolder, id: UserId | undefined): Trader | undefined {
  if (!row?.user_partner_id || id === undefined) return undefined;
  return {
    id,
    partnerId: row.user_partner_id,
    walletAddress: addressOf(row.user_wallet),
    status: row.user_status,
    kycLevel: row.kyc_level,
    // Those of another partner are of no use to this one.
    partnerWallets: row.user_partner_id === holder.partnerId ? holder.partnerWallets : [],
    velocity: toVelocity(row.velocity),
  };
}

// Behind a select, the planner does not see how many there are: it would otherwise plan again for every call, which
// takes longer than the call.
const asked = sql`unnest((select ${sql.placeholder('hashes')}::text[]), (select ${sql.placeholder('userIds')}::uuid[]))
  with ordinality as asked (hash, user_id, place)`;

const query = new QueryBuilder()
  .select({
    position: sql`(asked.place - 1)::int4`.as('position'),
    keyId: sql`${apiKeys.id}`.as('key_id'),
    surface: sql`${apiKeys.surface}`.as('surface'),
    partnerId: sql`${apiKeys.partnerId}`.as('partner_id'),
    walletAddress: sql`${apiKeys.walletAddress}`.as('key_wallet'),
    scope: sql`${apiKeys.scope}`.as('scope'),
    keyStatus: sql`${apiKeys.status}`.as('key_status'),
    expiresAt: sql`${apiKeys.expiresAt}`.as('expires_at'),
    partnerStatus: sql`${partners.status}`.as('partner_status'),
    wallets: sql`case when ${apiKeys.partnerId} is not null then (
      select coalesce(array_agg(${partnerWallets.walletAddress}), '{}') from ${partnerWallets}
      where ${partnerWallets.partnerId} = ${apiKeys.partnerId} and ${partnerWallets.status} = 'active'
    ) end`.as('wallets'),
    userPartnerId: sql`${users.partnerId}`.as('user_partner_id'),
    userWallet: sql`${users.walletAddress}`.as('user_wallet'),
    userStatus: sql`${users.status}`.as('user_status'),
    kycLevel: sql`${userKyc.kycLevel}`.as('kyc_level'),
    velocity: velocityOf(users.id, users.partnerId).as('velocity'),
  })
  .from(asked)
  .leftJoin(apiKeys, eq(apiKeys.hash, sql`decode(asked.hash, 'hex')`))
  .leftJoin(partners, eq(partners.id, apiKeys.partnerId))
  .leftJoin(users, eq(users.id, sql`asked.user_id`))
  .leftJoin(userKyc, eq(userKyc.userId, users.id))
  .toSQL();

const prepared = new WeakMap<Db, ReturnType<typeof prepare>>();

function preparedFor(db: Db) {
  const known = prepared.get(db) ?? prepare(db);
  prepared.set(db, known);
  return known;
}

/** Without fields drizzle hands out the rows as the driver made them: mapping them takes longer than all the rest. */
function prepare(db: Db) {
  return db._.session.prepareQuery(query, undefined, 'find_callers', false);
}

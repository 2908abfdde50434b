import { sql } from 'drizzle-orm';
import { type AnyPgColumn, PgDialect } from 'drizzle-orm/pg-core';
import { type UserId, type Uuid, uuidOf } from '../../domain/ids.js';
import { addressOf, type WalletAddress } from '../../domain/solana.js';
import type { Db } from '../client.js';
import { toVelocity, velocityOf } from '../limits/velocity.js';
import { partnerWallets } from '../partners/partner-wallets.js';
import { partners } from '../partners/partners.js';
import { accountsMadeMsOf, type Trader } from '../trades/traders.js';
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
  /** The smallest trade of the partner; 0 for any, base units. */
  minTradeUsdc: bigint;
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
export async function findCallers(
  db: Db,
  queries: readonly CallerQuery[],
): Promise<(FoundCaller | undefined)[]> {
  // Most of what is looked up at once comes with the same few keys: each is looked up and read once.
  const [keys, users] = [new Places(), new Places()];
  const places = queries.map(({ keyHash, userId }) => ({
    key: keys.of(keyHash.toString('hex')),
    user: userId === undefined ? undefined : users.of(uuidOf(userId)),
  }));
  const given = { hashes: keys.values, userIds: users.values };
  const [found] = (await preparedFor(db).execute(given)) as Found[];
  const holders = found?.holders?.map((row) => row && toHolder(row)) ?? [];
  return queries.map(({ userId }, index) => {
    const { key, user } = places[index] as (typeof places)[number];
    const holder = holders[key];
    const row = user === undefined ? undefined : found?.traders?.[user];
    return holder ? { holder, trader: userId && row ? toTrader(row, holder, userId) : undefined } : undefined;
  });
}

/** Values without those that were there before, and where each of them stands. */
class Places {
  readonly values: string[] = [];
  readonly #places = new Map<string, number>();

  of(value: string): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    this.#places.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

/**
 * What the statement returns, in the order of the values: null where there is none. Two texts of JSON take the driver less
 * time than the columns of as many rows.
 */
interface Found {
  holders: (HolderRow | null)[] | null;
  traders: (TraderRow | null)[] | null;
}

/** Bytes are in hex. */
interface HolderRow {
  keyId: Uuid;
  surface: KeyHolder['surface'];
  partnerId: Uuid | null;
  wallet: string;
  scope: string;
  keyStatus: KeyHolder['keyStatus'];
  expiresAt: string | null;
  partnerStatus: KeyHolder['partnerStatus'];
  /** Active ones of the key's partner; null when there are none. */
  partnerWallets: string[] | null;
  minTradeUsdc: string | null;
}

interface TraderRow {
  partnerId: Uuid;
  wallet: string;
  status: Trader['status'];
  kycLevel: string | null;
  accountsMadeMs: number | null;
  velocity: unknown;
}

function toHolder(row: HolderRow): KeyHolder {
  const { keyId, surface, partnerId, wallet, scope, keyStatus, expiresAt, partnerStatus } = row;
  return {
    keyId,
    surface,
    partnerId,
    walletAddress: addressOfHex(wallet),
    scope,
    keyStatus,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    partnerStatus,
    partnerWallets: row.partnerWallets?.map(addressOfHex) ?? [],
    minTradeUsdc: BigInt(row.minTradeUsdc ?? 0),
  };
}

function toTrader(row: TraderRow, holder: KeyHolder, id: UserId): Trader {
  const { partnerId, wallet, status, kycLevel, accountsMadeMs, velocity } = row;
  return {
    id,
    partnerId,
    walletAddress: addressOfHex(wallet),
    status,
    kycLevel,
    // Those of another partner are of no use to this one.
    partnerWallets: partnerId === holder.partnerId ? holder.partnerWallets : [],
    minTradeUsdc: holder.minTradeUsdc,
    accountsMadeMs,
    velocity: toVelocity(velocity),
  };
}

/** Addresses of the last callers: the text of one takes longer to work out than to look up. */
const addresses = new Map<string, WalletAddress>();
const maxAddresses = 20_000;

function addressOfHex(hex: string): WalletAddress {
  const known = addresses.get(hex);
  if (known !== undefined) return known;
  const address = addressOf(Buffer.from(hex, 'hex'));
  if (addresses.size >= maxAddresses) addresses.clear();
  addresses.set(hex, address);
  return address;
}

// Behind a select, the planner does not see how many there are: it would otherwise plan again for every call, which
// takes longer than the call.
const requestedKeys = sql`unnest((select ${sql.placeholder('hashes')}::text[])) with ordinality as asked (hash, place)`;
const requestedUsers = sql`unnest((select ${sql.placeholder('userIds')}::uuid[])) with ordinality as asked (id, place)`;

const hexOf = (column: AnyPgColumn) => sql`encode(${column}, 'hex')`;

const holdersOfKeys = sql`
  select json_agg(case when ${apiKeys.id} is not null then json_build_object(
    'keyId', ${apiKeys.id}, 'surface', ${apiKeys.surface}, 'partnerId', ${apiKeys.partnerId},
    'wallet', ${hexOf(apiKeys.walletAddress)}, 'scope', ${apiKeys.scope}, 'keyStatus', ${apiKeys.status},
    'expiresAt', ${apiKeys.expiresAt}, 'partnerStatus', ${partners.status}, 'minTradeUsdc', ${partners.minTradeUsdc}::text,
    'partnerWallets', (
      select json_agg(${hexOf(partnerWallets.walletAddress)}) from ${partnerWallets}
      where ${partnerWallets.partnerId} = ${apiKeys.partnerId} and ${partnerWallets.status} = 'active'
    )) end order by asked.place)
  from ${requestedKeys}
  left join ${apiKeys} on ${apiKeys.hash} = decode(asked.hash, 'hex')
  left join ${partners} on ${partners.id} = ${apiKeys.partnerId}`;

const tradersOfUsers = sql`
  select json_agg(case when ${users.id} is not null then json_build_object(
    'partnerId', ${users.partnerId}, 'wallet', ${hexOf(users.walletAddress)}, 'status', ${users.status},
    'kycLevel', ${userKyc.kycLevel}, 'accountsMadeMs', ${accountsMadeMsOf(users.id)},
    'velocity', ${velocityOf(users.id, users.partnerId)}
    ) end order by asked.place)
  from ${requestedUsers}
  left join ${users} on ${users.id} = asked.id
  left join ${userKyc} on ${userKyc.userId} = ${users.id}`;

const query = new PgDialect().sqlToQuery(
  sql`select (${holdersOfKeys}) as holders, (${tradersOfUsers}) as traders`,
);

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

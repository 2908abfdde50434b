import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, check, integer, pgEnum, pgTable, uuid } from 'drizzle-orm/pg-core';
import { type RedemptionId, type TradeId, type UserId, type Uuid, uuidOf } from '../../domain/ids.js';
import {
  hourOf,
  type Velocity,
  type VelocityAmounts,
  type VelocityLimits,
  type VelocityScope,
  type VelocityWindow,
} from '../../domain/velocity.js';
import type { Db, Tx } from '../client.js';
import { baseUnits, moment } from '../columns.js';
import { findRow } from '../rows.js';

export const velocityKind = pgEnum('velocity_kind', ['service', 'partner', 'user']);

/** What stands for the service where limits have an owner. */
export const serviceOwner = '00000000-0000-0000-0000-000000000000' as Uuid;

/** Limits of 24 hours that operators set: one row for the service, and one for each partner and user with limits of its own. */
export const velocityLimits = pgTable(
  'velocity_limits',
  {
    /** Of a partner or a user; zeros for the service. */
    ownerId: uuid('owner_id').primaryKey().$type<Uuid>(),
    kind: velocityKind().notNull(),
    userUsdc: baseUnits('user_usdc'),
    userGold: baseUnits('user_gold'),
    partnerUsdc: baseUnits('partner_usdc'),
    partnerGold: baseUnits('partner_gold'),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    check(
      'velocity_limits_service',
      sql`(${t.kind} = 'service') = (${t.ownerId} = ${sql.raw(`'${serviceOwner}'`)})`,
    ),
    check(
      'velocity_limits_of_user',
      sql`${t.kind} <> 'user' or (${t.partnerUsdc} is null and ${t.partnerGold} is null)`,
    ),
    check(
      'velocity_limits_positive',
      sql`least(${t.userUsdc}, ${t.userGold}, ${t.partnerUsdc}, ${t.partnerGold}) >= 0`,
    ),
  ],
);

/**
 * What each user and partner has moved, by the hour: `add_velocity` of `rules.sql` writes it. The row is what those wait
 * for who want the last room of a limit.
 */
export const velocityUsage = pgTable('velocity_usage', {
  ownerId: uuid('owner_id').primaryKey().$type<Uuid>(),
  /** The last hour that was counted in, since the epoch; that of hour h stands at h % 24. */
  hour: integer().notNull(),
  usdc: baseUnits().array().notNull(),
  gold: baseUnits().array().notNull(),
});

/** Amounts that count because they were sent, until it is known how that ended. */
export const velocityClaims = pgTable('velocity_claims', {
  /** UUID of a trade or of a redemption. */
  quoteId: uuid('quote_id').primaryKey().$type<Uuid>(),
  userId: uuid('user_id').notNull().$type<Uuid>(),
  partnerId: uuid('partner_id').notNull().$type<Uuid>(),
  hour: integer().notNull(),
  usdc: baseUnits().notNull(),
  gold: baseUnits().notNull(),
});

export type StoredLimits = typeof velocityLimits.$inferSelect;

/** Who a row of limits is for. */
export interface LimitsOwner {
  kind: StoredLimits['kind'];
  ownerId: Uuid;
}

/** The limits of a user as the database function `velocity_of` gives them: amounts are text. */
interface VelocityJson {
  user: AccountJson;
  partner: AccountJson;
}
interface AccountJson {
  usdc: string | null;
  gold: string | null;
  used: { hour: number; usdc: string[]; gold: string[] } | null;
  /** Of all processes. */
  reserved: { usdc: string | null; gold: string | null; lapses_ms: number | null };
}

/** Selects the limits of a user and the partner, with what was moved; null when there are none. */
export const velocityOf = (user: SQL | AnyPgColumn, partner: SQL | AnyPgColumn): SQL =>
  sql`velocity_of(${user}, ${partner})`;

/** Reads what `velocityOf` selects. */
export function toVelocity(json: unknown): Velocity | null {
  if (json === null) return null;
  const { user, partner } = json as VelocityJson;
  return { user: toAccount(user), partner: toAccount(partner) };
}

function toAccount({ usdc, gold, used, reserved }: AccountJson) {
  const amount = (text: string | null) => (text === null ? null : BigInt(text));
  const window = used
    ? { hour: used.hour, usdc: used.usdc.map(BigInt), gold: used.gold.map(BigInt) }
    : undefined;
  const held = {
    usdc: BigInt(reserved.usdc ?? 0),
    gold: BigInt(reserved.gold ?? 0),
    lapsesAtMs: reserved.lapses_ms ?? 0,
  };
  return { limits: { usdc: amount(usdc), gold: amount(gold) }, window, reserved: held };
}

/**
 * Returns the limits of a partner, and those that hold for its users where they have none of their own, as quotes are held to them;
 * null when there are none. What the user has moved means nothing here.
 */
export async function findPartnerVelocity(db: Db | Tx, partnerId: Uuid): Promise<Velocity | null> {
  const partner = sql`${partnerId}::uuid`;
  const [row] = await db.execute<{ velocity: unknown }>(
    sql`select ${velocityOf(partner, partner)} as velocity`,
  );
  return toVelocity(row?.velocity ?? null);
}

/** What a user of a partner moves, or would move, by a quote. */
export interface MovedAmounts extends VelocityAmounts {
  quoteId: TradeId | RedemptionId;
  userId: UserId;
  partnerId: Uuid;
}

/**
 * Counts amounts of a quote that is about to be sent, and returns what user and partner have moved with them, both locked
 * until the transaction ends. Undefined if they count already, or the quote has ended. Locks what was sent before it locks
 * what was moved, as all do that end quotes.
 */
export async function claimVelocity(
  tx: Tx,
  moved: MovedAmounts,
  at: Date,
): Promise<Record<VelocityScope, VelocityWindow> | undefined> {
  const { quoteId, userId, partnerId, usdc, gold } = moved;
  if (await hasEnded(tx, quoteId)) return undefined;
  const values = [uuidOf(quoteId), uuidOf(userId), partnerId, hourOf(at.getTime()), usdc, gold];
  const [quote, user, partner, hour, moreUsdc, moreGold] = values;
  const rows = await tx.execute<{ scope: VelocityScope; hour: number; usdc: string[]; gold: string[] }>(sql`
    with claimed as (
      insert into velocity_claims (quote_id, user_id, partner_id, hour, usdc, gold)
      select ${quote}::uuid, ${user}::uuid, ${partner}::uuid, ${hour}::int, ${String(moreUsdc)}::bigint, ${String(moreGold)}::bigint
      where not exists (select from trades where id = ${quote}::uuid)
      on conflict (quote_id) do nothing
      returning *
    )
    select owner.scope, used.hour, used.usdc::text[], used.gold::text[]
    from claimed
      cross join lateral (values ('user', claimed.user_id), ('partner', claimed.partner_id)) as owner (scope, id)
      cross join lateral add_velocity(owner.id, claimed.hour, claimed.usdc, claimed.gold) as used`);
  if (rows.length === 0) return undefined;
  // The indexer may have recorded the trade while this waited for what was moved.
  const [recorded] = await tx.execute(sql`select from trades where id = ${quote}::uuid`);
  if (recorded) {
    await releaseVelocity(tx, [quoteId]);
    return undefined;
  }
  const windowOf = (scope: VelocityScope): VelocityWindow | undefined => {
    const row = rows.find((each) => each.scope === scope);
    return row && { hour: row.hour, usdc: row.usdc.map(BigInt), gold: row.gold.map(BigInt) };
  };
  const [ofUser, ofPartner] = [windowOf('user'), windowOf('partner')];
  return ofUser && ofPartner && { user: ofUser, partner: ofPartner };
}

/** Returns whether it is known how a quote ended, and keeps others from ending it until the transaction ends. */
async function hasEnded(tx: Tx, quoteId: TradeId | RedemptionId): Promise<boolean> {
  const id = uuidOf(quoteId);
  const [found] = await tx.execute<{ sent: string | null; quoted: string | null }>(sql`
    select (select status::text from redemptions where id = ${id}::uuid for share) as quoted,
      (select status::text from submissions where quote_id = ${id}::uuid for update) as sent`);
  return (found?.sent ?? 'submitted') !== 'submitted' || (found?.quoted ?? 'quoted') !== 'quoted';
}

/** Takes back what quotes were counted with that have ended. */
export async function releaseVelocity(
  db: Db | Tx,
  quoteIds: readonly (TradeId | RedemptionId)[],
): Promise<void> {
  if (quoteIds.length === 0) return;
  await release(db, sql`quote_id = any(${sql.param(quoteIds.map((id) => uuidOf(id)))}::uuid[])`);
}

async function release(db: Db | Tx, which: SQL): Promise<void> {
  await db.execute(sql`
    with released as (delete from velocity_claims where ${which} returning *),
    ${changesOf(sql`${taken} union all ${takenOfPartner}`)}`);
}

/**
 * Counts what the chain carries out instead of what was claimed for it; of a failed transaction, nothing. The last
 * statement of a transaction but for its events: other submits for these partners wait from here to the commit.
 */
export async function countVelocity(tx: Tx, moved: readonly MovedAmounts[], at: Date): Promise<void> {
  await change(tx, moved, hourOf(at.getTime()), 1);
}

/** Takes back what was counted at a time, because the chain does not carry it after all. */
export async function uncountVelocity(tx: Tx, moved: MovedAmounts, countedAt: Date): Promise<void> {
  await change(tx, [moved], hourOf(countedAt.getTime()), -1);
}

async function change(tx: Tx, moved: readonly MovedAmounts[], hour: number, sign: 1 | -1): Promise<void> {
  if (moved.length === 0) return;
  const signed = (amount: bigint) => String(sign === 1 ? amount : -amount);
  const columns = {
    quotes: moved.map(({ quoteId }) => uuidOf(quoteId)),
    users: moved.map(({ userId }) => uuidOf(userId)),
    partners: moved.map(({ partnerId }) => partnerId),
    usdc: moved.map(({ usdc }) => signed(usdc)),
    gold: moved.map(({ gold }) => signed(gold)),
  };
  await tx.execute(sql`
    with given as (
      select * from unnest(${sql.param(columns.quotes)}::uuid[], ${sql.param(columns.users)}::uuid[],
        ${sql.param(columns.partners)}::uuid[], ${sql.param(columns.usdc)}::bigint[], ${sql.param(columns.gold)}::bigint[])
        as given (quote_id, user_id, partner_id, usdc, gold)
    ),
    released as (
      delete from velocity_claims where quote_id in (select quote_id from given) returning *
    ),
    ${changesOf(sql`${taken} union all ${takenOfPartner}
      union all select 1, user_id, ${hour}::int, usdc, gold from given
      union all select 2, partner_id, ${hour}::int, usdc, gold from given`)}`);
  // Those that were claimed while this waited for what was moved: the statement above does not see them.
  await releaseVelocity(
    tx,
    moved.map(({ quoteId }) => quoteId),
  );
}

const taken = sql`select 1 as place, user_id as owner_id, hour, -usdc as usdc, -gold as gold from released`;
const takenOfPartner = sql`select 2, partner_id, hour, -usdc, -gold from released`;

/** Adds changes to what owners have moved: users before partners and each by its id, so that writers never wait in a circle. */
const changesOf = (changes: SQL): SQL => sql`
    changes (place, owner_id, hour, usdc, gold) as (${changes}),
    summed as materialized (
      select place, owner_id, hour, sum(usdc)::bigint as usdc, sum(gold)::bigint as gold
      from changes group by place, owner_id, hour
      having sum(usdc) <> 0 or sum(gold) <> 0
      order by place, owner_id, hour
    )
    select from summed cross join lateral add_velocity(owner_id, hour, usdc, gold)`;

/** Returns the limits that were set for owners; those without any are missing. */
export async function findLimits(db: Db | Tx, owners: readonly Uuid[]): Promise<Map<Uuid, StoredLimits>> {
  const rows = await db
    .select()
    .from(velocityLimits)
    .where(inArray(velocityLimits.ownerId, [...owners]));
  return new Map(rows.map((row) => [row.ownerId, row]));
}

/** Keeps others from changing limits until the transaction ends; they can be read meanwhile. */
export async function lockLimits(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table ${velocityLimits} in share row exclusive mode`);
}

/** Writes limits over those that were set for the same owner. */
export async function putLimits(
  tx: Tx,
  { kind, ownerId }: LimitsOwner,
  limits: VelocityLimits,
  updatedAt: Date,
): Promise<void> {
  const { userUsdc, userGold, partnerUsdc, partnerGold } = limits;
  const set = { userUsdc, userGold, partnerUsdc, partnerGold, updatedAt };
  await tx
    .insert(velocityLimits)
    .values({ ownerId, kind, ...set })
    .onConflictDoUpdate({ target: velocityLimits.ownerId, set });
}

/** Returns what a user or partner has moved, by the hour; undefined for nothing yet. */
export async function findUsage(db: Db | Tx, ownerId: Uuid): Promise<VelocityWindow | undefined> {
  return findRow(db, velocityUsage, eq(velocityUsage.ownerId, ownerId));
}

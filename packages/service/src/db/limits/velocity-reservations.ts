import { sql } from 'drizzle-orm';
import { bigint, check, index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Reserved, VelocityWindow } from '../../domain/velocity.js';
import type { Db, Tx } from '../client.js';
import { baseUnits, moment } from '../columns.js';

/**
 * What the open quotes of users and partners may still move, a row for each process that made some: it alone writes it, and
 * the others read what is not theirs. The row of a process that was killed counts until its last quote can land no more.
 */
export const velocityReservations = pgTable(
  'velocity_reservations',
  {
    /** Of a user or a partner. */
    ownerId: uuid('owner_id').notNull().$type<Uuid>(),
    processId: uuid('process_id').notNull().$type<Uuid>(),
    usdc: baseUnits().notNull(),
    gold: baseUnits().notNull(),
    /** Grows with what the process knows: of two writes that overtake each other, the later one counts. */
    version: bigint({ mode: 'number' }).notNull(),
    /** When the last of these quotes can land no more. */
    lapsesAt: moment('lapses_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.ownerId, t.processId] }),
    index('velocity_reservations_lapse').on(t.lapsesAt),
    check('velocity_reservations_amounts', sql`least(${t.usdc}, ${t.gold}) >= 0`),
  ],
);

export type ReservationRow = typeof velocityReservations.$inferSelect;

/** Writes what a process has reserved; rows are locked in the order of their owners. */
export async function writeReservations(db: Db | Tx, rows: readonly ReservationRow[]): Promise<void> {
  if (rows.length === 0) return;
  const column = <Name extends keyof ReservationRow>(
    name: Name,
    text: (value: ReservationRow[Name]) => string,
  ) => sql.param(rows.map((row) => text(row[name])));
  await db.execute(sql`
    insert into velocity_reservations as r (owner_id, process_id, usdc, gold, version, lapses_at)
    select * from unnest(${column('ownerId', String)}::uuid[], ${column('processId', String)}::uuid[],
      ${column('usdc', String)}::bigint[], ${column('gold', String)}::bigint[], ${column('version', String)}::bigint[],
      ${column('lapsesAt', (at) => at.toISOString())}::timestamptz[])
      as given (owner_id, process_id, usdc, gold, version, lapses_at)
    order by owner_id
    on conflict (owner_id, process_id) do update
      set usdc = excluded.usdc, gold = excluded.gold, version = excluded.version, lapses_at = excluded.lapses_at
      where r.version < excluded.version`);
}

/**
 * Keeps others from counting for owners until the transaction ends, and returns what these have moved. Users come before partners,
 * as for all who lock several.
 */
export async function lockMoved(
  tx: Tx,
  owners: readonly Uuid[],
  hour: number,
): Promise<Map<Uuid, VelocityWindow>> {
  const moved = new Map<Uuid, VelocityWindow>();
  for (const owner of owners) {
    const [row] = await tx.execute<{ hour: number; usdc: string[]; gold: string[] }>(sql`
      select hour, usdc::text[], gold::text[] from add_velocity(${owner}::uuid, ${hour}::int, 0, 0)`);
    if (row) moved.set(owner, { hour: row.hour, usdc: row.usdc.map(BigInt), gold: row.gold.map(BigInt) });
  }
  return moved;
}

/** Returns what other processes have reserved for owners; those without any are missing. */
export async function findReservedElsewhere(
  tx: Tx,
  owners: readonly Uuid[],
  processId: Uuid,
  at: Date,
): Promise<Map<Uuid, Reserved>> {
  const rows = await tx.execute<{ owner_id: Uuid; usdc: string; gold: string; lapses_ms: number }>(sql`
    select owner_id, sum(usdc)::text as usdc, sum(gold)::text as gold, (extract(epoch from max(lapses_at)) * 1000)::float8 as lapses_ms
    from velocity_reservations
    where owner_id = any(${sql.param([...owners])}::uuid[]) and process_id <> ${processId}::uuid
      and lapses_at > ${at.toISOString()}::timestamptz
    group by owner_id`);
  return new Map(
    rows.map((row) => [
      row.owner_id,
      { usdc: BigInt(row.usdc), gold: BigInt(row.gold), lapsesAtMs: row.lapses_ms },
    ]),
  );
}

/** Returns those of quotes that count otherwise by now, because they were submitted or recorded, and those that have ended. */
export async function findCountedQuotes(db: Db | Tx, quoteIds: readonly Uuid[]): Promise<Uuid[]> {
  if (quoteIds.length === 0) return [];
  const rows = await db.execute<{ id: Uuid }>(sql`
    with given as (select id from unnest(${sql.param([...quoteIds])}::uuid[]) as given (id))
    select id from given join velocity_claims on quote_id = id
    union select id from given join trades using (id)
    union select id from given join redemptions using (id) where redemptions.status <> 'quoted'`);
  return rows.map(({ id }) => id);
}

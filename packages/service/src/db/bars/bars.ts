import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import { check, index, numeric, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { type BarStatus, barName, barStatuses } from '../../domain/bar.js';
import { newUuid, type RedemptionId, type Uuid } from '../../domain/ids.js';
import { cityKey } from '../../domain/redemption.js';
import { finenessDecimals, finenessText, minFineness, pureFineness } from '../../domain/weight.js';
import { denominations, grams } from '../catalogue/denominations.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { findPage, matching, type PageOf } from '../page.js';
import { redemptionId } from '../redemptions/redemptions.js';
import { changeRow, findRow } from '../rows.js';

export const barStatus = pgEnum('bar_status', barStatuses);

/**
 * Bars in the vaults, each with the number that its refiner stamped on it. `rules.sql` has the trigger that lets a bar go
 * only where `domain/bar.ts` lets it go, and that keeps its serial and refiner.
 */
export const bars = pgTable(
  'bars',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    serial: text().notNull(),
    refiner: text().notNull(),
    /** Parts per thousand. */
    fineness: numeric({ precision: 6, scale: finenessDecimals }).notNull(),
    weightG: grams('weight_g').notNull(),
    denominationId: text('denomination_id')
      .notNull()
      .references(() => denominations.id),
    city: text().notNull(),
    /** The city as cities are compared. */
    cityKey: text('city_key').notNull(),
    status: barStatus().notNull().default('in_stock'),
    /** Whom it is reserved for, or was handed over for. */
    redemptionId: redemptionId(),
    /** Why it was withdrawn. */
    reason: text(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    // However they were typed.
    uniqueIndex('bars_serial_refiner').on(sql`upper(${t.serial})`, sql`lower(${t.refiner})`),
    uniqueIndex('bars_one_a_redemption').on(t.redemptionId),
    index('bars_created').on(t.createdAt, t.id),
    index('bars_status_created').on(t.status, t.createdAt, t.id),
    index('bars_stock').on(t.denominationId, t.cityKey, t.status),
    check('bars_serial_length', sql`char_length(${t.serial}) between 1 and 64`),
    check('bars_refiner_length', sql`char_length(${t.refiner}) between 1 and 100`),
    check('bars_city_length', sql`char_length(${t.city}) between 1 and 100`),
    check(
      'bars_fineness_range',
      sql`${t.fineness} >= ${sql.raw(finenessText(minFineness))} and ${t.fineness} < ${sql.raw(finenessText(pureFineness))}`,
    ),
    check('bars_weight', sql`${t.weightG} > 0`),
    check(
      'bars_redemption',
      sql`(${t.status} in ('reserved', 'handed_over')) = (${t.redemptionId} is not null)`,
    ),
    check(
      'bars_reason',
      sql`(${t.status} = 'withdrawn') = (${t.reason} is not null) and char_length(${t.reason}) <= 1000`,
    ),
  ],
);

export type Bar = typeof bars.$inferSelect;
export type NewBar = Pick<Bar, 'serial' | 'refiner' | 'fineness' | 'weightG' | 'denominationId' | 'city'>;

/**
 * Writes bars into stock, and returns for each the row that was written: undefined for one whose serial and refiner are
 * taken, also by one before it.
 */
export async function insertBars(tx: Tx, given: readonly NewBar[], at: Date): Promise<(Bar | undefined)[]> {
  if (given.length === 0) return [];
  const beginning = {
    status: 'in_stock',
    redemptionId: null,
    reason: null,
    createdAt: at,
    updatedAt: at,
  } as const;
  const rows = given.map((bar) => ({ ...bar, ...beginning, id: newUuid(), cityKey: cityKey(bar.city) }));
  // All writers take the serials in one order, so that no two wait for each other.
  const ordered = rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const all = <Column extends keyof Bar>(column: Column) => sql.param(ordered.map((row) => row[column]));
  // A list of values would have a parameter for each of them: 6,500 for as many bars as a request may add.
  const written = await tx.execute<{ id: Uuid }>(sql`
    insert into bars (id, serial, refiner, fineness, weight_g, denomination_id, city, city_key, status, created_at, updated_at)
    select id, serial, refiner, fineness, weight_g, denomination_id, city, city_key,
           ${beginning.status}, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from unnest(${all('id')}::uuid[], ${all('serial')}::text[], ${all('refiner')}::text[], ${all('fineness')}::numeric[],
                ${all('weightG')}::numeric[], ${all('denominationId')}::text[], ${all('city')}::text[], ${all('cityKey')}::text[])
      with ordinality as each(id, serial, refiner, fineness, weight_g, denomination_id, city, city_key, place)
    order by place
    on conflict do nothing returning id`);
  const ids = new Set(written.map(({ id }) => id));
  return rows.map((row) => (ids.has(row.id) ? row : undefined));
}

/** Returns the places, from 0, of bars whose serial and refiner are taken, also by one before it. */
export async function findTakenPlaces(tx: Tx, given: readonly NewBar[]): Promise<ReadonlySet<number>> {
  const [serials, refiners] = [given.map(({ serial }) => serial), given.map(({ refiner }) => refiner)];
  const rows = await tx.execute<{ place: number }>(sql`
    select place::int - 1 as place from (
      select serial, refiner, place, row_number() over (partition by upper(serial), lower(refiner) order by place) as nth
      from unnest(${sql.param(serials)}::text[], ${sql.param(refiners)}::text[]) with ordinality as each(serial, refiner, place)
    ) as given
    where nth > 1 or exists (
      select from bars where upper(bars.serial) = upper(given.serial) and lower(bars.refiner) = lower(given.refiner))`);
  return new Set(rows.map(({ place }) => place));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const keyOf = ({ serial, refiner }: NewBar) => `${serial.toUpperCase()} ${refiner.toLowerCase()}`;

export const findBar = (db: Db | Tx, id: Uuid) => findRow(db, bars, eq(bars.id, id));

/** A bar that only this transaction changes until it ends. */
export const lockBar = (tx: Tx, id: Uuid) => findRow(tx, bars, eq(bars.id, id), 'no key update');

/** Returns the bar that is reserved for a redemption, or was handed over for it. */
export const findBarOf = (db: Db | Tx, redemption: RedemptionId) =>
  findRow(db, bars, eq(bars.redemptionId, redemption));

/** The same, which only this transaction changes until it ends. */
export const lockBarOf = (tx: Tx, redemption: RedemptionId) =>
  findRow(tx, bars, eq(bars.redemptionId, redemption), 'no key update');

/** Returns the bar that a redemption has, and those with a serial, however it was typed. */
export async function findBarsFor(
  tx: Tx,
  redemption: RedemptionId,
  serial: string | undefined,
  lock?: 'no key update',
): Promise<{ present: Bar | undefined; found: Bar[] }> {
  const named = serial === undefined ? sql<boolean>`false` : sql<boolean>`${hasSerial(serial)}`;
  const query = tx
    .select({ bar: bars, named })
    .from(bars)
    .where(or(eq(bars.redemptionId, redemption), named))
    .orderBy(bars.id);
  const rows = await (lock ? query.for(lock) : query);
  return {
    present: rows.find(({ bar }) => bar.redemptionId === redemption)?.bar,
    found: rows.flatMap(({ bar, named }) => (named ? [bar] : [])),
  };
}

/** The same, locked until the transaction ends, in the order of their ids, so that two who swap bars wait for each other. */
export const lockBarsFor = (tx: Tx, redemption: RedemptionId, serial: string | undefined) =>
  findBarsFor(tx, redemption, serial, 'no key update');

/** Whether a bar has this serial, however it was typed. */
const hasSerial = (serial: string): SQL => sql`upper(${bars.serial}) = upper(${barName(serial)})`;

export interface BarFilter {
  status?: BarStatus | undefined;
  denominationId?: string | undefined;
  /** In any case. */
  city?: string | undefined;
  /** However it was typed. */
  serial?: string | undefined;
}

/** A page of the bars, newest first. */
export function findBars(db: Db | Tx, { city, serial, ...filter }: BarFilter, page: PageOf): Promise<Bar[]> {
  const own = matching(bars, { ...filter, cityKey: city && cityKey(city) });
  return findPage(db, bars, [...own, serial === undefined ? undefined : hasSerial(serial)], page);
}

type BarChanges = Partial<
  Pick<Bar, 'status' | 'redemptionId' | 'reason' | 'denominationId' | 'fineness' | 'weightG' | 'city'>
>;

/** Changes a bar that is still in a status; false when it is in another. */
export function updateBar(
  tx: Tx,
  { id, status }: Pick<Bar, 'id' | 'status'>,
  changes: BarChanges,
  at: Date,
): Promise<boolean> {
  const place = changes.city === undefined ? {} : { cityKey: cityKey(changes.city) };
  return changeRow(
    tx,
    bars,
    { ...changes, ...place, updatedAt: at },
    and(eq(bars.id, id), eq(bars.status, status)),
  );
}

/** A bar as it counts for the reserves. */
export type ReservedBar = Pick<Bar, 'refiner' | 'serial' | 'fineness' | 'weightG' | 'city' | 'status'>;

/** Bars that are read at a time. */
const barsPerFetch = 1_000;

/**
 * Takes all bars as they are now, in the order of statements: by the bytes of refiner and serial. Returns what reads them, some
 * at a time, because there may be many; until the transaction ends.
 */
export async function openBarsInOrder(tx: Tx): Promise<AsyncIterable<ReservedBar[]>> {
  await tx.execute(sql`declare bars_in_order no scroll cursor for
    select ${bars.refiner}, ${bars.serial}, ${bars.fineness}, ${bars.weightG} as "weightG", ${bars.city}, ${bars.status}
    from ${bars} order by ${bars.refiner} collate "C", ${bars.serial} collate "C"`);
  return fetchBars(tx);
}

async function* fetchBars(tx: Tx): AsyncGenerator<ReservedBar[]> {
  for (;;) {
    const some = await tx.execute<ReservedBar>(
      sql`fetch ${sql.raw(String(barsPerFetch))} from bars_in_order`,
    );
    if (some.length === 0) return;
    yield [...some];
  }
}

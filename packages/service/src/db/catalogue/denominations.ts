import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { boolean, char, check, index, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { cityKey } from '../../domain/redemption.js';
import { gramsText, maxWeight, minDenominationWeight, weightDecimals } from '../../domain/weight.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { findPage, matching, type PageOf } from '../page.js';
import { partners } from '../partners/partners.js';
import { findRow, insertNew } from '../rows.js';
import { countries } from './countries.js';

/** Grams: a tola is 11.6638038 g, and so are the other traditional weights exact. */
export const grams = (name: string) => numeric(name, { precision: 14, scale: weightDecimals });

/** Pieces of gold that can be picked up in a city. `id` and `weight_g` never change. */
export const denominations = pgTable(
  'denominations',
  {
    id: text().primaryKey(),
    label: text().notNull(),
    weightG: grams('weight_g').notNull(),
    country: char({ length: 2 })
      .notNull()
      .references(() => countries.code),
    city: text().notNull(),
    /** The city as cities are compared. */
    cityKey: text('city_key').notNull(),
    active: boolean().notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    index('denominations_country_city').on(t.country, t.cityKey),
    check('denominations_id', sql`${t.id} ~ '^[a-z0-9_]{1,64}$'`),
    check('denominations_label_length', sql`char_length(${t.label}) between 1 and 255`),
    check('denominations_city_length', sql`char_length(${t.city}) between 1 and 100`),
    check(
      'denominations_weight_range',
      sql`${t.weightG} between ${sql.raw(gramsText(minDenominationWeight))} and ${sql.raw(gramsText(maxWeight))}`,
    ),
  ],
);

export type Denomination = typeof denominations.$inferSelect;

/** Writes a denomination; false when its id is taken. */
export async function insertDenomination(
  tx: Tx,
  denomination: Omit<Denomination, 'cityKey' | 'createdAt' | 'updatedAt'>,
  at: Date,
): Promise<boolean> {
  return insertNew(tx, denominations, {
    ...denomination,
    cityKey: cityKey(denomination.city),
    createdAt: at,
    updatedAt: at,
  });
}

export type DenominationTerms = Pick<Denomination, 'label' | 'country' | 'city' | 'active'>;

/** A denomination, held as it is until the transaction ends. */
export const lockDenomination = (tx: Tx, id: string) =>
  findRow(tx, denominations, eq(denominations.id, id), 'no key update');

export async function updateDenomination(
  tx: Tx,
  id: string,
  { label, country, city, active }: DenominationTerms,
  at: Date,
): Promise<void> {
  await tx
    .update(denominations)
    .set({ label, country, city, cityKey: cityKey(city), active, updatedAt: at })
    .where(eq(denominations.id, id));
}

/** A page of all denominations, active or not, newest first. */
export const findDenominations = (
  db: Db | Tx,
  { city, ...filter }: { country: string | undefined; city: string | undefined; active: boolean | undefined },
  page: PageOf,
) =>
  findPage(db, denominations, matching(denominations, { ...filter, cityKey: city && cityKey(city) }), page);

/** Active denominations of a country (alpha-2, in capitals), and of one city when one is named, lightest first. */
export async function findActiveDenominations(
  db: Db | Tx,
  { country, city }: { country: string; city: string | undefined },
): Promise<Denomination[]> {
  return db
    .select()
    .from(denominations)
    .where(and(...matching(denominations, { active: true, country, cityKey: city && cityKey(city) })))
    .orderBy(asc(denominations.weightG), asc(denominations.id));
}

/** Returns denominations, active or not, by their ids. */
export async function findDenominationsById(
  db: Db | Tx,
  ids: readonly string[],
): Promise<Map<string, Denomination>> {
  if (ids.length === 0) return new Map();
  const found = await db
    .select()
    .from(denominations)
    .where(inArray(denominations.id, [...ids]));
  return new Map(found.map((denomination) => [denomination.id, denomination]));
}

/**
 * Returns a city as the catalogue spells it, or a redemption that was quoted while something was offered there; undefined when
 * nothing is handed over there.
 */
export async function findPickupCity(db: Db | Tx, city: string): Promise<string | undefined> {
  const [found] = await db
    .select({ city: denominations.city })
    .from(denominations)
    .where(eq(denominations.cityKey, cityKey(city)))
    .orderBy(asc(denominations.id))
    .limit(1);
  if (found) return found.city;
  const [waiting] = await db.execute<{ city: string }>(sql`
    select city from redemptions where city_key = ${cityKey(city)} and status in ('submitted', 'preparing', 'ready')
    order by created_at, id limit 1`);
  return waiting?.city;
}

/** A denomination as a partner redeems it. */
export interface Offer {
  denomination: Denomination;
  /** The partner's redemption fee: a fraction, as decimal text. */
  feePercentage: string;
}

/** Returns a denomination, active or not, with the fee that this partner charges for it. */
export async function findOffer(
  db: Db | Tx,
  input: { denominationId: string; partnerId: Uuid },
): Promise<Offer | undefined> {
  const [offer] = await db
    .select({ denomination: denominations, feePercentage: partners.feePercentage })
    .from(denominations)
    .innerJoin(partners, eq(partners.id, input.partnerId))
    .where(eq(denominations.id, input.denominationId));
  return offer;
}

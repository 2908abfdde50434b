import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { boolean, char, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { caseFolded } from '../../domain/case-folding.js';
import type { Db, Tx } from '../client.js';
import { findRow, insertNew } from '../rows.js';

/** Countries whose residents may be registered, by ISO-3166-1 alpha-2 code. */
export const countries = pgTable(
  'countries',
  {
    code: char({ length: 2 }).primaryKey(),
    name: text().notNull(),
    active: boolean().notNull(),
  },
  (t) => [check('countries_code', sql`${t.code} ~ '^[A-Z]{2}$'`)],
);

/** Patterns (RE2 syntax, whole value) that an identity document's number has to match, by country and type. */
export const idTypePatterns = pgTable(
  'id_type_patterns',
  {
    country: char({ length: 2 })
      .notNull()
      .references(() => countries.code),
    idType: text('id_type').notNull(),
    pattern: text().notNull(),
    /** A number that matches, to show to callers; null: none was given. */
    example: text(),
  },
  (t) => [primaryKey({ columns: [t.country, t.idType] })],
);

export type Country = typeof countries.$inferSelect;
export type IdTypePattern = typeof idTypePatterns.$inferSelect;

/** Countries in the order of their codes, beginning behind one. */
export async function findCountries(
  db: Db | Tx,
  page: { limit: number; after: string | undefined },
): Promise<Country[]> {
  const { limit, after } = page;
  return db
    .select()
    .from(countries)
    .where(after === undefined ? undefined : gt(countries.code, after))
    .orderBy(asc(countries.code))
    .limit(limit);
}

export const findCountry = (db: Db | Tx, code: string) => findRow(db, countries, eq(countries.code, code));

/** A country, held as it is until the transaction ends. */
export const lockCountry = (tx: Tx, code: string) =>
  findRow(tx, countries, eq(countries.code, code), 'no key update');

/** Writes a country; false when its code is taken. */
export async function insertCountry(tx: Tx, country: Country): Promise<boolean> {
  return insertNew(tx, countries, country);
}

export async function updateCountry(tx: Tx, { code, name, active }: Country): Promise<void> {
  await tx.update(countries).set({ name, active }).where(eq(countries.code, code));
}

const isIdType = (country: string, idType: string) =>
  and(eq(idTypePatterns.country, country), eq(idTypePatterns.idType, idType));

/** Returns the patterns of a country in the order of their types, beginning behind one. */
export async function findIdTypePatterns(
  db: Db | Tx,
  country: string,
  page: { limit: number; after: string | undefined },
): Promise<IdTypePattern[]> {
  const { limit, after } = page;
  return db
    .select()
    .from(idTypePatterns)
    .where(
      and(
        eq(idTypePatterns.country, country),
        after === undefined ? undefined : gt(idTypePatterns.idType, after),
      ),
    )
    .orderBy(asc(idTypePatterns.idType))
    .limit(limit);
}

/** A pattern, held as it is until the transaction ends. */
export const lockIdTypePattern = (tx: Tx, country: string, idType: string) =>
  findRow(tx, idTypePatterns, isIdType(country, idType), 'update');

/** Writes a pattern; false when the country has one of that type. */
export async function insertIdTypePattern(tx: Tx, row: IdTypePattern): Promise<boolean> {
  return insertNew(tx, idTypePatterns, row);
}

export async function updateIdTypePattern(
  tx: Tx,
  { country, idType, pattern, example }: IdTypePattern,
): Promise<void> {
  await tx.update(idTypePatterns).set({ pattern, example }).where(isIdType(country, idType));
}

export async function deleteIdTypePattern(tx: Tx, country: string, idType: string): Promise<void> {
  await tx.delete(idTypePatterns).where(isIdType(country, idType));
}

/**
 * Returns the pattern registered for a kind of identity document, if there is one. Kinds are compared by case folding; of those
 * that differ only by case, that which is written alike comes first.
 */
export async function findIdTypePattern(
  db: Db | Tx,
  country: string,
  idType: string,
): Promise<IdTypePattern | undefined> {
  const rows = await db
    .select()
    .from(idTypePatterns)
    .where(eq(idTypePatterns.country, country))
    .orderBy(asc(idTypePatterns.idType));
  const folded = caseFolded(idType);
  return rows.find((row) => row.idType === idType) ?? rows.find((row) => caseFolded(row.idType) === folded);
}

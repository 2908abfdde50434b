import { and, eq, sql } from 'drizzle-orm';
import { boolean, char, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';

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
  },
  (t) => [primaryKey({ columns: [t.country, t.idType] })],
);

/** Whether residents of a country may be registered. */
export async function isActiveCountry(db: Db | Tx, code: string): Promise<boolean> {
  const [country] = await db
    .select({ active: countries.active })
    .from(countries)
    .where(eq(countries.code, code));
  return country?.active === true;
}

/** The pattern registered for a kind of identity document, if there is one. */
export async function findIdTypePattern(
  db: Db | Tx,
  country: string,
  idType: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ pattern: idTypePatterns.pattern })
    .from(idTypePatterns)
    .where(and(eq(idTypePatterns.country, country), eq(idTypePatterns.idType, idType)));
  return row?.pattern;
}

import { sql } from 'drizzle-orm';
import { boolean, char, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

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

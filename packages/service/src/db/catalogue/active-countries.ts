import { asc, count, eq } from 'drizzle-orm';
import type { Db, Tx } from '../client.js';
import { type Country, countries, type IdTypePattern, idTypePatterns } from './countries.js';
import { denominations } from './denominations.js';

/** A country that is served, with everything that a registration there has to know. */
export interface ActiveCountry extends Pick<Country, 'code' | 'name'> {
  idTypes: Omit<IdTypePattern, 'country'>[];
  /** How many active denominations it has. */
  denominations: number;
}

/** Returns the active countries in the order of their codes. */
export async function findActiveCountries(db: Db | Tx): Promise<ActiveCountry[]> {
  const [active, patterns, counted] = await Promise.all([
    db.select().from(countries).where(eq(countries.active, true)).orderBy(asc(countries.code)),
    db.select().from(idTypePatterns).orderBy(asc(idTypePatterns.country), asc(idTypePatterns.idType)),
    db
      .select({ country: denominations.country, many: count() })
      .from(denominations)
      .where(eq(denominations.active, true))
      .groupBy(denominations.country),
  ]);
  const manyOf = new Map(counted.map(({ country, many }) => [country, many]));
  return active.map(({ code, name }) => ({
    code,
    name,
    idTypes: patterns.flatMap(({ country, ...pattern }) => (country === code ? [pattern] : [])),
    denominations: manyOf.get(code) ?? 0,
  }));
}

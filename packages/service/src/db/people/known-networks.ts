import { and, eq, gte, sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { PersonKind } from '../../domain/person.js';
import type { Tx } from '../client.js';
import { moment } from '../columns.js';
import { isOfKind, people, personId } from './people.js';

/** Networks that people have signed in from, where attempts of other networks do not slow them. */
export const knownNetworks = pgTable(
  'known_networks',
  {
    personId: personId('person_id').notNull(),
    /** An IPv4 address, or the /64 of an IPv6 address. */
    network: text().notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.personId, t.network] }),
    index('known_networks_last').on(t.lastAt),
    check('known_networks_network', sql`char_length(${t.network}) between 1 and 64`),
  ],
);

export async function noteNetwork(tx: Tx, personId: Uuid, network: string, at: Date): Promise<void> {
  await tx
    .insert(knownNetworks)
    .values({ personId, network, lastAt: at })
    .onConflictDoUpdate({
      target: [knownNetworks.personId, knownNetworks.network],
      set: { lastAt: at },
    });
}

/** Returns whether the account of an email (in small letters) has signed in from a network since `since`. */
export async function isKnownNetwork(
  tx: Tx,
  { kind, email, network }: { kind: PersonKind; email: string; network: string },
  since: Date,
): Promise<boolean> {
  const found = await tx
    .select({ network: knownNetworks.network })
    .from(knownNetworks)
    .innerJoin(people, eq(people.id, knownNetworks.personId))
    .where(
      and(
        eq(people.email, email),
        isOfKind(kind),
        eq(knownNetworks.network, network),
        gte(knownNetworks.lastAt, since),
      ),
    );
  return found.length > 0;
}

import { and, eq, gte, sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Tx } from '../client.js';
import { moment } from '../columns.js';
import { operatorId, operators } from './operators.js';

/** Networks that operators have signed in from, where attempts of other networks do not slow them. */
export const operatorNetworks = pgTable(
  'operator_networks',
  {
    operatorId: operatorId('operator_id').notNull(),
    /** An IPv4 address, or the /64 of an IPv6 address. */
    network: text().notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.operatorId, t.network] }),
    index('operator_networks_last').on(t.lastAt),
    check('operator_networks_network', sql`char_length(${t.network}) between 1 and 64`),
  ],
);

export async function noteNetwork(tx: Tx, operatorId: Uuid, network: string, at: Date): Promise<void> {
  await tx
    .insert(operatorNetworks)
    .values({ operatorId, network, lastAt: at })
    .onConflictDoUpdate({
      target: [operatorNetworks.operatorId, operatorNetworks.network],
      set: { lastAt: at },
    });
}

/** Returns whether the account of an email (in small letters) has signed in from a network since `since`. */
export async function isKnownNetwork(tx: Tx, email: string, network: string, since: Date): Promise<boolean> {
  const found = await tx
    .select({ network: operatorNetworks.network })
    .from(operatorNetworks)
    .innerJoin(operators, eq(operators.id, operatorNetworks.operatorId))
    .where(
      and(
        eq(operators.email, email),
        eq(operatorNetworks.network, network),
        gte(operatorNetworks.lastAt, since),
      ),
    );
  return found.length > 0;
}

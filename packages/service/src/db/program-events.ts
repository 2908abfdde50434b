import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import { baseUnits, moment } from './columns.js';

/**
 * Every event of the program by its number, so that a gap shows whatever the order in which events arrive. The
 * partner id comes from the chain and is zero for events of the program's configuration, hence no foreign key.
 */
export const programEvents = pgTable(
  'program_events',
  {
    partnerId: uuid('partner_id').notNull().$type<Uuid>(),
    seq: baseUnits().notNull(),
    /** Discriminator of the instruction that made the event. */
    kind: smallint().notNull(),
    txSignature: text('tx_signature').notNull(),
    slot: baseUnits().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.partnerId, t.seq] }),
    check('program_events_seq', sql`${t.seq} > 0`),
    check('program_events_kind', sql`${t.kind} between 0 and 255`),
  ],
);

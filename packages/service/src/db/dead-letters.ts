import { sql } from 'drizzle-orm';
import { check, index, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import { baseUnits, moment } from './columns.js';

/** Transactions that the indexer could not take, and why. Written before the cursor passes them; nothing is dropped. */
export const deadLetters = pgTable(
  'dead_letters',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    signature: text().notNull(),
    slot: baseUnits().notNull(),
    /** A short code, e.g. `event_mismatch`. */
    reason: text().notNull(),
    detail: jsonb().$type<Record<string, unknown>>().notNull(),
    createdAt: moment('created_at').notNull(),
    resolvedAt: moment('resolved_at'),
  },
  (t) => [
    unique('dead_letters_signature_reason').on(t.signature, t.reason),
    index('dead_letters_open').on(t.createdAt).where(sql`${t.resolvedAt} is null`),
    check('dead_letters_reason', sql`${t.reason} ~ '^[a-z_]+$'`),
  ],
);

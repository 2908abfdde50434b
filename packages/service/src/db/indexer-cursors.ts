import { pgTable, text } from 'drizzle-orm/pg-core';
import { baseUnits, moment } from './columns.js';

/** How far the indexer has come with each address that it follows; moves in the transaction of its effects. */
export const indexerCursors = pgTable('indexer_cursors', {
  address: text().primaryKey(),
  signature: text().notNull(),
  slot: baseUnits().notNull(),
  updatedAt: moment('updated_at').notNull(),
});

import { sql } from 'drizzle-orm';
import { check, index, pgTable, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import { bytes, moment } from './columns.js';
import { operators } from './operators.js';

/** Signed-in operators. The cookie's value is never stored, only its SHA-256. */
export const operatorSessions = pgTable(
  'operator_sessions',
  {
    hash: bytes().primaryKey(),
    operatorId: uuid('operator_id')
      .notNull()
      .references(() => operators.id)
      .$type<Uuid>(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Null until the operator signs out. */
    endedAt: moment('ended_at'),
  },
  (t) => [
    index('operator_sessions_expires').on(t.expiresAt),
    index('operator_sessions_operator').on(t.operatorId),
    check('operator_sessions_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('operator_sessions_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
  ],
);

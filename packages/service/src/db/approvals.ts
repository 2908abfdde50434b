import { sql } from 'drizzle-orm';
import { check, index, jsonb, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import { bytes, moment } from './columns.js';
import { operators } from './operators.js';

export const approvalStatus = pgEnum('approval_status', ['pending', 'approved', 'rejected', 'expired']);

/** What one operator asked for and another one has to approve. */
export const approvals = pgTable(
  'approvals',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    /** `redemption.refund`, `redemption.burn` or `partner.onchain`. */
    action: text().notNull(),
    objectType: text('object_type').notNull(),
    objectId: text('object_id').notNull(),
    /** Exactly what will be done: shown to the approver, and carried out as it is. */
    request: jsonb().$type<Record<string, unknown>>().notNull(),
    /** SHA-256 of the object as it was when this was asked for; another one by then, and nothing is done. */
    objectHash: bytes('object_hash').notNull(),
    reason: text(),
    status: approvalStatus().notNull().default('pending'),
    requestedBy: uuid('requested_by')
      .notNull()
      .references(() => operators.id)
      .$type<Uuid>(),
    decidedBy: uuid('decided_by')
      .references(() => operators.id)
      .$type<Uuid>(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    decidedAt: moment('decided_at'),
  },
  (t) => [
    index('approvals_created').on(t.createdAt, t.id),
    uniqueIndex('approvals_one_pending').on(t.action, t.objectId).where(sql`${t.status} = 'pending'`),
    check('approvals_other_person', sql`${t.decidedBy} is null or ${t.decidedBy} <> ${t.requestedBy}`),
    check('approvals_object_hash', sql`octet_length(${t.objectHash}) = 32`),
    check(
      'approvals_decided',
      sql`(${t.status} in ('approved', 'rejected')) = (${t.decidedBy} is not null and ${t.decidedAt} is not null)`,
    ),
  ],
);

export type Approval = typeof approvals.$inferSelect;

import { and, asc, desc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm';
import { alias, check, index, jsonb, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { afterPosition, createdWithin, type PageOf } from '../page.js';
import { people, personId } from '../people/people.js';
import { changeRow, findRow, insertNew } from '../rows.js';

export const approvalStatus = pgEnum('approval_status', ['pending', 'approved', 'rejected', 'expired']);

/** Requests of one operator that another must approve. */
export const approvals = pgTable(
  'approvals',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    /** What was requested, such as `redemption.refund`: `operations` has them. */
    action: text().notNull(),
    objectType: text('object_type').notNull(),
    objectId: text('object_id').notNull(),
    /** Exactly what will be done: shown to the approver, and carried out as it is. */
    request: jsonb().$type<Record<string, unknown>>().notNull(),
    /**
     * The values that the change replaces, in the same fields; null if there are none yet. Shown to the approver with
     * `request`.
     */
    before: jsonb().$type<Record<string, unknown>>(),
    /** SHA-256 of the object as it was at the request; if it has changed by the approval, nothing is done. */
    objectHash: bytes('object_hash').notNull(),
    /** Why it was rejected, or ended before its time. */
    reason: text(),
    status: approvalStatus().notNull().default('pending'),
    requestedBy: personId('requested_by').notNull(),
    decidedBy: personId('decided_by'),
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

export interface ApprovalFilter {
  status?: Approval['status'] | undefined;
  /** What was not decided by then reads as expired, whether or not it was marked. */
  now: Date;
}

/** A request with the names of the operators who made and decided it, and with those who may know the requester's password. */
export type NamedApproval = Approval & {
  requestedByName: string;
  requesterOpenedBy: Uuid[];
  decidedByName: string | null;
};

/** Writes a request; false when an approval of the same is waited for already. */
export async function insertApproval(tx: Tx, approval: typeof approvals.$inferInsert): Promise<boolean> {
  return insertNew(tx, approvals, approval);
}

export const findApproval = (db: Db | Tx, id: Uuid) => findRow(db, approvals, eq(approvals.id, id));

export async function findApprovals(
  db: Db | Tx,
  { status, now }: ApprovalFilter,
  page: PageOf,
): Promise<NamedApproval[]> {
  const requester = alias(people, 'requester');
  const decider = alias(people, 'decider');
  const isOver = and(eq(approvals.status, 'pending'), lte(approvals.expiresAt, now));
  const current = sql<Approval['status']>`case when ${isOver} then 'expired' else ${approvals.status} end`;
  return db
    .select({
      ...getTableColumns(approvals),
      status: current,
      requestedByName: requester.name,
      requesterOpenedBy: requester.openedBy,
      decidedByName: decider.name,
    })
    .from(approvals)
    .innerJoin(requester, eq(requester.id, approvals.requestedBy))
    .leftJoin(decider, eq(decider.id, approvals.decidedBy))
    .where(
      and(
        status && eq(current, sql`${status}::approval_status`),
        page.where,
        ...createdWithin(approvals.createdAt, page.created),
        afterPosition(approvals.createdAt, approvals.id, page.after),
      ),
    )
    .orderBy(desc(approvals.createdAt), desc(approvals.id))
    .limit(page.limit);
}

/** Decides a request that is waited for; false when it is not any more, or too old. */
export const decideApproval = (
  tx: Tx,
  id: Uuid,
  decision: { status: 'approved' | 'rejected'; decidedBy: Uuid; reason: string | null; decidedAt: Date },
) =>
  changeRow(
    tx,
    approvals,
    decision,
    and(eq(approvals.id, id), eq(approvals.status, 'pending'), gt(approvals.expiresAt, decision.decidedAt)),
  );

export async function expirePendingApprovals(tx: Tx, now: Date): Promise<void> {
  await tx
    .update(approvals)
    .set({ status: 'expired' })
    .where(and(eq(approvals.status, 'pending'), lte(approvals.expiresAt, now)));
}

/** Returns the pending request of an action on an object. */
export const findPendingApproval = (db: Db, { action, objectId }: Pick<Approval, 'action' | 'objectId'>) =>
  findRow(
    db,
    approvals,
    and(eq(approvals.action, action), eq(approvals.objectId, objectId), eq(approvals.status, 'pending')),
  );

/** Returns pending requests of an operator, locked until this transaction ends. */
export async function lockPendingApprovalsOf(tx: Tx, operatorId: Uuid, now: Date): Promise<Approval[]> {
  const isOpen = and(eq(approvals.status, 'pending'), gt(approvals.expiresAt, now));
  return tx
    .select()
    .from(approvals)
    .where(and(eq(approvals.requestedBy, operatorId), isOpen))
    .orderBy(asc(approvals.createdAt), asc(approvals.id))
    .for('no key update');
}

/** Ends a request that is waited for; false when it is not any more. */
export const expireApproval = (tx: Tx, id: Uuid, reason: string) =>
  changeRow(
    tx,
    approvals,
    { status: 'expired', reason },
    and(eq(approvals.id, id), eq(approvals.status, 'pending')),
  );

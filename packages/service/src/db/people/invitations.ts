import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { partnerId } from '../partners/partners.js';
import { changeRow, findRow } from '../rows.js';
import { maySignIn, people, personId, personRole } from './people.js';

/** Invitations to become a member of a partner. The token in the link is never stored, only its SHA-256. */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    hash: bytes().notNull().unique('invitations_hash'),
    partnerId: partnerId().notNull(),
    email: text().notNull(),
    role: personRole().notNull(),
    /** Null for an invitation from the command line. */
    invitedBy: personId('invited_by'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    withdrawnAt: moment('withdrawn_at'),
    /** Whom it has made, once. */
    memberId: personId('member_id').unique('invitations_member'),
  },
  (t) => [
    index('invitations_partner').on(t.partnerId, t.createdAt, t.id),
    check('invitations_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('invitations_role', sql`${t.role} in ('owner', 'developer', 'finance', 'viewer')`),
    check('invitations_email', sql`char_length(${t.email}) between 3 and 254`),
    check('invitations_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
    check('invitations_end', sql`${t.withdrawnAt} is null or ${t.memberId} is null`),
  ],
);

export type Invitation = typeof invitations.$inferSelect;

/** Condition: the inviter may still invite; an owner who was removed leaves no door open. */
const inviterMay = sql`(${invitations.invitedBy} is null or exists (
  select from ${people} where ${people.id} = ${invitations.invitedBy} and ${maySignIn}
    and (${people.partnerId} is null or ${people.role} = 'owner')))`;

const isPending = (now: Date) =>
  and(
    isNull(invitations.withdrawnAt),
    isNull(invitations.memberId),
    gt(invitations.expiresAt, now),
    inviterMay,
  );

export async function insertInvitation(
  tx: Tx,
  invitation: typeof invitations.$inferInsert,
): Promise<Invitation> {
  const [inserted] = await tx.insert(invitations).values(invitation).returning();
  if (!inserted) throw new Error('an insert returned no row');
  return inserted;
}

/** Returns the invitations of a partner that can be accepted at `now`, newest first. */
export const findPendingInvitations = (db: Db | Tx, partnerId: Uuid, now: Date): Promise<Invitation[]> =>
  db
    .select()
    .from(invitations)
    .where(and(eq(invitations.partnerId, partnerId), isPending(now)))
    .orderBy(desc(invitations.createdAt), desc(invitations.id));

/** An invitation that can be accepted at `now`, which only this transaction can use until it ends. */
export const lockInvitation = (tx: Tx, hash: Uint8Array, now: Date) =>
  findRow(tx, invitations, and(eq(invitations.hash, hash), isPending(now)), 'update');

export const markInvitationAccepted = (tx: Tx, id: Uuid, memberId: Uuid) =>
  changeRow(tx, invitations, { memberId }, eq(invitations.id, id));

/** Withdraws a partner's invitation that could be accepted at `now`; undefined when there is none. */
export async function markInvitationWithdrawn(
  tx: Tx,
  { id, partnerId }: Pick<Invitation, 'id' | 'partnerId'>,
  now: Date,
): Promise<Invitation | undefined> {
  const [withdrawn] = await tx
    .update(invitations)
    .set({ withdrawnAt: now })
    .where(and(eq(invitations.id, id), eq(invitations.partnerId, partnerId), isPending(now)))
    .returning();
  return withdrawn;
}

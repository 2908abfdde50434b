import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import type { MemberRole } from '../../domain/member.js';
import type { WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { findRow } from '../rows.js';
import { type PersonRow, people } from './people.js';
import { sessions } from './sessions.js';

/** The row of a member with an email: the checks of the table see to the rest. */
export type MemberRow = PersonRow & { partnerId: Uuid; email: string; role: MemberRole };

export type ListedMember = MemberRow & { lastSeenAt: Date | null };

const hasEmail = isNotNull(people.email);

/** Returns the active members of a partner who have an email, oldest first, and when each was last seen in a session. */
export async function findMembers(db: Db | Tx, partnerId: Uuid): Promise<ListedMember[]> {
  const lastSeenAt = sql<Date | null>`(select max(${sessions.lastUsedAt}) from ${sessions} where ${sessions.personId} = ${people.id})`;
  const rows = await db
    .select({ row: people, lastSeenAt: lastSeenAt.mapWith(sessions.lastUsedAt) })
    .from(people)
    .where(and(eq(people.partnerId, partnerId), eq(people.status, 'active'), hasEmail))
    .orderBy(asc(people.createdAt), asc(people.id));
  return rows.map(({ row, lastSeenAt }) => ({ ...(row as MemberRow), lastSeenAt }));
}

/**
 * Returns the active members of a partner who have an email, held in one order, so that of two owners who remove each other
 * the second sees what the first did.
 */
export async function lockMembers(tx: Tx, partnerId: Uuid): Promise<MemberRow[]> {
  const rows = await tx
    .select()
    .from(people)
    .where(and(eq(people.partnerId, partnerId), eq(people.status, 'active'), hasEmail))
    .orderBy(asc(people.id))
    .for('no key update');
  return rows as MemberRow[];
}

/** The owner who signs in with a wallet. */
export const findWalletOwner = (db: Db | Tx, walletAddress: WalletAddress) =>
  findRow(db, people, eq(people.walletAddress, walletAddress));

import { and, eq, isNull, sql } from 'drizzle-orm';
import { check, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, int64, moment } from '../columns.js';
import { findRow } from '../rows.js';
import { personId } from './people.js';

/** Authenticator apps of people, one each. The key is drawn from the nonce and a secret that is not in the database. */
export const totps = pgTable(
  'totps',
  {
    personId: personId('person_id').primaryKey(),
    nonce: bytes().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null until the person has entered a code of the app. */
    confirmedAt: moment('confirmed_at'),
    /** SHA-256 of the session that has to confirm the key; null once it has. */
    sessionHash: bytes('session_hash'),
    /** The step of the latest code that was used: only later ones are right. */
    lastStep: int64('last_step').notNull(),
  },
  (t) => [
    check('totps_nonce_length', sql`octet_length(${t.nonce}) = 16`),
    check('totps_unconfirmed', sql`(${t.confirmedAt} is null) = (${t.sessionHash} is not null)`),
  ],
);

export type Totp = typeof totps.$inferSelect;

export const findTotp = (db: Db | Tx, personId: Uuid) => findRow(db, totps, eq(totps.personId, personId));

/** The authenticator app of a person, whose codes only this transaction uses until it ends. */
export const lockTotp = (tx: Tx, personId: Uuid) =>
  findRow(tx, totps, eq(totps.personId, personId), 'update');

/** Writes an authenticator app, in place of an earlier one. */
export async function saveTotp(tx: Tx, totp: Totp): Promise<void> {
  const { personId: _, ...set } = totp;
  await tx.insert(totps).values(totp).onConflictDoUpdate({ target: totps.personId, set });
}

export async function deleteTotpOf(tx: Tx, personId: Uuid): Promise<void> {
  await tx.delete(totps).where(eq(totps.personId, personId));
}

/** Deletes the key of an authenticator app that was not confirmed. */
export async function deleteUnconfirmedTotp(tx: Tx, personId: Uuid): Promise<void> {
  const { personId: owner, confirmedAt } = totps;
  await tx.delete(totps).where(and(eq(owner, personId), isNull(confirmedAt)));
}

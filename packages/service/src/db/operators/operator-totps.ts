import { and, eq, isNull, sql } from 'drizzle-orm';
import { check, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, int64, moment } from '../columns.js';
import { findRow } from '../rows.js';
import { operatorId } from './operators.js';

/** Authenticator apps of operators, one each. The key is drawn from the nonce and a secret that is not in the database. */
export const operatorTotps = pgTable(
  'operator_totps',
  {
    operatorId: operatorId('operator_id').primaryKey(),
    nonce: bytes().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null until the operator has entered a code of the app. */
    confirmedAt: moment('confirmed_at'),
    /** SHA-256 of the session that has to confirm the key; null once it has. */
    sessionHash: bytes('session_hash'),
    /** The step of the latest code that was used: only later ones are right. */
    lastStep: int64('last_step').notNull(),
  },
  (t) => [
    check('operator_totps_nonce_length', sql`octet_length(${t.nonce}) = 16`),
    check('operator_totps_unconfirmed', sql`(${t.confirmedAt} is null) = (${t.sessionHash} is not null)`),
  ],
);

export type Totp = typeof operatorTotps.$inferSelect;

export const findTotp = (db: Db | Tx, operatorId: Uuid) =>
  findRow(db, operatorTotps, eq(operatorTotps.operatorId, operatorId));

/** The authenticator app of an operator, whose codes only this transaction uses until it ends. */
export const lockTotp = (tx: Tx, operatorId: Uuid) =>
  findRow(tx, operatorTotps, eq(operatorTotps.operatorId, operatorId), 'update');

/** Writes an authenticator app, in place of an earlier one. */
export async function saveTotp(tx: Tx, totp: Totp): Promise<void> {
  const { operatorId: _, ...set } = totp;
  await tx.insert(operatorTotps).values(totp).onConflictDoUpdate({ target: operatorTotps.operatorId, set });
}

export async function deleteTotpOf(tx: Tx, operatorId: Uuid): Promise<void> {
  await tx.delete(operatorTotps).where(eq(operatorTotps.operatorId, operatorId));
}

/** Deletes the key of an authenticator app that was not confirmed. */
export async function deleteUnconfirmedTotp(tx: Tx, operatorId: Uuid): Promise<void> {
  const { operatorId: owner, confirmedAt } = operatorTotps;
  await tx.delete(operatorTotps).where(and(eq(owner, operatorId), isNull(confirmedAt)));
}

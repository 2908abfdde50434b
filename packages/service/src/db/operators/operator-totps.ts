import { eq, sql } from 'drizzle-orm';
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
    /** The step of the latest code that was used: only later ones are right. */
    lastStep: int64('last_step').notNull(),
  },
  (t) => [check('operator_totps_nonce_length', sql`octet_length(${t.nonce}) = 16`)],
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

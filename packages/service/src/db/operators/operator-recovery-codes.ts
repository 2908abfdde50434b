import { and, count, eq, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { changeRow } from '../rows.js';
import { operatorId } from './operators.js';

/** Codes by which operators sign in who have lost their second factor, once each. Only the SHA-256 of a code is kept. */
export const operatorRecoveryCodes = pgTable(
  'operator_recovery_codes',
  {
    hash: bytes().primaryKey(),
    operatorId: operatorId('operator_id').notNull(),
    createdAt: moment('created_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    index('operator_recovery_codes_operator').on(t.operatorId),
    check('operator_recovery_codes_hash_length', sql`octet_length(${t.hash}) = 32`),
  ],
);

/** Writes codes in place of all earlier ones. */
export async function replaceRecoveryCodes(
  tx: Tx,
  operatorId: Uuid,
  hashes: readonly Uint8Array[],
  createdAt: Date,
): Promise<void> {
  await deleteRecoveryCodesOf(tx, operatorId);
  await tx.insert(operatorRecoveryCodes).values(hashes.map((hash) => ({ hash, operatorId, createdAt })));
}

/** Uses a code; false when it is unknown or was used, also by another request at the same time. */
export const takeRecoveryCode = (tx: Tx, operatorId: Uuid, hash: Uint8Array, usedAt: Date) =>
  changeRow(
    tx,
    operatorRecoveryCodes,
    { usedAt },
    and(
      eq(operatorRecoveryCodes.hash, hash),
      eq(operatorRecoveryCodes.operatorId, operatorId),
      isNull(operatorRecoveryCodes.usedAt),
    ),
  );

/** Returns how many codes an operator can still use. */
export async function countRecoveryCodes(db: Db | Tx, operatorId: Uuid): Promise<number> {
  const { usedAt, operatorId: owner } = operatorRecoveryCodes;
  const [counted] = await db
    .select({ left: count() })
    .from(operatorRecoveryCodes)
    .where(and(eq(owner, operatorId), isNull(usedAt)));
  return counted?.left ?? 0;
}

export async function deleteRecoveryCodesOf(tx: Tx, operatorId: Uuid): Promise<void> {
  await tx.delete(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, operatorId));
}

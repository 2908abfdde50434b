import { and, count, eq, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { changeRow } from '../rows.js';
import { personId } from './people.js';

/** Codes by which people sign in who have lost their second factor, once each. Only the SHA-256 of a code is kept. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    hash: bytes().primaryKey(),
    personId: personId('person_id').notNull(),
    createdAt: moment('created_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    index('recovery_codes_person').on(t.personId),
    check('recovery_codes_hash_length', sql`octet_length(${t.hash}) = 32`),
  ],
);

/** Writes codes in place of all earlier ones. */
export async function replaceRecoveryCodes(
  tx: Tx,
  personId: Uuid,
  hashes: readonly Uint8Array[],
  createdAt: Date,
): Promise<void> {
  await deleteRecoveryCodesOf(tx, personId);
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ hash, personId, createdAt })));
}

/** Uses a code; false when it is unknown or was used, also by another request at the same time. */
export const takeRecoveryCode = (tx: Tx, personId: Uuid, hash: Uint8Array, usedAt: Date) =>
  changeRow(
    tx,
    recoveryCodes,
    { usedAt },
    and(eq(recoveryCodes.hash, hash), eq(recoveryCodes.personId, personId), isNull(recoveryCodes.usedAt)),
  );

/** Returns how many codes a person can still use. */
export async function countRecoveryCodes(db: Db | Tx, personId: Uuid): Promise<number> {
  const { usedAt, personId: owner } = recoveryCodes;
  const [counted] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(owner, personId), isNull(usedAt)));
  return counted?.left ?? 0;
}

export async function deleteRecoveryCodesOf(tx: Tx, personId: Uuid): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.personId, personId));
}

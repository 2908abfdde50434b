import { and, eq, lt, sql } from 'drizzle-orm';
import { check, pgTable, smallint } from 'drizzle-orm/pg-core';
import type { RedemptionId } from '../../domain/ids.js';
import { type IssuedCode, pickupTries } from '../../domain/pickup-code.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { changeRow, findRow } from '../rows.js';
import { redemptionId } from './redemptions.js';

/** The code of each redemption that is ready, as `domain/pickup-code.ts` keeps it: nothing here reveals it. */
export const pickupCodes = pgTable(
  'pickup_codes',
  {
    redemptionId: redemptionId().primaryKey(),
    nonce: bytes().notNull(),
    hash: bytes().notNull(),
    issuedAt: moment('issued_at').notNull(),
    /** Wrong codes that were tried since. */
    tries: smallint().notNull().default(0),
    /** Codes that were issued for the redemption, this one included: it only grows. */
    issues: smallint().notNull().default(1),
  },
  (t) => [
    check('pickup_codes_lengths', sql`octet_length(${t.nonce}) = 16 and octet_length(${t.hash}) = 32`),
    check('pickup_codes_tries', sql`${t.tries} between 0 and ${sql.raw(String(pickupTries))}`),
  ],
);

export type PickupCode = typeof pickupCodes.$inferSelect;

const ofRedemption = (id: RedemptionId) => eq(pickupCodes.redemptionId, id);

/** Writes the code of a redemption in place of the one before it. */
export async function savePickupCode(tx: Tx, issued: IssuedCode, at: Date): Promise<void> {
  const row = { ...issued, issuedAt: at, tries: 0 };
  const again = { ...row, issues: sql`${pickupCodes.issues} + 1` };
  await tx
    .insert(pickupCodes)
    .values(row)
    .onConflictDoUpdate({ target: pickupCodes.redemptionId, set: again });
}

export const findPickupCode = (db: Db | Tx, id: RedemptionId) => findRow(db, pickupCodes, ofRedemption(id));

/** A code that only this transaction tries until it ends. */
export const lockPickupCode = (tx: Tx, id: RedemptionId) =>
  findRow(tx, pickupCodes, ofRedemption(id), 'update');

/** Counts a wrong try; false when there was none left. */
export const countPickupTry = (tx: Tx, id: RedemptionId) =>
  changeRow(
    tx,
    pickupCodes,
    { tries: sql`${pickupCodes.tries} + 1` },
    and(ofRedemption(id), lt(pickupCodes.tries, pickupTries)),
  );

export async function deletePickupCode(tx: Tx, id: RedemptionId): Promise<void> {
  await tx.delete(pickupCodes).where(ofRedemption(id));
}

import { and, eq, gt, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { findRow } from '../rows.js';
import { personId } from './people.js';

export const challengePurposes = ['sign_in', 'enrol_passkey', 'account', 'approval', 'confirmation'] as const;
export const challengePurpose = pgEnum('factor_challenge_purpose', challengePurposes);

/**
 * What a person has to show a second factor for, once and within minutes. The token that names it is never stored, only
 * its SHA-256.
 */
export const factorChallenges = pgTable(
  'factor_challenges',
  {
    hash: bytes().primaryKey(),
    personId: personId('person_id').notNull(),
    purpose: challengePurpose().notNull(),
    /** Id of the approval, for that purpose. */
    subject: text(),
    /** The random text that a passkey signs, in base64url. */
    challenge: text().notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    index('factor_challenges_person').on(t.personId),
    index('factor_challenges_expires').on(t.expiresAt),
    check('factor_challenges_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('factor_challenges_subject', sql`(${t.purpose} = 'approval') = (${t.subject} is not null)`),
  ],
);

export type FactorChallenge = typeof factorChallenges.$inferSelect;

export async function insertFactorChallenge(tx: Tx, challenge: FactorChallenge): Promise<void> {
  await tx.insert(factorChallenges).values(challenge);
}

const isOpen = (hash: Uint8Array, now: Date) =>
  and(eq(factorChallenges.hash, hash), gt(factorChallenges.expiresAt, now));

export const findFactorChallenge = (db: Db | Tx, hash: Uint8Array, now: Date) =>
  findRow(db, factorChallenges, isOpen(hash, now));

/** A challenge that is open at `now`, which only this transaction can use until it ends. */
export const lockFactorChallenge = (tx: Tx, hash: Uint8Array, now: Date) =>
  findRow(tx, factorChallenges, isOpen(hash, now), 'update');

export async function deleteFactorChallenge(tx: Tx, { hash }: FactorChallenge): Promise<void> {
  await tx.delete(factorChallenges).where(eq(factorChallenges.hash, hash));
}

export async function deleteFactorChallengesOf(tx: Tx, personId: Uuid): Promise<void> {
  await tx.delete(factorChallenges).where(eq(factorChallenges.personId, personId));
}

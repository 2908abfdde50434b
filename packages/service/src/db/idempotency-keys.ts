import { and, eq, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { bytes, moment } from './columns.js';
import { changeRow, findRow } from './rows.js';

/** Requests that had an `Idempotency-Key`, with the response to repeat. Without a status: still in progress. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Whose key it is: a partner, an operator, or the key of an admin. Each names itself by a UUID of its own. */
    ownerId: uuid('owner_id').notNull().$type<Uuid>(),
    /** Method and pattern of the route, such as `POST /v1/users`. */
    route: text().notNull(),
    key: text().notNull(),
    /** Who claimed it: a claim that lapsed may be taken over, and its first holder must not settle it any more. */
    claimId: uuid('claim_id').notNull().$type<Uuid>(),
    /** SHA-256 of path and body, with keyed hashes in place of a pickup code and of KYC data. */
    requestHash: bytes('request_hash').notNull(),
    status: smallint(),
    response: text(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.ownerId, t.route, t.key] }),
    index('idempotency_keys_created').on(t.createdAt),
    check('idempotency_keys_key_length', sql`char_length(${t.key}) between 1 and 255`),
    check('idempotency_keys_request_hash_length', sql`octet_length(${t.requestHash}) = 32`),
    check('idempotency_keys_response', sql`(${t.status} is null) = (${t.response} is null)`),
  ],
);

export type IdempotencyKey = typeof idempotencyKeys.$inferSelect;

/** What names a request: owner, route and the caller's key. */
export type IdempotencyScope = Pick<IdempotencyKey, 'ownerId' | 'route' | 'key'>;

/** What is older than `expiredBefore`, and what was claimed before `lapsedBefore` and never completed, may be taken over. */
export interface ClaimLimits {
  expiredBefore: Date;
  lapsedBefore: Date;
}

/** Returns whether a key may be taken over by another claim. */
export function isFree(
  { status, createdAt }: Pick<IdempotencyKey, 'status' | 'createdAt'>,
  { expiredBefore, lapsedBefore }: ClaimLimits,
): boolean {
  return createdAt <= expiredBefore || (status === null && createdAt <= lapsedBefore);
}

/** Claims a key, in a statement of its own; false when it is held. */
export async function insertIdempotencyClaim(
  db: Db,
  claim: IdempotencyScope & Pick<IdempotencyKey, 'claimId' | 'requestHash' | 'createdAt'>,
  limits: ClaimLimits,
): Promise<boolean> {
  const { claimId, requestHash, createdAt } = claim;
  const { count } = await db
    .insert(idempotencyKeys)
    .values(claim)
    .onConflictDoUpdate({
      target: [idempotencyKeys.ownerId, idempotencyKeys.route, idempotencyKeys.key],
      set: { claimId, requestHash, createdAt, status: null, response: null },
      setWhere: sql`${idempotencyKeys.createdAt} <= ${limits.expiredBefore.toISOString()}::timestamptz
        or (${idempotencyKeys.status} is null and ${idempotencyKeys.createdAt} <= ${limits.lapsedBefore.toISOString()}::timestamptz)`,
    });
  return count === 1;
}

export const findIdempotencyKey = (db: Db | Tx, scope: IdempotencyScope) =>
  findRow(db, idempotencyKeys, inScope(scope));

/** Stores the response of a claimed request; returns false if the claim is no longer valid. */
export const updateIdempotencyResponse = (
  tx: Tx,
  claim: IdempotencyScope & { claimId: Uuid },
  response: { status: number; response: string },
) => changeRow(tx, idempotencyKeys, response, isOpen(claim));

/** Locks a claim until the transaction ends; returns false if it is no longer valid. */
export async function lockIdempotencyClaim(
  tx: Tx,
  claim: IdempotencyScope & { claimId: Uuid },
): Promise<boolean> {
  const rows = await tx
    .select({ claimId: idempotencyKeys.claimId })
    .from(idempotencyKeys)
    .where(isOpen(claim))
    .for('update');
  return rows.length === 1;
}

/** Releases a claimed key, if the claim is still valid and no response was stored. */
export async function deleteIdempotencyClaim(
  tx: Tx,
  claim: IdempotencyScope & { claimId: Uuid },
): Promise<void> {
  await tx.delete(idempotencyKeys).where(isOpen(claim));
}

function isOpen(claim: IdempotencyScope & { claimId: Uuid }) {
  return and(inScope(claim), eq(idempotencyKeys.claimId, claim.claimId), isNull(idempotencyKeys.status));
}

function inScope({ ownerId, route, key }: IdempotencyScope) {
  return and(
    eq(idempotencyKeys.ownerId, ownerId),
    eq(idempotencyKeys.route, route),
    eq(idempotencyKeys.key, key),
  );
}

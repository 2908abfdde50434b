import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { noteLastUsed } from '../keys/last-used.js';
import { findPage, type PageOf } from '../page.js';
import { isOfKind, people, personId } from '../people/people.js';
import { findRow } from '../rows.js';
import { type OperatorRow, toOperator } from './operators.js';

/** Bearer tokens of operators, for scripts. Only the SHA-256 of a token is kept. */
export const operatorTokens = pgTable(
  'operator_tokens',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    operatorId: personId('operator_id').notNull(),
    name: text().notNull(),
    hash: bytes().notNull().unique('operator_tokens_hash'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    /** Null while it is good. */
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    index('operator_tokens_operator').on(t.operatorId, t.createdAt, t.id),
    check('operator_tokens_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('operator_tokens_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
    check('operator_tokens_name_length', sql`char_length(${t.name}) between 1 and 100`),
  ],
);

export type OperatorToken = typeof operatorTokens.$inferSelect;

export async function insertOperatorToken(tx: Tx, token: typeof operatorTokens.$inferInsert): Promise<void> {
  await tx.insert(operatorTokens).values(token);
}

/** Returns the active operator of a token that is good at `now`. */
export async function findTokenOperator(
  db: Db | Tx,
  hash: Uint8Array,
  now: Date,
): Promise<(Operator & { tokenId: Uuid }) | undefined> {
  const [found] = await db
    .select({ row: people, tokenId: operatorTokens.id })
    .from(operatorTokens)
    .innerJoin(people, eq(people.id, operatorTokens.operatorId))
    .where(
      and(
        eq(operatorTokens.hash, hash),
        isNull(operatorTokens.revokedAt),
        gt(operatorTokens.expiresAt, now),
        eq(people.status, 'active'),
        isOfKind('operator'),
      ),
    );
  return found && { ...toOperator(found.row as OperatorRow), tokenId: found.tokenId };
}

/** A page of an operator's tokens, good or not, newest first. */
export const findTokenPage = (db: Db | Tx, operatorId: Uuid, page: PageOf): Promise<OperatorToken[]> =>
  findPage(db, operatorTokens, [eq(operatorTokens.operatorId, operatorId)], page);

/** Revokes a token; undefined when there is no such one, or another revocation was first. */
export async function markTokenRevoked(tx: Tx, id: Uuid, at: Date): Promise<OperatorToken | undefined> {
  const [token] = await tx
    .update(operatorTokens)
    .set({ revokedAt: at })
    .where(and(eq(operatorTokens.id, id), isNull(operatorTokens.revokedAt)))
    .returning();
  return token;
}

export const findOperatorToken = (db: Db | Tx, id: Uuid) =>
  findRow(db, operatorTokens, eq(operatorTokens.id, id));

export async function revokeTokensOf(tx: Tx, operatorId: Uuid, at: Date): Promise<void> {
  await tx
    .update(operatorTokens)
    .set({ revokedAt: at })
    .where(and(eq(operatorTokens.operatorId, operatorId), isNull(operatorTokens.revokedAt)));
}

export const updateTokensLastUsed = (tx: Tx, uses: ReadonlyMap<Uuid, Date>) =>
  noteLastUsed(tx, operatorTokens, uses);

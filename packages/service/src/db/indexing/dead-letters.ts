import { and, asc, count, eq, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { check, customType, index, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { newUuid, type Uuid } from '../../domain/ids.js';
import {
  type Address,
  addressOf,
  addressToBytes,
  signatureToBytes,
  type TxSignature,
  txSignatureOf,
} from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';
import { type Filter, findPage, matching, type PageOf } from '../page.js';
import { findRow } from '../rows.js';

/** What a dead letter is about: a transaction, or an account where no single transaction shows what is wrong. */
export type DeadLetterSubject = TxSignature | Address;

const subject = customType<{ data: DeadLetterSubject; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: subjectOf,
  toDriver: subjectBytes,
});

/** Returns what a dead letter is about by its bytes: 32 of an address, 64 of a signature. */
export function subjectOf(bytes: Uint8Array): DeadLetterSubject {
  return bytes.length === 32 ? addressOf(bytes) : txSignatureOf(bytes);
}

/** Returns the 64 bytes of a signature, or the 32 of an address. Throws a TypeError for any other text. */
export function subjectBytes(subject: DeadLetterSubject): Buffer {
  // 64 bytes have 64 digits at least, 32 bytes have 44 at most.
  return subject.length < 64 ? addressToBytes(subject as Address) : signatureToBytes(subject as TxSignature);
}

/** Transactions that the indexer could not take, and why. Written before the cursor passes them; nothing is dropped. */
export const deadLetters = pgTable(
  'dead_letters',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    /** Of the transaction, or the address of the account, that it is about. */
    signature: subject().notNull(),
    slot: int64().notNull(),
    /** A short code, e.g. `event_mismatch`. */
    reason: text().notNull(),
    detail: jsonb().$type<Record<string, unknown>>().notNull(),
    createdAt: moment('created_at').notNull(),
    resolvedAt: moment('resolved_at'),
    /** When an operator requested a retry; null if there was no request, and once the retry was made. */
    retryRequestedAt: moment('retry_requested_at'),
    /** When that was last tried. */
    retriedAt: moment('retried_at'),
    /** The reason that a person gave for resolving it; null while it is open, and if it resolved itself. */
    resolution: text(),
    /** What all transactions of one dead letter have in common: for dust, its sender and day. */
    groupKey: text('group_key'),
  },
  (t) => [
    unique('dead_letters_group').on(t.groupKey),
    unique('dead_letters_signature_reason').on(t.signature, t.reason),
    index('dead_letters_open').on(t.createdAt, t.id).where(sql`${t.resolvedAt} is null`),
    index('dead_letters_open_reason').on(t.reason, t.createdAt, t.id).where(sql`${t.resolvedAt} is null`),
    index('dead_letters_resolved').on(t.createdAt, t.id).where(sql`${t.resolvedAt} is not null`),
    index('dead_letters_resolved_reason')
      .on(t.reason, t.createdAt, t.id)
      .where(sql`${t.resolvedAt} is not null`),
    index('dead_letters_created').on(t.createdAt, t.id),
    index('dead_letters_reason').on(t.reason, t.createdAt, t.id),
    index('dead_letters_retry').on(t.retryRequestedAt).where(sql`${t.retryRequestedAt} is not null`),
    check('dead_letters_subject', sql`octet_length(${t.signature}) in (32, 64)`),
    check('dead_letters_reason', sql`${t.reason} ~ '^[a-z_]+$'`),
    check('dead_letters_resolution', sql`${t.resolution} is null or ${t.resolvedAt} is not null`),
  ],
);

/** Why the indexer could not record a transaction; docs/operations/dead-letters.md explains each reason. */
export type DeadLetterReason =
  | 'transaction_unavailable'
  | 'unsupported_version'
  | 'undecodable'
  | 'unknown_instruction'
  | 'event_missing'
  | 'event_mismatch'
  | 'transfer_mismatch'
  | 'memo_missing'
  | 'memo_malformed'
  | 'memo_mismatch'
  | 'signature_missing'
  | 'several_memos'
  | 'trade_missing'
  | 'several_trades'
  | 'unknown_partner'
  | 'unknown_user'
  | 'user_partner_mismatch'
  | 'integrator_mismatch'
  | 'conflicting_record'
  | 'conflicting_event'
  | 'record_refused'
  | 'vanished'
  | 'redemption_unknown'
  | 'redemption_mismatch'
  | 'redemption_paid_twice'
  | 'redemption_closed'
  | 'escrow_unmatched'
  | 'dust'
  | 'order_mismatch'
  | 'settlement_mismatch'
  | 'reconciliation_difference';

export interface DeadLetter {
  signature: DeadLetterSubject;
  slot: bigint;
  reason: DeadLetterReason;
  /** Figures and names for people. No bigint: this is stored as JSON. */
  detail: Record<string, unknown>;
}

/** Writes a dead letter, and returns whether it is new: does nothing if the same transaction already has one for the same reason. */
export async function insertDeadLetter(tx: Tx, deadLetter: DeadLetter, at: Date): Promise<boolean> {
  const rows = await tx
    .insert(deadLetters)
    .values({ id: newUuid(), ...deadLetter, createdAt: at })
    .onConflictDoNothing({ target: [deadLetters.signature, deadLetters.reason] })
    .returning({ id: deadLetters.id });
  return rows.length > 0;
}

/** A deposit not made through the service that is too small for a separate dead letter. */
export interface Dust {
  sender: string;
  /** Base units by role of the treasury account. */
  amounts: Record<string, bigint>;
}

/**
 * Adds dust to the dead letter of its sender and day, which opens again. Must be called once for each transaction: it
 * counts.
 */
export async function addDust(
  tx: Tx,
  { signature, slot }: { signature: TxSignature; slot: bigint },
  { sender, amounts }: Dust,
  at: Date,
): Promise<void> {
  const day = at.toISOString().slice(0, 10);
  const groupKey = `dust ${sender} ${day}`;
  await tx
    .insert(deadLetters)
    .values({ id: newUuid(), signature, slot, reason: 'dust', detail: {}, createdAt: at, groupKey })
    .onConflictDoNothing();
  const [deadLetter] = await tx
    .select()
    .from(deadLetters)
    .where(eq(deadLetters.groupKey, groupKey))
    .for('update');
  if (!deadLetter) throw new Error(`no dead letter ${groupKey}`);
  const before = deadLetter.detail as { transactions?: number; amounts?: Record<string, string> };
  const sums = { ...before.amounts };
  for (const [role, amount] of Object.entries(amounts))
    sums[role] = (BigInt(sums[role] ?? 0) + amount).toString();
  const detail = {
    sender,
    day,
    transactions: (before.transactions ?? 0) + 1,
    amounts: sums,
    last: signature,
  };
  await tx
    .update(deadLetters)
    .set({ detail, resolvedAt: null, resolution: null })
    .where(eq(deadLetters.id, deadLetter.id));
}

/** Marks the open dead letters about these as resolved, those of the given reasons. */
export async function resolveDeadLettersOf(
  tx: Tx,
  subjects: readonly DeadLetterSubject[],
  reasons: DeadLetterReason[],
  at: Date,
): Promise<void> {
  if (subjects.length === 0) return;
  const { signature, reason, resolvedAt } = deadLetters;
  const about = eq(signature, sql`any(${sql.param(subjects.map(subjectBytes))}::bytea[])`);
  await tx
    .update(deadLetters)
    .set({ resolvedAt: at })
    .where(and(about, inArray(reason, reasons), isNull(resolvedAt)));
}

/** Marks the open dead letters of a transaction as resolved, those of the given reasons. */
export async function resolveDeadLetters(
  tx: Tx,
  signature: DeadLetterSubject,
  reasons: DeadLetterReason[],
  at: Date,
): Promise<void> {
  await tx
    .update(deadLetters)
    .set({ resolvedAt: at })
    .where(
      and(
        eq(deadLetters.signature, signature),
        inArray(deadLetters.reason, reasons),
        isNull(deadLetters.resolvedAt),
      ),
    );
}

/** Open letters of one reason written after `since`, oldest first. */
export async function findOpenDeadLetters(
  db: Db | Tx,
  reason: DeadLetterReason,
  since: Date,
  limit: number,
): Promise<Pick<DeadLetterCase, 'signature' | 'slot'>[]> {
  return db
    .select({ signature: deadLetters.signature, slot: deadLetters.slot })
    .from(deadLetters)
    .where(
      and(eq(deadLetters.reason, reason), isNull(deadLetters.resolvedAt), gt(deadLetters.createdAt, since)),
    )
    .orderBy(asc(deadLetters.createdAt))
    .limit(limit);
}

/** A dead letter as operators see it. */
export type DeadLetterCase = typeof deadLetters.$inferSelect;

/** Returns a page of dead letters, newest first. */
export async function findDeadLetters(
  db: Db | Tx,
  { open, ...filter }: Filter<typeof deadLetters> & { open?: boolean | undefined },
  page: PageOf,
): Promise<DeadLetterCase[]> {
  const { resolvedAt } = deadLetters;
  const conditions = [
    open === undefined ? undefined : open ? isNull(resolvedAt) : isNotNull(resolvedAt),
    ...matching(deadLetters, filter),
  ];
  return findPage(db, deadLetters, conditions, page);
}

/** Returns how many dead letters are open. */
export async function countDeadLetters(db: Db | Tx): Promise<number> {
  const [row] = await db.select({ open: count() }).from(deadLetters).where(isNull(deadLetters.resolvedAt));
  return row?.open ?? 0;
}

/** Returns the current state of a dead letter. */
export const findDeadLetter = (db: Db | Tx, id: Uuid) => findRow(db, deadLetters, eq(deadLetters.id, id));

/** Returns a dead letter, locked until the transaction ends. */
export const lockDeadLetter = (tx: Tx, id: Uuid) =>
  findRow(tx, deadLetters, eq(deadLetters.id, id), 'update');

/** Writes an operator's change of a dead letter that is locked. */
export async function updateDeadLetter(
  tx: Tx,
  id: Uuid,
  changes: Partial<Pick<DeadLetterCase, 'resolvedAt' | 'resolution' | 'retryRequestedAt'>>,
): Promise<void> {
  await tx.update(deadLetters).set(changes).where(eq(deadLetters.id, id));
}

/** Returns dead letters for which operators requested a retry, in the order of the requests. */
export async function findRequestedRetries(
  db: Db | Tx,
  limit: number,
): Promise<(DeadLetterCase & { reason: DeadLetterReason })[]> {
  const { retryRequestedAt } = deadLetters;
  const rows = await db
    .select()
    .from(deadLetters)
    .where(isNotNull(retryRequestedAt))
    .orderBy(asc(retryRequestedAt))
    .limit(limit);
  return rows as (DeadLetterCase & { reason: DeadLetterReason })[];
}

/** Records that a retry was made, and whether it resolved the dead letter. */
export async function noteRetry(tx: Tx, id: Uuid, at: Date, settles: boolean): Promise<void> {
  const open = and(eq(deadLetters.id, id), isNull(deadLetters.resolvedAt));
  if (settles) await tx.update(deadLetters).set({ resolvedAt: at }).where(open);
  await tx.update(deadLetters).set({ retriedAt: at, retryRequestedAt: null }).where(eq(deadLetters.id, id));
}

import type { Db, Tx } from '../db/client.js';
import {
  type AuditHead,
  type AuditRow,
  appendAuditRows,
  findAuditHead,
  findAuditRowsAfter,
  lockAuditHead,
} from '../db/operators/audit-log.js';
import {
  type AuditAction,
  type AuditFacts,
  auditHash,
  type ChangedBy,
  objectTypeOf,
} from '../domain/audit.js';
import { canonicalJson } from '../domain/canonical-json.js';

/**
 * A change for the audit log, such as `partner.suspend`: `before` and `after` hold JSON values only, no KYC data and no secrets,
 * and are left out for what was not there. A reason has at most 1,000 characters.
 */
export interface Change
  extends Pick<AuditFacts, 'objectId'>,
    Partial<Pick<AuditFacts, 'objectType' | 'before' | 'after'>> {
  action: AuditAction;
  reason?: string | null | undefined;
}

/**
 * Writes a change into the audit log, in the transaction of the change itself and as its last statement but for the kept
 * response: all changes queue for the end of the chain from here to the commit.
 */
export async function recordChange(tx: Tx, by: ChangedBy, change: Change, at: Date): Promise<void> {
  await recordChanges(tx, by, [change], at);
}

/** Writes several changes that are made in one transaction, one row each, in the order given. */
export async function recordChanges(
  tx: Tx,
  by: ChangedBy,
  changes: readonly Change[],
  at: Date,
): Promise<void> {
  if (changes.length === 0) return;
  let head = await lockAuditHead(tx);
  const rows = changes.map((change): AuditRow => {
    const { action, objectType = objectTypeOf(action), objectId, before = null, after = null } = change;
    const facts = {
      seq: head.seq + 1,
      at,
      personId: by.personId,
      action,
      objectType,
      objectId,
      before: asStored(before),
      after: asStored(after),
      reason: change.reason ?? null,
      requestId: by.requestId,
    };
    const row = { ...facts, previousHash: head.hash, hash: auditHash(head.hash, facts) };
    head = row;
    return row;
  });
  await appendAuditRows(tx, rows);
}

/** Returns a state as the database returns it, so that the hash is that of the stored row. */
function asStored(value: Record<string, unknown> | null): Record<string, unknown> | null {
  return value === null ? null : JSON.parse(canonicalJson(value));
}

/** Returns whether two states of an object are the same: then nothing changed and there is nothing to record. */
export function isSame(before: Record<string, unknown> | null, after: Record<string, unknown>): boolean {
  return before !== null && canonicalJson(before) === canonicalJson(after);
}

export interface AuditVerdict {
  ok: boolean;
  rows: number;
  /** Number of the first row that is not as it was written, or that is missing. */
  firstBad?: number;
  /**
   * Where the log ends by its own account; undefined when it does not say. The owner of the tables can cut off the last rows,
   * or rewrite them with their hashes: only numbers and hashes that were kept elsewhere show that.
   */
  head: AuditHead | undefined;
}

const rowsPerRead = 1_000;

/**
 * Returns the rows that a log has beyond one of its rows, in their order; undefined when it does not hold that row any
 * more.
 */
export async function readAuditLogBehind(db: Db, known: AuditHead): Promise<AuditHead[] | undefined> {
  const head = await findAuditHead(db);
  if (head && isSameRow(head, known)) return [];
  if (!head || head.seq <= known.seq) return undefined;
  const rows = await findAuditRowsAfter(db, known.seq, rowsPerRead);
  const [first] = rows;
  if (first && !(first.seq === known.seq + 1 && sameBytes(first.previousHash, known.hash))) return undefined;
  return rows.map(({ seq, hash }) => ({ seq, hash }));
}

function isSameRow(a: AuditHead, b: AuditHead): boolean {
  return a.seq === b.seq && sameBytes(a.hash, b.hash);
}

/** Walks the whole chain in one snapshot, and checks every number, every hash, and the recorded end. */
export async function verifyAuditLog(db: Db): Promise<AuditVerdict> {
  return db.transaction((tx) => verifyAuditRows(tx), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** Does the same in the caller's snapshot. */
export async function verifyAuditRows(tx: Tx): Promise<AuditVerdict> {
  const head = await findAuditHead(tx);
  let hash: Uint8Array = new Uint8Array(32);
  let seq = 0;
  for (;;) {
    const rows = await findAuditRowsAfter(tx, seq, rowsPerRead);
    for (const row of rows) {
      if (!follows(row, seq, hash)) return { ok: false, rows: seq, firstBad: seq + 1, head };
      ({ seq, hash } = row);
    }
    if (rows.length < rowsPerRead) break;
  }
  if (head?.seq === seq && sameBytes(head.hash, hash)) return { ok: true, rows: seq, head };
  return { ok: false, rows: seq, firstBad: seq + 1, head };
}

function follows(row: AuditRow, seq: number, hash: Uint8Array): boolean {
  return (
    row.seq === seq + 1 && sameBytes(row.previousHash, hash) && sameBytes(row.hash, auditHash(hash, row))
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

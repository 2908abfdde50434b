import { and, eq, inArray, isNull, or } from 'drizzle-orm';
import type { DifferenceDetail } from '../../domain/difference.js';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { type DeadLetterCase, type DeadLetterSubject, deadLetters } from '../indexing/dead-letters.js';

const reason = 'reconciliation_difference';

/** A dead letter of the reconciliation: about a transaction, or about the account whose address its signature is. */
export interface DifferenceDeadLetter
  extends Pick<DeadLetterCase, 'id' | 'signature' | 'slot' | 'resolvedAt' | 'resolution'> {
  detail: DifferenceDetail;
}

/** Returns the open letters, and those about `signatures` whether they are open or not. */
export async function findDifferenceDeadLetters(
  db: Db | Tx,
  signatures: DeadLetterSubject[] = [],
): Promise<DifferenceDeadLetter[]> {
  const { id, signature, slot, detail, resolvedAt, resolution } = deadLetters;
  const about = signatures.length > 0 ? inArray(signature, signatures) : undefined;
  const rows = await db
    .select({ id, signature, slot, detail, resolvedAt, resolution })
    .from(deadLetters)
    .where(and(eq(deadLetters.reason, reason), or(isNull(resolvedAt), about)));
  // Of this reason, the reconciliation alone writes dead letters.
  return rows.map((row) => ({ ...row, detail: row.detail as DifferenceDetail }));
}

/** Replaces the content of an open or resolved dead letter, and opens it. */
export async function reopenDifferenceDeadLetter(
  tx: Tx,
  id: Uuid,
  detail: Record<string, unknown>,
): Promise<void> {
  await tx
    .update(deadLetters)
    .set({ detail, resolvedAt: null, resolution: null })
    .where(eq(deadLetters.id, id));
}

/** Notes that these differences are no more. */
export async function resolveDifferenceDeadLetters(tx: Tx, ids: Uuid[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(deadLetters)
    .set({ resolvedAt: at })
    .where(and(inArray(deadLetters.id, ids), isNull(deadLetters.resolvedAt)));
}

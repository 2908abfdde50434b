import { and, inArray, isNotNull } from 'drizzle-orm';
import type { TxSignature } from '../../domain/solana.js';
import { chunksOf } from '../../runtime/chunks.js';
import type { Db, Tx } from '../client.js';
import { trades } from '../trades/trades.js';
import { chainEffects } from './chain-effects.js';

const signaturesPerQuery = 1_000;

/**
 * Returns those of these transactions that were recorded already, as far as that can be found quickly: everything that
 * a transaction leaves behind is written at once, so that a part of it is enough. Some that moved nothing of the treasury are
 * not among them.
 */
export async function findRecordedSignatures(db: Db | Tx, signatures: TxSignature[]): Promise<Set<string>> {
  const recorded = new Set<string>();
  for (const some of chunksOf(signatures, signaturesPerQuery)) {
    const found = await db
      .select({ txSignature: trades.txSignature })
      .from(trades)
      .where(inArray(trades.txSignature, some))
      .union(
        db
          .select({ txSignature: chainEffects.txSignature })
          .from(chainEffects)
          .where(and(inArray(chainEffects.txSignature, some), isNotNull(chainEffects.changes))),
      );
    for (const { txSignature } of found) recorded.add(txSignature);
  }
  return recorded;
}

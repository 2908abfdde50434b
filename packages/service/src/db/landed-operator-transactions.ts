import { and, asc, eq, inArray, isNotNull, isNull, lt, type SQL } from 'drizzle-orm';
import { newUuid, type Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { type OperatorTransaction, operatorTransactions } from './operator-transactions.js';

/** Every state that the chain may still correct. */
const unconfirmed = ['pending', 'failed', 'expired'] as const;

/** An operator transaction that has landed. */
export type LandedOperatorTransaction = OperatorTransaction & { txSignature: string; slot: bigint };

/** Notes that an operator transaction is on chain, unless it is noted already; false then. */
export async function confirmOperatorTransaction(
  tx: Tx,
  id: Uuid,
  landed: { txSignature: string; slot: bigint },
  at: Date,
): Promise<boolean> {
  return moved(tx, and(eq(operatorTransactions.id, id), inArray(operatorTransactions.status, unconfirmed)), {
    ...landed,
    status: 'confirmed',
    failureReason: null,
    finalized: false,
    finalityCheckAt: new Date(0),
    updatedAt: at,
  });
}

/** Writes down a settlement that the chain has and that nothing here was known of. */
export async function insertLandedSettlement(
  tx: Tx,
  landed: Pick<
    LandedOperatorTransaction,
    'kind' | 'redemptionId' | 'partnerId' | 'amount' | 'txSignature' | 'slot'
  >,
  at: Date,
): Promise<void> {
  const times = { lastValidBlockHeight: 0n, createdAt: at, updatedAt: at };
  await tx.insert(operatorTransactions).values({ id: newUuid(), status: 'confirmed', ...times, ...landed });
}

/** What was handed out or sent as this transaction, whatever its state; several where somebody put them into one. */
export async function findOperatorTransactionsBySignature(
  db: Db | Tx,
  txSignature: string,
): Promise<OperatorTransaction[]> {
  return db.select().from(operatorTransactions).where(eq(operatorTransactions.txSignature, txSignature));
}

/** Pending ones of a kind and partner that were handed out unsigned, so that nothing else tells them apart. */
export async function findUnsignedOperatorTransactions(
  db: Db | Tx,
  wanted: { kind: OperatorTransaction['kind']; partnerId: Uuid | undefined },
): Promise<OperatorTransaction[]> {
  const { kind, partnerId } = wanted;
  return db
    .select()
    .from(operatorTransactions)
    .where(
      and(
        eq(operatorTransactions.kind, kind),
        eq(operatorTransactions.status, 'pending'),
        isNull(operatorTransactions.txSignature),
        partnerId === undefined
          ? isNull(operatorTransactions.partnerId)
          : eq(operatorTransactions.partnerId, partnerId),
      ),
    );
}

/** Notes that a pending one was refused by the chain; false when it is settled already. */
export async function failOperatorTransaction(
  tx: Tx,
  id: Uuid,
  landed: { slot: bigint; failureReason: string },
  at: Date,
): Promise<boolean> {
  const waiting = inArray(operatorTransactions.status, ['pending', 'expired']);
  return moved(tx, and(eq(operatorTransactions.id, id), waiting), {
    ...landed,
    status: 'failed',
    finalized: false,
    finalityCheckAt: new Date(0),
    updatedAt: at,
  });
}

/** Ends one that can no longer land, if it still waits; false if not. */
export async function expireOperatorTransaction(tx: Tx, id: Uuid, at: Date): Promise<boolean> {
  const waiting = eq(operatorTransactions.status, 'pending');
  return moved(tx, and(eq(operatorTransactions.id, id), waiting), { status: 'expired', updatedAt: at });
}

async function moved(
  tx: Tx,
  where: SQL | undefined,
  changes: Partial<typeof operatorTransactions.$inferInsert>,
): Promise<boolean> {
  const { count } = await tx.update(operatorTransactions).set(changes).where(where);
  return count === 1;
}

/** Pending ones that cannot land above `height`, oldest first. */
export async function findOperatorTransactionsExpiredBelow(
  db: Db | Tx,
  height: bigint,
  limit: number,
): Promise<Pick<OperatorTransaction, 'id' | 'txSignature'>[]> {
  const { id, txSignature, status, lastValidBlockHeight } = operatorTransactions;
  return db
    .select({ id, txSignature })
    .from(operatorTransactions)
    .where(and(eq(status, 'pending'), lt(lastValidBlockHeight, height)))
    .orderBy(asc(lastValidBlockHeight), asc(id))
    .limit(limit);
}

/** Those that one transaction carried out, as long as the chain may still correct that. */
export async function findRevocableOperatorTransactions(
  db: Db | Tx,
  signature: string,
): Promise<LandedOperatorTransaction[]> {
  const { txSignature, status, slot, finalized } = operatorTransactions;
  const found = await db
    .select()
    .from(operatorTransactions)
    .where(and(eq(txSignature, signature), eq(status, 'confirmed'), eq(finalized, false), isNotNull(slot)));
  return found as LandedOperatorTransaction[];
}

/** Ends one whose transaction the chain dropped, so that it may be made again; false when it is not revocable any more. */
export async function takeBackOperatorTransaction(tx: Tx, id: Uuid, at: Date): Promise<boolean> {
  const { status, finalized } = operatorTransactions;
  const revocable = and(eq(operatorTransactions.id, id), eq(status, 'confirmed'), eq(finalized, false));
  // Without its slot it is not looked after any more as one that has landed.
  return moved(tx, revocable, { status: 'expired', slot: null, updatedAt: at });
}

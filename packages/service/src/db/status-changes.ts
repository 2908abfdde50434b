import { and, desc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import { newUuid } from '../domain/ids.js';
import type { MarketState } from '../domain/market-calendar.js';
import { flagsOf, type Paused, type StatusWord } from '../domain/program-status.js';
import { auditLog } from './audit-log.js';
import type { Db, Tx } from './client.js';
import { advisoryLocks } from './locks.js';
import { operatorTransactions } from './operator-transactions.js';

/** A `set_status` of the keeper that was or will be sent. */
export interface KeeperStatusChange {
  txHash: string;
  lastValidBlockHeight: bigint;
}

/** Writes the row of a `set_status` that the keeper is about to send. */
export async function insertKeeperStatusChange(tx: Tx, change: KeeperStatusChange, at: Date): Promise<void> {
  await tx.insert(operatorTransactions).values({
    id: newUuid(),
    kind: 'set_status',
    byKeeper: true,
    txSignature: change.txHash,
    lastValidBlockHeight: change.lastValidBlockHeight,
    createdAt: at,
    updatedAt: at,
  });
}

/** What keepers sent since a moment, whatever became of it. */
export async function findKeeperStatusChanges(db: Db | Tx, since: Date): Promise<KeeperStatusChange[]> {
  const { txSignature, lastValidBlockHeight, byKeeper, createdAt } = operatorTransactions;
  const rows = await db
    .select({ txHash: txSignature, lastValidBlockHeight })
    .from(operatorTransactions)
    .where(and(eq(byKeeper, true), isNotNull(txSignature), gt(createdAt, since)))
    .orderBy(createdAt);
  return rows.flatMap(({ txHash, ...row }) => (txHash === null ? [] : [{ txHash, ...row }]));
}

/** Whether a `set_status` of a person, by the API or the command line, written since a moment, is on its way. */
export async function hasOperatorStatusChange(db: Db | Tx, since: Date): Promise<boolean> {
  const { id, status, kind, byKeeper, createdAt } = operatorTransactions;
  const rows = await db
    .select({ id })
    .from(operatorTransactions)
    .where(and(eq(kind, 'set_status'), eq(status, 'pending'), eq(byKeeper, false), gt(createdAt, since)))
    .limit(1);
  return rows.length > 0;
}

/** A `set_status` that was or will be sent, by whomever. */
export interface StatusChange {
  txHash: string;
  lastValidBlockHeight: bigint;
  /** Where it landed, as far as that is noted. */
  slot: bigint | null;
  status: 'pending' | 'confirmed' | 'failed' | 'expired';
  byKeeper: boolean;
}

/** What was sent since a moment by keepers and operators, as it is noted here. */
export async function findStatusChanges(db: Db | Tx, since: Date): Promise<StatusChange[]> {
  const { txSignature, lastValidBlockHeight, slot, status, kind, byKeeper, createdAt } = operatorTransactions;
  const rows = await db
    .select({ txHash: txSignature, lastValidBlockHeight, slot, status, byKeeper })
    .from(operatorTransactions)
    .where(and(eq(kind, 'set_status'), isNotNull(txSignature), gt(createdAt, since)));
  return rows.flatMap(({ txHash, ...row }) => (txHash === null ? [] : [{ txHash, ...row }]));
}

/** What `chain.status` writes into the audit log. */
export interface StatusFacts {
  before: { paused: Paused };
  after: { paused: Paused; market: MarketState; asked: string | null; tx_hash: string | null };
}

/** What people set since a moment, oldest first, with the slot where it is noted that it landed. */
export async function findStatusWords(db: Db | Tx, since: Date): Promise<StatusWord[]> {
  const { txSignature, status, slot } = operatorTransactions;
  const txHash = sql<string | null>`${auditLog.after} ->> 'tx_hash'`;
  const rows = await db
    .select({ before: auditLog.before, after: auditLog.after, slot })
    .from(auditLog)
    .leftJoin(operatorTransactions, and(eq(txSignature, txHash), eq(status, 'confirmed')))
    .where(and(eq(auditLog.action, 'chain.status'), gt(auditLog.at, since)))
    .orderBy(auditLog.seq);
  return rows.map(({ slot, ...row }) => {
    const { before, after } = row as unknown as StatusFacts;
    return {
      txHash: after.tx_hash,
      before: flagsOf(before.paused),
      after: flagsOf(after.paused),
      market: after.market,
      namesMarket: after.asked !== null,
      slot,
    };
  });
}

/** The number of the last change of the chain's status in the audit log, one that was as asked already included; 0 before. */
export async function findLastStatusSeq(db: Db | Tx): Promise<number> {
  const [last] = await db
    .select({ seq: auditLog.seq })
    .from(auditLog)
    .where(eq(auditLog.action, 'chain.status'))
    .orderBy(desc(auditLog.seq))
    .limit(1);
  return last?.seq ?? 0;
}

/** Until the transaction ends, nobody else who asks for this lock writes down a change. */
export async function lockStatusChanges(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${advisoryLocks.chainStatus}::bigint)`);
}

import { and, desc, eq, gt, inArray } from 'drizzle-orm';
import type { RedemptionId, Uuid } from '../../domain/ids.js';
import type { Gold } from '../../domain/money.js';
import { effectiveStatuses } from '../../domain/operator-transaction.js';
import { approvals } from '../approvals/approvals.js';
import {
  isSettlement,
  type OperatorTransaction,
  operatorTransactions,
} from '../approvals/operator-transactions.js';
import type { Db, Tx } from '../client.js';
import { statusIn } from '../columns.js';
import { type Burn, findBurns } from './burns.js';

/** The transaction by which a redemption's tokens leave escrow. */
export type Settlement = OperatorTransaction & { kind: 'refund' | 'burn'; amount: Gold };

/** Returns an operator transaction as a settlement; undefined when it is none. */
function asSettlement(row: OperatorTransaction): Settlement | undefined {
  const { kind, amount } = row;
  return (kind === 'refund' || kind === 'burn') && amount !== null ? { ...row, kind, amount } : undefined;
}

/**
 * Returns the settlement of a redemption: the one that landed or may still land, else the latest that came to nothing.
 */
export async function findSettlement(db: Db | Tx, id: RedemptionId): Promise<Settlement | undefined> {
  const { redemptionId, status, createdAt } = operatorTransactions;
  const [settlement] = await db
    .select()
    .from(operatorTransactions)
    .where(and(eq(redemptionId, id), isSettlement(operatorTransactions)))
    .orderBy(desc(statusIn(status, effectiveStatuses)), desc(createdAt), desc(operatorTransactions.id))
    .limit(1);
  return settlement && asSettlement(settlement);
}

/** Returns the pending approvals of settlements of some redemptions. */
async function findOpenApprovals(db: Db | Tx, ids: RedemptionId[], now: Date) {
  return db
    .select({ id: approvals.id, redemptionId: approvals.objectId })
    .from(approvals)
    .where(
      and(
        inArray(approvals.action, ['redemption.refund', 'redemption.burn', 'redemption.cancel_burn']),
        inArray(approvals.objectId, ids),
        eq(approvals.status, 'pending'),
        gt(approvals.expiresAt, now),
      ),
    );
}

/** Returns the approval that can still be given for a settlement of a redemption. */
export async function findSettlementApproval(
  db: Db | Tx,
  id: RedemptionId,
  now: Date,
): Promise<Uuid | undefined> {
  return (await findOpenApprovals(db, [id], now))[0]?.id;
}

/** What is to be known of the tokens of each redemption in a list. */
export interface SettlementState {
  /** The transaction by which they left escrow or may still do so. */
  settlement: Settlement | undefined;
  /** An approval of a settlement that a second person can still give. */
  approvalId: Uuid | undefined;
  /** Its burn, if that is announced and can still be done. */
  burn: Burn | undefined;
}

/** Returns what happens to the tokens of some redemptions; those of which nothing is under way are left out. */
export async function findSettlementStates(
  db: Db | Tx,
  ids: RedemptionId[],
  now: Date,
): Promise<Map<RedemptionId, SettlementState>> {
  if (ids.length === 0) return new Map();
  const [settlements, open, burns] = await Promise.all([
    db
      .select()
      .from(operatorTransactions)
      .where(
        and(
          inArray(operatorTransactions.redemptionId, ids),
          isSettlement(operatorTransactions),
          statusIn(operatorTransactions.status, effectiveStatuses),
        ),
      ),
    findOpenApprovals(db, ids, now),
    findBurns(db, ids, now),
  ]);
  return new Map(
    ids.flatMap((id) => {
      const row = settlements.find(({ redemptionId }) => redemptionId === id);
      const approval = open.find(({ redemptionId }) => redemptionId === id);
      const burn = burns.get(id);
      return row || approval || burn
        ? [[id, { settlement: row && asSettlement(row), approvalId: approval?.id, burn }]]
        : [];
    }),
  );
}

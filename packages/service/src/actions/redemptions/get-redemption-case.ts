import type { Context } from '../../context.js';
import {
  findHistory,
  type NamedHistoryEntry,
  type VisibleRedemption,
} from '../../db/redemptions/redemptions.js';
import { findSettlement, findSettlementApproval, type Settlement } from '../../db/redemptions/settlements.js';
import type { Uuid } from '../../domain/ids.js';
import { mayOperator, type Operator } from '../../domain/operator.js';
import {
  availableActions,
  isVisible,
  type OperatorAction,
  type VisibleRedemptionStatus,
} from '../../domain/redemption.js';
import { getVisibleRedemption } from './get-redemption.js';

/** A status change between states that callers may see; from null where it came from another. */
export type VisibleHistoryEntry = NamedHistoryEntry &
  Record<'to', VisibleRedemptionStatus> &
  Record<'from', VisibleRedemptionStatus | null>;

/** Everything that an operator has to know of a redemption to go on with it. */
export interface RedemptionCase {
  redemption: VisibleRedemption;
  /** In its order, from the payment on: internal steps are not part of it. */
  history: VisibleHistoryEntry[];
  settlement: Settlement | undefined;
  /** A pending approval of its settlement. */
  approvalId: Uuid | undefined;
  /** What this operator can do with it now. */
  actions: OperatorAction[];
}

/** Returns a redemption as an operator sees it. Throws `redemption_not_found`, also for a quote that has not landed. */
export async function getRedemptionCase(
  ctx: Context,
  { role }: Operator,
  redemptionId: string,
): Promise<RedemptionCase> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  const { id } = redemption;
  const [history, settlement, approvalId] = await Promise.all([
    findHistory(ctx.db, id),
    findSettlement(ctx.db, id),
    findSettlementApproval(ctx.db, id, new Date(ctx.clock.now())),
  ]);
  const settled = approvalId !== undefined || isUnderWay(settlement);
  return {
    redemption,
    history: history.flatMap(visibleEntry),
    settlement,
    approvalId,
    actions: mayOperator(role, 'fulfil') ? availableActions(redemption, settled) : [],
  };
}

/** Returns whether the tokens have left escrow or may still do so. */
export function isUnderWay(settlement: Settlement | undefined): settlement is Settlement {
  return settlement?.status === 'pending' || settlement?.status === 'confirmed';
}

function visibleEntry(entry: NamedHistoryEntry): VisibleHistoryEntry[] {
  const { from, to } = entry;
  return isVisible(to) ? [{ ...entry, to, from: from !== null && isVisible(from) ? from : null }] : [];
}

import { settlementInstructions } from '../../chain/admin/admin-operations.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { findSettlement } from '../../db/redemptions/settlements.js';
import { formatFixed, tokenDecimals } from '../../domain/money.js';
import { type SettlementKind, settlementOf } from '../../domain/redemption.js';
import { notAllowed } from '../../errors.js';
import type { ChainSteps, PlanFacts } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { getVisibleRedemption } from './get-redemption.js';
import { burnAnnounced, goneMeanwhile, readHeldRedemption } from './held-redemption.js';
import { isUnderWay, stateOfSettlement } from './settled.js';

/** What is done with the tokens of a redemption in escrow. */
export interface RedemptionPlan extends PlanFacts {
  in: 'chain';
  action: `redemption.${'refund' | 'settle_burn' | 'burn' | 'cancel_burn'}`;
  redemption: VisibleRedemption;
  /** Why; for the audit log. */
  reason?: string;
}

/**
 * Decides whether the tokens of a redemption may leave escrow: back to the user after a cancellation; burned after the
 * hand-over, once that is announced and due. They do so only while escrow holds them as recorded. That they leave once, and to the
 * user alone, is what the program sees to.
 * Throws `redemption_not_found`, `transition_not_allowed` or `service_unavailable`.
 */
export async function planSettlement(
  ctx: Context,
  { kind, redemptionId }: { kind: SettlementKind; redemptionId: string },
): Promise<RedemptionPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireUnsettled(ctx.db, redemption, kind);
  return {
    ...planFor(redemption),
    action: kind === 'refund' ? 'redemption.refund' : 'redemption.settle_burn',
    request: { ...shownOf(redemption), wallet_address: kind === 'refund' ? redemption.userWallet : null },
    // Two have agreed to a burn when it was announced.
    takesTwo: kind === 'refund',
  };
}

/** Refunds the tokens of a redemption, or burns them. */
export const settlement: ChainSteps<RedemptionPlan> = {
  async build(ctx, plan) {
    const { redemption } = plan;
    const { id: redemptionId, partnerId, tokensRequired: amount } = redemption;
    const held = await readHeldRedemption(ctx, redemption);
    const config = await readProgramConfig(ctx);
    const kind = kindOf(plan);
    const shown = shownOf(redemption);
    return {
      signedBy: ['operations'],
      config,
      row: { kind, redemptionId, partnerId, amount },
      instructions: await settlementInstructions(ctx.chain, config, kind, held),
      change: { before: shown, after: shown },
    };
  },

  // Nothing leads out of the states that it may be in; of two settlements the second is not written at all.
  async recheck(_ctx, { tx }, plan) {
    requireSettleable(await getVisibleRedemption(tx, plan.objectId), kindOf(plan));
  },

  async explain({ chain }, { redemption }, error) {
    if (error.programErrorName === 'BurnAnnounced') return burnAnnounced({ cause: error });
    return goneMeanwhile(chain, redemption, error);
  },
};

const kindOf = ({ action }: RedemptionPlan) => (action === 'redemption.refund' ? 'refund' : 'burn');

/** Returns a redemption as an approver sees it. */
export function shownOf({ id, status, tokensRequired }: VisibleRedemption) {
  return { redemption_id: id, status, tokens: formatFixed(tokensRequired, tokenDecimals) };
}

/** Returns what is the same in all plans for a redemption; its hash is that of what an approver relies on. */
export function planFor(redemption: VisibleRedemption) {
  const { id, status, updatedAt, tokensRequired, userWallet } = redemption;
  const objectHash = hashOf([id, status, updatedAt.toISOString(), tokensRequired.toString(), userWallet]);
  return { in: 'chain' as const, objectId: id, redemption, before: null, objectHash };
}

/** Throws `transition_not_allowed` unless the redemption's state wants that settlement, and none is under way. */
export async function requireUnsettled(
  db: Db | Tx,
  redemption: VisibleRedemption,
  kind: SettlementKind,
): Promise<void> {
  requireSettleable(redemption, kind);
  const settlement = await findSettlement(db, redemption.id);
  if (isUnderWay(settlement)) throw notAllowed(`This redemption ${stateOfSettlement(settlement)}.`);
}

function requireSettleable({ status }: VisibleRedemption, kind: SettlementKind): void {
  if (settlementOf(status) === kind) return;
  const desired = kind === 'refund' ? 'refunded' : 'burned';
  throw notAllowed(`A redemption that is ${status} cannot be ${desired}.`);
}

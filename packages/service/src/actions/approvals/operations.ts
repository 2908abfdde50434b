import type { Context } from '../../context.js';
import type { Approval } from '../../db/approvals/approvals.js';
import type { AuditAction } from '../../domain/audit.js';
import { asUuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { toReported } from '../bars/add-bars.js';
import { planBarChange, planNewBars } from '../bars/plan-bars.js';
import { planDenomination, planDenominationChange } from '../catalogue/plan-denomination.js';
import { limitsOf, planLimits } from '../limits/plan-limits.js';
import { chainStatus, type StatusPlan } from '../market/build-chain-status.js';
import { planChainStatus, readStoredStatus } from '../market/plan-chain-status.js';
import {
  planFactorReset,
  planOperatorChange,
  planOperatorStatus,
} from '../operators/plan-operator-change.js';
import { type AuthorityPlan, authority, planAuthority } from '../partners/plan-authority.js';
import {
  type PartnerPlan,
  partnerOnChain,
  planOnchain,
  readStoredOnchain,
} from '../partners/plan-onchain.js';
import {
  planNewPartner,
  planPartnerChange,
  planPartnerResumption,
  planPartnerWallet,
} from '../partners/plan-partner-change.js';
import { type SettingsPlan, settings } from '../program/plan-settings.js';
import {
  burnAnnouncement,
  burnCancellation,
  planBurn,
  planBurnCancellation,
} from '../redemptions/plan-burn.js';
import { planCollection } from '../redemptions/plan-collection.js';
import { planReissue } from '../redemptions/plan-reissue.js';
import { planSettlement, type RedemptionPlan, settlement } from '../redemptions/plan-settlement.js';
import type { ChainSteps, DatabasePlan } from './plan.js';
import { readStored, stored } from './stored-request.js';

/** A transaction on chain that was found to be possible: plain data, by its action. */
export type ChainPlan = RedemptionPlan | PartnerPlan | AuthorityPlan | StatusPlan | SettingsPlan;

export type Plan = DatabasePlan | ChainPlan;

const chainSteps: { readonly [Action in ChainPlan['action']]: ChainSteps<ChainPlan & { action: Action }> } = {
  'redemption.refund': settlement,
  'redemption.settle_burn': settlement,
  'redemption.burn': burnAnnouncement,
  'redemption.cancel_burn': burnCancellation,
  'partner.onchain': partnerOnChain,
  'authority.propose': authority,
  'authority.cancel': authority,
  'authority.apply': authority,
  'chain.status': chainStatus,
  'settings.propose': settings,
  'settings.apply': settings,
  'settings.cancel': settings,
};

/** Returns the steps of a plan, by its action. */
export function stepsOf({ action }: ChainPlan): ChainSteps<ChainPlan> {
  return chainSteps[action];
}

/** Plans an earlier request again, from what its approval keeps of it. */
type PlanAgain = (ctx: Context, approval: Approval) => Promise<Plan>;

/** What may need an approval, by its action. */
const operations: { readonly [Action in AuditAction]?: PlanAgain } = {
  'redemption.refund': (ctx, { objectId }) => planSettlement(ctx, { kind: 'refund', redemptionId: objectId }),
  'redemption.burn': (ctx, { objectId }) => planBurn(ctx, { redemptionId: objectId }),
  'redemption.cancel_burn': (ctx, { objectId, request }) =>
    planBurnCancellation(ctx, { redemptionId: objectId, ...readStored(stored.burnCancellation, request) }),
  'redemption.collect': (ctx, { objectId, request, requestedBy }) => {
    const wanted = readStored(stored.collection, request);
    const { without_code: withoutCode, note, bar_serial: serial, bar_refiner: refiner } = wanted;
    const bar = serial === null ? undefined : { serial, refiner: refiner ?? undefined };
    const { reason } = withoutCode;
    return planCollection(ctx, { redemptionId: objectId, reason, note: note ?? undefined, bar, requestedBy });
  },
  'redemption.reissue_code': (ctx, { objectId, request }) =>
    planReissue(ctx, { redemptionId: objectId, reason: reasonOf(request) }),
  'bar.add': async (ctx, { request }) => {
    const { bars } = readStored(stored.bars, request);
    return (await planNewBars(ctx, bars.map(toReported))).plan;
  },
  'bar.change': planBarChangeAgain,
  'bar.withdraw': planBarChangeAgain,
  'partner.onchain': (ctx, { objectId, request }) => planOnchain(ctx, readStoredOnchain(objectId, request)),
  'authority.propose': (ctx, { objectId, request }) =>
    planAuthority(ctx, { partnerId: objectId, act: 'propose', ...readStored(stored.authority, request) }),
  'authority.apply': (ctx, { objectId, request }) =>
    planAuthority(ctx, { partnerId: objectId, act: 'apply', ...readStored(stored.authority, request) }),
  'chain.status': (ctx, { request }) => planChainStatus(ctx, readStoredStatus(request)),
  'partner.create': (ctx, { objectId, request }) => {
    const wanted = readStored(stored.newPartner, request);
    const { name, fee_percentage: feePercentage, wallet_address: walletAddress } = wanted;
    return planNewPartner(ctx, { name, feePercentage, walletAddress }, asUuid(objectId));
  },
  'partner.change': (ctx, { objectId, request }) => {
    const { name, ...terms } = readStored(stored.partnerChange, request);
    return planPartnerChange(ctx, {
      partnerId: objectId,
      name,
      feePercentage: terms.fee_percentage,
      feeBudgetLamports: terms.fee_budget_lamports_per_hour,
      minTradeUsdc: terms.min_trade_usdc,
    });
  },
  'partner.add_wallet': (ctx, { objectId, request }) => {
    const { partner_id: partnerId } = readStored(stored.partnerWallet, request);
    return planPartnerWallet(ctx, { partnerId, walletAddress: objectId });
  },
  'partner.resume': (ctx, { objectId, request }) =>
    planPartnerResumption(ctx, { partnerId: objectId, reason: reasonOf(request) }),
  'denomination.create': (ctx, { request }) => {
    const { weight_g: weightG, ...rest } = readStored(stored.denomination, request);
    return planDenomination(ctx, { ...rest, weightG });
  },
  'denomination.change': (ctx, { objectId, request }) =>
    planDenominationChange(ctx, { id: objectId, changes: readStored(stored.denominationChange, request) }),
  'limits.change': (ctx, { objectId, request }) =>
    planLimits(ctx, limitsOf(objectId), readStored(stored.limits, request)),
  'operator.change': (ctx, { objectId, request }) =>
    planOperatorChange(ctx, { operatorId: objectId, ...readStored(stored.operatorChange, request) }),
  'operator.disable': (ctx, { objectId, request }) =>
    planOperatorStatus(ctx, { operatorId: objectId, status: 'disabled', reason: reasonOf(request) }),
  'operator.enable': (ctx, { objectId, request }) =>
    planOperatorStatus(ctx, { operatorId: objectId, status: 'active', reason: reasonOf(request) }),
  'operator.reset_second_factor': (ctx, { objectId, request }) =>
    planFactorReset(ctx, { operatorId: objectId, reason: reasonOf(request) }),
};

/** Decides again about an earlier request. Throws what the first decision throws. */
export async function planAgain(ctx: Context, approval: Approval): Promise<Plan> {
  const plan = (operations as Record<string, PlanAgain | undefined>)[approval.action];
  if (plan) return plan(ctx, approval);
  throw new AppError('internal_error', `an approval of ${approval.action} cannot be carried out`);
}

function planBarChangeAgain(ctx: Context, { objectId, request }: Approval): Promise<Plan> {
  const {
    denomination_id: denominationId,
    weight_g: weightG,
    reason,
    ...changes
  } = readStored(stored.barChange, request);
  const wanted = { ...changes, denominationId, weightG, reason: reason ?? undefined };
  return planBarChange(ctx, { ...wanted, barId: objectId });
}

function reasonOf(request: unknown): string | undefined {
  return readStored(stored.statusChange, request).reason ?? undefined;
}

import type { Context } from '../../context.js';
import type { Approval } from '../../db/approvals/approvals.js';
import { asUuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { planDenomination, planDenominationChange } from '../catalogue/plan-denomination.js';
import { limitsOf, planLimits } from '../limits/plan-limits.js';
import { planChainStatus, readStoredStatus } from '../market/plan-chain-status.js';
import {
  planFactorReset,
  planOperatorChange,
  planOperatorStatus,
} from '../operators/plan-operator-change.js';
import { planAuthority } from '../partners/plan-authority.js';
import { planOnchain, readStoredOnchain } from '../partners/plan-onchain.js';
import {
  planNewPartner,
  planPartnerChange,
  planPartnerResumption,
  planPartnerWallet,
} from '../partners/plan-partner-change.js';
import { planCollection } from '../redemptions/plan-collection.js';
import { planSettlement } from '../redemptions/plan-settlement.js';
import type { Plan } from './plan.js';
import { readStored, stored } from './stored-request.js';

/** Decides again about an earlier request. Throws what the first decision throws. */
export async function planApproved(ctx: Context, approval: Approval): Promise<Plan> {
  const { action, objectId, request, requestedBy } = approval;
  switch (action) {
    case 'redemption.refund':
      return planSettlement(ctx, { kind: 'refund', redemptionId: objectId });
    case 'redemption.burn':
      return planSettlement(ctx, { kind: 'burn', redemptionId: objectId });
    case 'redemption.collect': {
      const wanted = readStored(stored.collection, request);
      const { without_code: withoutCode, note, bar_serial: serial, bar_refiner: refiner } = wanted;
      const bar = serial === null ? undefined : { serial, refiner: refiner ?? undefined };
      const { reason } = withoutCode;
      const wish = { redemptionId: objectId, reason, note: note ?? undefined, bar, requestedBy };
      return planCollection(ctx, wish);
    }
    case 'partner.onchain':
      return planOnchain(ctx, readStoredOnchain(objectId, request));
    case 'authority.propose':
    case 'authority.apply': {
      const act = action === 'authority.apply' ? 'apply' : 'propose';
      return planAuthority(ctx, { partnerId: objectId, act, ...readStored(stored.authority, request) });
    }
    case 'chain.status':
      return planChainStatus(ctx, readStoredStatus(request));
    default:
      return planApprovedChange(ctx, approval);
  }
}

/** Plans an approved change of the database. */
async function planApprovedChange(ctx: Context, { action, objectId, request }: Approval): Promise<Plan> {
  const readReason = () => readStored(stored.statusChange, request).reason ?? undefined;
  switch (action) {
    case 'partner.create': {
      const wanted = readStored(stored.newPartner, request);
      const { name, fee_percentage: feePercentage, wallet_address: walletAddress } = wanted;
      return planNewPartner(ctx, { name, feePercentage, walletAddress }, asUuid(objectId));
    }
    case 'partner.change': {
      const { name, fee_percentage: feePercentage } = readStored(stored.partnerChange, request);
      return planPartnerChange(ctx, { partnerId: objectId, name, feePercentage });
    }
    case 'partner.add_wallet': {
      const { partner_id: partnerId } = readStored(stored.partnerWallet, request);
      return planPartnerWallet(ctx, { partnerId, walletAddress: objectId });
    }
    case 'partner.resume':
      return planPartnerResumption(ctx, { partnerId: objectId, reason: readReason() });
    case 'denomination.create': {
      const { weight_g: weightG, ...rest } = readStored(stored.denomination, request);
      return planDenomination(ctx, { ...rest, weightG });
    }
    case 'denomination.change':
      return planDenominationChange(ctx, {
        id: objectId,
        changes: readStored(stored.denominationChange, request),
      });
    case 'limits.change':
      return planLimits(ctx, limitsOf(objectId), readStored(stored.limits, request));
    case 'operator.change':
      return planOperatorChange(ctx, { operatorId: objectId, ...readStored(stored.operatorChange, request) });
    case 'operator.disable':
      return planOperatorStatus(ctx, { operatorId: objectId, status: 'disabled', reason: readReason() });
    case 'operator.enable':
      return planOperatorStatus(ctx, { operatorId: objectId, status: 'active', reason: readReason() });
    case 'operator.reset_second_factor':
      return planFactorReset(ctx, { operatorId: objectId, reason: readReason() });
    default:
      throw new AppError('internal_error', `an approval of ${action} cannot be carried out`);
  }
}

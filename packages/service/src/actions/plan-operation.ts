import type { Context } from '../context.js';
import type { Approval } from '../db/approvals.js';
import { AppError } from '../errors.js';
import type { Operation } from './carry-out.js';
import { planOnchain, readStoredOnchain } from './plan-onchain.js';
import { planSettlement } from './plan-settlement.js';

/** What an operator asks for that moves value or power, found to be possible now. */
export interface Plan {
  /** `redemption.refund`, `redemption.burn` or `partner.onchain`. */
  action: string;
  objectType: string;
  objectId: string;
  /** Exactly what will be done, in the words of the API: an approver sees this, and it is what is carried out. */
  request: Record<string, unknown>;
  /** What the change replaces, in the same words; null when there is nothing yet. */
  before: Record<string, unknown> | null;
  /** SHA-256 of the state of the object that this was decided on. */
  objectHash: Uint8Array;
  /** The transaction's part of it. */
  operation(): Promise<Operation>;
}

/** Decides anew about what somebody asked for before. Throws what deciding the first time throws. */
export async function planApproved(ctx: Context, { action, objectId, request }: Approval): Promise<Plan> {
  switch (action) {
    case 'redemption.refund':
      return planSettlement(ctx, { kind: 'refund', redemptionId: objectId });
    case 'redemption.burn':
      return planSettlement(ctx, { kind: 'burn', redemptionId: objectId });
    case 'partner.onchain':
      return planOnchain(ctx, readStoredOnchain(objectId, request));
    default:
      throw new AppError('internal_error', `an approval of ${action} cannot be carried out`);
  }
}

import type { Context } from '../../context.js';
import { findUser } from '../../db/users.js';
import { type IdDocument, idDocumentOf } from '../../domain/kyc.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getVisibleRedemption } from './get-redemption.js';

/** What a partner attests about the identity of a customer. */
export interface Identity extends IdDocument {
  kycData: Record<string, unknown> | null;
}

/**
 * Reads the identity of the customer of a redemption, for operators who may read KYC data. Each look is an entry of the audit
 * log, written before anything is shown: who looked, and why, and nothing of what was seen. Throws `redemption_not_found`.
 */
export async function revealIdentity(
  ctx: Pick<Context, 'kyc'>,
  { tx, by, at }: ChangeTx,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<Identity> {
  const { id, userId } = await getVisibleRedemption(tx, redemptionId);
  const kyc = (await findUser(tx, userId))?.kyc;
  const kycData = kyc ? (await ctx.kyc.open(kyc)).kycData : null;
  await recordChange(tx, by, { action: 'redemption.reveal_identity', objectId: id, reason }, at);
  return { ...idDocumentOf(kycData), kycData };
}

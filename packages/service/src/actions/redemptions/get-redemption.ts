import type { Db, Tx } from '../../db/client.js';
import { findRedemption, type VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { asRedemptionId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import { isVisible } from '../../domain/redemption.js';
import { AppError } from '../../errors.js';

/**
 * Returns the redemption of that id if callers may see it. Throws `redemption_not_found`, also for a quote that has not
 * landed.
 */
export async function getVisibleRedemption(db: Db | Tx, redemptionId: string): Promise<VisibleRedemption> {
  const id = asRedemptionId(redemptionId);
  const redemption = id && (await findRedemption(db, id));
  const status = redemption?.status;
  if (redemption && status && isVisible(status)) return { ...redemption, status };
  throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
}

/** Returns a redemption of the caller's own partner. Throws `redemption_not_found` or `partner_mismatch`. */
export async function getOwnRedemption(
  db: Db | Tx,
  principal: Principal,
  redemptionId: string,
): Promise<VisibleRedemption> {
  const redemption = await getVisibleRedemption(db, redemptionId);
  requireOwn(principal, redemption, 'redemption');
  return redemption;
}

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
  return requireVisible(await findById(db, redemptionId), redemptionId);
}

/**
 * Returns a redemption of the caller's own partner. Throws `partner_mismatch` for one of another partner, whatever its state, and
 * `redemption_not_found`.
 */
export async function getOwnRedemption(
  db: Db | Tx,
  principal: Principal,
  redemptionId: string,
): Promise<VisibleRedemption> {
  const redemption = await findById(db, redemptionId);
  if (redemption) requireOwn(principal, redemption, 'redemption');
  return requireVisible(redemption, redemptionId);
}

async function findById(db: Db | Tx, redemptionId: string) {
  const id = asRedemptionId(redemptionId);
  return id && findRedemption(db, id);
}

function requireVisible(
  redemption: Awaited<ReturnType<typeof findById>>,
  redemptionId: string,
): VisibleRedemption {
  const status = redemption?.status;
  if (redemption && status && isVisible(status)) return { ...redemption, status };
  throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
}

import type { Context } from '../context.js';
import { findWalletsOf } from '../db/partner-wallets.js';
import { updatePartner } from '../db/partners.js';
import type { ChangedBy } from '../domain/audit.js';
import { isSame, recordChange } from './audit.js';
import { readFee } from './create-partner.js';
import { getPartnerForChange, type KnownPartner, toAuditedPartner } from './get-partner.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface PartnerChanges {
  /** As it came. */
  partnerId: string;
  /** Undefined stays as it is. */
  name: string | undefined;
  /** A fraction, a number as it came; undefined stays as it is. */
  feePercentage: number | undefined;
}

/**
 * Renames a partner, or changes its redemption fee for quotes from now on. What is as wanted already is no change and
 * leaves no trace. Throws `invalid_request` for a fee that is none, `partner_not_found`.
 */
export async function changePartner(
  ctx: Context,
  by: ChangedBy,
  input: PartnerChanges,
  settle: Settle<KnownPartner> = settleNothing,
): Promise<KnownPartner> {
  const fee = input.feePercentage === undefined ? undefined : readFee(input.feePercentage);
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const found = await getPartnerForChange(tx, input.partnerId);
    const wanted = { ...found, name: input.name ?? found.name, feePercentage: fee ?? found.feePercentage };
    const [before, after] = [toAuditedPartner(found), toAuditedPartner(wanted)];
    const same = isSame(before, after);
    const partner = same ? found : { ...wanted, updatedAt: at };
    const changed = { partner, wallets: await findWalletsOf(tx, [partner.id]) };
    if (!same) {
      await updatePartner(tx, partner);
      const change = { action: 'partner.change', objectType: 'partner', objectId: partner.id };
      await recordChange(tx, by, { ...change, before, after }, at);
    }
    await settle(tx, changed);
    return changed;
  });
}

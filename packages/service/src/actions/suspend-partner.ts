import type { Context } from '../context.js';
import { findWalletsOf } from '../db/partner-wallets.js';
import { type Partner, updatePartner } from '../db/partners.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { getPartnerForChange, type KnownPartner, toAuditedPartner } from './get-partner.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface PartnerStep {
  /** As it came. */
  partnerId: string;
  reason?: string | undefined;
}

/**
 * Suspends a partner: from now on its keys get `partner_suspended`, and nothing of it is sent. Throws `partner_not_found`, or
 * `transition_not_allowed` for one that is suspended already.
 */
export async function suspendPartner(
  ctx: Context,
  by: ChangedBy,
  step: PartnerStep & { reason: string },
  settle: Settle<KnownPartner> = settleNothing,
): Promise<KnownPartner> {
  return movePartner(ctx, by, { ...step, to: 'suspended' }, settle);
}

/** Takes a suspension back. Throws `partner_not_found`, or `transition_not_allowed` for a partner that is active. */
export async function resumePartner(
  ctx: Context,
  by: ChangedBy,
  step: PartnerStep,
  settle: Settle<KnownPartner> = settleNothing,
): Promise<KnownPartner> {
  return movePartner(ctx, by, { ...step, to: 'active' }, settle);
}

const action = { suspended: 'partner.suspend', active: 'partner.resume' } as const;

async function movePartner(
  ctx: Context,
  by: ChangedBy,
  { partnerId, reason, to }: PartnerStep & { to: Partner['status'] },
  settle: Settle<KnownPartner>,
): Promise<KnownPartner> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const found = await getPartnerForChange(tx, partnerId);
    if (found.status === to) throw new AppError('transition_not_allowed', `The partner is ${to} already.`);
    const partner = { ...found, status: to, updatedAt: at };
    const moved = { partner, wallets: await findWalletsOf(tx, [partner.id]) };
    await updatePartner(tx, partner);
    const change = { action: action[to], objectType: 'partner', objectId: partner.id, reason };
    const states = { before: toAuditedPartner(found), after: toAuditedPartner(partner) };
    await recordChange(tx, by, { ...change, ...states }, at);
    await settle(tx, moved);
    return moved;
  });
}

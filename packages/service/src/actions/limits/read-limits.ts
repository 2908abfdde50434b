import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { findLimits, findUsage, type LimitsOwner, serviceOwner } from '../../db/limits/velocity.js';
import { findPartner } from '../../db/partners/partners.js';
import { findUser } from '../../db/users.js';
import { asUserId, asUuid, type Uuid, uuidOf } from '../../domain/ids.js';
import {
  effectiveLimits,
  noLimits,
  usedOf,
  type VelocityAmounts,
  type VelocityLimits,
  type VelocityWindow,
} from '../../domain/velocity.js';
import { AppError } from '../../errors.js';

/** The limits of the service, of a partner or of a user, and what they have moved. */
export interface KnownLimits {
  owner: LimitsOwner;
  /** As it is written in paths: of a user with its prefix, `service` for the service. */
  objectId: string;
  own: VelocityLimits;
  /** With what is set above. */
  effective: VelocityLimits;
  /** Undefined for the service. */
  used: VelocityAmounts | undefined;
}

/** Where limits are set: the service itself, or the id of a partner or user as it came. */
export type LimitsOf = { kind: 'service' } | { kind: 'partner' | 'user'; id: string };

/** Returns limits and what counts against them. Throws `partner_not_found`, `user_not_found`. */
export async function readLimits(ctx: Context, of: LimitsOf): Promise<KnownLimits> {
  return known(ctx, ctx.db, await findOwner(ctx.db, of));
}

export interface FoundOwner {
  owner: LimitsOwner;
  objectId: string;
  /** Of a user. */
  partnerId?: Uuid;
}

/** Throws `partner_not_found`, `user_not_found`. */
export async function findOwner(db: Db | Tx, of: LimitsOf): Promise<FoundOwner> {
  if (of.kind === 'service')
    return { owner: { kind: 'service', ownerId: serviceOwner }, objectId: 'service' };
  if (of.kind === 'partner') {
    const id = asUuid(of.id);
    if (!id || !(await findPartner(db, id)))
      throw new AppError('partner_not_found', 'There is no such partner.');
    return { owner: { kind: 'partner', ownerId: id }, objectId: id };
  }
  const id = asUserId(of.id);
  const found = id && (await findUser(db, id));
  if (!found) throw new AppError('user_not_found', 'There is no such user.');
  const { partnerId } = found.user;
  return { owner: { kind: 'user', ownerId: uuidOf(id) }, objectId: id, partnerId };
}

/** Returns what is set above an owner, the most general first. */
export async function findAbove(
  db: Db | Tx,
  { owner, partnerId }: FoundOwner,
): Promise<(VelocityLimits | undefined)[]> {
  if (owner.kind === 'service') return [];
  const above = partnerId === undefined ? [serviceOwner] : [serviceOwner, partnerId];
  const set = await findLimits(db, above);
  return above.map((id) => set.get(id));
}

/** Returns the limits of an owner as they are now. */
export async function known(ctx: Context, db: Db | Tx, found: FoundOwner): Promise<KnownLimits> {
  const { owner, objectId } = found;
  const above = await findAbove(db, found);
  const own = pick((await findLimits(db, [owner.ownerId])).get(owner.ownerId));
  const used = owner.kind === 'service' ? undefined : usedNow(ctx, await findUsage(db, owner.ownerId));
  return { owner, objectId, own, effective: effectiveLimits(...above, own), used };
}

function pick(row: VelocityLimits | undefined): VelocityLimits {
  const { userUsdc, userGold, partnerUsdc, partnerGold } = row ?? noLimits;
  return { userUsdc, userGold, partnerUsdc, partnerGold };
}

function usedNow({ clock }: Context, window: VelocityWindow | undefined): VelocityAmounts {
  return { usdc: usedOf(window, 'usdc', clock.now()), gold: usedOf(window, 'gold', clock.now()) };
}

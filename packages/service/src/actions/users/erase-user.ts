import { appendEvents } from '../../db/events/events.js';
import { findOpenRedemptionsOf } from '../../db/redemptions/redemptions.js';
import { deleteUserKyc, lockUserOf, updateUserStatus } from '../../db/users.js';
import type { UserId, Uuid } from '../../domain/ids.js';
import { AppError, notAllowed } from '../../errors.js';
import { userEvent } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

export interface Erased {
  id: UserId;
  /** False when it was done before: then nothing changed. */
  erasedNow: boolean;
}

/**
 * Deletes the KYC record of a user, and with it what events show of it, and suspends the user. What was traded and redeemed
 * stays, with the ids and the wallet. Throws `user_not_found`, or `transition_not_allowed` while gold is to be handed out or a
 * redemption may still land: then somebody has to know who the customer is.
 */
export async function eraseUser(
  { tx, by, at }: ChangeTx,
  {
    partnerId,
    partnerUserId,
    reason,
  }: { partnerId: Uuid; partnerUserId: string; reason?: string | undefined },
): Promise<Erased> {
  const user = await lockUserOf(tx, partnerId, partnerUserId);
  if (!user) throw new AppError('user_not_found', 'The partner has no such user.');
  const { id, status } = user;
  const open = await findOpenRedemptionsOf(tx, id);
  if (open.length > 0) {
    throw notAllowed(
      `The user has redemptions that have not ended: ${open.map((one) => `${one.id} is ${one.status}`).join(', ')}.`,
    );
  }
  if (!(await deleteUserKyc(tx, id))) return { id, erasedNow: false };
  await updateUserStatus(tx, id, 'suspended', at);
  const change = {
    action: 'user.erase' as const,
    objectId: id,
    before: { status },
    after: { status: 'suspended' },
    reason,
  };
  await recordChange(tx, by, change, at);
  if (status === 'active') {
    const suspended = { user: { ...user, status: 'suspended' as const, updatedAt: at }, kyc: null };
    await appendEvents(tx, [userEvent('user.suspended', suspended, by.requestId)], at);
  }
  return { id, erasedNow: true };
}

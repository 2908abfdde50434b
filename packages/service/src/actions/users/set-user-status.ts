import { appendEvents } from '../../db/events/events.js';
import { findUser, type User, updateUserStatus } from '../../db/users.js';
import { notAllowed } from '../../errors.js';
import { userEvent } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getUserForChange } from './read-user.js';

/**
 * Suspends a user, or takes that back: quotes and submits of a suspended one get `user_suspended`. Throws `user_not_found`, or
 * `transition_not_allowed` for a user who has the status already, and for one without a KYC record, who is not resumed.
 */
export async function setUserStatus(
  { tx, by, at }: ChangeTx,
  { userId, status, reason }: { userId: string; status: User['status']; reason?: string | undefined },
): Promise<User> {
  const found = await getUserForChange(tx, userId);
  if (found.status === status) {
    throw notAllowed(`The user is already ${status}.`);
  }
  const kyc = (await findUser(tx, found.id))?.kyc ?? null;
  if (status === 'active' && !kyc) throw notAllowed('The user has no KYC record.');
  await updateUserStatus(tx, found.id, status, at);
  const change = {
    action: status === 'active' ? ('user.resume' as const) : ('user.suspend' as const),
    objectId: found.id,
    before: { status: found.status },
    after: { status },
    reason,
  };
  await recordChange(tx, by, change, at);
  const user = { ...found, status, updatedAt: at };
  const type = status === 'active' ? 'user.resumed' : 'user.suspended';
  await appendEvents(tx, [userEvent(type, { user, kyc }, by.requestId)], at);
  return user;
}

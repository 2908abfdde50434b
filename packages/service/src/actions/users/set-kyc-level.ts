import { appendEvents } from '../../db/events/events.js';
import { findUser, type User, updateKycLevel } from '../../db/users.js';
import { kycLevelAction } from '../../domain/audit.js';
import { notAllowed } from '../../errors.js';
import { userEvent } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getUserForChange } from './read-user.js';

export type LevelledUser = User & { kycLevel: string };

/**
 * Sets the level of a user's KYC: it lapsed, or was restored. With anything but `full`, quotes are refused with
 * `kyc_level_insufficient`. The level is a keyword, never personal data, and is in the audit log, which shows it to
 * those alone who may read KYC. Throws `user_not_found`, or `transition_not_allowed` for a user without a KYC record or with that very level.
 */
export async function setKycLevel(
  { tx, by, at }: ChangeTx,
  { userId, kycLevel, reason }: { userId: string; kycLevel: string; reason: string },
): Promise<LevelledUser> {
  const user = await getUserForChange(tx, userId);
  const kyc = (await findUser(tx, user.id))?.kyc;
  if (!kyc) throw notAllowed('The user has no KYC record.');
  if (kyc.kycLevel === kycLevel) {
    throw notAllowed(`The KYC level of the user is already ${kycLevel}.`);
  }
  await updateKycLevel(tx, user.id, kycLevel, at);
  const change = {
    action: kycLevelAction,
    objectId: user.id,
    before: { kyc_level: kyc.kycLevel },
    after: { kyc_level: kycLevel },
    reason,
  };
  await recordChange(tx, by, change, at);
  const changed = { user: { ...user, updatedAt: at }, kyc: { ...kyc, kycLevel } };
  await appendEvents(tx, [userEvent('user.kyc_level_changed', changed, by.requestId)], at);
  return { ...changed.user, kycLevel };
}

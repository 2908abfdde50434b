import type { Tx } from '../../db/client.js';
import { lockMembers, type MemberRow } from '../../db/people/members.js';
import { deletePasskeysOf } from '../../db/people/passkeys.js';
import { findPerson, updatePerson } from '../../db/people/people.js';
import { deleteRecoveryCodesOf } from '../../db/people/recovery-codes.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import { deleteTotpOf } from '../../db/people/totps.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import type { Member, MemberRole } from '../../domain/member.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { readPersonName } from '../people/read-account.js';

interface Target {
  /** Who changes it: an owner. */
  owner: Member;
  /** As it came. */
  memberId: string;
}

/**
 * Changes the name or the role of a member; a role applies from the next request on. Throws `not_found`, `partner_mismatch`,
 * `invalid_request` when nothing is named, `last_owner` where no owner would be left, and `insufficient_scope` when the caller has
 * just ceased to be an owner.
 */
export async function changeMember(
  { tx, by, at }: ChangeTx,
  target: Target,
  { name, role }: { name?: string | undefined; role?: MemberRole | undefined },
): Promise<MemberRow> {
  if (name === undefined && role === undefined) {
    throw new AppError('invalid_request', 'Name at least one field to change.');
  }
  const { found, members } = await lockTarget(tx, target);
  const changed: MemberRow = {
    ...found,
    name: name === undefined ? found.name : readPersonName(name),
    role: role ?? found.role,
    updatedAt: at,
  };
  if (changed.role !== 'owner') requireOwnerLeft(members, found);
  requireStillOwner(members, target.owner);
  if (changed.name === found.name && changed.role === found.role) return found;
  await updatePerson(tx, changed);
  const [before, after] = [toAudited(found), toAudited(changed)];
  await recordChange(tx, by, { action: 'member.change', objectId: found.id, before, after }, at);
  return changed;
}

/** Removes a member at once and for good: sessions, and what they were opened with, end. Throws as `changeMember` does. */
export async function removeMember({ tx, by, at }: ChangeTx, target: Target): Promise<MemberRow> {
  const { found, members } = await lockTarget(tx, target);
  requireOwnerLeft(members, found);
  requireStillOwner(members, target.owner);
  const removed: MemberRow = { ...found, status: 'disabled', updatedAt: at };
  await updatePerson(tx, removed);
  await endSessionsOf(tx, found.id, at);
  await deletePasskeysOf(tx, found.id);
  await deleteTotpOf(tx, found.id);
  await deleteRecoveryCodesOf(tx, found.id);
  await recordChange(tx, by, { action: 'member.remove', objectId: found.id, before: toAudited(found) }, at);
  return removed;
}

/** Locks all members of the partner, so that a count of the owners stays true until the transaction ends. */
async function lockTarget(
  tx: Tx,
  { owner, memberId }: Target,
): Promise<{ found: MemberRow; members: MemberRow[] }> {
  const id = asUuid(memberId);
  const members = await lockMembers(tx, owner.partnerId);
  const found = members.find((member) => member.id === id);
  if (found) return { found, members };
  const other = id && (await findPerson(tx, 'member', id));
  if (other && other.partnerId !== owner.partnerId) {
    throw new AppError('partner_mismatch', 'This member belongs to another partner.');
  }
  throw new AppError('not_found', 'There is no member with this id.');
}

/** Throws `last_owner` when `leaving` is the only owner. Owners who sign in with a wallet do not count: a wallet can be lost or revoked. */
function requireOwnerLeft(members: MemberRow[], leaving: MemberRow): void {
  const owners = members.filter(({ role }) => role === 'owner');
  if (owners.length !== 1 || owners[0]?.id !== leaving.id) return;
  throw new AppError('last_owner', 'This is the last owner: make another member an owner first.');
}

/** Of two owners who remove each other at once, the second is none any more. */
function requireStillOwner(members: MemberRow[], { personId, walletAddress }: Member): void {
  if (walletAddress !== null || members.some(({ id, role }) => id === personId && role === 'owner')) return;
  throw new AppError('insufficient_scope', 'You have just ceased to be an owner.');
}

const toAudited = ({ partnerId, email, name, role }: MemberRow) => ({
  partner_id: partnerId as Uuid,
  email,
  name,
  role,
});

import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { findPartner } from '../../db/partners/partners.js';
import {
  type Invitation,
  insertInvitation,
  lockInvitation,
  markInvitationAccepted,
  markInvitationWithdrawn,
} from '../../db/people/invitations.js';
import { findPersonByEmail, insertPerson } from '../../db/people/people.js';
import { asUuid, newUuid, type Uuid } from '../../domain/ids.js';
import { invitationLifetimeMs, type MemberRole } from '../../domain/member.js';
import { hashSecret, newSessionSecret } from '../../domain/session.js';
import { AppError } from '../../errors.js';
import { memberInvitedEvent } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { hashPassword, readPassword } from '../people/passwords.js';
import { readEmail, readPersonName } from '../people/read-account.js';

/** An invitation with its link, which is shown once: the token in it is stored nowhere. */
export interface IssuedInvitation {
  invitation: Invitation;
  url: string;
}

/**
 * Invites an address to become a member of a partner. The link carries its token behind a `#`, so that it reaches no log of a
 * server. Whether the address has an account at another partner is not looked at: the response must not show it. Throws
 * `partner_not_found`, `invalid_request` for what is no address, and `already_exists` for a member of the partner.
 * @param origin scheme, host and port of the portal.
 */
export async function inviteMember(
  { tx, by, at }: ChangeTx,
  input: { partnerId: string; email: string; role: MemberRole; origin: string },
): Promise<IssuedInvitation> {
  const { role, origin } = input;
  const email = readEmail(input.email);
  const partnerId = asUuid(input.partnerId);
  const partner = partnerId && (await findPartner(tx, partnerId));
  if (!partner) throw new AppError('partner_not_found', 'There is no partner with this id.');
  const known = await findPersonByEmail(tx, 'member', email);
  if (known?.partnerId === partner.id) throw new AppError('already_exists', `${email} is a member already.`);
  const token = newSessionSecret();
  const url = `${origin}/portal/invitation#${token}`;
  const invitation = await insertInvitation(tx, {
    id: newUuid(),
    hash: hashSecret(token),
    partnerId: partner.id,
    email,
    role,
    invitedBy: by.personId,
    createdAt: at,
    expiresAt: new Date(at.getTime() + invitationLifetimeMs),
  });
  const after = { partner_id: partner.id, email, role, expires_at: invitation.expiresAt.toISOString() };
  const change = { action: 'member.invite' as const, objectType: 'invitation', objectId: invitation.id };
  await recordChange(tx, by, { ...change, after }, at);
  await appendEvents(tx, [memberInvitedEvent({ invitation, url }, by.requestId)], at);
  return { invitation, url };
}

/** Invites an owner of a partner, for operators: the link leads to the portal at the address of the settings, else at a name, to which passkeys belong. */
export const inviteOwner = (
  { config }: Pick<Context, 'config'>,
  change: ChangeTx,
  input: { partnerId: string; email: string },
): Promise<IssuedInvitation> =>
  inviteMember(change, {
    ...input,
    role: 'owner',
    origin: new URL(config.portalUrl ?? `http://localhost:${config.port}`).origin,
  });

/** Withdraws an invitation of a partner that could still be accepted. Throws `not_found`. */
export async function withdrawInvitation(
  { tx, by, at }: ChangeTx,
  input: { partnerId: Uuid; invitationId: string },
): Promise<Invitation> {
  const id = asUuid(input.invitationId);
  const found = id && (await markInvitationWithdrawn(tx, { id, partnerId: input.partnerId }, at));
  if (!found) throw new AppError('not_found', 'There is no pending invitation with this id.');
  const before = { partner_id: found.partnerId, email: found.email, role: found.role };
  const change = { action: 'member.withdraw_invitation' as const, objectType: 'invitation', objectId: id };
  await recordChange(tx, by, { ...change, before }, at);
  return found;
}

/** Whom an invitation has made. */
export interface AcceptedMember {
  memberId: Uuid;
  email: string;
  name: string;
  role: MemberRole;
  partnerId: Uuid;
}

/**
 * Makes a member of a partner by the token of an invitation, once. Throws `invalid_request` for a name or password that cannot be
 * one, and the same `invalid_invitation` for a token that is unknown, used, withdrawn or expired, whose inviter may not invite any
 * more, and for an address that has an account by now, after the same work.
 */
export async function acceptInvitation(
  ctx: Context,
  input: { token: string; name: string; password: string; requestId: string },
): Promise<AcceptedMember> {
  const name = readPersonName(input.name);
  const passwordHash = await hashPassword(readPassword(input.password));
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const invitation = await lockInvitation(tx, hashSecret(input.token), at);
    if (!invitation) throw invalidInvitation();
    const { partnerId, email } = invitation;
    const role = invitation.role as MemberRole;
    const memberId = newUuid();
    const row = { id: memberId, partnerId, email, name, role, passwordHash, createdAt: at, updatedAt: at };
    if (!(await insertPerson(tx, row))) throw invalidInvitation();
    await markInvitationAccepted(tx, invitation.id, memberId);
    const by = { personId: memberId, requestId: input.requestId };
    const after = { partner_id: partnerId, invitation_id: invitation.id, email, name, role };
    const change = { action: 'member.accept_invitation' as const, objectId: memberId, after };
    await recordChange(tx, by, change, at);
    return { memberId, email, name, role, partnerId };
  });
}

function invalidInvitation(): AppError {
  const message =
    'This invitation cannot be used: it may have been used, withdrawn or expired. Request a new one from an owner of the partner.';
  return new AppError('invalid_invitation', message);
}

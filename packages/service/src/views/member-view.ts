import { Type } from '@fastify/type-provider-typebox';
import type { Invitation } from '../db/people/invitations.js';
import type { ListedMember, MemberRow } from '../db/people/members.js';
import { type MemberRole, memberRoles } from '../domain/member.js';
import { about, field } from './fields.js';
import { choice, Nullable, titled } from './schemas.js';
import { viewOf } from './view.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-02-14T09:30:00.000Z';

/** Fields of members and invitations. */
export const memberField = {
  memberId: about('Id of the member, a UUID.', uuid),
  email: about('Email of the member, in lower case.', 'sana@acme.example'),
  name: about('Name of the member.', 'Sana Malik'),
  role: about('What the member may do.', 'developer'),
  invitationId: about('Id of the invitation, a UUID.', uuid),
  url: about(
    'The link that makes a member, once; never shown again. Pass it to the person who was invited.',
    'https://api.karat.example/portal/invitation#9f2c4b7e0d1a385660b1f2e3c4d5a697',
  ),
  expiresAt: about('When the link expires: after 72 hours.', '2026-02-17T09:30:00.000Z'),
};

export const MemberView = titled('Member', {
  member_id: Type.String(memberField.memberId),
  email: Type.String(memberField.email),
  name: Type.String(memberField.name),
  role: choice(memberRoles, memberField.role),
  status: choice(['active', 'removed'], about('A member who was removed stays so.', 'active')),
  last_seen_at: Nullable(Type.String(), about('Last request in the portal; null without one.', at)),
});

export const InvitationView = titled('Invitation', {
  invitation_id: Type.String(memberField.invitationId),
  email: Type.String(memberField.email),
  role: choice(memberRoles, memberField.role),
  created_at: Type.String(field.createdAt),
  expires_at: Type.String(memberField.expiresAt),
});

export const IssuedInvitationView = titled('IssuedInvitation', {
  invitation_id: Type.String(memberField.invitationId),
  url: Type.String(memberField.url),
  expires_at: Type.String(memberField.expiresAt),
});

const memberView = viewOf(MemberView);
const invitationView = viewOf(InvitationView);

export const toMemberView = (member: MemberRow & Partial<Pick<ListedMember, 'lastSeenAt'>>) =>
  memberView({
    ...member,
    memberId: member.id,
    status: member.status === 'active' ? 'active' : 'removed',
    lastSeenAt: member.lastSeenAt ?? null,
  });

export const toInvitationView = (invitation: Invitation) =>
  invitationView({ ...invitation, invitationId: invitation.id, role: invitation.role as MemberRole });

export const toIssuedInvitationView = ({ invitation, url }: { invitation: Invitation; url: string }) => ({
  invitation_id: invitation.id,
  url,
  expires_at: invitation.expiresAt.toISOString(),
});

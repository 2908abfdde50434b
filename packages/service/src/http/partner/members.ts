import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { inChange } from '../../actions/change.js';
import { changeMember, removeMember } from '../../actions/members/change-member.js';
import { acceptInvitation, inviteMember, withdrawInvitation } from '../../actions/members/invite-member.js';
import type { Context } from '../../context.js';
import { findPartnerAuditRows, type NamedAuditRow } from '../../db/operators/audit-log.js';
import { findPendingInvitations } from '../../db/people/invitations.js';
import { findMembers } from '../../db/people/members.js';
import { toInteger } from '../../domain/integer.js';
import { memberRoles } from '../../domain/member.js';
import { about, field } from '../../views/fields.js';
import {
  InvitationView,
  IssuedInvitationView,
  MemberView,
  memberField,
  toInvitationView,
  toIssuedInvitationView,
  toMemberView,
} from '../../views/member-view.js';
import { choice, freeObject, Name, Nullable, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { portalSurface } from '../people/portal.js';
import { changedByPerson } from '../people/surface.js';
import { readNamedPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { managingMembers } from './settings.js';

const changing = { ...managingMembers, confirmed: true } as const;
const params = Type.Object({ member_id: Type.String(memberField.memberId) });
const invitationParams = Type.Object({ invitation_id: Type.String(memberField.invitationId) });

const AuditView = titled('MemberAuditEntry', {
  seq: Type.Integer(about('Number of the entry.', 1042)),
  at: Type.String(field.createdAt),
  member_id: Nullable(Type.String(), {
    ...memberField.memberId,
    description: 'Null where no member was signed in, such as for a failed sign-in.',
  }),
  member_name: Nullable(Type.String(), memberField.name),
  action: Type.String(about('What was done.', 'member.invite')),
  object_type: Type.String(about('Kind of the object.', 'invitation')),
  object_id: Type.String(about('Id of the object.', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10')),
  before: Nullable(
    freeObject({ examples: [{ role: 'viewer' }] }),
    about('State before; null if none.', null),
  ),
  after: Nullable(freeObject({ examples: [{ role: 'owner' }] }), about('State after; null if none.', null)),
  request_id: Nullable(Type.String(), about('`x-request-id` of the request.', null)),
});

const listRoute = route(managingMembers, {
  operationId: 'listMembers',
  summary: 'List the members',
  description: 'Those who can sign in to the portal with an email, oldest first.',
  response: { 200: Type.Object({ members: Type.Array(MemberView) }) },
});

const auditRoute = route(managingMembers, {
  operationId: 'listMemberAudit',
  summary: 'List what members did',
  description: 'Changes that members of the partner made, and their sign-ins, newest first.',
  querystring: Type.Partial(
    Type.Object({
      limit: Type.String(about('Entries in the response, 1 to 100; default 100.', '50')),
      cursor: Type.String(about('`next_cursor` of the page before.', 'MTA0Mg')),
    }),
  ),
  response: {
    200: Type.Object({
      entries: Type.Array(AuditView),
      next_cursor: Nullable(Type.String(), about('Cursor of the next page; null on the last one.', null)),
    }),
  },
});

const changeRoute = route(changing, {
  operationId: 'changeMember',
  summary: 'Change the name or the role of a member',
  description:
    'A role applies from the next request on, also in open sessions. The role of the last owner cannot change. Needs a confirmed session.',
  errors: codes('not_found', 'partner_mismatch', 'last_owner', 'forbidden', 'second_factor_required'),
  params,
  body: Type.Object({
    name: Type.Optional(Name(100, memberField.name)),
    role: Type.Optional(choice(memberRoles, memberField.role)),
  }),
  response: { 200: MemberView },
});

const removeRoute = route(changing, {
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Takes effect immediately and permanently: sessions and streams end, and pending invitations of the member lapse. The last owner cannot be removed. Needs a confirmed session.',
  errors: codes('not_found', 'partner_mismatch', 'last_owner', 'forbidden', 'second_factor_required'),
  params,
  response: { 200: MemberView },
});

const listInvitationsRoute = route(managingMembers, {
  operationId: 'listInvitations',
  summary: 'List the pending invitations',
  description: 'Newest first, without their links.',
  response: { 200: Type.Object({ invitations: Type.Array(InvitationView) }) },
});

const inviteRoute = route(changing, {
  operationId: 'inviteMember',
  summary: 'Invite a member',
  description:
    'Returns a link, which is never shown again: pass it on, since Karat sends no mail. It works once, within 72 hours. The event `member.invited` carries it too, except for owners. Takes no `Idempotency-Key`, because the link may not be stored. Needs a confirmed session.',
  errors: codes('already_exists', 'forbidden', 'second_factor_required'),
  body: Type.Object({ email: reference(memberField.email), role: choice(memberRoles, memberField.role) }),
  response: { 201: IssuedInvitationView },
});

const withdrawRoute = route(changing, {
  operationId: 'withdrawInvitation',
  summary: 'Withdraw an invitation',
  description: 'Its link no longer works. Needs a confirmed session.',
  errors: codes('not_found', 'forbidden', 'second_factor_required'),
  params: invitationParams,
  response: {
    200: Type.Object({
      invitation_id: Type.String(memberField.invitationId),
      status: Type.Literal('withdrawn'),
    }),
  },
});

const acceptRoute = route({ auth: 'none', limit: 'auth' } as const, {
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation',
  description:
    'Makes a member, who can sign in from then on. An invitation that was used, was withdrawn, has expired or does not exist is the same 400 `invalid_invitation`, and so is one for an address that has an account at another partner.',
  errors: codes('invalid_invitation'),
  body: Type.Object({
    token: Type.String({
      ...about('What stands behind the `#` of the link.', '9f2c4b7e0d1a385660b1f2e3c4d5a697'),
      minLength: 1,
      maxLength: 200,
    }),
    name: Name(100, memberField.name),
    password: Type.String({
      ...about('At least 12 characters.', 'correct horse battery staple'),
      minLength: 1,
      maxLength: 1_000,
    }),
  }),
  response: {
    201: titled('AcceptedMember', {
      member_id: Type.String(memberField.memberId),
      email: Type.String(memberField.email),
      name: Type.String(memberField.name),
      role: choice(memberRoles, memberField.role),
      partner_id: Type.String(field.partnerId),
    }),
  },
});

/** Members of the caller's partner, and the invitations by which there come to be more. */
export function memberRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const by = (request: FastifyRequest) => changedByPerson(portalSurface, request);
  return async (app) => {
    tagRoutes(app, 'Members');
    app.get('/v1/members', listRoute, async ({ principal }) => ({
      members: (await findMembers(ctx.db, principal.partnerId)).map(toMemberView),
    }));

    app.get('/v1/members/audit', auditRoute, async ({ principal, query }) => {
      const { rows, nextCursor } = await readNamedPage(
        query,
        (seq) => /^[1-9]\d{0,14}$/.test(seq),
        ({ limit, after }) => {
          const page = { limit, after: after === undefined ? undefined : toInteger(after) };
          return findPartnerAuditRows(ctx.db, principal.partnerId, page);
        },
        ({ seq }) => String(seq),
      );
      return { entries: rows.map(toAuditView), next_cursor: nextCursor };
    });

    app.patch('/v1/members/:member_id', changeRoute, async (request) => {
      const target = { owner: request.portalSession.member, memberId: request.params.member_id };
      const { name, role } = request.body;
      return toMemberView(await inChange(ctx, by(request), (tx) => changeMember(tx, target, { name, role })));
    });

    app.delete('/v1/members/:member_id', removeRoute, async (request) => {
      const target = { owner: request.portalSession.member, memberId: request.params.member_id };
      return toMemberView(await inChange(ctx, by(request), (tx) => removeMember(tx, target)));
    });

    app.get('/v1/members/invitations', listInvitationsRoute, async ({ principal: { partnerId } }) => {
      const pending = await findPendingInvitations(ctx.db, partnerId, new Date(ctx.clock.now()));
      return { invitations: pending.map(toInvitationView) };
    });

    app.post('/v1/members/invitations', inviteRoute, async (request, reply) => {
      const { partnerId } = request.principal;
      const origin = `${request.protocol}://${request.host}`;
      const input = { ...request.body, partnerId, origin };
      const issued = await inChange(ctx, by(request), (tx) => inviteMember(tx, input));
      reply.code(201);
      return toIssuedInvitationView(issued);
    });

    app.delete('/v1/members/invitations/:invitation_id', withdrawRoute, async (request) => {
      const { partnerId } = request.principal;
      const input = { partnerId, invitationId: request.params.invitation_id };
      const { id } = await inChange(ctx, by(request), (tx) => withdrawInvitation(tx, input));
      return { invitation_id: id, status: 'withdrawn' as const };
    });

    app.post('/v1/members/invitations/accept', acceptRoute, async (request, reply) => {
      const made = await acceptInvitation(ctx, { ...request.body, requestId: request.id });
      reply.code(201);
      const { memberId, partnerId, email, name, role } = made;
      return { member_id: memberId, email, name, role, partner_id: partnerId };
    });
  };
}

const auditView = viewOf(AuditView);

const toAuditView = (row: NamedAuditRow) =>
  auditView({ ...row, memberId: row.personId, memberName: row.personName });

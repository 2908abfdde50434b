import type { FastifyRequest } from 'fastify';
import { requireConfirmation } from '../../actions/people/confirm.js';
import { needsSecondFactor } from '../../actions/people/second-factor.js';
import type { Context } from '../../context.js';
import type { KeyHolder } from '../../db/keys/callers.js';
import type { Uuid } from '../../domain/ids.js';
import { type MemberPermission, mayKey, mayMember } from '../../domain/member.js';
import type { OperatorPermission } from '../../domain/operator.js';
import { AppError, partnerSuspended } from '../../errors.js';
import { requesterIn } from '../people/surface.js';
import type { PortalSession } from './portal-session.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller needs for this route: every route with `auth: 'partner'` or `'operator'` names it. */
    permission?: MemberPermission | OperatorPermission;
    /**
     * The route is about the account of the member who calls it: for sessions alone, also before they have a second factor
     * and while their partner is suspended. Needs `auth: 'partner'`.
     */
    ownAccount?: true;
    /** A session needs a second factor of the last five minutes for it. Needs `auth: 'partner'`. */
    confirmed?: true;
  }
}

/**
 * What callers of the partner API may see and do is decided here alone, for keys and for sessions: by the settings of the route
 * and nothing else.
 */

const permissionOf = (request: FastifyRequest) => request.routeOptions.config.permission as MemberPermission;

/** Returns whether the caller of an admitted request has a further permission, for parts of a response. */
export function callerMay(request: FastifyRequest, permission: MemberPermission): boolean {
  if ('keyId' in request.principal) return mayKey(permission);
  return mayMember(request.portalSession.member.role, permission);
}

/** Returns the partner of a key that may call a route. Throws `insufficient_scope`, then `partner_suspended`. */
export function requireKeyMay(
  request: FastifyRequest,
  { surface, scope, partnerId, partnerStatus }: KeyHolder,
): Uuid {
  if (surface !== 'partner' || partnerId === null) {
    throw new AppError('insufficient_scope', `This needs a key of scope PARTNER; yours has ${scope}.`);
  }
  if (request.routeOptions.config.ownAccount || !mayKey(permissionOf(request))) {
    throw new AppError('insufficient_scope', 'This needs a session of the portal, not a key.');
  }
  if (partnerStatus !== 'active') throw partnerSuspended();
  return partnerId;
}

/**
 * Lets a member in a session call a route, or throws `insufficient_scope` for the role, `partner_suspended` for anything but
 * reading, or `second_factor_required`.
 */
export async function requireSessionMay(
  ctx: Context,
  request: FastifyRequest,
  { member, sessionHash, byPasswordAlone }: PortalSession,
): Promise<void> {
  const { ownAccount, confirmed } = request.routeOptions.config;
  const permission = permissionOf(request);
  const { role, partnerStatus } = member;
  if (!mayMember(role, permission)) {
    throw new AppError('insufficient_scope', `The role ${role} may not do this: it lacks ${permission}.`);
  }
  if (ownAccount) return;
  if (partnerStatus !== 'active' && request.method !== 'GET' && request.method !== 'HEAD') {
    throw partnerSuspended('This partner is suspended: its members can only read.');
  }
  if (byPasswordAlone && needsSecondFactor(ctx, member)) {
    const message = 'Members need a second factor here: add a passkey or an authenticator app first.';
    throw new AppError('second_factor_required', message);
  }
  if (!confirmed) return;
  await requireConfirmation(ctx, requesterIn(request, { person: member, sessionHash }));
}

import type { Uuid } from './ids.js';
import type { Person } from './person.js';
import type { WalletAddress } from './solana.js';

/** What a member of a partner may do; docs/portal.md has the table. */
export const memberRoles = ['owner', 'developer', 'finance', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** How long an invitation can be accepted. */
export const invitationLifetimeMs = 72 * 60 * 60_000;

/** Someone who acts for a partner in its portal. */
export interface Member extends Person {
  kind: 'member';
  partnerId: Uuid;
  partnerStatus: 'active' | 'suspended';
  role: MemberRole;
  /** That of an owner who signs in with a wallet of the partner, and has no email. */
  walletAddress: WalletAddress | null;
}

/**
 * The permission that a route of the partner API requires. A session has those of its member's role, and a key all but
 * `manage_members`, which are for people alone.
 */
export const memberPermissions = [
  'read',
  'read_requests',
  'read_bodies',
  'read_statements',
  'manage_keys',
  'manage_webhooks',
  'manage_members',
  'trade',
] as const;
export type MemberPermission = (typeof memberPermissions)[number];

const permitted: Record<MemberRole, ReadonlySet<MemberPermission>> = {
  owner: new Set(memberPermissions),
  developer: new Set(['read', 'read_requests', 'read_bodies', 'manage_keys', 'manage_webhooks', 'trade']),
  finance: new Set(['read', 'read_statements']),
  viewer: new Set(['read', 'read_requests', 'read_statements']),
};

export function mayMember(role: MemberRole, permission: MemberPermission): boolean {
  return permitted[role].has(permission);
}

/** Returns whether an API key carries a permission. */
export function mayKey(permission: MemberPermission): boolean {
  return permission !== 'manage_members';
}

/** Returns all permissions of a role, for pages that leave out what would be refused. */
export function memberPermissionsOf(role: MemberRole): MemberPermission[] {
  return [...permitted[role]];
}

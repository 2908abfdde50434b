import type { Uuid } from './ids.js';

/** Characters of a password. NIST SP 800-63B requires at least 8; an operator moves gold. */
export const minPasswordLength = 12;
export const maxPasswordLength = 1_000;
/** Passkeys that an operator may have. */
export const maxPasskeys = 10;

/** What an operator may do, from least to most; docs/operator-guide.md has the table. */
export const operatorRoles = ['viewer', 'fulfilment', 'compliance', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

export interface Operator {
  operatorId: Uuid;
  email: string;
  name: string;
  role: OperatorRole;
  /**
   * Operators who may know the password: the one who opened the account over the API, followed by those who might know that
   * one's. Empty once the owner of the database has set the password.
   */
  openedBy: readonly Uuid[];
}

type Account = Pick<Operator, 'operatorId' | 'openedBy'>;

/**
 * Returns whether two accounts are sure to belong to two people: a person who knows the passwords of both, or who has an
 * account and knows the password of the other, could request as one and approve as the other.
 */
export function areTwoPeople(one: Account, other: Account): boolean {
  const behind = new Set([one.operatorId, ...one.openedBy]);
  return ![other.operatorId, ...other.openedBy].some((id) => behind.has(id));
}

/**
 * The permission that a route of the operator API requires: everyone reads; KYC data and what concerns users is for
 * compliance, redemptions for fulfilment, and all else that changes something for admins. An operator with `decide`
 * decides the requests that the role could have made.
 */
export const operatorPermissions = ['read', 'read_kyc', 'decide', 'fulfil', 'comply', 'administer'] as const;
export type OperatorPermission = (typeof operatorPermissions)[number];

const permitted: Record<OperatorRole, ReadonlySet<OperatorPermission>> = {
  viewer: new Set(['read']),
  fulfilment: new Set(['read', 'decide', 'fulfil']),
  compliance: new Set(['read', 'read_kyc', 'decide', 'comply']),
  admin: new Set(['read', 'read_kyc', 'decide', 'fulfil', 'comply', 'administer']),
};

export function mayOperator(role: OperatorRole, permission: OperatorPermission): boolean {
  return permitted[role].has(permission);
}

/** Returns all permissions of a role, for pages that leave out what would be refused. */
export function permissionsOf(role: OperatorRole): OperatorPermission[] {
  return [...permitted[role]];
}

/** Whose approval actions take, by how their names begin; all others take that of those who administer. */
const approvedBy: readonly (readonly [prefix: string, OperatorPermission])[] = [
  ['bar.', 'fulfil'],
  ['limits.', 'comply'],
  ['redemption.', 'fulfil'],
  ['', 'administer'],
];

/** Returns the permission that an operator needs to request, or to approve, something that takes two people. */
export function permissionOf(action: string): OperatorPermission {
  return approvedBy.find(([prefix]) => action.startsWith(prefix))?.[1] ?? 'administer';
}

/** Returns whether people alone, and no token, may request or approve an action that takes two: it changes which metal there is. */
export function takesPeople(action: string): boolean {
  return action.startsWith('bar.');
}

/**
 * Returns whether a role takes part in what moves value or power, by requesting or approving it: such accounts need a
 * second factor in production.
 */
export function movesValue(role: OperatorRole): boolean {
  return approvedBy.some(([, permission]) => mayOperator(role, permission));
}

/** Returns whether an account may request something that takes two people; its requests are void once it may not. */
export function mayRequest(
  action: string,
  { status, role }: { status: 'active' | 'disabled'; role: OperatorRole },
): boolean {
  return status === 'active' && mayOperator(role, permissionOf(action));
}

import type { Uuid } from './ids.js';
import type { Person } from './person.js';

/** What an operator may do, from least to most; docs/operator-guide.md has the table. */
export const operatorRoles = ['viewer', 'fulfilment', 'compliance', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

export interface Operator extends Person {
  kind: 'operator';
  email: string;
  role: OperatorRole;
  /**
   * Operators who may know the password: the one who opened the account over the API, followed by those who might know that
   * one's. Empty once the owner of the database has set the password.
   */
  openedBy: readonly Uuid[];
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

/** Returns the roles that have a permission. */
export const rolesWith = (permission: OperatorPermission): OperatorRole[] =>
  operatorRoles.filter((role) => mayOperator(role, permission));

/** Returns all permissions of a role, for pages that leave out what would be refused. */
export function permissionsOf(role: OperatorRole): OperatorPermission[] {
  return [...permitted[role]];
}

import { mayOperator, type Operator, type OperatorPermission, type OperatorRole } from './operator.js';

/** An approval that was not given by then is void. */
export const approvalLifetimeMs = 24 * 60 * 60_000;

type Account = Pick<Operator, 'personId' | 'openedBy'>;

/**
 * Returns whether two accounts are sure to belong to two people: a person who knows the passwords of both, or who has an
 * account and knows the password of the other, could request as one and approve as the other.
 */
export function areTwoPeople(one: Account, other: Account): boolean {
  const behind = new Set([one.personId, ...one.openedBy]);
  return ![other.personId, ...other.openedBy].some((id) => behind.has(id));
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

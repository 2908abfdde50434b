import { AppError, notAllowed } from '../errors.js';
import type { Uuid } from './ids.js';
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

export const decisions = ['approve', 'reject'] as const;
type Decision = (typeof decisions)[number];

/** A request that takes two people, as far as it matters who may decide it. */
interface Decidable {
  action: string;
  requestedBy: Uuid;
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  expiresAt: Date;
}

/**
 * Returns why this operator cannot make a decision now: `insufficient_scope` for what the role may not decide, `forbidden` for
 * one's own request, `transition_not_allowed` for what is decided or expired, and `forbidden` for approving when the requester
 * and the approver may be the same person, because one may know the other's password. `openedBy`: of the requester, if there
 * is one.
 */
export function refusalOfDecision(
  decision: Decision,
  operator: Account & Pick<Operator, 'role'>,
  { action, requestedBy, status, expiresAt }: Decidable,
  nowMs: number,
  openedBy: readonly Uuid[] = [],
): AppError | undefined {
  if (!mayOperator(operator.role, permissionOf(action)))
    return new AppError('insufficient_scope', `The role ${operator.role} may not decide this.`);
  if (requestedBy === operator.personId)
    return new AppError('forbidden', 'You requested this yourself: another operator must decide it.');
  if (status !== 'pending') return notAllowed(`An approval that is ${status} cannot be decided.`);
  if (expiresAt.getTime() <= nowMs) return lapsed();
  if (decision === 'reject' || areTwoPeople(operator, { personId: requestedBy, openedBy })) return undefined;
  const message =
    "Your account and the requester's may belong to the same person, because one opened the other over the API, or the same operator opened both. Have the password of the opened account set on the command line with karat operator password.";
  return new AppError('forbidden', message);
}

/** The error of a decision that comes too late. */
export function lapsed(): AppError {
  return notAllowed('An approval that is expired cannot be decided.');
}

/** Returns what this operator can do with an approval now. */
export function decisionsOf(
  operator: Account & Pick<Operator, 'role'>,
  approval: Decidable & { requesterOpenedBy: readonly Uuid[] },
  nowMs: number,
): Decision[] {
  return decisions.filter(
    (decision) => !refusalOfDecision(decision, operator, approval, nowMs, approval.requesterOpenedBy),
  );
}

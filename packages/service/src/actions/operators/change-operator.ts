import type { Tx } from '../../db/client.js';
import { revokeTokensOf } from '../../db/operators/operator-tokens.js';
import { lockActiveAdmins, lockOperator, type OperatorRow } from '../../db/operators/operators.js';
import { updatePerson } from '../../db/people/people.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import type { AuditAction } from '../../domain/audit.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import type { OperatorRole } from '../../domain/operator.js';
import { AppError, notAllowed } from '../../errors.js';
import { endApprovals } from '../approvals/end-approvals.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

export interface OperatorChanges {
  /** As it came. */
  operatorId: string;
  /** 1 to 100 characters. */
  name?: string | undefined;
  role?: OperatorRole | undefined;
  reason?: string | undefined;
  /** Whether the identity provider decided it, which may leave no admin: then only the command line makes another one. */
  byProvider?: boolean;
}

/**
 * Changes the name or the role of an account; a role applies from the next request on, and ends requests of the
 * operator that it does not allow. Setting the current value is not a change. Throws `not_found`, `invalid_request`
 * when nothing is named, or `transition_not_allowed` when no active admin would be left, except to the command line,
 * which can make one.
 */
export async function changeOperator(
  { tx, by, at }: ChangeTx,
  { operatorId, name, role, reason, byProvider = false }: OperatorChanges,
): Promise<OperatorRow> {
  if (name === undefined && role === undefined) {
    throw new AppError('invalid_request', 'Name at least one field to change.');
  }
  const { admins, found } = await lockForChange(tx, operatorId);
  const changed = { ...found, name: name ?? found.name, role: role ?? found.role, updatedAt: at };
  const [before, after] = [toAuditedOperator(found), toAuditedOperator(changed)];
  if (isSame(before, after)) return found;
  if (by.personId !== null && !byProvider) requireAdminLeft(admins, found, changed);
  await updatePerson(tx, changed);
  await endApprovals(tx, by, changed, at);
  await recordChange(tx, by, { action: 'operator.change', objectId: found.id, before, after, reason }, at);
  return changed;
}

export interface OperatorStatusStep {
  /** As it came. */
  operatorId: string;
  status: OperatorRow['status'];
  reason?: string | undefined;
}

/**
 * Disables an account immediately, and permanently ends its sessions, tokens and requests; or enables it, and with it
 * its password. Throws `not_found`, or `transition_not_allowed` for one that has the status already and for the last
 * active admin, who can be disabled at the command line only.
 */
export async function setOperatorStatus(
  { tx, by, at }: ChangeTx,
  { operatorId, status, reason }: OperatorStatusStep,
): Promise<OperatorRow> {
  const { admins, found } = await lockForChange(tx, operatorId);
  requireOtherStatus(found, status);
  const moved = { ...found, status, updatedAt: at };
  if (by.personId !== null) requireAdminLeft(admins, found, moved);
  await updatePerson(tx, moved);
  if (status === 'disabled') {
    await endSessionsOf(tx, found.id, at);
    await revokeTokensOf(tx, found.id, at);
    await endApprovals(tx, by, moved, at);
  }
  const change = { action: statusAction(status), objectId: found.id, reason };
  await recordChange(tx, by, { ...change, before: { status: found.status }, after: { status } }, at);
  return moved;
}

export const statusAction = (to: OperatorRow['status']): AuditAction =>
  to === 'disabled' ? 'operator.disable' : 'operator.enable';

/**
 * Locks an account and all active admins until the transaction ends, and returns the account and the ids of the admins.
 * Throws `not_found`.
 */
export async function lockForChange(
  tx: Tx,
  operatorId: string,
): Promise<{ admins: Uuid[]; found: OperatorRow }> {
  const id = asUuid(operatorId);
  const admins = await lockActiveAdmins(tx);
  const found = id && (await lockOperator(tx, id));
  if (!found) throw operatorNotFound();
  return { admins, found };
}

/** Throws `transition_not_allowed` when a change would leave no active admin. */
export function requireAdminLeft(admins: Uuid[], found: OperatorRow, changed: OperatorRow): void {
  const staysAdmin = changed.role === 'admin' && changed.status === 'active';
  if (staysAdmin || admins.length !== 1 || admins[0] !== found.id) return;
  throw notAllowed('This is the last active admin: create another one first.');
}

/** Throws `transition_not_allowed` for an account that already has the status. */
export function requireOtherStatus(found: OperatorRow, to: OperatorRow['status']): void {
  if (found.status === to) throw notAllowed(`The operator is already ${to}.`);
}

export function operatorNotFound(): AppError {
  return new AppError('not_found', 'There is no operator with this id.');
}

/** Returns an account as the audit log stores it. */
export function toAuditedOperator({ email, name, role }: OperatorRow) {
  return { email, name, role };
}

import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { endSessionsOf } from '../db/operator-sessions.js';
import { revokeTokensOf } from '../db/operator-tokens.js';
import { lockActiveAdmins, lockOperator, type OperatorRow, updateOperator } from '../db/operators.js';
import type { ChangedBy } from '../domain/audit.js';
import { asUuid, type Uuid } from '../domain/ids.js';
import type { OperatorRole } from '../domain/operator.js';
import { AppError } from '../errors.js';
import { isSame, recordChange } from './audit.js';
import { endApprovals } from './end-approvals.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

type Parts = Pick<Context, 'db' | 'clock'>;

export interface OperatorChanges {
  /** As it came. */
  operatorId: string;
  /** 1 to 100 characters. */
  name?: string | undefined;
  role?: OperatorRole | undefined;
}

/**
 * Changes the name or the role of an account; a role holds from the next request on, and ends what the operator asked
 * for and may not ask for with it. What is as wanted already is no change. Throws `not_found`, `invalid_request` when
 * nothing is named, or `transition_not_allowed` when no active admin would be left.
 */
export async function changeOperator(
  ctx: Parts,
  by: ChangedBy,
  { operatorId, name, role }: OperatorChanges,
  settle: Settle<OperatorRow> = settleNothing,
): Promise<OperatorRow> {
  if (name === undefined && role === undefined) {
    throw new AppError('invalid_request', 'Name at least one field to change.');
  }
  const at = new Date(ctx.clock.now());
  return moveOperator(ctx, by, operatorId, settle, async (tx, found) => {
    const changed = { ...found, name: name ?? found.name, role: role ?? found.role, updatedAt: at };
    const [before, after] = [toAuditedOperator(found), toAuditedOperator(changed)];
    if (isSame(before, after)) return found;
    await updateOperator(tx, changed);
    await endApprovals(tx, by, changed, at);
    const change = { action: 'operator.change', objectType: 'operator', objectId: found.id };
    await recordChange(tx, by, { ...change, before, after }, at);
    return changed;
  });
}

export interface OperatorStep {
  /** As it came. */
  operatorId: string;
  reason?: string | undefined;
}

/**
 * Closes an account at once, and for good its sessions, its tokens and what it asked for. Throws `not_found`, or `transition_not_allowed` for one
 * that is disabled already and for the last active admin, who can be closed at the command line only.
 */
export async function disableOperator(
  ctx: Parts,
  by: ChangedBy,
  step: OperatorStep,
  settle: Settle<OperatorRow> = settleNothing,
): Promise<OperatorRow> {
  return setStatus(ctx, by, { ...step, to: 'disabled' }, settle);
}

/**
 * Opens an account again; its password is valid again, its tokens are not. Throws `not_found`, or
 * `transition_not_allowed` for one that is active.
 */
export async function enableOperator(
  ctx: Parts,
  by: ChangedBy,
  step: OperatorStep,
  settle: Settle<OperatorRow> = settleNothing,
): Promise<OperatorRow> {
  return setStatus(ctx, by, { ...step, to: 'active' }, settle);
}

const action = { disabled: 'operator.disable', active: 'operator.enable' } as const;

async function setStatus(
  ctx: Parts,
  by: ChangedBy,
  { operatorId, reason, to }: OperatorStep & { to: OperatorRow['status'] },
  settle: Settle<OperatorRow>,
): Promise<OperatorRow> {
  const at = new Date(ctx.clock.now());
  return moveOperator(ctx, by, operatorId, settle, async (tx, found) => {
    requireOtherStatus(found, to);
    const moved = { ...found, status: to, updatedAt: at };
    await updateOperator(tx, moved);
    if (to === 'disabled') {
      await endSessionsOf(tx, found.id, at);
      await revokeTokensOf(tx, found.id, at);
      await endApprovals(tx, by, moved, at);
    }
    const change = { action: action[to], objectType: 'operator', objectId: found.id, reason };
    await recordChange(tx, by, { ...change, before: { status: found.status }, after: { status: to } }, at);
    return moved;
  });
}

/**
 * Changes an account that nobody else changes meanwhile, and sees to it that an active admin is left; not for the command
 * line, which can make one.
 */
async function moveOperator(
  ctx: Parts,
  by: ChangedBy,
  operatorId: string,
  settle: Settle<OperatorRow>,
  change: (tx: Tx, found: OperatorRow) => Promise<OperatorRow>,
): Promise<OperatorRow> {
  return ctx.db.transaction(async (tx) => {
    const { admins, found } = await lockForChange(tx, operatorId);
    const changed = await change(tx, found);
    if (by.operatorId !== null) requireAdminLeft(admins, found, changed);
    await settle(tx, changed);
    return changed;
  });
}

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
  throw new AppError('transition_not_allowed', 'This is the last active admin: make another one first.');
}

/** Throws `transition_not_allowed` for an account that already has the status. */
export function requireOtherStatus(found: OperatorRow, to: OperatorRow['status']): void {
  if (found.status === to) throw new AppError('transition_not_allowed', `The operator is ${to} already.`);
}

export function operatorNotFound(): AppError {
  return new AppError('not_found', 'There is no operator with this id.');
}

/** An account as the audit log keeps it. */
export function toAuditedOperator({ email, name, role }: OperatorRow) {
  return { email, name, role };
}

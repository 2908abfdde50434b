import type { Context } from '../../context.js';
import {
  type Approval,
  decideApproval,
  findApproval,
  findPendingApproval,
} from '../../db/approvals/approvals.js';
import type { Db, Tx } from '../../db/client.js';
import { findOperator, lockOperator } from '../../db/operators/operators.js';
import { lapsed, mayRequest, refusalOfDecision } from '../../domain/approval.js';
import type { AuditAction } from '../../domain/audit.js';
import { asUuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import { AppError, type ErrorCode, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { type Plan, planAgain } from './operations.js';
import type { Approved, PlanFacts } from './plan.js';

/**
 * Plans the request of another operator again: exactly that, and only while its object is as it was at the request. Throws
 * `forbidden` if the approver made the request or may be the person who made it; `transition_not_allowed` if it was decided or
 * is older than a day, its operator may no longer make it, or the object has changed; and what its plan throws.
 */
export async function planApproved(ctx: Context, approved: Approved): Promise<Plan> {
  const { approver, approval } = approved;
  await requireApprovable(ctx, approver, approval);
  return { ...(await whilePending(ctx, approved, planUnchanged(ctx, approval))), approved };
}

/**
 * Returns what the work for an approval, if there is one, returns. Where that fails, throws `transition_not_allowed` if another
 * operator has decided meanwhile: the chain then refuses what that one has done already.
 */
export async function whilePending<T>(
  ctx: Context,
  approved: Approved | undefined,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (approved) {
      const { approver, approval } = approved;
      await requireApprovable(ctx, approver, await getApproval(ctx, approval.id));
    }
    throw error;
  }
}

/** Plans a request again, while its operator may make it and its object is as it was. Throws as `planApproved` does. */
async function planUnchanged(ctx: Context, approval: Approval): Promise<Plan> {
  await requireStillAllowed(ctx.db, approval);
  const plan = await ifPossible(planAgain(ctx, approval));
  if (!Buffer.from(approval.objectHash).equals(plan.objectHash)) throw hasChanged();
  return plan;
}

/**
 * Returns the request that stands in the way of another one of the same, though it could not be approved any more;
 * undefined where there is none, or nothing but time or a node keeps it from being carried out.
 */
export async function findVoidApproval(ctx: Context, plan: PlanFacts): Promise<Approval | undefined> {
  const pending = await findPendingApproval(ctx.db, plan);
  if (!pending) return undefined;
  try {
    await planUnchanged(ctx, pending);
    return undefined;
  } catch (error) {
    return error instanceof AppError && error.code === 'transition_not_allowed' ? pending : undefined;
  }
}

export function hasChanged(): AppError {
  return notAllowed('This has changed since the approval was requested: request it again.');
}

/** Codes that blame the input when the request is made. At the approval, the reason is the state of the object. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'invalid_wallet',
  'wallet_not_allowed',
  'wallet_already_registered',
  'already_exists',
  'bar_required',
  'bar_not_available',
  'invalid_city',
  'redemption_not_found',
  'not_found',
  'partner_not_found',
  'user_not_found',
]);

/** Throws `transition_not_allowed` for what can no longer be done, which is not an error in the approver's request. */
export async function ifPossible<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || !refusals.has(error.code)) throw error;
    const message = `This is no longer possible: ${error.message}`;
    throw notAllowed(message, { cause: error });
  }
}

/**
 * Returns the pending request of another operator, to be rejected. Throws as `planApproved` does, but does not need two accounts
 * that are sure to belong to two people.
 */
export async function getRejectable(ctx: Context, operator: Operator, approvalId: string): Promise<Approval> {
  const approval = await getApproval(ctx, approvalId);
  const refusal = refusalOfDecision('reject', operator, approval, ctx.clock.now());
  if (refusal) throw refusal;
  return approval;
}

/** Rejects a request. Throws as `takeApproved` does. */
export async function rejectOperation(
  change: ChangeTx,
  rejected: Approved & { reason: string },
): Promise<void> {
  await takeDecision(change, rejected.approver, { ...rejected, status: 'rejected' });
  await recordDecision(change, { ...rejected, status: 'rejected' });
}

/**
 * Marks an approval as approved. Throws `insufficient_scope` when the approver was disabled or demoted since the request was let
 * in, `transition_not_allowed` when another operator was first, it has expired, or the requester may no longer request this.
 */
export async function takeApproved(change: ChangeTx, { approver, approval }: Approved): Promise<void> {
  await requireStillAllowed(change.tx, approval);
  await takeDecision(change, approver, { approval, status: 'approved', reason: null });
}

/** Writes an approval to the audit log. */
export async function recordApproved(change: ChangeTx, { approval }: Approved): Promise<void> {
  await recordDecision(change, { approval, status: 'approved', reason: null });
}

/** Returns the approval with that id. Throws `not_found`. */
export async function getApproval(ctx: Context, approvalId: string): Promise<Approval> {
  const id = asUuid(approvalId);
  const approval = id && (await findApproval(ctx.db, id));
  if (approval) return approval;
  throw new AppError('not_found', 'There is no such approval.');
}

/** Throws unless this operator can approve a request now: what `refusalOfDecision` returns. */
export async function requireApprovable(ctx: Context, operator: Operator, approval: Approval): Promise<void> {
  const requester = await findOperator(ctx.db, approval.requestedBy);
  const refusal = refusalOfDecision('approve', operator, approval, ctx.clock.now(), requester?.openedBy);
  if (refusal) throw refusal;
}

/** Throws unless the requester still exists and is still allowed to request this. */
async function requireStillAllowed(db: Db | Tx, { requestedBy, action }: Approval): Promise<void> {
  const requester = await findOperator(db, requestedBy);
  if (requester && mayRequest(action, requester)) return;
  throw notAllowed('The operator who requested this may no longer do it.');
}

interface DecisionFacts {
  approval: Approval;
  status: 'approved' | 'rejected';
  reason: string | null;
}

async function takeDecision(
  { tx, at: decidedAt }: ChangeTx,
  { personId: decidedBy }: Operator,
  { approval, status, reason }: DecisionFacts,
): Promise<void> {
  const decider = await lockOperator(tx, decidedBy);
  if (!decider || !mayRequest(approval.action, decider)) {
    throw new AppError('insufficient_scope', 'You may no longer decide this.');
  }
  // Planning it again may have taken longer than it had left.
  if (approval.expiresAt.getTime() <= decidedAt.getTime()) throw lapsed();
  if (await decideApproval(tx, approval.id, { status, decidedBy, reason, decidedAt })) return;
  throw notAllowed('Another operator has decided this.');
}

async function recordDecision(
  { tx, by, at }: ChangeTx,
  { approval, status, reason }: DecisionFacts,
): Promise<void> {
  const { id: objectId, action: requested, objectId: object, request } = approval;
  const action: AuditAction = status === 'approved' ? 'approval.approve' : 'approval.reject';
  const before = { status: 'pending', action: requested, object_id: object, request };
  await recordChange(tx, by, { action, objectId, reason, before, after: { status } }, at);
}

import type { Context } from '../../context.js';
import {
  type Approval,
  expireApproval,
  expirePendingApprovals,
  insertApproval,
} from '../../db/approvals/approvals.js';
import { lockOperator } from '../../db/operators/operators.js';
import { approvalLifetimeMs, mayRequest } from '../../domain/approval.js';
import { objectTypeOf } from '../../domain/audit.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import { AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { type Requester, requireConfirmation } from '../people/confirm.js';
import { recordExpired } from './end-approvals.js';
import type { PlanFacts } from './plan.js';

/**
 * Returns whether another operator has to approve a plan first. Throws `second_factor_required` for what takes two people from a
 * session that was not confirmed lately, whether or not two are required here.
 */
export async function needsApproval(ctx: Context, requester: Requester, plan: PlanFacts): Promise<boolean> {
  if (plan.approved) return false;
  if (plan.takesTwo) await requireConfirmation(ctx, requester);
  return ctx.config.approvals >= 2 && plan.takesTwo;
}

/**
 * Requests another operator's approval of a plan, in place of one that is void: see `findVoidApproval`. Throws `transition_not_allowed` when an approval of it is pending already, and
 * `insufficient_scope` when the operator was disabled or demoted meanwhile.
 */
export async function requestApproval(
  { tx, by, at }: ChangeTx,
  plan: PlanFacts,
  voided?: Approval,
): Promise<{ approvalId: Uuid; expiresAt: Date }> {
  const { action, objectType = objectTypeOf(action), objectId, request, before, objectHash } = plan;
  const { personId: requestedBy } = by;
  const requester = requestedBy === null ? undefined : await lockOperator(tx, requestedBy);
  // Disabled or demoted since the request was let in: no one would end the request.
  if (!requester || !mayRequest(action, requester)) {
    throw new AppError('insufficient_scope', 'You may no longer request this.');
  }
  await expirePendingApprovals(tx, at);
  const reason = 'It has changed since, and was requested again.';
  const ended = voided && (await expireApproval(tx, voided.id, reason)) ? voided : undefined;
  const approvalId = newUuid();
  const expiresAt = new Date(at.getTime() + approvalLifetimeMs);
  const written = await insertApproval(tx, {
    ...{ id: approvalId, action, objectType, objectId, request, before, objectHash },
    requestedBy: requester.id,
    createdAt: at,
    expiresAt,
  });
  if (!written) throw notAllowed('An approval of this is already requested.');
  if (ended) await recordExpired(tx, by, { approval: ended, reason }, at);
  const after = { action, object_id: objectId, request };
  await recordChange(tx, by, { action: 'approval.request', objectId: approvalId, after }, at);
  return { approvalId, expiresAt };
}

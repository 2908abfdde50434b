import type { Context } from '../../context.js';
import { expirePendingApprovals, insertApproval } from '../../db/approvals/approvals.js';
import { lockOperator } from '../../db/operators/operators.js';
import { newUuid } from '../../domain/ids.js';
import { mayAskFor } from '../../domain/operator.js';
import { AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import { type Settle, settleNothing } from '../complete-idempotency-key.js';
import { type Requester, requireConfirmation } from '../operators/confirm.js';
import { noDecision, type Outcome, type Plan } from './plan.js';

/** An approval that was not given by then is void. */
const approvalLifetimeMs = 24 * 60 * 60_000;

/**
 * Executes a plan, or requests another operator's approval if the configuration requires two people. Throws what the
 * plan throws, `second_factor_required` for what takes two people from a session that was not confirmed lately, whether or
 * not two are required here, `transition_not_allowed` when an approval of it is pending already, and `insufficient_scope`
 * when the operator was disabled or demoted meanwhile.
 */
export async function requestOperation(
  ctx: Context,
  { credential, confirmation, ...by }: Requester,
  plan: Plan,
  settle: Settle<Outcome> = settleNothing,
): Promise<Outcome> {
  if (plan.takesTwo) await requireConfirmation(ctx, { ...by, credential, confirmation });
  if (ctx.config.approvals < 2 || !plan.takesTwo) return plan.carryOut(by, noDecision, settle);
  const approvalId = newUuid();
  const at = new Date(ctx.clock.now());
  const expiresAt = new Date(at.getTime() + approvalLifetimeMs);
  const { action, objectType, objectId, request, before, objectHash } = plan;
  const outcome: Outcome = { kind: 'approval', approvalId, expiresAt };
  await ctx.db.transaction(async (tx) => {
    const requester = await lockOperator(tx, by.operatorId);
    // Disabled or demoted since the request was let in: no one would end the request.
    if (!requester || !mayAskFor(action, requester)) {
      throw new AppError('insufficient_scope', 'You may no longer request this.');
    }
    await expirePendingApprovals(tx, at);
    const asked = { id: approvalId, action, objectType, objectId, request, before, objectHash };
    const written = await insertApproval(tx, {
      ...asked,
      requestedBy: by.operatorId,
      createdAt: at,
      expiresAt,
    });
    if (!written) {
      throw notAllowed('An approval of this is already requested.');
    }
    const change = { action: 'approval.request' as const, objectType: 'approval', objectId: approvalId };
    await recordChange(
      tx,
      by,
      { ...change, before: null, after: { action, object_id: objectId, request } },
      at,
    );
    await settle(tx, outcome);
  });
  return outcome;
}

import type { Context } from '../context.js';
import { type Approval, decideApproval, findApproval } from '../db/approvals.js';
import type { Db, Tx } from '../db/client.js';
import { findOperator } from '../db/operators.js';
import type { ChangedBy } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { mayAskFor, mayOperator, type Operator, permissionOf } from '../domain/operator.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { carryOut, type Outcome } from './carry-out.js';
import { type Plan, planApproved } from './plan-operation.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/** The approver, and the request that he makes. */
export interface Approver {
  operator: Operator;
  requestId: string;
}

/**
 * Agrees to what another operator asked for, and carries it out at once: exactly that, and only while its object is as it
 * was when it was asked for. Throws `forbidden` when the approver asked for it; `transition_not_allowed` when it was
 * decided, is older than a day, whoever asked may not do it any more, or the object has changed; and what `carryOut`
 * throws, which leaves the approval open unless the transaction was sent.
 */
export async function approveOperation(
  ctx: Context,
  approver: Approver,
  approval: Approval,
  settle: Settle<Outcome> = settleNothing,
): Promise<Outcome> {
  requireOpen(ctx, approver.operator, approval);
  await requireStillAllowed(ctx.db, approval);
  const plan = await planAnew(ctx, approval);
  if (!Buffer.from(approval.objectHash).equals(plan.objectHash)) {
    throw new AppError(
      'transition_not_allowed',
      'This has changed since the approval was asked for: reject it and ask anew.',
    );
  }
  const operation = await plan.operation();
  const by = changedBy(approver);
  const recheck = async (tx: Tx) => {
    await operation.recheck(tx);
    await requireStillAllowed(tx, approval);
    await decide(ctx, tx, approver, { approval, status: 'approved', reason: null });
  };
  return carryOut(ctx, by, { ...operation, recheck }, settle);
}

/** The plan of what was asked for. That it cannot be done any more is a matter of its state, not of this request. */
async function planAnew(ctx: Context, approval: Approval): Promise<Plan> {
  try {
    return await planApproved(ctx, approval);
  } catch (error) {
    if (!(error instanceof AppError) || !['invalid_request', 'invalid_wallet'].includes(error.code))
      throw error;
    const message = `This cannot be done any more: ${error.message}`;
    throw new AppError('transition_not_allowed', message, { cause: error });
  }
}

/** Refuses what another operator asked for. Throws as `approveOperation` does. */
export async function rejectOperation(
  ctx: Context,
  approver: Approver,
  input: { approvalId: string; reason: string },
  settle: Settle<Approval> = settleNothing,
): Promise<Approval> {
  const approval = await getApproval(ctx, approver.operator, input.approvalId);
  requireOpen(ctx, approver.operator, approval);
  return ctx.db.transaction(async (tx) => {
    const rejected = await decide(ctx, tx, approver, {
      approval,
      status: 'rejected',
      reason: input.reason,
    });
    await settle(tx, rejected);
    return rejected;
  });
}

/** An approval that this operator's role may decide. Throws `not_found` or `insufficient_scope`. */
export async function getApproval(ctx: Context, operator: Operator, approvalId: string): Promise<Approval> {
  const id = asUuid(approvalId);
  const approval = id && (await findApproval(ctx.db, id));
  if (!approval) throw new AppError('not_found', 'There is no such approval.');
  if (!mayOperator(operator.role, permissionOf(approval.action))) {
    throw new AppError('insufficient_scope', `The role ${operator.role} may not decide this.`);
  }
  return approval;
}

function requireOpen(ctx: Context, operator: Operator, approval: Approval): void {
  if (approval.requestedBy === operator.operatorId) {
    throw new AppError('forbidden', 'You asked for this yourself: another operator has to decide it.');
  }
  if (approval.status !== 'pending') {
    throw new AppError('transition_not_allowed', `An approval that is ${approval.status} cannot be decided.`);
  }
  if (approval.expiresAt.getTime() <= ctx.clock.now()) {
    throw new AppError('transition_not_allowed', 'An approval that is expired cannot be decided.');
  }
}

/** Whoever asked still has to be there, and allowed to ask. */
async function requireStillAllowed(db: Db | Tx, { requestedBy, action }: Approval): Promise<void> {
  const requester = await findOperator(db, requestedBy);
  if (requester && mayAskFor(action, requester)) return;
  throw new AppError('transition_not_allowed', 'Whoever asked for this may not do it any more.');
}

async function decide(
  ctx: Context,
  tx: Tx,
  approver: Approver,
  decision: { approval: Approval; status: 'approved' | 'rejected'; reason: string | null },
): Promise<Approval> {
  const { approval, status, reason } = decision;
  const at = new Date(ctx.clock.now());
  const decidedBy = approver.operator.operatorId;
  if (!(await decideApproval(tx, approval.id, { status, decidedBy, reason, decidedAt: at }))) {
    throw new AppError('transition_not_allowed', 'Somebody else has decided this.');
  }
  const action = status === 'approved' ? 'approval.approve' : 'approval.reject';
  const change = { action, objectType: 'approval', objectId: approval.id, reason };
  const { action: asked, objectId, request } = approval;
  await recordChange(
    tx,
    changedBy(approver),
    {
      ...change,
      before: { status: 'pending', action: asked, object_id: objectId, request },
      after: { status },
    },
    at,
  );
  return { ...approval, status, decidedBy, decidedAt: at, reason };
}

function changedBy({ operator, requestId }: Approver): ChangedBy {
  return { operatorId: operator.operatorId, requestId };
}

import type { Context } from '../../context.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import {
  changeOperator,
  lockForChange,
  type OperatorChanges,
  type OperatorStatusStep,
  requireAdminLeft,
  requireOtherStatus,
  setOperatorStatus,
  statusAction,
  toAuditedOperator,
} from './change-operator.js';
import { describeReset, type FactorReset, resetFactors } from './reset-factors.js';

/** Plans a change of an operator's name or role; another role takes two people. Throws what `changeOperator` throws. */
export function planOperatorChange(ctx: Context, input: OperatorChanges): Promise<DatabasePlan<'operator'>> {
  const { role, name } = input;
  return planChange(ctx, {
    action: 'operator.change',
    describe: async (tx) => {
      const { admins, found } = await lockForChange(tx, input.operatorId);
      const takesTwo = role !== undefined && role !== found.role;
      if (takesTwo) requireAdminLeft(admins, found, { ...found, role });
      const request = { ...(name === undefined ? {} : { name }), ...(takesTwo ? { role } : {}) };
      return {
        objectId: found.id,
        request,
        before: toAuditedOperator(found),
        state: stateOf(found),
        takesTwo,
      };
    },
    apply: async (change) => ({ operator: await changeOperator(change, input) }),
  });
}

/** Plans to disable or enable an operator, which takes two people. Throws what `setOperatorStatus` throws. */
export function planOperatorStatus(
  ctx: Context,
  step: OperatorStatusStep,
): Promise<DatabasePlan<'operator'>> {
  const { operatorId, status, reason = null } = step;
  return planChange(ctx, {
    action: statusAction(status),
    describe: async (tx) => {
      const { admins, found } = await lockForChange(tx, operatorId);
      requireOtherStatus(found, status);
      requireAdminLeft(admins, found, { ...found, status });
      return {
        objectId: found.id,
        request: { status, reason },
        before: { ...toAuditedOperator(found), status: found.status },
        state: stateOf(found),
        takesTwo: true,
      };
    },
    apply: async (change) => ({ operator: await setOperatorStatus(change, step) }),
  });
}

/** Plans to remove every second factor of an operator, which takes two people. Throws what `resetFactors` throws. */
export function planFactorReset(ctx: Context, input: FactorReset): Promise<DatabasePlan<'operator'>> {
  const { operatorId, reason = null } = input;
  return planChange(ctx, {
    action: 'operator.reset_second_factor',
    describe: async (tx) => {
      const { found } = await lockForChange(tx, operatorId);
      const before = await describeReset(tx, found);
      const state = { ...stateOf(found), ...before };
      return { objectId: found.id, request: { reason }, before, state, takesTwo: true };
    },
    apply: async (change) => ({ operator: await resetFactors(change, input) }),
  });
}

function stateOf({ id, email, role, status }: OperatorRow) {
  return { operator_id: id, email, role, status };
}

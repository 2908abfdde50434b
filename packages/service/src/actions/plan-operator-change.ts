import type { Context } from '../context.js';
import type { OperatorRow } from '../db/operators.js';
import {
  changeOperator,
  disableOperator,
  enableOperator,
  lockForChange,
  type OperatorChanges,
  type OperatorStep,
  requireAdminLeft,
  requireOtherStatus,
  toAuditedOperator,
} from './change-operator.js';
import { planChange } from './plan-change.js';
import type { Plan } from './plan-operation.js';

const objectType = 'operator';

/** Plans a change of an operator's name or role; another role takes two people. Throws what `changeOperator` throws. */
export function planOperatorChange(ctx: Context, input: OperatorChanges): Promise<Plan> {
  const { role, name } = input;
  return planChange(ctx, {
    action: 'operator.change',
    objectType,
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
    apply: async (inner, by) => ({ operator: await changeOperator(inner, by, input) }),
  });
}

/** Plans to disable an operator, which takes two people. Throws what `disableOperator` throws. */
export function planOperatorDisabling(ctx: Context, step: OperatorStep): Promise<Plan> {
  return planStatus(ctx, step, 'disabled');
}

/** Plans to enable a disabled operator, which takes two people. Throws what `enableOperator` throws. */
export function planOperatorEnabling(ctx: Context, step: OperatorStep): Promise<Plan> {
  return planStatus(ctx, step, 'active');
}

function planStatus(ctx: Context, step: OperatorStep, to: OperatorRow['status']): Promise<Plan> {
  return planChange(ctx, {
    action: to === 'disabled' ? 'operator.disable' : 'operator.enable',
    objectType,
    describe: async (tx) => {
      const { admins, found } = await lockForChange(tx, step.operatorId);
      requireOtherStatus(found, to);
      requireAdminLeft(admins, found, { ...found, status: to });
      return {
        objectId: found.id,
        request: { status: to, reason: step.reason ?? null },
        before: { ...toAuditedOperator(found), status: found.status },
        state: stateOf(found),
        takesTwo: true,
      };
    },
    apply: async (inner, by) => ({
      operator: await (to === 'disabled' ? disableOperator : enableOperator)(inner, by, step),
    }),
  });
}

function stateOf({ id, email, role, status }: OperatorRow) {
  return { operator_id: id, email, role, status };
}

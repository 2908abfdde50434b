import { findOperator, type OperatorRow } from '../../db/operators/operators.js';
import { updateAssignee, type VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import { mayOperator } from '../../domain/operator.js';
import { isAssignable } from '../../domain/redemption.js';
import { invalidField, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getVisibleRedemption } from './get-redemption.js';

/** Who is to see to a redemption, and who does as the one who assigns it knows; null for none. Ids as they came. */
export interface Assignment {
  redemptionId: string;
  assigneeId: string | null;
  insteadOf: string | null;
}

/** A redemption with the name of the operator who sees to it; null for none. */
export type AssignedRedemption = Pick<VisibleRedemption, 'id' | 'assigneeId'> & {
  assigneeName: string | null;
};

/**
 * Has an operator see to a redemption from now on, in place of the one who does, or none. Nothing else of it changes: others
 * can still move it. Of two who take it at once one does, since the other does not know of the first. To have it already is
 * no change and leaves no trace. Throws `redemption_not_found`, `invalid_request` for an operator who cannot see to it, or
 * `transition_not_allowed` for a redemption that has ended or that is another operator's than `insteadOf`.
 */
export async function assignRedemption(
  { tx, by, at }: ChangeTx,
  { redemptionId, assigneeId, insteadOf }: Assignment,
): Promise<AssignedRedemption> {
  const newId = assigneeId === null ? null : readId(assigneeId, 'assignee_id');
  const known = insteadOf === null ? null : readId(insteadOf, 'instead_of');
  const redemption = await getVisibleRedemption(tx, redemptionId);
  if (!isAssignable(redemption)) {
    throw notAllowed(
      `A redemption that is ${redemption.status} and whose tokens are settled is assigned to no operator.`,
    );
  }
  const { id, assigneeId: from } = redemption;
  const assignee = newId === null ? undefined : await findOperator(tx, newId);
  if (newId !== null && !mayBeAssigned(assignee)) {
    throw invalidField('assignee_id', 'assignee_id must be an active operator who may fulfil redemptions.');
  }
  const to = assignee?.id ?? null;
  const assigned = { id, assigneeId: to, assigneeName: assignee?.name ?? null };
  if (to === from) return assigned;
  if (known !== from || !(await updateAssignee(tx, id, { from, to }))) throw await isOthers(tx, redemptionId);
  const change = { action: 'redemption.assign' as const, objectType: 'redemption', objectId: id };
  await recordChange(tx, by, { ...change, before: { assignee_id: from }, after: { assignee_id: to } }, at);
  return assigned;
}

function readId(text: string, field: string): Uuid {
  const id = asUuid(text);
  if (id === undefined) throw invalidField(field, `${field} must be the id of an operator.`);
  return id;
}

const mayBeAssigned = (operator: OperatorRow | undefined): boolean =>
  operator?.status === 'active' && mayOperator(operator.role, 'fulfil');

/** Returns the refusal of one who does not know who sees to the redemption by now. */
async function isOthers(tx: ChangeTx['tx'], redemptionId: string) {
  const { assigneeId } = await getVisibleRedemption(tx, redemptionId);
  if (assigneeId === null) {
    return notAllowed('No operator sees to this redemption any more: leave out instead_of to assign it.');
  }
  const assignee = await findOperator(tx, assigneeId);
  return notAllowed(
    `${assignee?.name} sees to this redemption. To assign it to another operator, send instead_of "${assigneeId}".`,
  );
}

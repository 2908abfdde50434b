import { type Approval, expireApproval, lockPendingApprovalsOf } from '../../db/approvals/approvals.js';
import type { Tx } from '../../db/client.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import { mayRequest } from '../../domain/approval.js';
import type { ChangedBy } from '../../domain/audit.js';
import { recordChange } from '../audit.js';

const reason = 'The operator who requested this may no longer do it.';

/**
 * Ends the pending requests that an operator in this state may no longer make. Such a request
 * could not be approved any more, and would keep others from making the same one until it expires. Writes the audit
 * log, so it comes before what the caller records.
 */
export async function endApprovals(tx: Tx, by: ChangedBy, operator: OperatorRow, at: Date): Promise<void> {
  const pending = await lockPendingApprovalsOf(tx, operator.id, at);
  const ended = pending.filter(({ action }) => !mayRequest(action, operator));
  await expireApprovals(tx, by, { ended, reason }, at);
}

/** Ends pending requests that are locked, and writes the audit log. */
export async function expireApprovals(
  tx: Tx,
  by: ChangedBy,
  { ended, reason }: { ended: Approval[]; reason: string },
  at: Date,
): Promise<void> {
  // All rows before the first audit row: the approver of one holds it while waiting for the end of the chain.
  for (const { id } of ended) await expireApproval(tx, id, reason);
  for (const approval of ended) await recordExpired(tx, by, { approval, reason }, at);
}

/** Writes the end of a request to the audit log. */
export async function recordExpired(
  tx: Tx,
  by: ChangedBy,
  { approval, reason }: { approval: Approval; reason: string },
  at: Date,
): Promise<void> {
  const { id, action, objectId, request } = approval;
  const change = { action: 'approval.expire' as const, objectId: id, reason };
  const before = { status: 'pending', action, object_id: objectId, request };
  await recordChange(tx, by, { ...change, before, after: { status: 'expired' } }, at);
}

import type { Tx } from '../../db/client.js';
import type { Principal } from '../../domain/principal.js';
import { recordChange } from '../audit.js';

/**
 * Writes what a member changed over the partner API into the audit log, in the transaction of the change; nothing for a key,
 * whose changes are in the log of events.
 */
export async function recordMemberChange(
  tx: Tx,
  principal: Principal,
  { facts, requestId, at }: { facts: Record<string, unknown>; requestId: string; at: Date },
): Promise<void> {
  if (!('memberId' in principal)) return;
  const { memberId, partnerId } = principal;
  const after = { partner_id: partnerId, ...facts };
  const change = { action: 'member.request' as const, objectId: memberId, after };
  await recordChange(tx, { personId: memberId, requestId }, change, at);
}

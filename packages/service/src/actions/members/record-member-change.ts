import type { Tx } from '../../db/client.js';
import type { Principal } from '../../domain/principal.js';
import { recordChange } from '../audit.js';

/** Who requests a change over the partner API, and by which request. */
export interface PartnerRequest {
  principal: Principal;
  /** Null for the seed of a sandbox. */
  requestId: string | null;
}

/**
 * Writes what a member changed over the partner API into the audit log, in the transaction of the change and before its events,
 * as all changes do: two that took both in another order would wait for each other. Nothing for a key, whose changes are in the
 * log of events.
 * @param facts the operation, and the ids of what it changed.
 */
export async function recordMemberChange(
  tx: Tx,
  { principal, requestId }: PartnerRequest,
  facts: { operation: string } & Record<string, unknown>,
  at: Date,
): Promise<void> {
  if (!('memberId' in principal)) return;
  const { memberId, partnerId } = principal;
  const after = { partner_id: partnerId, ...facts };
  const change = { action: 'member.request' as const, objectId: memberId, after };
  await recordChange(tx, { personId: memberId, requestId }, change, at);
}

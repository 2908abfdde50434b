import type { Address } from '@solana/kit';
import type { Context } from '../../context.js';
import { insertDeadLetter } from '../../db/indexing/dead-letters.js';
import { findBegunPartners } from '../../db/indexing/program-events.js';
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';

/** An integrator on chain whose event 1 is not recorded. */
export interface MissingBeginning {
  address: Address;
  partnerId: Uuid;
}

/** Returns the integrators on chain whose event 1 is not recorded. Rejects when the database fails. */
export async function findMissingBeginnings(ctx: Context): Promise<MissingBeginning[]> {
  const onChain = ctx.chain.program
    .integrators()
    .map(({ address, data }) => ({ address, partnerId: uuidFromBytes(data.partnerId) }));
  const begun = await findBegunPartners(
    ctx.db,
    onChain.map(({ partnerId }) => partnerId),
  );
  return onChain.filter(({ partnerId }) => !begun.has(partnerId));
}

/**
 * Writes a dead letter `sequence_gap` about each of these integrators, whose event 1 is missing although the history is
 * recorded up to `slot`: it may be their only event, so that no later event shows the gap. The dead letter
 * resolves itself when the event is recorded.
 */
export async function reportMissingBeginnings(
  ctx: Context,
  slot: bigint,
  missing: MissingBeginning[],
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    for (const { address: signature, partnerId } of missing) {
      const detail = { partner_id: partnerId, missing: '1' };
      await insertDeadLetter(tx, { signature, slot, reason: 'sequence_gap', detail }, at);
    }
  });
}

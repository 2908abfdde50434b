export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** How many slots later a block counts as confirmed and as finalized. */
const CONFIRMED_AFTER_SLOTS = 1;
export const FINALIZED_AFTER_SLOTS = 31;

/** Returns the newest slot that has reached a commitment while the chain is at `slot`. */
export function slotAt(slot: number, commitment: Commitment): number {
  if (commitment === 'processed') return slot;
  return Math.max(0, slot - (commitment === 'confirmed' ? CONFIRMED_AFTER_SLOTS : FINALIZED_AFTER_SLOTS));
}

/** Returns the highest commitment that a block of `blockSlot` has while the chain is at `slot`. */
export function commitmentOf(blockSlot: number, slot: number): Commitment {
  if (blockSlot <= slotAt(slot, 'finalized')) return 'finalized';
  return blockSlot <= slotAt(slot, 'confirmed') ? 'confirmed' : 'processed';
}

import type { Tx } from '../../db/client.js';
import { type Move, moveRedemption, type Redemption } from '../../db/redemptions/redemptions.js';
import { nextStatus, type RedemptionEvent } from '../../domain/redemption.js';

/**
 * Loads a redemption, decides, and moves it, inside the caller's transaction. The loser of a race is judged again by the
 * state that the winner left; that ends, because no state is ever entered twice. Throws the refusal of the event.
 */
export async function moveByEvent(
  tx: Tx,
  load: () => Promise<Redemption>,
  step: { event: RedemptionEvent } & Move,
  facts: Parameters<typeof moveRedemption>[3] = {},
): Promise<Redemption> {
  const { event, ...move } = step;
  for (;;) {
    const redemption = await load();
    const { id, status: from } = redemption;
    const to = nextStatus(from, event);
    if (await moveRedemption(tx, id, { from, to, ...move }, facts)) {
      return { ...redemption, ...facts, status: to, updatedAt: move.at };
    }
  }
}

import type { Tx } from '../../db/client.js';
import {
  type Move,
  moveRedemption,
  type Redemption,
  type VisibleRedemption,
} from '../../db/redemptions/redemptions.js';
import { isVisible, nextStatus, type RedemptionEvent } from '../../domain/redemption.js';

/**
 * Loads a redemption, decides, and moves it, inside the caller's transaction. The loser of a race is judged again by the
 * state that the winner left; that ends, because no state is ever entered twice. Throws the refusal of the event.
 */
export async function moveByEvent(
  tx: Tx,
  load: () => Promise<Redemption>,
  step: { event: RedemptionEvent } & Move,
  facts: Parameters<typeof moveRedemption>[3] = {},
): Promise<VisibleRedemption> {
  const { event, ...move } = step;
  for (;;) {
    const redemption = await load();
    const { id, status: from } = redemption;
    const to = nextStatus(from, event);
    if (!(await moveRedemption(tx, id, { from, to, ...move }, facts))) continue;
    if (!isVisible(to)) throw new Error(`people move a redemption to ${to}`);
    return { ...redemption, ...facts, status: to, updatedAt: move.at };
  }
}

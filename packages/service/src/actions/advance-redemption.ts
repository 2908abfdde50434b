import type { Context } from '../context.js';
import type { RedemptionActor } from '../db/redemption-history.js';
import type { Redemption } from '../db/redemptions.js';
import type { OperatorMove } from '../domain/redemption.js';
import { AppError } from '../errors.js';
import { getVisibleRedemption } from './get-redemption.js';
import { moveByEvent } from './move-redemption.js';

/** What an operator does with a redemption. */
export type OperatorStep = {
  redemptionId: string;
  actor: RedemptionActor;
  /** At most 1,000 characters. */
  note?: string | undefined;
} & (
  | { move: Exclude<OperatorMove, 'cancel'> }
  /** Whether gold was set aside already: then there is no cancelling. */
  | { move: 'cancel'; physicalGoldCommitted: boolean }
);

/**
 * Moves a redemption on as operators may: prepare, ready, collect, or cancel what was asked to be cancelled. Of several
 * who press at once one wins. Throws `redemption_not_found`, or `transition_not_allowed` naming the status.
 */
export async function advanceRedemption(
  ctx: Pick<Context, 'db' | 'clock'>,
  step: OperatorStep,
): Promise<Redemption> {
  if (step.move === 'cancel' && step.physicalGoldCommitted) {
    throw new AppError(
      'transition_not_allowed',
      'A redemption for which physical gold is committed cannot be cancelled.',
    );
  }
  const { redemptionId, move: event, actor, note = null } = step;
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction((tx) =>
    moveByEvent(tx, () => getVisibleRedemption(tx, redemptionId), { event, at, actor, note }),
  );
}

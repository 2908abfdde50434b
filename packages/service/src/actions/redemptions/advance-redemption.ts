import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import type { Redemption, RedemptionActor } from '../../db/redemptions/redemptions.js';
import type { ChangedBy } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import { awaitsFinality, type OperatorMove } from '../../domain/redemption.js';
import { type AppError, invalidField, notAllowed } from '../../errors.js';
import { redemptionEvent } from '../../partner-events.js';
import { recordChange } from '../audit.js';
import { type ChangeTx, inChange } from '../change.js';
import { type Settle, settleNothing } from '../settle-idempotency-key.js';
import { getVisibleRedemption } from './get-redemption.js';
import { moveByEvent } from './move-redemption.js';
import { requireOpenRedemption } from './open-redemption.js';

/** What an operator does with a redemption. */
export type OperatorStep = {
  redemptionId: string;
  /** At most 1,000 characters. Stands in the history and in the audit log. */
  note?: string | undefined;
} & (
  | { move: Exclude<OperatorMove, 'cancel'> }
  /** Whether gold was set aside already: then there is no cancelling. */
  | { move: 'cancel'; physicalGoldCommitted: boolean }
);

/**
 * Advances a redemption as operators may: prepare, ready, collect, or cancel on the partner's request. Of several
 * who press at once one wins. Throws `redemption_not_found`, `invalid_request` for a note that cannot be kept, or
 * `transition_not_allowed` naming the status, that gold is committed, that the payment is not final yet, or that the chain
 * does not hold its tokens; `service_unavailable` when that cannot be read.
 */
export async function advanceRedemption(
  ctx: Pick<Context, 'db' | 'clock' | 'chain' | 'log'>,
  by: ChangedBy,
  step: OperatorStep,
  settle: Settle<Redemption> = settleNothing,
): Promise<Redemption> {
  const { redemptionId, move: event, note = null } = step;
  if (note !== null && !isStorable(note)) {
    throw invalidField('note', 'note contains characters that are not allowed.');
  }
  if (step.move === 'cancel' && step.physicalGoldCommitted) {
    throw notAllowed('A redemption for which physical gold is committed cannot be cancelled.');
  }
  if (event === 'prepare') await requireGold(ctx, redemptionId);
  const advance = async ({ tx, at }: ChangeTx) => {
    let before: Redemption | undefined;
    const load = async () => {
      before = await getVisibleRedemption(tx, redemptionId);
      if (awaitsFinality(before, event)) throw notFinal();
      return before;
    };
    const moved = await moveByEvent(tx, load, { event, at, actor: actorOf(by), note });
    const change = {
      action: `redemption.${event}`,
      objectType: 'redemption',
      objectId: moved.id,
      before: { status: before?.status },
      after: { status: moved.status },
      reason: note,
    };
    await recordChange(tx, by, change, at);
    await appendEvents(tx, [redemptionEvent(moved, by.requestId)], at);
    return moved;
  };
  return inChange(ctx, by, advance, settle);
}

/**
 * Throws unless escrow holds the tokens for which gold is to be prepared. A redemption that cannot be prepared anyway
 * is refused later.
 */
async function requireGold(ctx: Pick<Context, 'db' | 'chain' | 'log'>, redemptionId: string): Promise<void> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  if (redemption.status === 'submitted' && redemption.finalized) await requireOpenRedemption(ctx, redemption);
}

function actorOf({ operatorId }: ChangedBy): RedemptionActor {
  return `operator:${operatorId ?? 'command-line'}`;
}

/**
 * Returns the refusal of a payment that is not final. Once final, it stays so, and is not checked again with the move.
 */
function notFinal(): AppError {
  return notAllowed(
    'This redemption is submitted, but the chain could still undo its payment. It is final within half a minute; try again then.',
  );
}

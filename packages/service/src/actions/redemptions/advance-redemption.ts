import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { deletePickupCode } from '../../db/redemptions/pickup-codes.js';
import type { Redemption, RedemptionActor, VisibleRedemption } from '../../db/redemptions/redemptions.js';
import type { ChangedBy } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import type { OperatorMove } from '../../domain/redemption.js';
import { invalidField, notAllowed } from '../../errors.js';
import { redemptionEvent } from '../../partner-events.js';
import { recordChanges } from '../audit.js';
import { moveBarOf, type NamedBar, reserveBar } from '../bars/bar-of-redemption.js';
import { type ChangeTx, inChange } from '../change.js';
import { type Settle, settleNothing } from '../settle-idempotency-key.js';
import { getVisibleRedemption } from './get-redemption.js';
import { requireGold } from './held-redemption.js';
import { moveByEvent } from './move-redemption.js';
import { issuePickupCode, tryPickupCode, wrongCode } from './pickup-code.js';
import { requireTokensFor } from './settled.js';

/** What an operator does with a redemption. */
export type OperatorStep = {
  redemptionId: string;
  /** At most 1,000 characters. Stands in the history and in the audit log. */
  note?: string | undefined;
} & (
  | { move: 'prepare' | 'ready'; bar?: NamedBar | undefined }
  /** The code that the customer shows. */
  | { move: 'collect'; code: string; bar?: NamedBar | undefined }
  /** Whether gold was set aside already: then there is no cancelling. */
  | { move: 'cancel'; physicalGoldCommitted: boolean }
);

/**
 * Advances a redemption as operators may: prepare, ready, collect, or cancel on the partner's request. Of several
 * who press at once one wins. Throws `redemption_not_found`, `invalid_request` for a note that cannot be kept,
 * `bar_not_available`, `pickup_code_wrong`, which is counted, `pickup_code_locked`, or `transition_not_allowed` naming the
 * status, that gold is committed, that the payment is not final yet, that the chain does not hold its tokens, or that they are
 * refunded or burned by the records; `service_unavailable` when the nodes contradict each other or do not respond.
 */
export async function advanceRedemption(
  ctx: AdvanceContext,
  by: ChangedBy,
  step: OperatorStep,
  settle: Settle<Redemption> = settleNothing,
): Promise<Redemption> {
  const { redemptionId, move: event, note = null } = step;
  requireStorable(note);
  if (step.move === 'cancel' && step.physicalGoldCommitted) {
    throw notAllowed('A redemption for which physical gold is committed cannot be cancelled.');
  }
  const byCode = step.move === 'collect';
  if (event !== 'cancel') await requireGold(ctx, { redemptionId, event, byCode });
  type Outcome = { moved: VisibleRedemption } | { attemptsLeft: number };
  const advance = async (change: ChangeTx): Promise<Outcome> => {
    if (step.move === 'collect') {
      const tried = await tryPickupCode(ctx, change, { redemptionId, code: step.code });
      if (!tried.right) return tried;
    }
    const bar = step.move === 'cancel' ? undefined : step.bar;
    return { moved: await moveOn(ctx, change, { redemptionId, event, byCode, note, bar, reason: note }) };
  };
  const outcome = await inChange(ctx, by, advance, async (tx, made) => {
    if ('moved' in made) await settle(tx, made.moved);
  });
  // Thrown only now that the wrong try is counted for good.
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft);
  return outcome.moved;
}

type AdvanceContext = Pick<Context, 'db' | 'clock' | 'chain' | 'config'>;

/** A move that is decided on, but for the state of the redemption. */
export interface Moving {
  redemptionId: string;
  event: OperatorMove;
  /** Whether the customer showed the pickup code. */
  byCode: boolean;
  note: string | null;
  /** For the audit log. */
  reason: string | null;
  bar: NamedBar | undefined;
  /** Who hands the bar over, where another operator approves it: the history names this person, not the approver. */
  requestedBy?: Uuid | undefined;
}

/**
 * Moves a redemption with its bar and its pickup code, and writes that to the history, to the audit log and to the log of its
 * partner. Throws as `advanceRedemption` does.
 */
export async function moveOn(
  ctx: Pick<Context, 'config'>,
  change: ChangeTx,
  { redemptionId, event, byCode, note, reason, bar, requestedBy }: Moving,
): Promise<VisibleRedemption> {
  const { tx, by, at } = change;
  let before: Redemption | undefined;
  const load = async () => {
    before = await getVisibleRedemption(tx, redemptionId);
    return before;
  };
  const actor = actorOf(requestedBy ?? by.operatorId);
  const moved = await moveByEvent(tx, load, { event, at, actor, note });
  await requireTokensFor(tx, moved.id, byCode ? 'collect_by_code' : event);
  if (event === 'ready') await issuePickupCode(ctx, tx, moved.id, at);
  if (event === 'collect') await deletePickupCode(tx, moved.id);
  const ofBar = bar ? await reserveBar(change, moved, bar) : [];
  if (event === 'collect') ofBar.push(...(await moveBarOf(change, moved, 'handed_over')));
  if (event === 'cancel') ofBar.push(...(await moveBarOf(change, moved, 'in_stock')));
  const ofRedemption = {
    action: `redemption.${event}` as const,
    objectType: 'redemption',
    objectId: moved.id,
    before: { status: before?.status },
    after: { status: moved.status },
    reason,
  };
  await recordChanges(tx, by, [...ofBar, ofRedemption], at);
  await appendEvents(tx, [redemptionEvent(moved, by.requestId)], at);
  return moved;
}

/** Throws `invalid_request`, naming the field, for a text that cannot be kept. */
export function requireStorable(note: string | null): void {
  if (note === null || isStorable(note)) return;
  throw invalidField('note', 'note contains characters that are not allowed.');
}

function actorOf(operatorId: ChangedBy['operatorId']): RedemptionActor {
  return `operator:${operatorId ?? 'command-line'}`;
}

import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { deletePickupCode } from '../../db/redemptions/pickup-codes.js';
import type { Redemption, RedemptionActor, VisibleRedemption } from '../../db/redemptions/redemptions.js';
import type { ChangedBy } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import { nextStatus, type OperatorMove } from '../../domain/redemption.js';
import { invalidField, notAllowed } from '../../errors.js';
import { redemptionEvent } from '../../events/partner-events.js';
import { type Change, recordChanges } from '../audit.js';
import { moveBarOf, type NamedBar, requireBar, reserveBar, takeBar } from '../bars/bar-of-redemption.js';
import type { ChangeTx } from '../change.js';
import { getVisibleRedemption } from './get-redemption.js';
import { requireGold } from './held-redemption.js';
import { moveByEvent } from './move-redemption.js';
import { issuePickupCode, tryPickupCode } from './pickup-code.js';
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
 * Throws unless a redemption can be advanced, as far as the nodes and the step itself say: `redemption_not_found`,
 * `invalid_request` for a note that cannot be kept, or `transition_not_allowed` naming the status, that gold is committed,
 * that the payment is not final yet, that the chain does not hold its tokens, or that they are refunded or burned by the
 * records; `service_unavailable` when the nodes contradict each other or do not respond.
 */
export async function requireAdvanceable(
  ctx: Pick<Context, 'db' | 'chain' | 'clock'>,
  step: OperatorStep,
): Promise<void> {
  const { redemptionId, move: event, note = null } = step;
  requireStorable(note);
  if (step.move === 'cancel' && step.physicalGoldCommitted) {
    throw notAllowed('A redemption for which physical gold is committed cannot be cancelled.');
  }
  if (event !== 'cancel') await requireGold(ctx, { redemptionId, event, byCode: event === 'collect' });
}

/** A redemption that was moved, or a wrong pickup code, which is counted: the transaction has to be committed. */
export type Advanced = { moved: VisibleRedemption } | { attemptsLeft: number };

/**
 * Advances a redemption as operators may: prepare, ready, collect, or cancel on the partner's request. Of several
 * who press at once one wins. Comes after `requireAdvanceable`. Throws `redemption_not_found`, `bar_required`,
 * `bar_not_available`, `pickup_code_locked` or `transition_not_allowed`.
 */
export async function advanceRedemption(
  ctx: Pick<Context, 'config'>,
  change: ChangeTx,
  step: OperatorStep,
): Promise<Advanced> {
  const { redemptionId, move: event, note = null } = step;
  if (step.move === 'collect') {
    const found = await getVisibleRedemption(change.tx, redemptionId);
    nextStatus(found.status, event);
    // A code is only tried where there is something to hand over.
    await requireBar(change.tx, found, step.bar);
    const tried = await tryPickupCode(ctx, change, { redemptionId, code: step.code });
    if (!tried.right) return tried;
  }
  const byCode = step.move === 'collect';
  const bar = step.move === 'cancel' ? undefined : step.bar;
  return { moved: await moveOn(ctx, change, { redemptionId, event, byCode, note, bar, reason: note }) };
}

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
  const actor = actorOf(requestedBy ?? by.personId);
  const moved = await moveByEvent(tx, load, { event, at, actor, note });
  await requireTokensFor(tx, moved.id, byCode ? 'collect_by_code' : event);
  if (event === 'ready') await issuePickupCode(ctx, tx, moved.id, at);
  if (event === 'collect') await deletePickupCode(tx, moved.id);
  const ofBar = await barFor(change, moved, { event, bar });
  if (event === 'collect') ofBar.push(...(await moveBarOf(change, moved, 'handed_over')));
  if (event === 'cancel') ofBar.push(...(await moveBarOf(change, moved, 'in_stock')));
  const ofRedemption = {
    action: `redemption.${event}` as const,
    objectId: moved.id,
    before: { status: before?.status },
    after: { status: moved.status },
    reason,
  };
  await recordChanges(tx, by, [...ofBar, ofRedemption], at);
  await appendEvents(tx, [redemptionEvent(moved, by.requestId)], at);
  return moved;
}

/** Reserves the bar that a move takes: `prepare` may do without one. */
async function barFor(
  change: ChangeTx,
  redemption: VisibleRedemption,
  { event, bar }: Pick<Moving, 'event' | 'bar'>,
): Promise<Change[]> {
  if (event === 'ready' || event === 'collect') return takeBar(change, redemption, bar);
  return bar ? reserveBar(change, redemption, bar) : [];
}

/** Throws `invalid_request`, naming the field, for a text that cannot be kept. */
export function requireStorable(note: string | null): void {
  if (note === null || isStorable(note)) return;
  throw invalidField('note', 'note contains characters that are not allowed.');
}

function actorOf(operatorId: ChangedBy['personId']): RedemptionActor {
  return `operator:${operatorId ?? 'command-line'}`;
}

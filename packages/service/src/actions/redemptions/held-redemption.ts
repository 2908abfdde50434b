import type { Redemption } from '@karat/program-client';
import type { Chain } from '../../chain/chain.js';
import { responseOf } from '../../chain/node/landing.js';
import { isStillOpen, type OpenRedemption, readOpenRedemption } from '../../chain/program/open-redemption.js';
import type { Clock } from '../../clock.js';
import type { Context } from '../../context.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { redemptionFromBytes, uuidFromBytes } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { handOverMarginMs, nextStatus, type OperatorMove } from '../../domain/redemption.js';
import { type AppError, notAllowed } from '../../errors.js';
import { getVisibleRedemption } from './get-redemption.js';
import { requireTokensFor } from './settled.js';

/** A response is due within 5 s. */
const withinMs = 4_000;

/** What hands out gold, or leads to that. */
type GoldMove = Exclude<OperatorMove, 'cancel'>;

/**
 * Returns the account by which the program holds the tokens of a redemption in escrow, as all nodes have it at `finalized`.
 * Throws `transition_not_allowed` when there is none, or one that differs from the record, and `service_unavailable` when
 * the nodes contradict each other or too few of them respond.
 */
export async function readHeldRedemption(
  ctx: Pick<Context, 'chain'>,
  redemption: VisibleRedemption,
): Promise<OpenRedemption> {
  const held = await findHeldRedemption(ctx, redemption);
  if (held) return held;
  throw redemption.finalized ? noLongerHeld() : notFinal(redemption);
}

/**
 * Throws unless escrow holds the tokens for which gold is prepared, made ready or handed over; burned by the records, their
 * account is rightly gone, for the moves that are still possible then. No node is called in a database transaction, so
 * this comes before it. A redemption that cannot be moved now is refused here: by the time it is moved it might be one
 * that can, whose tokens were never looked at. Throws as `readHeldRedemption` does.
 */
export async function requireGold(
  ctx: Pick<Context, 'db' | 'chain' | 'clock'>,
  { redemptionId, event, byCode }: { redemptionId: string; event: GoldMove; byCode: boolean },
): Promise<void> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  nextStatus(redemption.status, event);
  const settlement = await requireTokensFor(ctx.db, redemption.id, byCode ? 'collect_by_code' : event);
  if (settlement) await findHeldRedemption(ctx, redemption);
  else requireOurs(ctx.clock, await readHeldRedemption(ctx, redemption), event === 'collect' && !byCode);
}

/**
 * Throws `transition_not_allowed` where gold would leave for tokens that may not be burned for it: its user could take them back
 * before a burn is announced, or one was announced, so that the gold has left before, as the chain knows and a restored database may
 * not. Two people may record such a hand-over all the same.
 */
function requireOurs(clock: Clock, { data }: OpenRedemption, byTwo: boolean): void {
  const reclaimableAtMs = toInteger(data.reclaimableAt) * 1_000;
  if (clock.now() >= reclaimableAtMs - handOverMarginMs) {
    const from = new Date(reclaimableAtMs).toISOString();
    throw notAllowed(
      `The user can take the tokens of this redemption back on chain from ${from} on: no gold is handed out less than two days before. They get the tokens back instead.`,
    );
  }
  if (data.burnReadyAt !== 0n && !byTwo) throw burnAnnounced();
}

/** Returns the refusal of what cannot be, because a burn is announced on chain. */
export function burnAnnounced(options?: ErrorOptions): AppError {
  return notAllowed(
    'A burn of this redemption is announced on chain, which says that its gold was handed out. If it was not, have the guardian cancel the announcement first; that counts once it is final, within half a minute.',
    options,
  );
}

/** Returns the refusal of tokens that have left escrow. */
function noLongerHeld(): AppError {
  return notAllowed('The tokens of this redemption are no longer in escrow: they were refunded or burned.');
}

/** Returns that refusal where the chain refused because the tokens had left escrow meanwhile; undefined where it had another reason. */
export async function goneMeanwhile(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  { id }: VisibleRedemption,
  error: AppError,
): Promise<AppError | undefined> {
  const isRefused = error.code === 'broadcast_failed';
  return isRefused && !(await isStillOpen(chain, id)) ? noLongerHeld() : undefined;
}

/** Returns undefined where the chain has no account of it at `finalized`; else as `readHeldRedemption`. */
async function findHeldRedemption(
  { chain }: Pick<Context, 'chain'>,
  redemption: VisibleRedemption,
): Promise<OpenRedemption | undefined> {
  const open = await responseOf(readOpenRedemption(chain, redemption.id, AbortSignal.timeout(withinMs)));
  if (!open || isSame(redemption, open.data)) return open;
  throw notAllowed(
    'The tokens of this redemption are not in escrow as recorded. No gold is handed out and no tokens leave escrow until that is resolved.',
  );
}

function isSame(redemption: VisibleRedemption, open: Redemption): boolean {
  return (
    redemptionFromBytes(open.id) === redemption.id &&
    uuidFromBytes(open.partnerId) === redemption.partnerId &&
    open.user === redemption.userWallet &&
    open.amount === redemption.tokensRequired
  );
}

function notFinal({ status }: VisibleRedemption): AppError {
  return notAllowed(
    `This redemption is ${status}, but the chain could still undo its payment. It is final within half a minute; try again then.`,
  );
}

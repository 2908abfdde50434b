import { settleDueBurns } from '../actions/redemptions/settle-burns.js';
import type { Context } from '../context.js';
import { saveKeeperReports } from '../db/market/keeper-reports.js';
import { findDueBurns, findUncollectedBurns } from '../db/redemptions/burns.js';
import { findLongestWaiting } from '../db/redemptions/redemptions.js';
import type { KeeperReport } from '../domain/keeper-report.js';

/** A burn that is due is done within a minute; one that waits for longer is refused, or no process has the key for it. */
const lateAfterSeconds = 900;
/** After 14 days an announcement is void. */
const criticalAfterSeconds = 2 * 86_400;
/** As many burns as are counted that should not be there. */
const maxUncollected = 100;

/** Burns what is due, and reports the redemptions that wait. Rejects when the node or the database fails. */
export async function keepBurns(ctx: Context, signal: AbortSignal): Promise<void> {
  try {
    await settleDueBurns(ctx, signal);
  } finally {
    // What has to be seen is in the database alone: a node that is away hides none of it.
    const reports = [await watchBurns(ctx), await watchUncollected(ctx), await watchRedemptions(ctx)];
    await ctx.db.transaction((tx) => saveKeeperReports(tx, reports));
  }
}

/** Reports for how long an announced burn has been due. */
async function watchBurns({ db, clock }: Context): Promise<KeeperReport> {
  const name = 'burn_overdue_seconds';
  const now = clock.now();
  const [oldest] = await findDueBurns(db, { now: new Date(now), limit: 1 });
  if (!oldest) return { name, status: 'ok', value: '0', detail: 'No announced burn is due.' };
  const seconds = Math.floor((now - oldest.dueAt.getTime()) / 1_000);
  const status = seconds > criticalAfterSeconds ? 'critical' : seconds > lateAfterSeconds ? 'warning' : 'ok';
  const detail = `The burn of ${oldest.redemptionId} has been due since ${oldest.dueAt.toISOString()}.`;
  return { name, status, value: seconds.toString(), detail };
}

/**
 * Reports the announced burns of redemptions whose gold was not handed over by the records: nobody here announces such a one, so the
 * operations key is stolen, or the database is older than the hand-over.
 */
async function watchUncollected({ db, clock }: Context): Promise<KeeperReport> {
  const name = 'burns_uncollected';
  const found = await findUncollectedBurns(db, { now: new Date(clock.now()), limit: maxUncollected });
  const [first] = found;
  if (!first)
    return {
      name,
      status: 'ok',
      value: '0',
      detail: 'Every announced burn is of gold that was handed over.',
    };
  const detail = `The burn of ${first.redemptionId} is announced, due at ${first.dueAt.toISOString()}, and its gold was not handed over.`;
  return { name, status: 'critical', value: found.length.toString(), detail };
}

/** Reports for how long the redemption has waited whose user can reclaim the tokens soonest, as a part of its own time. */
async function watchRedemptions({ db, clock }: Context): Promise<KeeperReport> {
  const name = 'redemption_age_seconds';
  const now = clock.now();
  const longest = await findLongestWaiting(db, new Date(now));
  if (!longest) return { name, status: 'ok', value: '0', detail: 'No redemption waits.' };
  const { id, createdAt, reclaimableAt } = longest;
  const waitedMs = now - createdAt.getTime();
  const wholeMs = reclaimableAt.getTime() - createdAt.getTime();
  const status = waitedMs >= wholeMs ? 'critical' : waitedMs * 2 >= wholeMs ? 'warning' : 'ok';
  const seconds = Math.floor(waitedMs / 1_000);
  const detail = `The redemption ${id} has waited for ${seconds} s; its user can reclaim the tokens from ${reclaimableAt.toISOString()} on.`;
  return { name, status, value: seconds.toString(), detail };
}

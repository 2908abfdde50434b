import { readProgramConfig } from '../actions/program/read-program-config.js';
import { settleDueBurns } from '../actions/redemptions/settle-burns.js';
import type { Context } from '../context.js';
import { saveKeeperReports } from '../db/market/keeper-reports.js';
import { findDueBurns } from '../db/redemptions/burns.js';
import { findOldestReclaimable } from '../db/redemptions/redemptions.js';
import type { KeeperReport } from '../domain/keeper-report.js';
import { type Loop, startLoop } from '../runtime/loop.js';
import { untilAny } from '../runtime/time.js';

/** A burn that is due is done within a minute; one that waits for longer is refused, or no process has the key for it. */
const lateAfterSeconds = 900;
/** After 14 days an announcement is void. */
const criticalAfterSeconds = 2 * 86_400;

/** Burns what is due again and again, and watches the redemptions that wait, until `signal` aborts. */
export function followBurns(ctx: Context, signal: AbortSignal, intervalMs: number): Loop {
  return startLoop({
    name: 'burns',
    intervalMs,
    log: ctx.log,
    traced: true,
    round: async (end) => {
      await untilAny([end, signal], (either) => settleDueBurns(ctx, either));
      const reports = [await watchBurns(ctx), await watchRedemptions(ctx)];
      await ctx.db.transaction((tx) => saveKeeperReports(tx, reports));
    },
  });
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

/** Reports how old the oldest redemption is whose gold is not handed over: its user can reclaim the tokens after the timeout. */
async function watchRedemptions(ctx: Context): Promise<KeeperReport> {
  const name = 'redemption_age_seconds';
  const { redemptionTimeout } = (await readProgramConfig(ctx)).settings;
  const oldest = await findOldestReclaimable(ctx.db);
  if (!oldest) return { name, status: 'ok', value: '0', detail: 'No redemption waits.' };
  const seconds = Math.floor((ctx.clock.now() - oldest.createdAt.getTime()) / 1_000);
  const status =
    seconds >= redemptionTimeout ? 'critical' : seconds * 2 >= redemptionTimeout ? 'warning' : 'ok';
  const detail = `The oldest redemption that waits, ${oldest.id}, is ${seconds} s old; after ${redemptionTimeout} s its user can reclaim the tokens.`;
  return { name, status, value: seconds.toString(), detail };
}

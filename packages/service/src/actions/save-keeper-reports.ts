import type { Context } from '../context.js';
import { saveKeeperReports as save } from '../db/keeper-reports.js';
import type { KeeperReport } from '../domain/keeper-report.js';

/** Keeps what the keeper saw, for the metrics and pages of every process. */
export async function saveKeeperReports(ctx: Context, reports: KeeperReport[]): Promise<void> {
  await ctx.db.transaction((tx) => save(tx, reports));
}

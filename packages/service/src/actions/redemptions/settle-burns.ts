import { holds } from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import { findDueBurns } from '../../db/redemptions/burns.js';
import type { ChangedBy } from '../../domain/audit.js';
import { pauseBits } from '../../domain/program-status.js';
import { AppError } from '../../errors.js';
import { carryOut } from '../approvals/carry-out.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { planSettlement } from './plan-settlement.js';

/** Most burns of one round; the others follow in the next. */
const burnsPerRound = 20;
/** Due burns that a round reads: those that are refused keep none of the others from their turn. */
const duePerRound = 1_000;
/** No operator: two have agreed to it before it was announced. */
const keeper: ChangedBy = { personId: null, requestId: null };

/**
 * Burns the tokens of redemptions whose announcement is due, one after the other, and returns how many; none without the
 * operations key, and while settlements are paused. The row of each is written before its transaction is sent, so that however often this is tried, by however many
 * processes, there is one at a time; and the program burns once. What is refused is logged and tried again in the next round.
 * Rejects when the node or the database fails.
 */
export async function settleDueBurns(ctx: Context, signal: AbortSignal): Promise<number> {
  const now = new Date(ctx.clock.now());
  const due = await findDueBurns(ctx.db, { now, limit: duePerRound });
  if (due.length === 0) return 0;
  const config = await readProgramConfig(ctx);
  const isPaused = (config.paused & pauseBits.settle) !== 0;
  if (isPaused || !holds(ctx.chain, config, 'operations')) return 0;
  let burned = 0;
  for (const { redemptionId, dueAt } of due) {
    signal.throwIfAborted();
    if (burned === burnsPerRound) break;
    try {
      const plan = await planSettlement(ctx, { kind: 'burn', redemptionId });
      await carryOut(ctx, keeper, plan);
      burned += 1;
    } catch (error) {
      // Another process was faster, it is not final yet, or the chain does not allow it: none of that keeps the others.
      if (!(error instanceof AppError)) throw error;
      const about = { redemption_id: redemptionId, due_at: dueAt.toISOString(), err: error };
      ctx.log.warn(about, 'an announced burn could not be done and is tried again');
    }
  }
  return burned;
}

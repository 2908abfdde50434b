import { carryOut } from '../actions/approvals/carry-out.js';
import { planSettingsApply } from '../actions/program/plan-settings.js';
import { readProgramConfig } from '../actions/program/read-program-config.js';
import { readSettings } from '../actions/program/settings.js';
import { holds } from '../chain/build/prepare-transaction.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';

/**
 * Applies the settings that are proposed, if they are ready, and returns whether it did. Anyone may, so nothing is left to decide:
 * this process does it where it holds the operations key, which pays. Rejects when the node or the database fails.
 */
export async function applyReadySettings(ctx: Context): Promise<boolean> {
  const { pending } = await readSettings(ctx);
  const nowMs = ctx.clock.now();
  if (!pending || nowMs < pending.readyAt.getTime() || nowMs >= pending.expiresAt.getTime()) return false;
  if (!holds(ctx.chain, await readProgramConfig(ctx), 'operations')) return false;
  try {
    const keeper = { personId: null, requestId: null };
    await carryOut(ctx, keeper, await planSettingsApply(ctx, { reason: 'They were ready.' }));
  } catch (error) {
    // Somebody else was faster, or the chain's clock is behind.
    if (!(error instanceof AppError) || error.code === 'service_unavailable') throw error;
    ctx.log.warn({ err: error }, 'the proposed settings could not be applied');
    return false;
  }
  ctx.log.info({ ready_at: pending.readyAt }, 'applied the proposed settings');
  return true;
}

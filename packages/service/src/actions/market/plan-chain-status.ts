import type { Context } from '../../context.js';
import { countPauses } from '../../db/approvals/operator-transactions.js';
import { AppError, invalidField } from '../../errors.js';
import { hashOf } from '../approvals/plan-change.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { type ChainStatusInput, type PauseFlags, type StatusPlan, toStatus } from './build-chain-status.js';

/**
 * Plans to pause, resume, open or close. Resuming takes two people, and pausing never waits for a second one: next to a
 * pause, flags that are `false` and not paused anyway are ignored, and one request does not do both. Any pause or
 * resumption after a resumption was planned voids it. Throws
 * `invalid_request`, and `service_unavailable` when the node does not report what is paused.
 */
export async function planChainStatus(ctx: Context, input: ChainStatusInput): Promise<StatusPlan> {
  const flags = Object.entries(input.paused ?? {});
  const isPause = flags.some(([, flag]) => flag === true);
  const isResumption = flags.some(([, flag]) => flag === false);
  if (ctx.config.approvals < 2 || !isResumption) return statusPlanOf(ctx, input);
  const config = await readProgramConfig(ctx);
  const { paused: current, market } = toStatus(config, ctx.clock.now());
  if (isPause) {
    const pauses = flags.filter(([name, flag]) => flag || current[name as keyof PauseFlags]);
    if (pauses.every(([, flag]) => flag)) {
      return statusPlanOf(ctx, { ...input, paused: Object.fromEntries(pauses) });
    }
    const message =
      'paused must not both pause and resume: a pause takes effect immediately, resuming needs a second operator.';
    throw invalidField('paused', message);
  }
  return {
    ...statusPlanOf(ctx, input),
    expectedPauseSeq: config.pauseSeq,
    before: { paused: current, market },
    // A pause of what is paused counts nothing on chain, and its reason may be another one.
    objectHash: hashOf({
      paused: current,
      seq: config.pauseSeq.toString(),
      pauses: await countPauses(ctx.db),
    }),
    takesTwo: true,
  };
}

/** Returns the plan of a change that takes one person. */
export function statusPlanOf(ctx: Context, input: ChainStatusInput): StatusPlan {
  return {
    in: 'chain',
    action: 'chain.status',
    objectId: ctx.chain.programAddress,
    input,
    request: { ...input },
    before: null,
    objectHash: hashOf(null),
    takesTwo: false,
  };
}

/** Reads the request of an approval, which this service wrote itself. */
export function readStoredStatus(stored: Record<string, unknown>): ChainStatusInput {
  if (typeof stored.paused === 'object') return stored as ChainStatusInput;
  throw new AppError('internal_error', 'an approval of chain.status names no flags');
}

import type { CallRequest } from '../../chain/node/caller-budget.js';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { pause } from '../../runtime/time.js';

/** Calls to the nodes that may be made for a caller. */
export interface NodeCalls {
  /** Whether there was a wait for them. */
  waited: boolean;
  /** Gives some back that were not needed after all. */
  spare(calls: number): void;
}

/**
 * Takes calls to the nodes for a caller, before they are made. Throws `rate_limited` when callers have too many already: a
 * node that refuses calls stops the price and the blockhash, and with them everybody's quotes.
 * @param until for how long to wait for room; default: not at all.
 */
export async function takeNodeCalls(
  ctx: Context,
  request: CallRequest,
  until?: AbortSignal,
): Promise<NodeCalls> {
  const { callBudget } = ctx.chain;
  for (let waited = false; ; waited = true) {
    const grant = callBudget.take(request);
    if ('atMs' in grant) {
      return { waited, spare: (calls) => callBudget.giveBack({ ...request, ...grant, calls }) };
    }
    if (until) await pause(Math.ceil(grant.waitMs), until);
    if (!until || until.aborted) throw tooManyCalls(ctx, request);
  }
}

function tooManyCalls({ metrics }: Context, { use }: CallRequest): AppError {
  metrics.callerCallsRefused.inc({ kind: use });
  const message =
    'Too many requests need the Solana nodes, so this one was not carried out. Try again in 1 s.';
  return new AppError('rate_limited', message, { retryAfterSeconds: 1 });
}

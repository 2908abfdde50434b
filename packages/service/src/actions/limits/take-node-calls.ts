import type { CallRequest } from '../../chain/node/caller-budget.js';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';

/**
 * Takes calls to the nodes for a caller, before they are made. Throws `rate_limited` when callers have too many already: a
 * node that refuses calls stops the price and the blockhash, and with them everybody's quotes.
 */
export async function takeNodeCalls(ctx: Context, request: CallRequest): Promise<void> {
  if (await ctx.chain.grantCalls(request)) return;
  ctx.metrics.callerCallsRefused.inc({ kind: request.use });
  const message = 'Too many requests need the Solana nodes; nothing was sent. Try again in 1 s.';
  throw new AppError('rate_limited', message, { retryAfterSeconds: 1 });
}

import type { FastifyReply } from 'fastify';
import {
  advanceRedemption,
  type OperatorStep,
  requireAdvanceable,
} from '../../actions/redemptions/advance-redemption.js';
import { wrongCode } from '../../actions/redemptions/pickup-code.js';
import type { Context } from '../../context.js';
import { completeOnce } from '../server/idempotency.js';
import { changeOf } from './auth.js';
import { toMovedView } from './redemption-parts.js';

/** Advances a redemption and responds with its view. Throws also `pickup_code_wrong`, which is counted. */
export async function advanceOnce(ctx: Context, reply: FastifyReply, step: OperatorStep) {
  await requireAdvanceable(ctx, step);
  const outcome = await ctx.db.transaction(async (tx) => {
    const advanced = await advanceRedemption(ctx, changeOf(ctx, reply.request, tx), step);
    if ('attemptsLeft' in advanced) return advanced;
    return { view: await completeOnce(tx, reply, 200, toMovedView(advanced.moved)) };
  });
  // Thrown only now that the wrong try is counted for good.
  if ('view' in outcome) return outcome.view;
  ctx.metrics.wrongPickupCodes.inc();
  throw wrongCode(outcome.attemptsLeft);
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Done } from '../../actions/approvals/plan.js';
import { planBurn, planBurnCancellation } from '../../actions/redemptions/plan-burn.js';
import { planSettlement } from '../../actions/redemptions/plan-settlement.js';
import type { Context } from '../../context.js';
import { closed, closedOrAbsent, Nullable, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { confirmWithinMs, operateOnce, sentHash, WaitingView } from './operations.js';
import { recordField as field } from './record-fields.js';
import { fulfil, Reason } from './shapes.js';

export const RefundView = titled('Refund', {
  redemption_id: Type.String(field.redemptionId),
  refund_tx_hash: Type.String(field.txHash),
});

export const BurnView = titled('Burn', {
  redemption_id: Type.String(field.redemptionId),
  burn_announced_at: Nullable(Type.String(), field.burnAnnouncedAt),
  burn_due_at: Nullable(Type.String(), field.burnDueAt),
  burn_tx_hash: Nullable(Type.String(), field.burnTxHash),
  tx_hash: Type.String(field.burnChangeTxHash),
});

const common = {
  errors: codes('redemption_not_found', 'transition_not_allowed', 'broadcast_failed'),
  params: Type.Object({ redemption_id: Type.String(field.redemptionId) }),
};

const refundSchema = {
  ...common,
  operationId: 'refundRedemption',
  summary: 'Refund the tokens of a redemption',
  description:
    "Possible once, for a `cancelled` redemption whose payment is final, and while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. The tokens go back to the token account of the user's wallet, which is created again if it was closed. 200 if the chain has confirmed it, 202 as for `PUT /partners/{partner_id}/onchain`.",
  body: closedOrAbsent({}),
  response: { 200: RefundView, 202: WaitingView },
};

const burnSchema = {
  ...common,
  operationId: 'burnRedemption',
  summary: 'Announce the burn of the tokens of a redemption',
  description:
    'For a `collected` redemption, while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. The keeper burns the tokens at `burn_due_at`, when the burn delay of the program is over; until then the guardian can cancel it. Possible once: again only if the announcement was cancelled or not carried out within 14 days, and its user cannot reclaim the tokens by then. 200 if the chain has confirmed the announcement, 202 as for `PUT /partners/{partner_id}/onchain`.',
  body: closedOrAbsent({}),
  response: { 200: BurnView, 202: WaitingView },
};

const cancelSchema = {
  ...common,
  operationId: 'cancelBurn',
  summary: 'Cancel the announced burn of the tokens of a redemption',
  description:
    'By the guardian, or by the admin: 200 if the service holds one of the two keys and the chain has confirmed it, else 202 with an unsigned `transaction`. The tokens stay in escrow, and their burn can be announced again. Needs no second operator, because it only stops something; for a `collected` redemption that its user can reclaim within two days, it does, because two people may not announce the burn again in time.',
  body: closed({ reason: Reason }),
  response: { 200: BurnView, 202: WaitingView },
};

/** Routes by which the tokens of redemptions leave escrow: refunds, and burns, which are announced. */
export function settlementRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const settings = { config: fulfil, handlerTimeout: confirmWithinMs };
  return async (app) => {
    tagRoutes(app, 'Redemptions');
    app.post(
      '/redemptions/:redemption_id/refund',
      { ...settings, schema: refundSchema },
      async (request, reply) => {
        const plan = await planSettlement(ctx, {
          kind: 'refund',
          redemptionId: request.params.redemption_id,
        });
        return operateOnce(ctx, reply, plan, (done) => toRefundView(plan.objectId, done));
      },
    );

    app.post(
      '/redemptions/:redemption_id/burn',
      { ...settings, schema: burnSchema },
      async (request, reply) => {
        const plan = await planBurn(ctx, { redemptionId: request.params.redemption_id });
        return operateOnce(ctx, reply, plan, (done) => toBurnView(plan.objectId, done));
      },
    );

    app.post(
      '/redemptions/:redemption_id/burn/cancel',
      { ...settings, schema: cancelSchema },
      async (request, reply) => {
        const { redemption_id: redemptionId } = request.params;
        const plan = await planBurnCancellation(ctx, { redemptionId, reason: request.body.reason });
        return operateOnce(ctx, reply, plan, (done) => toBurnView(plan.objectId, done));
      },
    );
  };
}

export function toRefundView(redemptionId: string, done: Done) {
  return { redemption_id: redemptionId, refund_tx_hash: sentHash(done) };
}

/** What is announced now, by `txHash`; the burn itself comes later. */
export function toBurnView(redemptionId: string, done: Done) {
  const { burn } = done;
  return {
    redemption_id: redemptionId,
    burn_announced_at: burn?.announcedAt.toISOString() ?? null,
    burn_due_at: burn?.dueAt.toISOString() ?? null,
    burn_tx_hash: null,
    tx_hash: sentHash(done),
  };
}

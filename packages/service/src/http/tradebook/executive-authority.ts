import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { draftExecutiveChange } from '../../actions/orders/draft-executive-change.js';
import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { Context } from '../../context.js';
import { maxExecutives } from '../../domain/order.js';
import { counted } from '../../metrics/counted.js';
import { orderField as field, TransactionView } from '../../views/order-fields.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { DataEnvelope, success } from './envelope.js';
import { toTransactionView } from './order-views.js';
import { placeOnce } from './place-once.js';

const config = {
  auth: 'tradebook',
  scope: ['PARTNER_UPDATE_AUTHORITY', 'ADMIN'],
  idempotent: true,
} as const;

const changeRoute = route(config, {
  operationId: 'changeExecutives',
  summary: 'Change who may act as an executive',
  description:
    "Returns the transaction, which the partner's update authority must sign; any key of the partner may request it. The partner must be left with 1 to 8 executives. Either the whole change happens or none of it.",
  errors: codes(
    'invalid_wallet',
    'wallet_not_allowed',
    'onchain_config_missing',
    'partner_mismatch',
    'partner_not_found',
  ),
  params: Type.Object({ partnerId: Type.String(field.partnerId) }),
  body: Type.Object({
    add: Type.Optional(Type.Array(Type.String(), { ...field.executives, maxItems: maxExecutives })),
    remove: Type.Optional(
      Type.Array(Type.String(), { ...field.executives, maxItems: maxExecutives, examples: [[]] }),
    ),
  }),
  response: {
    200: DataEnvelope({ partnerId: Type.String(field.partnerId), transaction: TransactionView }),
  },
});

/** The executive authorities of a partner. */
export function executiveAuthorityRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Partner');
    app.put(
      '/api/distribution/partner/:partnerId/executive-authority',
      changeRoute,
      async (request, reply) => {
        const { tradebookCaller: caller, params, body } = request;
        const input = { ...body, partnerId: params.partnerId };
        const placing = placeOnce(ctx, reply, draftExecutiveChange(ctx, caller, input), toChangeView, 200);
        return counted(ctx.metrics.orders, 'executive_update', placing);
      },
    );
  };
}

function toChangeView(placed: PlacedOrder) {
  return success({ partnerId: placed.order.partnerId, transaction: toTransactionView(placed) });
}

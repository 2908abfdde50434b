import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { changeExecutives } from '../../actions/orders/change-executives.js';
import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { Context } from '../../context.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { respondOnce } from '../server/idempotency.js';
import { route } from '../server/schemas.js';
import { DataEnvelope, success } from './envelope.js';
import { orderField as field, TransactionView } from './order-fields.js';
import { toTransactionView } from './order-views.js';

const config = {
  auth: 'tradebook',
  scope: ['PARTNER_UPDATE_AUTHORITY', 'ADMIN'],
  idempotent: true,
} as const;

/** As many as a partner can have; more of them in a request are refused before any is looked at. */
const maxExecutives = 8;

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
        return respondOnce(
          reply,
          200,
          (settle) => changeExecutives(ctx, caller, input, settle),
          toChangeView,
        );
      },
    );
  };
}

function toChangeView(placed: PlacedOrder) {
  return success({ partnerId: placed.order.partnerId, transaction: toTransactionView(placed) });
}

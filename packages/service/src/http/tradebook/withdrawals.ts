import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { draftWithdrawal } from '../../actions/orders/draft-withdrawal.js';
import { getOwnOrder } from '../../actions/orders/get-order.js';
import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { Context } from '../../context.js';
import { counted } from '../../metrics/counted.js';
import { orderField as field, Metadata, placedParts } from '../../views/order-fields.js';
import { movedColumns, TokenType, toWithdrawalView, WithdrawalView } from '../../views/order-view.js';
import { reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { Envelope, success } from './envelope.js';
import { placedColumns } from './order-views.js';
import { placeOnce } from './place-once.js';
import { reading } from './settings.js';

const writing = {
  auth: 'tradebook',
  scope: ['PARTNER_WITHDRAWAL_AUTHORITY'],
  idempotent: true,
} as const;

const CreatedView = titled('CreatedWithdrawal', {
  withdrawalId: Type.String(field.withdrawalId),
  amount: Type.Number(field.amount),
  tokenType: TokenType,
  ...placedParts,
});
const createdView = viewOf(CreatedView);

const createRoute = route(writing, {
  operationId: 'createWithdrawal',
  summary: 'Withdraw from the vault',
  description:
    "Returns the transaction that moves tokens from the central vault to the withdrawal authority's own token account, and nowhere else. That authority signs it, and pays to create the account if it does not exist.",
  errors: codes('onchain_config_missing', 'insufficient_reserve', 'wallet_not_allowed'),
  body: Type.Object({
    amount: Type.Number(field.amount),
    tokenType: reference(field.tokenType),
    metadata: Metadata,
  }),
  response: { 201: Envelope(CreatedView) },
});

const getRoute = route(reading, {
  operationId: 'getWithdrawal',
  summary: 'Get a withdrawal',
  description: 'Returns the record and its status, which only the chain changes.',
  errors: codes('withdrawal_not_found', 'partner_mismatch'),
  params: Type.Object({ withdrawalId: Type.String(field.withdrawalId) }),
  response: { 200: Envelope(WithdrawalView) },
});

/** Withdrawals from a partner's vault: create and get. */
export function withdrawalRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Orders');
    app.post('/api/trading/withdrawals', createRoute, ({ tradebookCaller: caller, body }, reply) => {
      const placing = placeOnce(ctx, reply, draftWithdrawal(ctx, caller, body), toCreatedView);
      return counted(ctx.metrics.orders, 'withdrawal', placing);
    });

    app.get('/api/trading/withdrawals/:withdrawalId', getRoute, async ({ tradebookCaller, params }) => {
      const order = await getOwnOrder(ctx.db, tradebookCaller, 'withdrawal', params.withdrawalId);
      return success(toWithdrawalView(order));
    });
  };
}

function toCreatedView(placed: PlacedOrder) {
  const { order } = placed;
  const columns = { ...movedColumns(order), ...placedColumns(placed), withdrawalId: order.id };
  return success(createdView(columns));
}

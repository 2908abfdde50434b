import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findOrder, findOrders } from '../../db/orders/orders.js';
import { asUuid } from '../../domain/ids.js';
import { orderKinds, orderStatuses } from '../../domain/order.js';
import { AppError } from '../../errors.js';
import { orderRecordField as field } from '../../views/order-record-fields.js';
import { PartnerOrderView, toPartnerOrderView } from '../../views/order-record-view.js';
import { choice } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { filterBy } from '../server/lists.js';
import { route } from '../server/route.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { recordField } from './record-fields.js';
import { read } from './shapes.js';

const listRoute = route(read, {
  operationId: 'listOrders',
  summary: 'List the orders of partners',
  description:
    'Lists purchases, sales, withdrawals and changes of executive authorities, of all partners, newest first, including those that reached the chain without the service. A filter for an unknown value gives an empty list.',
  querystring: listQuery({
    q: searchFor('beginning of an id, transaction or signer', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'),

    partner_id: Type.String(recordField.ofPartner),
    kind: choice(orderKinds, { ...field.orderKind, description: 'Only those of this kind.' }),
    status: choice(orderStatuses, { ...field.orderStatus, description: 'Only those with this status.' }),
  }),
  response: { 200: countedPageOf('orders', PartnerOrderView) },
});

const getRoute = route(read, {
  operationId: 'getOrder',
  summary: 'Get an order',
  description: 'Returns what a partner requested, and what happened on chain.',
  errors: codes('not_found'),
  params: Type.Object({ id: Type.String(field.orderId) }),
  response: { 200: PartnerOrderView },
});

export function orderRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Records');
    app.get('/orders', listRoute, async ({ query }) => {
      const { partner_id: partner, kind, status } = query;
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) => findOrders(ctx.db, { partnerId: filterBy(partner, asUuid), kind, status }, page),
        'orders',
      );
      return { orders: rows.map(toPartnerOrderView), ...endOf(end) };
    });

    app.get('/orders/:id', getRoute, async ({ params }) => {
      const id = asUuid(params.id);
      const order = id && (await findOrder(ctx.db, id));
      if (!order) throw new AppError('not_found', 'There is no order with this id.');
      return toPartnerOrderView(order);
    });
  };
}

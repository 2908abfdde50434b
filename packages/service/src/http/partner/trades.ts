import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findTrade, findTrades } from '../../db/trades/trades.js';
import { asTradeId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import { AppError } from '../../errors.js';
import { field } from '../../views/fields.js';
import { choice } from '../../views/schemas.js';
import { TradeView, toTradeView } from '../../views/trade-view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, pageOf, pageQuery, readPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { createdFilters, readCreated } from '../server/times.js';
import { reading } from './settings.js';
import { filterByUser, userFilters } from './user-filters.js';

const getRoute = route(reading, {
  operationId: 'getTrade',
  summary: 'Get a trade',
  description:
    'Returns what happened on chain. The record appears when the transaction is confirmed, typically 10 to 15 seconds after it was submitted; until then the response is 404. ' +
    'In a `failed` trade the fees, the price and the amount of the other side are 0.',
  errors: codes('trade_not_found', 'partner_mismatch'),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
  response: { 200: TradeView },
});

const listRoute = route(reading, {
  operationId: 'listTrades',
  summary: 'List the trades',
  description:
    'Newest first. A filter for an unknown value gives an empty list. Paging from the first page to the last shows every trade that existed at the start exactly once.',
  querystring: pageQuery(
    {
      ...userFilters,
      side: choice(['buy', 'sell'], { ...field.tradeSide, description: 'Only buys, or only sells.' }),
      status: choice(['confirmed', 'failed'], {
        ...field.tradeStatus,
        description: 'Only those with this status.',
      }),
      ...createdFilters,
    },
    cursorBehind(field.tradeId.examples[0] ?? ''),
  ),
  response: { 200: pageOf('trades', TradeView) },
});

/** Records of trades, as the indexer wrote them. */
export function tradeRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Trades');
    app.get('/v1/trades/:trade_id', getRoute, async (request) => {
      const id = asTradeId(request.params.trade_id);
      const trade = id && (await findTrade(ctx.db, id));
      if (!trade) {
        throw new AppError('trade_not_found', 'There is no record of this trade, or none yet.');
      }
      requireOwn(request.principal, trade, 'trade');
      return toTradeView(trade);
    });

    app.get('/v1/trades', listRoute, async (request) => {
      const { query, principal } = request;
      const { side, status } = query;
      const { partnerId } = principal;
      const created = readCreated(query);
      const { rows, nextCursor } = await readPage(query, asTradeId, async (page) => {
        const filter = { partnerId, userId: await filterByUser(ctx, partnerId, query), side, status };
        return findTrades(ctx.db, filter, { ...page, created });
      });
      return { trades: rows.map(toTradeView), next_cursor: nextCursor };
    });
  };
}

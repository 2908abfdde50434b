import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findTrade, findTrades, type SeenTrade } from '../../db/trades/trades.js';
import { findPartnerUserIds } from '../../db/users.js';
import { asTradeId, asUserId, asUuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { tradeParts, tradeShape } from '../../views/trade-view.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, filterBy } from '../server/lists.js';
import { route } from '../server/route.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { recordField as field } from './record-fields.js';
import { read } from './shapes.js';

const TradeView = titled('Trade', {
  ...tradeShape,
  partner_id: Type.String(field.partnerId),
  service_user_id: Type.String(field.serviceUserId),
  user_id: Type.String(field.userId),
  slot: Type.Integer(field.slot),
  final: Type.Boolean(field.final),
  failure_reason: Nullable(Type.String(), field.failureReason),
});

const listRoute = route(read, {
  operationId: 'listTrades',
  summary: 'List the trades of users',
  description:
    'Lists the buys and sells on chain, of all partners, newest first. A filter for an unknown value gives an empty list.',
  querystring: listQuery(
    {
      q: searchFor(
        'beginning of an id, transaction, or beginning of an id or wallet of its user',
        'customer-1042',
      ),

      partner_id: Type.String(field.ofPartner),
      service_user_id: Type.String(field.ofUser),
      side: choice(['buy', 'sell'], { ...field.tradeSide, description: 'Only buys, or only sells.' }),
      status: choice(['confirmed', 'failed'], {
        ...field.tradeStatus,
        description: 'Only those with this status.',
      }),
    },
    cursorBehind(field.tradeId.examples[0] ?? ''),
  ),
  response: { 200: countedPageOf('trades', TradeView) },
});

const getRoute = route(read, {
  operationId: 'getTrade',
  summary: 'Get a trade',
  description: 'Returns what happened on chain, as the partner sees it, and whose trade it was.',
  errors: codes('trade_not_found'),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
  response: { 200: TradeView },
});

/** Trades of users, as the indexer wrote them. */
export function tradeRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Records');
    app.get('/trades', listRoute, async ({ query }) => {
      const { partner_id: partner, service_user_id: user, side, status } = query;
      const { rows, ...end } = await readList(
        query,
        asTradeId,
        (page) =>
          findTrades(
            ctx.db,
            { partnerId: filterBy(partner, asUuid), userId: filterBy(user, asUserId), side, status },
            page,
          ),
        'trades',
      );
      return { trades: await toTradeViews(ctx, rows), ...endOf(end) };
    });

    app.get('/trades/:trade_id', getRoute, async ({ params }) => {
      const id = asTradeId(params.trade_id);
      const trade = id && (await findTrade(ctx.db, id));
      if (!trade) throw new AppError('trade_not_found', 'There is no record of this trade, or none yet.');
      const [view] = await toTradeViews(ctx, [trade]);
      if (!view) throw new Error('a trade without a view');
      return view;
    });
  };
}

const tradeView = viewOf(TradeView);

async function toTradeViews({ db }: Context, trades: SeenTrade[]) {
  const userIds = await findPartnerUserIds(
    db,
    trades.map(({ userId }) => userId),
  );
  return trades.map((trade) =>
    tradeView({
      ...tradeParts(trade),
      serviceUserId: trade.userId,
      userId: userIds.get(trade.userId) ?? '',
      final: trade.finalized,
    }),
  );
}

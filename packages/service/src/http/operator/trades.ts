import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findAllTrades, findTrade, type Trade } from '../../db/trades.js';
import { asId, asUuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { type Page, PageQuery, parsePage, readPage } from '../lists.js';
import { codes } from '../openapi/conventions.js';
import { choice, Nullable } from '../schemas.js';
import { toTradeView as toPartnersView, tradeShape } from '../trade-view.js';
import { NextCursor } from './fields.js';
import { recordField as field } from './record-fields.js';

const TradeView = Type.Object({
  ...tradeShape,
  partner_id: Type.String(field.partnerId),
  service_user_id: Type.String(field.serviceUserId),
  slot: Type.Integer(field.slot),
  final: Type.Boolean(field.final),
  failure_reason: Nullable(Type.String(), field.failureReason),
});

const listSchema = {
  operationId: 'listTrades',
  tags: ['Records'],
  summary: 'List the trades of users',
  description:
    'Buys and sells that the chain carries, of all partners, newest first. A filter for an unknown value gives an empty list.',
  querystring: Type.Object({
    partner_id: Type.Optional(Type.String(field.ofPartner)),
    service_user_id: Type.Optional(Type.String(field.ofUser)),
    side: Type.Optional(choice(['buy', 'sell'], { ...field.tradeSide, description: 'Only of this side.' })),
    status: Type.Optional(
      choice(['confirmed', 'failed'], { ...field.tradeStatus, description: 'Only in this status.' }),
    ),
    ...PageQuery,
  }),
  response: { 200: Type.Object({ trades: Type.Array(TradeView), next_cursor: NextCursor }) },
};

const getSchema = {
  operationId: 'getTrade',
  tags: ['Records'],
  summary: 'Get a trade',
  description: 'What the chain did, as the partner sees it, and whose trade it was.',
  errors: codes('trade_not_found'),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
  response: { 200: TradeView },
};

/** Trades of users, as the indexer wrote them. */
export function tradeRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const config = { auth: 'operator', permission: 'read' } as const;
  return async (app) => {
    app.get('/trades', { config, schema: listSchema }, async ({ query }) => {
      const page = parsePage(query, (id) => asId('trd', id) !== undefined);
      const { rows, nextCursor } = await readPage(
        page,
        (wanted) => readList(ctx, query, wanted),
        (trade) => trade,
      );
      return { trades: rows.map(toTradeView), next_cursor: nextCursor };
    });

    app.get('/trades/:trade_id', { config, schema: getSchema }, async ({ params }) => {
      const id = asId('trd', params.trade_id);
      const trade = id && (await findTrade(ctx.db, id));
      if (!trade) throw new AppError('trade_not_found', 'There is no record of such a trade, or none yet.');
      return toTradeView(trade);
    });
  };
}

interface ListQuery {
  partner_id?: string;
  service_user_id?: string;
  side?: Trade['side'];
  status?: Trade['status'];
}

/** A filter that names nobody leaves nothing over. */
async function readList(ctx: Context, query: ListQuery, page: Page): Promise<Trade[]> {
  const { partner_id: partner, service_user_id: user, side, status } = query;
  const partnerId = partner === undefined ? undefined : asUuid(partner);
  const userId = user === undefined ? undefined : asId('gu', user);
  if (partner !== undefined && partnerId === undefined) return [];
  if (user !== undefined && userId === undefined) return [];
  return findAllTrades(ctx.db, { partnerId, userId, side, status }, page);
}

function toTradeView(trade: Trade) {
  return {
    ...toPartnersView(trade),
    partner_id: trade.partnerId,
    service_user_id: trade.userId,
    slot: Number(trade.slot),
    final: trade.finalized,
    failure_reason: trade.failureReason,
  };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findTrade, type Trade } from '../../db/trades.js';
import { asId } from '../../domain/ids.js';
import { amountNumber, parseDecimal } from '../../domain/money.js';
import { requireOwn } from '../../domain/ownership.js';
import { priceNumber } from '../../domain/quote.js';
import { AppError } from '../../errors.js';
import { Timestamp } from '../schemas.js';

const TradeView = Type.Object({
  trade_id: Type.String(),
  side: Type.Union([Type.Literal('buy'), Type.Literal('sell')]),
  status: Type.Union([Type.Literal('confirmed'), Type.Literal('failed')]),
  usdc_amount: Type.Number(),
  gold_amount: Type.Number(),
  price_per_troy_oz: Type.Number(),
  fee_bps: Type.Integer(),
  fee_usd: Type.Number(),
  submitted_tx_hash: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const getSchema = {
  params: Type.Object({ trade_id: Type.String() }),
  response: { 200: TradeView },
};

/** Decimals of the column `price_per_troy_oz`. */
const priceColumnDecimals = 12;

/** Records of trades, as the indexer wrote them. */
export function tradeRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/trades/:trade_id', { config: { auth: 'partner' }, schema: getSchema }, async (request) => {
      const id = asId('trd', request.params.trade_id);
      const trade = id && (await findTrade(ctx.db, id));
      if (!trade) {
        throw new AppError('trade_not_found', 'There is no record of such a trade, or none yet.');
      }
      requireOwn(request.principal, trade, 'trade');
      return toTradeView(trade);
    });
  };
}

function toTradeView(trade: Trade) {
  const price = parseDecimal(trade.pricePerTroyOz, priceColumnDecimals) ?? 0n;
  return {
    trade_id: trade.id,
    side: trade.side,
    status: trade.status,
    usdc_amount: amountNumber(trade.usdcAmount),
    gold_amount: amountNumber(trade.goldAmount),
    price_per_troy_oz: priceNumber({ price, exponent: -priceColumnDecimals }),
    fee_bps: trade.feeBps,
    fee_usd: amountNumber(trade.feeUsdc),
    submitted_tx_hash: trade.txSignature,
    created_at: trade.createdAt.toISOString(),
    updated_at: trade.updatedAt.toISOString(),
  };
}

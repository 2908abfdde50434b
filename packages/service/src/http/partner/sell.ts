import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { quoteTrade, type TradeQuote } from '../../actions/quote-trade.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';
import { quoteBodyParts, quoteViewParts, submitRoute, toQuoteViewParts } from './trade-parts.js';

const quoteSchema = {
  body: Type.Object({
    ...quoteBodyParts,
    gold_amount: Type.Number(),
    min_usdc_out: Type.Optional(Type.Number()),
  }),
  response: {
    200: Type.Object({
      trade_id: Type.String(),
      side: Type.Literal('sell'),
      quote: Type.Object({
        gold_amount: Type.Number(),
        usdc_amount: Type.Number(),
        price_per_troy_oz: Type.Number(),
        fee_bps: Type.Integer(),
        fee_usd: Type.Number(),
        min_usdc_out: Type.Number(),
      }),
      ...quoteViewParts,
    }),
  },
};

/** Selling: a quote with its transaction, and the broadcast of that transaction. */
export function sellRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/sell',
      { config: { auth: 'partner', namesUser: true }, schema: quoteSchema },
      async (request) => {
        const { body } = request;
        const quote = await quoteTrade(ctx, request.principal, {
          side: 'sell',
          serviceUserId: body.service_user_id,
          amount: body.gold_amount,
          slippageBps: body.slippage_bps,
          minAmountOut: body.min_usdc_out,
        });
        return {
          trade_id: quote.tradeId,
          side: 'sell' as const,
          quote: toFigures(quote),
          ...toQuoteViewParts(quote),
        };
      },
    );
    await app.register(submitRoute(ctx, 'sell'));
  };
}

function toFigures(quote: TradeQuote) {
  return {
    gold_amount: amountNumber(quote.amountIn),
    usdc_amount: amountNumber(quote.amountOut),
    price_per_troy_oz: priceNumber(quote.price),
    fee_bps: quote.feeBps,
    fee_usd: amountNumber(quote.fee),
    min_usdc_out: amountNumber(quote.minAmountOut),
  };
}

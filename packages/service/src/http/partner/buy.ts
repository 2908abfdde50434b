import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { quoteTrade, type TradeQuote } from '../../actions/quote-trade.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';
import { quoteBodyParts, quoteViewParts, submitRoute, toQuoteViewParts } from './trade-parts.js';

const quoteSchema = {
  body: Type.Object({
    ...quoteBodyParts,
    usdc_amount: Type.Number(),
    min_gold_out: Type.Optional(Type.Number()),
  }),
  response: {
    200: Type.Object({
      trade_id: Type.String(),
      side: Type.Literal('buy'),
      quote: Type.Object({
        usdc_amount: Type.Number(),
        gold_amount: Type.Number(),
        price_per_troy_oz: Type.Number(),
        fee_bps: Type.Integer(),
        fee_usd: Type.Number(),
        min_gold_out: Type.Number(),
      }),
      ...quoteViewParts,
    }),
  },
};

/** Buying: a quote with its transaction, and the broadcast of that transaction. */
export function buyRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/buy',
      { config: { auth: 'partner', namesUser: true }, schema: quoteSchema },
      async (request) => {
        const { body } = request;
        const quote = await quoteTrade(ctx, request.principal, {
          side: 'buy',
          serviceUserId: body.service_user_id,
          amount: body.usdc_amount,
          slippageBps: body.slippage_bps,
          minAmountOut: body.min_gold_out,
        });
        return {
          trade_id: quote.tradeId,
          side: 'buy' as const,
          quote: toFigures(quote),
          ...toQuoteViewParts(quote),
        };
      },
    );
    await app.register(submitRoute(ctx, 'buy'));
  };
}

function toFigures(quote: TradeQuote) {
  return {
    usdc_amount: amountNumber(quote.amountIn),
    gold_amount: amountNumber(quote.amountOut),
    price_per_troy_oz: priceNumber(quote.price),
    fee_bps: quote.feeBps,
    fee_usd: amountNumber(quote.fee),
    min_gold_out: amountNumber(quote.minAmountOut),
  };
}

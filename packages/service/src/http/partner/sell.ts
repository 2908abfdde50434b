import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { quoteTrade, type TradeQuote } from '../../actions/quote-trade.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';
import { field, gold, usdc } from './fields.js';
import {
  quoteBodyParts,
  quoteMeaning,
  quoteViewParts,
  submitRoute,
  toQuoteViewParts,
} from './trade-parts.js';

const quoteSchema = {
  ...quoteMeaning,
  operationId: 'quoteSell',
  summary: 'Quote a sell',
  body: Type.Object({
    ...quoteBodyParts,
    gold_amount: Type.Number(gold('What the user gives; more than 0.', 0.5)),
    min_usdc_out: Type.Optional(
      Type.Number(usdc('The least that the user takes; replaces `slippage_bps`.', 2029.610651)),
    ),
  }),
  response: {
    200: Type.Object({
      trade_id: Type.String(field.tradeId),
      side: Type.Literal('sell'),
      quote: Type.Object({
        gold_amount: Type.Number(gold('As requested.', 0.5)),
        usdc_amount: Type.Number(usdc('Expected at the price now, after the fee.', 2039.8097)),
        price_per_troy_oz: Type.Number(field.pricePerTroyOz),
        fee_bps: Type.Integer(field.feeBps),
        fee_usd: Type.Number(usdc('Deducted from the output, rounded up.', 10.2503)),
        min_usdc_out: Type.Number(usdc('Below this the transaction fails.', 2029.610651)),
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

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
  operationId: 'quoteBuy',
  summary: 'Quote a buy',
  body: Type.Object({
    ...quoteBodyParts,
    usdc_amount: Type.Number(usdc('What the user pays, fee included; more than 0.', 100)),
    min_gold_out: Type.Optional(
      Type.Number(gold('The least that the user takes; replaces `slippage_bps`.', 0.024145)),
    ),
  }),
  response: {
    200: Type.Object({
      trade_id: Type.String(field.tradeId),
      side: Type.Literal('buy'),
      quote: Type.Object({
        usdc_amount: Type.Number(usdc('As requested.', 100)),
        gold_amount: Type.Number(gold('Expected at the price now, rounded down.', 0.024267)),
        price_per_troy_oz: Type.Number(field.pricePerTroyOz),
        fee_bps: Type.Integer(field.feeBps),
        fee_usd: Type.Number(usdc('Deducted before the swap, rounded up.', 0.5)),
        min_gold_out: Type.Number(gold('Below this the transaction fails.', 0.024145)),
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

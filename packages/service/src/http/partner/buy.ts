import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type BuyQuote, quoteBuy } from '../../actions/quote-buy.js';
import { type SubmittedTrade, submitTrade } from '../../actions/submit-trade.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';
import { Reference, Timestamp } from '../schemas.js';

const quoteBuyBody = Type.Object({
  service_user_id: Reference,
  usdc_amount: Type.Number(),
  slippage_bps: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  min_gold_out: Type.Optional(Type.Number()),
});

const quoteBuyView = Type.Object({
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
  partially_signed_transaction: Type.String(),
  expires_at: Timestamp,
  last_valid_block_height: Type.Integer(),
});

const submitBody = Type.Object({ signed_tx: Reference });
const submitView = Type.Object({ trade_id: Type.String(), tx_hash: Type.String() });
const tradeParams = Type.Object({ trade_id: Type.String() });

/** Buying: a quote with its transaction, and the broadcast of that transaction. */
export function buyRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/buy',
      { config: { auth: 'partner' }, schema: { body: quoteBuyBody, response: { 200: quoteBuyView } } },
      async (request) => toQuoteView(await quoteBuy(ctx, request.principal, request.body)),
    );
    app.post(
      '/v1/buy/:trade_id/submit',
      {
        config: { auth: 'partner' },
        schema: { params: tradeParams, body: submitBody, response: { 200: submitView } },
      },
      async (request) => {
        const { trade_id: tradeId } = request.params;
        const { signed_tx: signedTx } = request.body;
        return toSubmitView(await submitTrade(ctx, request.principal, { side: 'buy', tradeId, signedTx }));
      },
    );
  };
}

function toQuoteView(quote: BuyQuote) {
  return {
    trade_id: quote.tradeId,
    side: 'buy' as const,
    quote: {
      usdc_amount: amountNumber(quote.usdcIn),
      gold_amount: amountNumber(quote.goldOut),
      price_per_troy_oz: priceNumber(quote.price),
      fee_bps: quote.feeBps,
      fee_usd: amountNumber(quote.fee),
      min_gold_out: amountNumber(quote.minGoldOut),
    },
    partially_signed_transaction: Buffer.from(quote.transaction).toString('base64'),
    expires_at: new Date(quote.expiresAtMs).toISOString(),
    last_valid_block_height: Number(quote.lastValidBlockHeight),
  };
}

function toSubmitView({ tradeId, txHash }: SubmittedTrade) {
  return { trade_id: tradeId, tx_hash: txHash };
}

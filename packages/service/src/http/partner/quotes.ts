import { type FastifyPluginAsyncTypebox, type TProperties, Type } from '@fastify/type-provider-typebox';
import { quoteTrade, type TradeQuote } from '../../actions/trades/quote-trade.js';
import { submitTrade } from '../../actions/trades/submit-quote.js';
import type { Context } from '../../context.js';
import { asTradeId } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { lifetimeMs } from '../../domain/lifetime.js';
import { priceNumber } from '../../domain/quote.js';
import { counted } from '../../metrics/counted.js';
import { field, gold, usdc } from '../../views/fields.js';
import { reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { logOf } from '../server/request-log.js';
import { route } from '../server/route.js';
import { trading } from './settings.js';

const config = { ...trading, namesUser: true, quotesTrades: true } as const;

const BuyQuote = titled('BuyQuoteFigures', {
  usdc_amount: Type.Number(
    usdc('As requested; for a `gold_amount`, the smallest that is expected to give it.', 100),
  ),
  gold_amount: Type.Number(gold('Expected amount at the current price, rounded down.', 0.024267)),
  price_per_troy_oz: Type.Number(field.pricePerTroyOz),
  fee_bps: Type.Integer(field.feeBps),
  fee_usd: Type.Number(usdc('Deducted before the swap, rounded up.', 0.5)),
  min_gold_out: Type.Number(gold('Below this the transaction fails.', 0.024145)),
  max_gold_out: Type.Number(gold('Above this the transaction fails (`price_moved`).', 0.024509)),
});
const SellQuote = titled('SellQuoteFigures', {
  gold_amount: Type.Number(
    gold('As requested; for a `usdc_amount`, the smallest that is expected to give it.', 0.5),
  ),
  usdc_amount: Type.Number(usdc('Expected amount at the current price, after the fee.', 2039.8097)),
  price_per_troy_oz: Type.Number(field.pricePerTroyOz),
  fee_bps: Type.Integer(field.feeBps),
  fee_usd: Type.Number(usdc('Deducted from the output, rounded up.', 10.2503)),
  min_usdc_out: Type.Number(usdc('Below this the transaction fails.', 2029.610651)),
  max_usdc_out: Type.Number(usdc('Above this the transaction fails (`price_moved`).', 2060.207797)),
});
const buyFigures = viewOf(BuyQuote);
const sellFigures = viewOf(SellQuote);

const quoteMeaning = {
  description: `Stateless: nothing is stored. The transaction needs the signatures of the partner and the user, and lands within about ${lifetimeMs / 1_000} seconds or never. Where a limit of 24 hours is set for the user or for all users of the partner, the quote counts against it until its transaction has landed or can land no more. The response is also 429 \`rate_limited\`, with the reason \`fee_budget_used\`, once the service has paid as much to the network for your transactions within the hour as your terms allow, less the fees that it earned.`,
  errors: codes(
    'user_not_found',
    'partner_mismatch',
    'kyc_level_insufficient',
    'user_suspended',
    'wallet_not_allowed',
    'wallet_missing',
    'onchain_config_missing',
    'limit_exceeded',
    'pricing_unavailable',
  ),
};

/** Fields of a request for a quote that do not depend on the side. */
const quoteBodyParts = {
  service_user_id: reference(field.serviceUserId),
  slippage_bps: Type.Optional(Type.Integer({ ...field.slippageBps, minimum: 0, maximum: 10_000 })),
};

const quoteView = <Side extends TradeQuote['side'], Quote extends TProperties>(side: Side, quote: Quote) =>
  Type.Object({
    trade_id: Type.String(field.tradeId),
    side: Type.Literal(side),
    quote: Type.Object(quote),
    partially_signed_transaction: Type.String(field.transaction),
    expires_at: Type.String(field.quoteExpiresAt),
    last_valid_block_height: Type.Integer(field.lastValidBlockHeight),
  });

const exampleOfBody = (amount: object) => ({ service_user_id: field.serviceUserId.examples[0], ...amount });

const buyRoute = route(config, {
  ...quoteMeaning,
  operationId: 'quoteBuy',
  summary: 'Quote a buy',
  eitherOf: {
    usdc_amount: exampleOfBody({ usdc_amount: 100 }),
    gold_amount: exampleOfBody({ gold_amount: 0.5 }),
  },
  body: Type.Object({
    ...quoteBodyParts,
    usdc_amount: Type.Optional(
      Type.Number(
        usdc('Amount that the user pays, fee included; more than 0. This or `gold_amount` is required.', 100),
      ),
    ),
    gold_amount: Type.Optional(
      Type.Number(
        gold(
          'Instead of `usdc_amount`, the amount that the user wants; more than 0. The quote has the smallest `usdc_amount` for which the expected amount is at least that.',
          0.5,
        ),
      ),
    ),
    min_gold_out: Type.Optional(
      Type.Number(
        gold(
          'The least that the user accepts; replaces `slippage_bps`. Above `max_gold_out` no price meets it.',
          0.024145,
        ),
      ),
    ),
  }),
  response: { 200: quoteView('buy', BuyQuote.properties) },
});

const sellRoute = route(config, {
  ...quoteMeaning,
  operationId: 'quoteSell',
  summary: 'Quote a sell',
  eitherOf: {
    gold_amount: exampleOfBody({ gold_amount: 0.5 }),
    usdc_amount: exampleOfBody({ usdc_amount: 1_000 }),
  },
  body: Type.Object({
    ...quoteBodyParts,
    gold_amount: Type.Optional(
      Type.Number(gold('Amount that the user sells; more than 0. This or `usdc_amount` is required.', 0.5)),
    ),
    usdc_amount: Type.Optional(
      Type.Number(
        usdc(
          'Instead of `gold_amount`, the amount that the user wants after the fee; more than 0. The quote has the smallest `gold_amount` for which the expected amount is at least that.',
          1_000,
        ),
      ),
    ),
    min_usdc_out: Type.Optional(
      Type.Number(
        usdc(
          'The least that the user accepts; replaces `slippage_bps`. Above `max_usdc_out` no price meets it.',
          2029.610651,
        ),
      ),
    ),
  }),
  response: { 200: quoteView('sell', SellQuote.properties) },
});

const submitSchema = {
  description:
    "Sends the quote's transaction, signed by the partner and the user, to the chain. Submitting the same bytes again returns the same response, even after they have landed. Nothing is sent for a user who has been suspended since the quote.",
  errors: codes(
    'trade_not_found',
    'partner_mismatch',
    'broadcast_failed',
    'user_suspended',
    'kyc_level_insufficient',
    'wallet_not_allowed',
    'limit_exceeded',
  ),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
  body: Type.Object({ signed_tx: reference(field.signedTransaction) }),
  response: {
    200: Type.Object({ trade_id: Type.String(field.tradeId), tx_hash: Type.String(field.txHash) }),
  },
};

/** Quotes of buys and sells with their transactions, and the broadcast of those transactions. */
export function quoteRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Trades');
    app.post('/v1/buy', buyRoute, async (request) => {
      const { principal, body } = request;
      const quote = await quoteTrade(ctx, principal, {
        side: 'buy',
        serviceUserId: body.service_user_id,
        slippageBps: body.slippage_bps,
        amount: body.usdc_amount,
        amountOut: body.gold_amount,
        minAmountOut: body.min_gold_out,
      });
      const figures = buyFigures({
        usdcAmount: quote.amountIn,
        goldAmount: quote.amountOut,
        pricePerTroyOz: priceNumber(quote.price),
        feeBps: quote.feeBps,
        feeUsd: quote.fee,
        minGoldOut: quote.minAmountOut,
        maxGoldOut: quote.maxAmountOut,
      });
      const { tradeId, amountIn: usdc, amountOut: gold } = quote;
      request.quoted = { tradeId, usdc, gold };
      logOf(request).note({ trade_id: tradeId });
      return viewOfQuote(quote, 'buy', figures);
    });

    app.post('/v1/sell', sellRoute, async (request) => {
      const { principal, body } = request;
      const quote = await quoteTrade(ctx, principal, {
        side: 'sell',
        serviceUserId: body.service_user_id,
        slippageBps: body.slippage_bps,
        amount: body.gold_amount,
        amountOut: body.usdc_amount,
        minAmountOut: body.min_usdc_out,
      });
      const figures = sellFigures({
        goldAmount: quote.amountIn,
        usdcAmount: quote.amountOut,
        pricePerTroyOz: priceNumber(quote.price),
        feeBps: quote.feeBps,
        feeUsd: quote.fee,
        minUsdcOut: quote.minAmountOut,
        maxUsdcOut: quote.maxAmountOut,
      });
      const { tradeId, amountIn: gold, amountOut: usdc } = quote;
      request.quoted = { tradeId, usdc, gold };
      logOf(request).note({ trade_id: tradeId });
      return viewOfQuote(quote, 'sell', figures);
    });

    for (const side of ['buy', 'sell'] as const) {
      const operationId = side === 'buy' ? 'submitBuy' : 'submitSell';
      const schema = { ...submitSchema, operationId, summary: `Submit a ${side}` };
      app.post(`/v1/${side}/:trade_id/submit`, { config: trading, schema }, async (request) => {
        logOf(request).note({ trade_id: asTradeId(request.params.trade_id) });
        const input = {
          id: request.params.trade_id,
          signedTx: request.body.signed_tx,
          requestId: request.id,
        };
        const submitting = submitTrade(ctx, request.principal, side, input);
        const { id, txHash } = await counted(ctx.metrics.submits, side, submitting);
        return { trade_id: id, tx_hash: txHash };
      });
    }
  };
}

function viewOfQuote<Side extends TradeQuote['side'], Figures>(
  quote: TradeQuote,
  side: Side,
  figures: Figures,
) {
  return {
    trade_id: quote.tradeId,
    side,
    quote: figures,
    partially_signed_transaction: Buffer.from(quote.transaction).toString('base64'),
    expires_at: new Date(quote.expiresAtMs).toISOString(),
    last_valid_block_height: toInteger(quote.lastValidBlockHeight),
  };
}

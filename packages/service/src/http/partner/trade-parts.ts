import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { TradeQuote } from '../../actions/quote-trade.js';
import { submitTrade } from '../../actions/submit-trade.js';
import type { Context } from '../../context.js';
import { Reference, Timestamp } from '../schemas.js';

/** What the routes of both sides of a trade share. */

/** Members of a request for a quote that do not depend on the side. */
export const quoteBodyParts = {
  service_user_id: Reference,
  slippage_bps: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
};

/** The last members of an answer to it. */
export const quoteViewParts = {
  partially_signed_transaction: Type.String(),
  expires_at: Timestamp,
  last_valid_block_height: Type.Integer(),
};

export function toQuoteViewParts(quote: TradeQuote) {
  return {
    partially_signed_transaction: Buffer.from(quote.transaction).toString('base64'),
    expires_at: new Date(quote.expiresAtMs).toISOString(),
    last_valid_block_height: Number(quote.lastValidBlockHeight),
  };
}

const submitSchema = {
  params: Type.Object({ trade_id: Type.String() }),
  body: Type.Object({ signed_tx: Reference }),
  response: { 200: Type.Object({ trade_id: Type.String(), tx_hash: Type.String() }) },
};

/** The broadcast of a quote's transaction: `POST /v1/{side}/{trade_id}/submit`. */
export function submitRoute(ctx: Context, side: TradeQuote['side']): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      `/v1/${side}/:trade_id/submit`,
      { config: { auth: 'partner' }, schema: submitSchema },
      async (request) => {
        const input = { side, tradeId: request.params.trade_id, signedTx: request.body.signed_tx };
        const { tradeId, txHash } = await submitTrade(ctx, request.principal, input);
        return { trade_id: tradeId, tx_hash: txHash };
      },
    );
  };
}

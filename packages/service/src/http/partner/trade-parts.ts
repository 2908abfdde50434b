import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { TradeQuote } from '../../actions/quote-trade.js';
import { submitTrade } from '../../actions/submit-trade.js';
import type { Context } from '../../context.js';
import { codes } from '../openapi/conventions.js';
import { reference } from '../schemas.js';
import { field } from './fields.js';

/** What the routes of both sides of a trade share. */

/** Members of a request for a quote that do not depend on the side. */
export const quoteBodyParts = {
  service_user_id: reference(field.serviceUserId),
  slippage_bps: Type.Optional(Type.Integer({ ...field.slippageBps, minimum: 0, maximum: 10_000 })),
};

/** What the descriptions of both quotes share. */
export const quoteMeaning = {
  tags: ['Trades'],
  description:
    'Stateless: nothing is stored. The transaction needs the signatures of partner and user, and lands within about 60 seconds or never.',
  errors: codes(
    'user_not_found',
    'partner_mismatch',
    'kyc_level_insufficient',
    'user_suspended',
    'wallet_missing',
    'onchain_config_missing',
    'pricing_unavailable',
  ),
};

/** The last members of an answer to it. */
export const quoteViewParts = {
  partially_signed_transaction: Type.String(field.transaction),
  expires_at: Type.String(field.quoteExpiresAt),
  last_valid_block_height: Type.Integer(field.lastValidBlockHeight),
};

export function toQuoteViewParts(quote: TradeQuote) {
  return {
    partially_signed_transaction: Buffer.from(quote.transaction).toString('base64'),
    expires_at: new Date(quote.expiresAtMs).toISOString(),
    last_valid_block_height: Number(quote.lastValidBlockHeight),
  };
}

const submitSchema = {
  tags: ['Trades'],
  description:
    'Sends the transaction of the quote, signed by partner and user, to the chain. The same bytes may be sent again and get the same response, also after they landed. Nothing is sent for a user who was suspended since the quote.',
  errors: codes('trade_not_found', 'broadcast_failed', 'user_suspended', 'kyc_level_insufficient'),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
  body: Type.Object({ signed_tx: reference(field.signedTransaction) }),
  response: {
    200: Type.Object({ trade_id: Type.String(field.tradeId), tx_hash: Type.String(field.txHash) }),
  },
};

/** The broadcast of a quote's transaction: `POST /v1/{side}/{trade_id}/submit`. */
export function submitRoute(ctx: Context, side: TradeQuote['side']): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      `/v1/${side}/:trade_id/submit`,
      {
        config: { auth: 'partner' },
        schema: {
          ...submitSchema,
          operationId: side === 'buy' ? 'submitBuy' : 'submitSell',
          summary: `Submit a ${side}`,
        },
      },
      async (request) => {
        const input = { side, tradeId: request.params.trade_id, signedTx: request.body.signed_tx };
        const { tradeId, txHash } = await submitTrade(ctx, request.principal, input);
        return { trade_id: tradeId, tx_hash: txHash };
      },
    );
  };
}

import { Type } from '@fastify/type-provider-typebox';
import type { Trade } from '../db/trades/trades.js';
import { storedPriceNumber } from '../domain/quote.js';
import { failureParts, failureShape } from './failure-view.js';
import { field, gold, usdc } from './fields.js';
import { choice, titled } from './schemas.js';
import { viewOf } from './view.js';

export const tradeShape = {
  trade_id: Type.String(field.tradeId),
  side: choice(['buy', 'sell'], field.tradeSide),
  status: choice(['confirmed', 'failed'], field.tradeStatus),
  usdc_amount: Type.Number(usdc('Paid on a buy, received on a sell.', 100)),
  gold_amount: Type.Number(gold('Received on a buy, paid on a sell.', 0.024267)),
  price_per_troy_oz: Type.Number(field.pricePerTroyOz),
  fee_bps: Type.Integer(field.feeBps),
  fee_usd: Type.Number(usdc('Fee.', 0.5)),
  submitted_tx_hash: Type.String(field.txHash),
  ...failureShape,
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
};

export function tradeParts(trade: Trade) {
  return {
    ...trade,
    tradeId: trade.id,
    updatedAt: trade.updatedAt ?? trade.createdAt,
    pricePerTroyOz: storedPriceNumber(trade.pricePerTroyOz),
    feeUsd: trade.feeUsdc,
    submittedTxHash: trade.txSignature,
    ...failureParts(trade),
  };
}

/** A trade as it is shown to its partner. */
export const TradeView = titled('Trade', tradeShape);

const tradeView = viewOf(TradeView);

export const toTradeView = (trade: Trade) => tradeView(tradeParts(trade));

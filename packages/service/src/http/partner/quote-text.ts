import type { TradeQuote } from '../../actions/trades/quote-trade.js';
import { toInteger } from '../../domain/integer.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';

/**
 * Returns what writes the body of a response with a quote: the same text that its schema gives, several times as quickly,
 * because all of its values are numbers, ids and base64, which need no escape. What the quotes of a second share is written once.
 */
export function quoteTexts(): (quote: TradeQuote) => string {
  let price: { of: TradeQuote['price']; text: string } | undefined;
  let expiry: { atMs: number; text: string } | undefined;
  return (quote) => {
    if (price?.of !== quote.price) price = { of: quote.price, text: String(priceNumber(quote.price)) };
    if (expiry?.atMs !== quote.expiresAtMs)
      expiry = { atMs: quote.expiresAtMs, text: new Date(quote.expiresAtMs).toISOString() };
    const buys = quote.side === 'buy';
    const [taken, given, least] = buys
      ? (['usdc_amount', 'gold_amount', 'min_gold_out'] as const)
      : (['gold_amount', 'usdc_amount', 'min_usdc_out'] as const);
    return (
      `{"trade_id":"${quote.tradeId}","side":"${quote.side}","quote":{"${taken}":${amountNumber(quote.amountIn)}` +
      `,"${given}":${amountNumber(quote.amountOut)},"price_per_troy_oz":${price.text},"fee_bps":${quote.feeBps}` +
      `,"fee_usd":${amountNumber(quote.fee)},"${least}":${amountNumber(quote.minAmountOut)}}` +
      `,"partially_signed_transaction":"${base64Of(quote.transaction)}","expires_at":"${expiry.text}"` +
      `,"last_valid_block_height":${toInteger(quote.lastValidBlockHeight)}}`
    );
  };
}

function base64Of({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('base64');
}

import type { BuyQuote, SellQuote, Trade } from '@karat/sdk';
import { amountNumber } from '@karat/service/domain';
import type { Cast } from './cast.js';
import type { Balances } from './chain.js';
import { change, customerBalances, signAndSubmit } from './transaction.js';

/** What the customer wants; the floor comes from a tolerance, or the customer names it. */
export type Order =
  | { side: 'buy'; usdc_amount: number; slippage_bps?: number; min_gold_out?: number }
  | { side: 'sell'; gold_amount: number; slippage_bps?: number; min_usdc_out?: number };

type TradeQuote = BuyQuote | SellQuote;

/** Makes a whole trade, from the quote to the record. Throws if the quote, the record and the balances differ. */
export async function trade(cast: Cast, order: Order): Promise<Trade> {
  const { karat, teller, partnerWallet, customer } = cast;
  const before = await customerBalances(cast);
  const quoted = await requestQuote(cast, order);
  const { trade_id: id } = quoted;
  const { side: kind, ...wanted } = order;
  const side = kind === 'buy' ? karat.buys : karat.sells;
  const { serviceUserId: service_user_id, wallet } = customer;
  const input = { service_user_id, ...wanted, signers: [partnerWallet, wallet] };
  // The SDK compares the transaction with the request before either signs.
  const sign = () =>
    quoted.side === 'buy' ? karat.buys.sign(quoted, input) : karat.sells.sign(quoted, input);
  const submit = (signed: string) => side.submit(id, signed);
  const hash = await teller.step('Sign as partner and as customer, submit, confirm', (figure) =>
    signAndSubmit(cast, { id, sign, submit }, figure),
  );
  const record = await readTrade(cast, quoted, hash);
  await compareBalances(cast, before, record);
  return record;
}

async function requestQuote({ karat, teller, customer }: Cast, order: Order): Promise<TradeQuote> {
  const what =
    order.side === 'buy' ? `gold for ${order.usdc_amount} USDC` : `USDC for ${order.gold_amount} GOLD`;
  return teller.step(`Request a quote: ${what}`, async (figure) => {
    const body = { service_user_id: customer.serviceUserId };
    const { side, ...wanted } = order;
    const response =
      side === 'buy'
        ? await karat.buys.quote({ ...body, ...wanted })
        : await karat.sells.quote({ ...body, ...wanted });
    const { quote } = response;
    figure('trade', response.trade_id);
    figure('price', `${quote.price_per_troy_oz} USD per troy ounce`);
    figure('fee', `${quote.fee_usd} USDC (${quote.fee_bps} bps)`);
    const out = side === 'buy' ? `${quote.gold_amount} GOLD` : `${quote.usdc_amount} USDC`;
    figure('customer gets', `${out}, at least ${floorOf(quote)} (${floorText(order)})`);
    const named = side === 'buy' ? order.min_gold_out : order.min_usdc_out;
    if (named !== undefined && floorOf(quote) !== named) throw new Error('The quote has a different floor');
    return response;
  });
}

function floorText(order: Order): string {
  const named = order.side === 'buy' ? order.min_gold_out : order.min_usdc_out;
  if (named !== undefined) return 'as the customer asked';
  return `slippage ${(order.slippage_bps ?? 50) / 100} %`;
}

function floorOf(quote: TradeQuote['quote']): number {
  return 'min_gold_out' in quote ? quote.min_gold_out : quote.min_usdc_out;
}

async function readTrade(cast: Cast, quoted: TradeQuote, hash: string): Promise<Trade> {
  return cast.teller.step('Read the trade that the indexer wrote', async (figure) => {
    const record = await cast.karat.trades.get(quoted.trade_id);
    const bought = record.side === 'buy';
    const [usdc, gold] = [`${record.usdc_amount} USDC`, `${record.gold_amount} GOLD`];
    figure('status', record.status);
    figure('customer paid', bought ? `${usdc}, of which fee ${record.fee_usd}` : gold);
    figure('customer got', bought ? gold : `${usdc} after a fee of ${record.fee_usd}`);
    figure('price', `${record.price_per_troy_oz} USD per troy ounce`);
    if (record.status !== 'confirmed') throw new Error(`The trade is ${record.status}`);
    if (record.submitted_tx_hash !== hash) throw new Error('The record names another transaction');
    const got = bought ? record.gold_amount : record.usdc_amount;
    if (got < floorOf(quoted.quote)) throw new Error('The trade is below its floor');
    return record;
  });
}

async function compareBalances(cast: Cast, before: Balances, record: Trade): Promise<void> {
  await cast.teller.step("Compare the customer's balances with the record", async (figure) => {
    const after = await customerBalances(cast);
    figure('USDC', change(before.usdc, after.usdc));
    figure('GOLD', change(before.gold, after.gold));
    const sign = record.side === 'buy' ? 1n : -1n;
    const usdc = amountNumber(sign * (before.usdc - after.usdc));
    const gold = amountNumber(sign * (after.gold - before.gold));
    if (usdc !== record.usdc_amount || gold !== record.gold_amount) {
      throw new Error(`The balances moved by ${usdc} USDC and ${gold} GOLD, the record differs`);
    }
  });
}

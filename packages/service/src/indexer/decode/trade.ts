import { BUY_DISCRIMINATOR, type KaratEvent, SELL_DISCRIMINATOR } from '@karat/program-client';
import type { TransactionError } from '@solana/kit';
import type { TradeFacts } from '../../actions/trades/write-trades.js';
import { noFailure } from '../../db/failure.js';
import { asId, uuidFromBytes, uuidOf } from '../../domain/ids.js';
import type { KaratMemo } from '../../domain/memo.js';
import { formatDecimal, goldUnits, usdcUnits } from '../../domain/money.js';
import { recordedFailure } from './failure.js';
import { memoOf, requireSigners } from './memos.js';
import { requireEvent, requireFlows } from './operation.js';
import type { ProgramCall } from './program-calls.js';
import { Refusal } from './refusal.js';
import { expectedFlows, mintsOf, type TradeCall } from './trade-call.js';
import type { ChainTransaction } from './transaction.js';
import type { DecodeView } from './view.js';

/** Returns the trade of a user that a transaction carries; undefined when it holds none of the service. */
export async function decodeTrade(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): Promise<TradeFacts | undefined> {
  return transaction.error === null
    ? decodeSuccess(transaction, view, calls)
    : decodeFailure(transaction, transaction.error, view, calls);
}

/** Returns the trade of a transaction that succeeded, or undefined when it holds nothing of the service. */
async function decodeSuccess(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): Promise<TradeFacts | undefined> {
  const trades = calls.filter((call) => call.kind === BUY_DISCRIMINATOR || call.kind === SELL_DISCRIMINATOR);
  // The program itself took the signers of these calls for service signers, whichever it has by now.
  const accepted = trades.flatMap(({ trade }) => (trade ? [trade.serviceSigner] : []));
  const memo = memoOf(transaction, new Set([...view.trustedSigners(transaction.slot), ...accepted]));
  const [call] = trades;
  if (!call) {
    if (!memo) return undefined;
    throw new Refusal('trade_missing', { id: memo.id });
  }
  if (trades.length > 1) throw new Refusal('several_trades', { trades: trades.length });
  if (!call.trade) throw new Refusal('undecodable', { kind: call.kind });
  // The event is missing only where that has a dead letter already.
  if (!call.event) return undefined;
  await checkEvent(call.trade, call.event, view);
  requireFlows(transaction, call, expectedFlows(call.trade, call.event), mintsOf(call.trade));
  if (!memo) throw new Refusal('memo_missing');
  const madeAccount = makesAccount(transaction, call.trade);
  return { ...tradeFacts(call.trade, call.event, checkMemo(memo, call.trade)), madeAccount };
}

/** Returns the record of a failed transaction: the known side from the memo, no other figure. */
function decodeFailure(
  transaction: ChainTransaction,
  error: TransactionError,
  view: DecodeView,
  calls: ProgramCall[],
): TradeFacts | undefined {
  const memo = memoOf(transaction, view.trustedSigners(transaction.slot));
  if (!memo) return undefined;
  const trades = calls.flatMap(({ trade }) => (trade ? [trade] : []));
  const [trade] = trades;
  if (!trade) throw new Refusal('trade_missing', { id: memo.id });
  if (trades.length > 1) throw new Refusal('several_trades', { trades: trades.length });
  const id = checkMemo(memo, trade);
  // Anyone with the key of the service can make a call fail: it is a trade of those who signed it.
  requireSigners(transaction, memo.id, { user: trade.user, partner: trade.partnerWallet });
  const buys = trade.side === 'buy';
  return {
    id,
    side: trade.side,
    status: 'failed',
    usdcAmount: usdcUnits(buys ? memo.amount : 0n),
    goldAmount: goldUnits(buys ? 0n : memo.amount),
    pricePerTroyOz: '0',
    feeBps: 0,
    feeUsdc: usdcUnits(0n),
    eventSeq: null,
    ...recordedFailure(transaction, error, view.programAddress),
    userWallet: trade.user,
    integrator: trade.integrator,
    partnerId: undefined,
  };
}

function checkMemo(memo: KaratMemo, trade: TradeCall): TradeFacts['id'] {
  const id = asId('trd', memo.id);
  if (!id || uuidOf(id) !== trade.id || memo.kind !== trade.side || memo.amount !== trade.amountIn) {
    throw new Refusal('memo_mismatch', {
      memo: { kind: memo.kind, id: memo.id, amount: memo.amount.toString() },
      trade: { kind: trade.side, id: trade.id, amount: trade.amountIn.toString() },
    });
  }
  return id;
}

/** Returns whether the account that a trade pays into was not there before. */
function makesAccount({ balancesBefore }: ChainTransaction, trade: TradeCall): boolean {
  return !balancesBefore.has(trade.side === 'buy' ? trade.userGold : trade.userUsdc);
}

/** The event against the arguments and accounts of the call. */
async function checkEvent(trade: TradeCall, event: KaratEvent, view: DecodeView): Promise<void> {
  requireEvent({
    amount_in: event.amountIn === trade.amountIn,
    amount_out:
      event.amountOut >= trade.minAmountOut && event.amountOut <= trade.maxAmountOut && event.amountOut > 0n,
    id: uuidFromBytes(event.id) === trade.id,
    fee_bps: event.feeBps <= trade.maxFeeBps,
    side: event.side === trade.sideCode,
    user: event.actor === trade.user,
    partner_wallet: event.counterparty === trade.partnerWallet,
    price: event.price > 0n && event.exponent <= 0 && event.exponent >= -12,
    integrator: (await view.integratorOf(uuidFromBytes(event.partnerId))) === trade.integrator,
  });
}

function tradeFacts(trade: TradeCall, event: KaratEvent, id: TradeFacts['id']): TradeFacts {
  const buys = trade.side === 'buy';
  return {
    id,
    side: trade.side,
    status: 'confirmed',
    usdcAmount: usdcUnits(buys ? event.amountIn : event.amountOut),
    goldAmount: goldUnits(buys ? event.amountOut : event.amountIn),
    pricePerTroyOz: formatDecimal(event.price, -event.exponent),
    feeBps: event.feeBps,
    feeUsdc: usdcUnits(event.fee),
    eventSeq: event.seq,
    ...noFailure,
    userWallet: trade.user,
    integrator: trade.integrator,
    partnerId: uuidFromBytes(event.partnerId),
  };
}

import { type KaratEvent, TradeSide } from '@karat/program-client';
import { tokenOf } from '../../actions/orders/match-order.js';
import type { OrderExecution, OrderFacts } from '../../actions/orders/record-landed-order.js';
import { ofOrder } from '../../chain/failure/cause.js';
import { type OrderCall, readOrderCall } from '../../chain/inspect/order-call.js';
import { type Uuid, uuidFromBytes, uuidOfSignature } from '../../domain/ids.js';
import { formatDecimal, goldUnits, usdcUnits } from '../../domain/money.js';
import type { VaultToken } from '../../domain/order.js';
import { recordedFailure } from './failure.js';
import { requireEvent, requireFlows } from './operation.js';
import { isOrderKind, type ProgramCall } from './program-calls.js';
import { Refusal } from './refusal.js';
import type { TokenFlows } from './token-transfers.js';
import { expectedFlows, mintsOf, readVaultAccounts } from './trade-call.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';
import type { DecodeView } from './view.js';

export interface DecodedOrders {
  orders: OrderFacts[];
  /** Orders whose calls were executed and could not be read. */
  unread: Uuid[];
}

/**
 * Returns what partners did with their vaults and authorities in a transaction: one each call, by its own event and its
 * own transfers, so that one that cannot be taken does not keep the others back. Of a failed transaction, in which
 * nothing moved, those that their signer signed: anybody can make a call fail.
 */
export async function decodeOrders(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
  refuse: (error: unknown) => void,
): Promise<DecodedOrders> {
  const { signature, error, instructions, signers } = transaction;
  const decoded: DecodedOrders = { orders: [], unread: [] };
  for (const [place, call] of calls.filter(({ kind }) => isOrderKind(kind)).entries()) {
    const instruction = instructions[call.at];
    const order = instruction && readOrderCall(instruction);
    const movementId = uuidOfSignature(signature, place);
    const landed = order && { movementId, order, token: tokenOf(order, view.treasury) };
    if (error !== null) {
      if (!landed || !signers.has(order.signer)) continue;
      const failure = recordedFailure(transaction, error, view.programAddress, ofOrder);
      decoded.orders.push({ ...landed, failure });
      continue;
    }
    try {
      if (!landed) throw new Refusal('undecodable', { kind: call.kind });
      // The event is missing only where that has a dead letter already.
      if (call.event) {
        await checkEvent(order, call.event, instruction, view);
        requireFlows(transaction, call, ...movesOf(order, call.event, instruction));
        if (order.kind === 'withdrawal' && !landed.token) {
          throw new Refusal('transfer_mismatch', { mint: order.mint });
        }
        decoded.orders.push({ ...landed, executed: executionOf(order, call.event, landed.token) });
        continue;
      }
    } catch (cause) {
      refuse(cause);
    }
    if (order?.orderId) decoded.unread.push(order.orderId);
  }
  return decoded;
}

/** The event against the arguments and accounts of the call. */
async function checkEvent(
  order: OrderCall,
  event: KaratEvent,
  instruction: ChainInstruction,
  view: DecodeView,
): Promise<void> {
  requireEvent({
    ...amountChecks(order, event, instruction),
    actor: event.actor === order.signer,
    id: order.kind === 'executive_update' || uuidFromBytes(event.id) === order.orderId,
    integrator: (await view.integratorOf(uuidFromBytes(event.partnerId))) === order.integrator,
  });
}

function amountChecks(
  order: OrderCall,
  event: KaratEvent,
  instruction: ChainInstruction,
): Record<string, boolean> {
  const { amountIn, amountOut, fee, feeBps, side, counterparty, price, exponent } = event;
  if (order.kind === 'executive_update') {
    return { amounts: amountIn === 0n && amountOut === 0n && fee === 0n, side: side === TradeSide.None };
  }
  if (order.kind === 'withdrawal') {
    return {
      amount_in: amountIn === order.amount,
      amount_out: amountOut === order.amount && fee === 0n,
      side: side === TradeSide.None,
      receiver: counterparty === order.signer,
    };
  }
  const buys = order.kind === 'purchase';
  return {
    amount_in: buys ? amountIn <= order.usdcLimit && amountIn > 0n : amountIn === order.goldAmount,
    amount_out: buys ? amountOut === order.goldAmount : amountOut >= order.usdcLimit && amountOut > 0n,
    fee_bps: feeBps <= order.maxFeeBps,
    side: side === (buys ? TradeSide.Buy : TradeSide.Sell),
    vault: counterparty === readVaultAccounts(instruction, buys ? 'buy' : 'sell')?.vault,
    price: price > 0n && exponent <= 0 && exponent >= -12,
  };
}

/** Returns what a call must have moved if its event is true, and of which mint, or which of each account. */
function movesOf(
  order: OrderCall,
  event: KaratEvent,
  instruction: ChainInstruction,
): [TokenFlows, Parameters<typeof requireFlows>[3]] {
  if (order.kind === 'executive_update') return [new Map(), new Map()];
  if (order.kind === 'withdrawal') {
    const source = instruction.accounts[3] ?? order.destination;
    const { destination, mint, amount } = order;
    const flows = [
      [source, -amount],
      [destination, amount],
    ] as const;
    return [new Map(flows), mint];
  }
  const accounts = readVaultAccounts(instruction, order.kind === 'purchase' ? 'buy' : 'sell');
  if (!accounts) throw new Refusal('undecodable', { kind: instruction.data[0] });
  return [expectedFlows(accounts, event), mintsOf(accounts)];
}

function executionOf(order: OrderCall, event: KaratEvent, token: VaultToken | null): OrderExecution {
  const { amountIn, amountOut, fee } = event;
  const nothing = { gold: null, usdc: null, feeUsdc: null, price: null };
  const base = { ...nothing, partnerId: uuidFromBytes(event.partnerId), eventSeq: event.seq };
  if (order.kind === 'executive_update') return base;
  if (order.kind === 'withdrawal') {
    return token === 'gold' ? { ...base, gold: goldUnits(amountIn) } : { ...base, usdc: usdcUnits(amountIn) };
  }
  const buys = order.kind === 'purchase';
  return {
    ...base,
    gold: goldUnits(buys ? amountOut : amountIn),
    usdc: usdcUnits(buys ? amountIn : amountOut),
    feeUsdc: usdcUnits(fee),
    price: formatDecimal(event.price, -event.exponent),
  };
}

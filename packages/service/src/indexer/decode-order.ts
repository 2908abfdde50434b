import { type KaratEvent, TradeSide } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { tokenOf } from '../actions/match-order.js';
import type { OrderExecution, OrderFacts } from '../actions/settle-landed-order.js';
import { type OrderCall, readOrderCall } from '../chain/order-call.js';
import { type Uuid, uuidFromBytes, uuidOfSignature } from '../domain/ids.js';
import { formatDecimal } from '../domain/money.js';
import type { VaultToken } from '../domain/order.js';
import { figureOf } from '../domain/order-memo.js';
import type { DecodeView } from './decode-view.js';
import { failureReason } from './failure.js';
import { orderMemos, type SignedOrderMemo } from './memos.js';
import { isOrderKind, type ProgramCall } from './program-calls.js';
import { Refusal } from './refusal.js';
import { flowsOf, sameFlows, type TokenFlows } from './token-transfers.js';
import { expectedFlows, mintsOf, readVaultAccounts } from './trade-call.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

/** A call that moves a vault or changes who may, with the memo beside it if there is one. */
interface Candidate {
  call: ProgramCall;
  /** Undefined when the call is not in the program's form. */
  order: OrderCall | undefined;
  memo: SignedOrderMemo | undefined;
}

export interface DecodedOrders {
  orders: OrderFacts[];
  /** Orders whose memo stands beside a call that was executed and could not be read. */
  unread: Uuid[];
}

/**
 * What partners did with their vaults and authorities in a transaction: one each call, by its own event and its own
 * transfers, so that one that cannot be taken does not keep the others back. Of a failed transaction those alone that
 * name an order, as nothing moved.
 */
export async function decodeOrders(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
  refuse: (error: unknown) => void,
): Promise<DecodedOrders> {
  const candidates = calls
    .filter(({ kind }) => isOrderKind(kind))
    .map((call): Candidate => ({ call, order: orderOf(transaction, call), memo: undefined }));
  const decoded: DecodedOrders = { orders: [], unread: [] };
  if (candidates.length === 0) return decoded;
  const lost = pairMemos(candidates, orderMemos(transaction));
  if (lost.length > 0 && transaction.error === null) {
    refuse(new Refusal('several_memos', { calls: candidates.length, orders: lost }));
  }
  for (const [place, candidate] of candidates.entries()) {
    try {
      const facts = await decodeOrder(transaction, view, candidate, place);
      if (facts) decoded.orders.push(facts);
      else if (transaction.error === null && candidate.memo) decoded.unread.push(candidate.memo.orderId);
    } catch (error) {
      refuse(error);
      if (candidate.memo) decoded.unread.push(candidate.memo.orderId);
    }
  }
  return decoded;
}

function orderOf({ instructions }: ChainTransaction, { at }: ProgramCall): OrderCall | undefined {
  const instruction = instructions[at];
  return instruction && readOrderCall(instruction);
}

/**
 * Gives every call the memo that can only be its own. One call and one memo belong together whatever they say; of
 * several, those of which each fits the other alone. The orders of the memos that are left.
 */
function pairMemos(candidates: Candidate[], memos: SignedOrderMemo[]): Uuid[] {
  const [only] = candidates;
  if (only && candidates.length === 1 && memos.length <= 1) {
    only.memo = memos[0];
    return [];
  }
  const fits = ({ order }: Candidate, memo: SignedOrderMemo) =>
    order !== undefined &&
    order.kind === memo.kind &&
    memo.signers.includes(order.signer) &&
    figureOf(order) === memo.figure;
  const lost: Uuid[] = [];
  for (const memo of memos) {
    const [candidate, ...others] = candidates.filter((one) => fits(one, memo));
    const rivals = candidate && memos.filter((one) => fits(candidate, one)).length > 1;
    if (candidate && others.length === 0 && !rivals) candidate.memo = memo;
    else lost.push(memo.orderId);
  }
  return lost;
}

/** Undefined for a call of which nothing is to be recorded, or whose event has a dead letter already. */
async function decodeOrder(
  transaction: ChainTransaction,
  view: DecodeView,
  { call, order, memo }: Candidate,
  place: number,
): Promise<OrderFacts | undefined> {
  const instruction = transaction.instructions[call.at];
  const { signature, error } = transaction;
  if (error !== null) {
    if (!order || !memo) return undefined;
    const reason = failureReason(error, transaction.instructions, view.programAddress, 'text');
    const token = tokenOf(order, view.house);
    return { movementId: movementId(signature, place), order, token, memo, failureReason: reason };
  }
  if (!order || !instruction) throw new Refusal('undecodable', { kind: call.kind });
  if (!call.event) return undefined;
  const token = tokenOf(order, view.house);
  await checkEvent(order, call.event, instruction, view);
  checkTransfers(transaction, call, order, call.event);
  if (order.kind === 'withdrawal' && !token) throw new Refusal('transfer_mismatch', { mint: order.mint });
  return {
    movementId: movementId(signature, place),
    order,
    token,
    memo,
    executed: executionOf(order, call.event, token),
  };
}

/** One transaction has mostly one call, which is named by the signature alone. */
function movementId(signature: string, place: number): Uuid {
  return uuidOfSignature(place === 0 ? signature : `${signature} ${place}`);
}

/** The event against the arguments and accounts of the call. */
async function checkEvent(
  order: OrderCall,
  event: KaratEvent,
  instruction: ChainInstruction,
  view: DecodeView,
): Promise<void> {
  const checks: Record<string, boolean> = {
    ...amountChecks(order, event, instruction),
    actor: event.actor === order.signer,
    id: order.kind === 'executive_update' || uuidFromBytes(event.id) === order.orderId,
    integrator: (await view.integratorOf(uuidFromBytes(event.partnerId))) === order.integrator,
  };
  const wrong = Object.keys(checks).filter((name) => !checks[name]);
  if (wrong.length > 0) throw new Refusal('event_mismatch', { wrong });
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

/** The transfers that the program made against its event: the same accounts, the same sums, nothing else. */
function checkTransfers(
  transaction: ChainTransaction,
  call: ProgramCall,
  order: OrderCall,
  event: KaratEvent,
): void {
  const expected = movesOf(order, event, transaction.instructions[call.at]);
  const moved = expected && flowsOf(transaction.instructions, call.at, expected.mints);
  if (!moved || !sameFlows(moved, expected.flows)) {
    const shown = [...(moved ?? [])].map(([account, change]) => [account, change.toString()]);
    throw new Refusal('transfer_mismatch', { moved: moved ? Object.fromEntries(shown) : null });
  }
}

/** What a call must have moved if its event is true, and the mint of every token account in that. */
function movesOf(
  order: OrderCall,
  event: KaratEvent,
  instruction: ChainInstruction | undefined,
): { flows: TokenFlows; mints: Map<Address, Address> } | undefined {
  if (!instruction) return undefined;
  if (order.kind === 'executive_update') return { flows: new Map(), mints: new Map() };
  if (order.kind === 'withdrawal') {
    const source = instruction.accounts[4];
    if (!source) return undefined;
    const { destination, mint, amount } = order;
    return {
      flows: new Map([
        [source, -amount],
        [destination, amount],
      ]),
      mints: new Map([
        [source, mint],
        [destination, mint],
      ]),
    };
  }
  const accounts = readVaultAccounts(instruction, order.kind === 'purchase' ? 'buy' : 'sell');
  return accounts && { flows: expectedFlows(accounts, event), mints: mintsOf(accounts) };
}

function executionOf(order: OrderCall, event: KaratEvent, token: VaultToken | null): OrderExecution {
  const { amountIn, amountOut, fee } = event;
  const nothing = { gold: null, usdc: null, feeUsdc: null, price: null };
  const base = { ...nothing, partnerId: uuidFromBytes(event.partnerId), eventSeq: event.seq };
  if (order.kind === 'executive_update') return base;
  if (order.kind === 'withdrawal') {
    return token === 'gold' ? { ...base, gold: amountIn } : { ...base, usdc: amountIn };
  }
  const buys = order.kind === 'purchase';
  return {
    ...base,
    gold: buys ? amountOut : amountIn,
    usdc: buys ? amountIn : amountOut,
    feeUsdc: fee,
    price: formatDecimal(event.price, -event.exponent),
  };
}

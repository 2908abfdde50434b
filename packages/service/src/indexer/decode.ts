import {
  BUY_DISCRIMINATOR,
  getInitializeInstructionDataDecoder,
  getKaratEventDecoder,
  getUpdateConfigInstructionDataDecoder,
  INITIALIZE_DISCRIMINATOR,
  type KaratEvent,
  SELL_DISCRIMINATOR,
  UPDATE_CONFIG_DISCRIMINATOR,
} from '@karat/program-client';
import {
  type Address,
  address,
  type ReadonlyUint8Array,
  type Signature,
  type TransactionError,
} from '@solana/kit';
import type { ChainRecord, ProgramEventFacts, TradeFacts } from '../actions/record-trade.js';
import type { RedemptionFacts } from '../actions/settle-landed-redemption.js';
import type { DeadLetterReason } from '../db/dead-letters.js';
import { asId, type Uuid, uuidFromBytes } from '../domain/ids.js';
import type { KaratMemo } from '../domain/memo.js';
import { formatDecimal } from '../domain/money.js';
import { accountGrantsOf } from './account-grants.js';
import { failureReason } from './failure.js';
import { type LoggedInvocation, readLogs } from './logs.js';
import { serviceMemos } from './memos.js';
import { cameIntoEscrow, readRedemption } from './redemption-transfer.js';
import { flowsOf, sameFlows } from './token-transfers.js';
import { expectedFlows, mintsOf, readTradeCall, type TradeCall } from './trade-call.js';
import { type ChainTransaction, readTransaction, type TransactionAnswer } from './transaction.js';

/** What decoding needs to know beside the transaction. */
export interface DecodeView {
  programAddress: Address;
  /** Keys whose memos are believed: the service signers that the program has or had. */
  trustedSigners: ReadonlySet<Address>;
  /** The token account that redemptions pay into; undefined while the program's configuration was never read. */
  escrowGold: Address | undefined;
  /** Address of a partner's integrator account. */
  integratorOf(partnerId: Uuid): Promise<Address>;
}

const eventSize = 146;
const eventVersion = 1;
/** Instructions that are known to this version: 0 to 6, buy and sell. */
const knownKinds = new Set([0, 1, 2, 3, 4, 5, 6, BUY_DISCRIMINATOR, SELL_DISCRIMINATOR]);
const noKey = address('11111111111111111111111111111111');

/** Why a transaction, or a part of it, cannot be taken. */
class Refusal extends Error {
  readonly reason: DeadLetterReason;
  readonly detail: Record<string, unknown>;

  constructor(reason: DeadLetterReason, detail: Record<string, unknown> = {}) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}

/** One call of the program with its place in the order of execution and, when the transaction succeeded, its event. */
interface ProgramCall {
  at: number;
  kind: number;
  trade: TradeCall | undefined;
  event: KaratEvent | undefined;
}

/** What to record of the node's answer about a listed transaction: `undecodable` when it does not hold together. */
export async function decodeAnswer(
  listed: { signature: Signature; slot: bigint },
  answer: TransactionAnswer,
  view: DecodeView,
): Promise<ChainRecord> {
  try {
    return await decodeTransaction(readTransaction(listed.signature, answer), view);
  } catch (error) {
    return letterRecord(listed, 'undecodable', { message: String(error) });
  }
}

/** The record of a transaction that leaves nothing but a dead letter. */
export function letterRecord(
  { signature, slot }: { signature: string; slot: bigint },
  reason: DeadLetterReason,
  detail: Record<string, unknown>,
): ChainRecord {
  const letters = [{ signature, slot, reason, detail }];
  return {
    signature,
    slot,
    trade: undefined,
    redemption: undefined,
    accountGrants: [],
    events: [],
    letters,
    serviceSigners: [],
  };
}

/**
 * What a transaction says, from its instruction bytes, the transfers that the program made, and the program's own
 * events, each checked against the others. Never throws for anything a transaction may hold: what cannot be taken comes
 * as dead letters, beside the events that could be read.
 */
export async function decodeTransaction(
  transaction: ChainTransaction,
  view: DecodeView,
): Promise<ChainRecord> {
  const record: ChainRecord = {
    signature: transaction.signature,
    slot: transaction.slot,
    trade: undefined,
    redemption: undefined,
    accountGrants: accountGrantsOf(transaction, view.trustedSigners),
    events: [],
    letters: [],
    serviceSigners: [],
  };
  const refuse = (error: unknown) => {
    const { reason, detail } =
      error instanceof Refusal ? error : new Refusal('undecodable', { message: String(error) });
    const { signature, slot } = transaction;
    if (!record.letters.some((letter) => letter.reason === reason)) {
      record.letters.push({ signature, slot, reason, detail });
    }
  };
  try {
    const calls = callsOf(transaction, view.programAddress);
    if (transaction.error === null) {
      readEvents(transaction, view.programAddress, calls, record, refuse);
      for (const { event } of calls) if (event) record.events.push(eventFacts(event));
    }
    record.redemption = decodeRedemption(transaction, view, calls);
    if (!record.redemption) record.trade = await decodeTrade(transaction, view, calls);
  } catch (error) {
    refuse(error);
  }
  const came = cameIntoEscrow(transaction, view.escrowGold);
  const accounted =
    record.redemption || record.letters.some(({ reason }) => reason === 'redemption_mismatch');
  if (came > 0n && !accounted) refuse(new Refusal('escrow_unmatched', { amount: came.toString() }));
  return record;
}

function callsOf(transaction: ChainTransaction, programAddress: Address): ProgramCall[] {
  const calls: ProgramCall[] = [];
  transaction.instructions.forEach((instruction, at) => {
    if (instruction.program !== programAddress) return;
    const kind = instruction.data[0] ?? -1;
    calls.push({ at, kind, trade: readTradeCall(instruction), event: undefined });
  });
  return calls;
}

/** Gives every call its event, and notes the service signers that a call registered. */
function readEvents(
  transaction: ChainTransaction,
  programAddress: Address,
  calls: ProgramCall[],
  record: ChainRecord,
  refuse: (error: unknown) => void,
): void {
  if (calls.length === 0) return;
  const reading = readLogs(transaction.logs ?? []);
  const logged = reading.invocations.filter((invocation) => invocation.program === programAddress);
  if (reading.truncated) refuse(new Refusal('logs_truncated'));
  else if (reading.broken || (transaction.logs && logged.length !== calls.length)) {
    throw new Refusal('log_mismatch', { calls: calls.length, logged: logged.length });
  }
  calls.forEach((call, index) => {
    try {
      const { data } = transaction.instructions[call.at] ?? { data: new Uint8Array() };
      if (!knownKinds.has(call.kind)) refuse(new Refusal('unknown_instruction', { kind: call.kind }));
      else record.serviceSigners.push(...registeredSigners(call.kind, data));
      const invocation = logged[index];
      if (reading.truncated && !invocation?.closed) return;
      call.event = eventOf(call, invocation);
    } catch (error) {
      refuse(error);
    }
  });
}

/** The one event that a call logged. */
function eventOf(call: ProgramCall, invocation: LoggedInvocation | undefined): KaratEvent {
  const lines = invocation?.data ?? [];
  const bytes = lines[0]?.[0];
  if (!bytes) throw new Refusal('event_missing', { kind: call.kind });
  if (lines.length > 1 || (lines[0]?.length ?? 0) > 1 || bytes.length !== eventSize) {
    throw new Refusal('event_mismatch', { kind: call.kind, lines: lines.length, size: bytes.length });
  }
  const [version, kind] = bytes;
  if (version !== eventVersion || kind !== call.kind) {
    throw new Refusal('event_mismatch', { call: call.kind, event: kind, version });
  }
  return getKaratEventDecoder().decode(bytes);
}

function eventFacts(event: KaratEvent): ProgramEventFacts {
  return { partnerId: uuidFromBytes(event.partnerId), seq: event.seq, kind: event.kind };
}

function registeredSigners(kind: number, data: ReadonlyUint8Array): Address[] {
  if (kind !== INITIALIZE_DISCRIMINATOR && kind !== UPDATE_CONFIG_DISCRIMINATOR) return [];
  const decoder =
    kind === INITIALIZE_DISCRIMINATOR
      ? getInitializeInstructionDataDecoder()
      : getUpdateConfigInstructionDataDecoder();
  return decoder.decode(data).serviceSigners.filter((key) => key !== noKey);
}

/** The redemption of a transaction, or undefined when it holds no memo of one. */
function decodeRedemption(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): RedemptionFacts | undefined {
  const memo = memoOf(transaction, view.trustedSigners);
  if (memo?.kind !== 'redeem') return undefined;
  if (calls.length > 0) throw new Refusal('memo_mismatch', { id: memo.id, program_calls: calls.length });
  const read = readRedemption(transaction, memo, view.programAddress);
  if ('reason' in read) {
    const came = cameIntoEscrow(transaction, view.escrowGold).toString();
    throw new Refusal(read.reason, { ...read.detail, came_into_escrow: came });
  }
  return read;
}

async function decodeTrade(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): Promise<TradeFacts | undefined> {
  return transaction.error === null
    ? decodeSuccess(transaction, view, calls)
    : decodeFailure(transaction, transaction.error, view, calls);
}

/** The trade of a transaction that succeeded, or undefined when it holds nothing of the service. */
async function decodeSuccess(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): Promise<TradeFacts | undefined> {
  const trades = calls.filter((call) => call.kind === BUY_DISCRIMINATOR || call.kind === SELL_DISCRIMINATOR);
  // The program itself took the signers of these calls for service signers, whichever it has by now.
  const accepted = trades.flatMap(({ trade }) => (trade ? [trade.serviceSigner] : []));
  const memo = memoOf(transaction, new Set([...view.trustedSigners, ...accepted]));
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
  checkTransfers(transaction, call, call.trade, call.event);
  if (!memo) throw new Refusal('memo_missing');
  return tradeFacts(call.trade, call.event, checkMemo(memo, call.trade));
}

/** The record of a failed transaction: the known side from the memo, no other figure. */
function decodeFailure(
  transaction: ChainTransaction,
  error: TransactionError,
  view: DecodeView,
  calls: ProgramCall[],
): TradeFacts | undefined {
  const memo = memoOf(transaction, view.trustedSigners);
  if (!memo) return undefined;
  const trades = calls.flatMap(({ trade }) => (trade ? [trade] : []));
  const [trade] = trades;
  if (!trade) throw new Refusal('trade_missing', { id: memo.id });
  if (trades.length > 1) throw new Refusal('several_trades', { trades: trades.length });
  const id = checkMemo(memo, trade);
  const buys = trade.side === 'buy';
  return {
    id,
    side: trade.side,
    status: 'failed',
    usdcAmount: buys ? memo.amount : 0n,
    goldAmount: buys ? 0n : memo.amount,
    pricePerTroyOz: '0',
    feeBps: 0,
    feeUsdc: 0n,
    eventSeq: null,
    failureReason: failureReason(error, transaction.instructions, view.programAddress),
    userWallet: trade.user,
    integrator: trade.integrator,
    partnerId: undefined,
  };
}

/** The one memo of the service, or undefined when there is none. */
function memoOf(transaction: ChainTransaction, trusted: ReadonlySet<Address>): KaratMemo | undefined {
  const memos = serviceMemos(transaction, trusted);
  if (memos.length === 0) return undefined;
  if (memos.length > 1) throw new Refusal('several_memos', { memos: memos.length });
  const [memo] = memos;
  if (!memo) throw new Refusal('memo_malformed');
  return memo;
}

function checkMemo(memo: KaratMemo, trade: TradeCall): TradeFacts['id'] {
  const id = asId('trd', memo.id);
  if (!id || memo.kind !== trade.side || memo.amount !== trade.amountIn) {
    throw new Refusal('memo_mismatch', {
      memo: { kind: memo.kind, id: memo.id, amount: memo.amount.toString() },
      trade: { kind: trade.side, amount: trade.amountIn.toString() },
    });
  }
  return id;
}

/** The event against the arguments and accounts of the call. */
async function checkEvent(trade: TradeCall, event: KaratEvent, view: DecodeView): Promise<void> {
  const checks: Record<string, boolean> = {
    amount_in: event.amountIn === trade.amountIn,
    amount_out: event.amountOut >= trade.minAmountOut && event.amountOut > 0n,
    fee_bps: event.feeBps <= trade.maxFeeBps,
    side: event.side === trade.sideCode,
    user: event.actor === trade.user,
    partner_wallet: event.counterparty === trade.partnerWallet,
    price: event.price > 0n && event.exponent <= 0 && event.exponent >= -12,
    integrator: (await view.integratorOf(uuidFromBytes(event.partnerId))) === trade.integrator,
  };
  const wrong = Object.keys(checks).filter((name) => !checks[name]);
  if (wrong.length > 0) throw new Refusal('event_mismatch', { wrong });
}

/** The transfers that the program made against its event: the same accounts, the same sums, nothing else. */
function checkTransfers(
  transaction: ChainTransaction,
  call: ProgramCall,
  trade: TradeCall,
  event: KaratEvent,
): void {
  const moved = flowsOf(transaction.instructions, call.at, mintsOf(trade));
  if (!moved || !sameFlows(moved, expectedFlows(trade, event))) {
    const shown = [...(moved ?? [])].map(([account, change]) => [account, change.toString()]);
    throw new Refusal('transfer_mismatch', { moved: moved ? Object.fromEntries(shown) : null });
  }
}

function tradeFacts(trade: TradeCall, event: KaratEvent, id: TradeFacts['id']): TradeFacts {
  const buys = trade.side === 'buy';
  return {
    id,
    side: trade.side,
    status: 'confirmed',
    usdcAmount: buys ? event.amountIn : event.amountOut,
    goldAmount: buys ? event.amountOut : event.amountIn,
    pricePerTroyOz: formatDecimal(event.price, -event.exponent),
    feeBps: event.feeBps,
    feeUsdc: event.fee,
    eventSeq: event.seq,
    failureReason: null,
    userWallet: trade.user,
    integrator: trade.integrator,
    partnerId: uuidFromBytes(event.partnerId),
  };
}

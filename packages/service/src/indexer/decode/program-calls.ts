import {
  CLOSE_RECEIPT_DISCRIMINATOR,
  EVENT_DISCRIMINATOR,
  getConfigCreatedDecoder,
  getKaratEventDecoder,
  getSettingsChangeDecoder,
  INITIALIZE_DISCRIMINATOR,
  identifyKaratInstruction,
  type KaratEvent,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  UPDATE_CONFIG_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import type { ChainRecord, ProgramEventFacts } from '../../actions/trades/record-trade.js';
import { noKey } from '../../chain/program/wallet.js';
import { escrowEvents } from '../../db/indexing/program-events.js';
import { uuidFromBytes } from '../../domain/ids.js';
import { readEvent } from './fields.js';
import { Refusal } from './refusal.js';
import { childrenOf } from './token-transfers.js';
import { readTradeCall, type TradeCall } from './trade-call.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

const eventSize = getKaratEventDecoder().fixedSize;
const eventVersion = 1;
/** First bytes of the instructions that this build knows. */
const knownKinds = new Set(Array.from({ length: 256 }, (_, kind) => kind).filter(isKnown));
const withoutEvent = new Set([EVENT_DISCRIMINATOR, CLOSE_RECEIPT_DISCRIMINATOR]);
const escrowKinds = new Set([
  REDEEM_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
]);
const orderKinds = new Set([
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
]);

/** One call of the program with its place in the order of execution and, when the transaction succeeded, its event. */
export interface ProgramCall {
  at: number;
  kind: number;
  trade: TradeCall | undefined;
  event: KaratEvent | undefined;
  /** What follows the event, by its kind. */
  body: ReadonlyUint8Array | undefined;
  /** The service signers that it gives the program; undefined when it changes none. */
  serviceSigners: Address[] | undefined;
}

/**
 * Returns every call of the program, by any caller, in order of execution; without those that are no change and have
 * no event: the program's calls of itself that carry events, and those that close receipts of expired orders.
 */
export function callsOf(transaction: ChainTransaction, programAddress: Address): ProgramCall[] {
  const calls: ProgramCall[] = [];
  transaction.instructions.forEach((instruction, at) => {
    const kind = instruction.data[0] ?? -1;
    if (instruction.program !== programAddress || withoutEvent.has(kind)) return;
    const trade = readTradeCall(instruction);
    calls.push({ at, kind, trade, event: undefined, body: undefined, serviceSigners: undefined });
  });
  return calls;
}

/**
 * Gives every call of a transaction that succeeded its event, and notes the service signers that a call registered. The
 * event is the call that the program made of itself directly below: on chain, only the program can make one.
 */
export function readEvents(
  { instructions }: ChainTransaction,
  programAddress: Address,
  calls: ProgramCall[],
  record: ChainRecord,
  refuse: (error: unknown) => void,
): void {
  for (const call of calls) {
    try {
      if (!knownKinds.has(call.kind)) refuse(new Refusal('unknown_instruction', { kind: call.kind }));
      const events = childrenOf(instructions, call.at).filter(
        (child) => child.program === programAddress && isEvent(child),
      );
      const bytes = eventOf(call, events);
      call.event = readEvent(bytes);
      call.body = bytes.slice(eventSize);
      call.serviceSigners = registeredSigners(call.kind, call.body);
      record.serviceSigners.push(...(call.serviceSigners ?? []));
    } catch (error) {
      refuse(error);
    }
  }
}

function isEvent({ data }: ChainInstruction): boolean {
  return data[0] === EVENT_DISCRIMINATOR;
}

/** Returns the bytes of the one event of a call, with what follows it. */
function eventOf({ kind }: ProgramCall, [carrier, ...others]: ChainInstruction[]): ReadonlyUint8Array {
  if (!carrier) throw new Refusal('event_missing', { kind });
  const bytes = carrier.data.slice(1);
  const [version, eventKind] = bytes;
  if (others.length > 0 || bytes.length < eventSize || version !== eventVersion || eventKind !== kind) {
    const found = { event: eventKind, version, size: bytes.length, events: 1 + others.length };
    throw new Refusal('event_mismatch', { call: kind, ...found });
  }
  return bytes;
}

export function eventFacts(
  event: KaratEvent,
  { serviceSigners }: Pick<ProgramCall, 'serviceSigners'>,
): ProgramEventFacts {
  const partnerId = escrowKinds.has(event.kind) ? escrowEvents : uuidFromBytes(event.partnerId);
  return { partnerId, seq: event.seq, kind: event.kind, serviceSigners };
}

function registeredSigners(kind: number, body: ReadonlyUint8Array): Address[] | undefined {
  const settings =
    kind === INITIALIZE_DISCRIMINATOR
      ? getConfigCreatedDecoder().decode(body).settings
      : kind === UPDATE_CONFIG_DISCRIMINATOR
        ? getSettingsChangeDecoder().decode(body).after
        : undefined;
  return settings?.serviceSigners.filter((key) => key !== noKey);
}

/** Returns whether an instruction moves a vault or changes who may. */
export function isOrderKind(kind: number): boolean {
  return orderKinds.has(kind);
}

function isKnown(kind: number): boolean {
  try {
    return identifyKaratInstruction(Uint8Array.of(kind)) !== undefined;
  } catch {
    return false;
  }
}

import {
  ACCEPT_ADMIN_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
  ATTEST_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  CLOSE_RECEIPT_DISCRIMINATOR,
  CREATE_INTEGRATOR_DISCRIMINATOR,
  EVENT_DISCRIMINATOR,
  getConfigCreatedDecoder,
  getKaratEventDecoder,
  getSettingsChangeDecoder,
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  INITIALIZE_DISCRIMINATOR,
  identifyKaratInstruction,
  type KaratEvent,
  MINT_GOLD_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  PAUSE_DISCRIMINATOR,
  PROPOSE_ADMIN_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  RESUME_DISCRIMINATOR,
  ROTATE_ACCOUNTS_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  SET_MARKET_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  UPDATE_CONFIG_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  UPDATE_INTEGRATOR_DISCRIMINATOR,
} from '@karat/program-client';
import { type Address, isOffCurveAddress, type ReadonlyUint8Array } from '@solana/kit';
import type { ChainRecord } from '../../actions/trades/record-trade.js';
import type { ProgramEventFacts } from '../../db/indexing/keep-effects.js';
import { escrowEvents } from '../../db/indexing/program-events.js';
import { uuidFromBytes } from '../../domain/ids.js';
import { serviceSignersOf } from '../service-signers.js';
import type { DecodeView } from './decode-view.js';
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
/** What the service signs. */
const quotedKinds = new Set([BUY_DISCRIMINATOR, SELL_DISCRIMINATOR, REDEEM_DISCRIMINATOR]);
/** Where the service signer stands among the accounts of those. */
const serviceSignerPlace = 2;
const orderKinds = new Set([
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
]);

/** Places of the accounts that have to sign an instruction, by its first byte; none for `closeReceipt`. */
export const signerPlaces: Readonly<Record<number, readonly number[]>> = {
  [INITIALIZE_DISCRIMINATOR]: [0, 1],
  [UPDATE_CONFIG_DISCRIMINATOR]: [1],
  [PROPOSE_ADMIN_DISCRIMINATOR]: [1],
  [ACCEPT_ADMIN_DISCRIMINATOR]: [1],
  [PAUSE_DISCRIMINATOR]: [1],
  [RESUME_DISCRIMINATOR]: [1],
  [SET_MARKET_DISCRIMINATOR]: [1],
  [CREATE_INTEGRATOR_DISCRIMINATOR]: [0, 1],
  [UPDATE_INTEGRATOR_DISCRIMINATOR]: [0],
  [UPDATE_EXECUTIVES_DISCRIMINATOR]: [2],
  [HAND_OVER_AUTHORITY_DISCRIMINATOR]: [2],
  [PROPOSE_AUTHORITY_DISCRIMINATOR]: [2],
  [CANCEL_AUTHORITY_DISCRIMINATOR]: [2],
  [APPLY_AUTHORITY_DISCRIMINATOR]: [2],
  [BUY_DISCRIMINATOR]: [2, 3, 4],
  [SELL_DISCRIMINATOR]: [2, 3, 4],
  [PARTNER_PURCHASE_DISCRIMINATOR]: [2, 14],
  [PARTNER_SALE_DISCRIMINATOR]: [2, 14],
  [PARTNER_WITHDRAW_DISCRIMINATOR]: [2, 8],
  [REDEEM_DISCRIMINATOR]: [0, 2, 3],
  [SETTLE_REDEMPTION_DISCRIMINATOR]: [1],
  [SWEEP_ESCROW_DISCRIMINATOR]: [1],
  [TREASURY_WITHDRAW_DISCRIMINATOR]: [1],
  [ROTATE_ACCOUNTS_DISCRIMINATOR]: [1],
  [ATTEST_DISCRIMINATOR]: [0, 1],
  [MINT_GOLD_DISCRIMINATOR]: [1],
};

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
    if (!isCall(instruction, programAddress)) return;
    const kind = kindOf(instruction);
    const trade = readTradeCall(instruction);
    calls.push({ at, kind, trade, event: undefined, body: undefined, serviceSigners: undefined });
  });
  return calls;
}

function isCall(instruction: ChainInstruction, programAddress: Address): boolean {
  return instruction.program === programAddress && !withoutEvent.has(kindOf(instruction));
}

function kindOf({ data }: ChainInstruction): number {
  return data[0] ?? -1;
}

/**
 * Returns whether two nodes have to say what a transaction did: a quote that the service signed, an order, or what operators
 * signed failed, which invites people to make it again, or what succeeded is not a quote that the service signed. Such a quote names the right keys and accounts,
 * and whether it succeeded is compared before it is final. Anyone can sign other calls, with keys that may not make them,
 * or none at all: that the program accepted them, or that another program made them, is the word of the nodes alone.
 */
export function needsTwoNodes(
  { error, slot, instructions, signers }: ChainTransaction,
  {
    programAddress,
    trustedSigners,
    roleKeys,
  }: Pick<DecodeView, 'programAddress' | 'trustedSigners' | 'roleKeys'>,
): boolean {
  const trusted = trustedSigners(slot);
  const isOperators = [...roleKeys].some((key) => signers.has(key));
  return instructions.some((instruction) => {
    if (!isCall(instruction, programAddress)) return false;
    const kind = kindOf(instruction);
    const signer = quotedKinds.has(kind) ? instruction.accounts[serviceSignerPlace] : undefined;
    const isQuote = signer !== undefined && trusted.has(signer);
    // Of all else that fails nothing is recorded, and anyone can have calls fail.
    if (error !== null) return isQuote || isOperators || orderKinds.has(kind);
    return instruction.depth > 1 || !isQuote;
  });
}

/**
 * Gives every call of a transaction that succeeded its event, and notes the service signers that a call registered. The
 * event is the call that the program made of itself directly below: on chain, only the program can make one. That the
 * program ran is the word of a node alone, so a call has no event without the signatures that the program requires.
 */
export function readEvents(
  transaction: ChainTransaction,
  programAddress: Address,
  calls: ProgramCall[],
  record: ChainRecord,
  refuse: (error: unknown) => void,
): void {
  const { instructions } = transaction;
  for (const call of calls) {
    try {
      requireSigned(transaction, call);
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

/**
 * Throws a `Refusal` unless everyone who has to sign a call has signed the transaction. Programs sign for addresses that
 * are no keys, in calls of their own: that one made the call is believed of two nodes (`needsTwoNodes`).
 */
function requireSigned({ instructions, signers }: ChainTransaction, { at, kind }: ProgramCall): void {
  const { accounts, depth } = instructions[at] ?? { accounts: [], depth: 1 };
  const missing = (signerPlaces[kind] ?? []).flatMap((place) => {
    const key = accounts[place];
    if (key === undefined) return [`account ${place}`];
    return signers.has(key) || (depth > 1 && isOffCurveAddress(key)) ? [] : [key];
  });
  if (missing.length > 0) throw new Refusal('signature_missing', { kind, missing });
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
  return settings && serviceSignersOf(settings);
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

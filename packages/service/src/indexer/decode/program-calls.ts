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
import type { ProgramEventFacts } from '../../db/indexing/keep-effects.js';
import { escrowEvents } from '../../db/indexing/program-events.js';
import { uuidFromBytes } from '../../domain/ids.js';
import { serviceSignersOf } from '../service-signers.js';
import { Refusal } from './refusal.js';
import { childrenOf } from './token-transfers.js';
import { readTradeCall, type TradeCall } from './trade-call.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

// Making a decoder takes longer than decoding.
const eventDecoder = getKaratEventDecoder();
const eventSize = eventDecoder.fixedSize;
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
 * Returns whether a node returned a transaction that succeeded without what the program did in it: each call makes an event
 * below itself. Nodes that keep no inner instructions, or do not have them yet, return it so.
 */
export function lacksEffects({ error, instructions }: ChainTransaction, programAddress: Address): boolean {
  if (error !== null) return false;
  return instructions.some(
    (instruction, at) =>
      isCall(instruction, programAddress) &&
      knownKinds.has(kindOf(instruction)) &&
      childrenOf(instructions, at).length === 0,
  );
}

/**
 * Gives every call of a transaction that succeeded its event, and notes the service signers that a call registered. The
 * event is the call that the program made of itself directly below: on chain, only the program can make one. That the
 * program ran is one node's word until it is final, so a call has no event without the signatures that the program requires.
 */
export function readEvents(
  transaction: ChainTransaction,
  programAddress: Address,
  calls: ProgramCall[],
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
      call.event = eventDecoder.decode(bytes);
      call.body = bytes.slice(eventSize);
      call.serviceSigners = registeredSigners(call.kind, call.body);
    } catch (error) {
      refuse(error);
    }
  }
}

/**
 * Throws a `Refusal` unless everyone who has to sign a call has signed the transaction. Programs sign for addresses that
 * are no keys, in calls of their own.
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

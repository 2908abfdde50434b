import {
  ACCEPT_ADMIN_DISCRIMINATOR,
  ANNOUNCE_BURN_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
  ATTEST_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  CANCEL_ADMIN_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  CANCEL_BURN_DISCRIMINATOR,
  CANCEL_SETTINGS_DISCRIMINATOR,
  CLOSE_RECEIPT_DISCRIMINATOR,
  CREATE_INTEGRATOR_DISCRIMINATOR,
  EVENT_DISCRIMINATOR,
  FREEZE_ACCOUNT_DISCRIMINATOR,
  getConfigCreatedDecoder,
  getKaratEventDecoder,
  getKeyReplacedDecoder,
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  HotKeyRole,
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
  PROPOSE_SETTINGS_DISCRIMINATOR,
  RECLAIM_REDEMPTION_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  REPLACE_KEY_DISCRIMINATOR,
  RESUME_DISCRIMINATOR,
  ROTATE_ACCOUNTS_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  SET_MARKET_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SUSPEND_INTEGRATOR_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  THAW_ACCOUNT_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  UPDATE_INTEGRATOR_DISCRIMINATOR,
} from '@karat/program-client';
import { type Address, isOffCurveAddress, type ReadonlyUint8Array } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { ProgramEventFacts } from '../../db/indexing/keep-effects.js';
import { configEvents } from '../../db/indexing/program-events.js';
import { uuidFromBytes } from '../../domain/ids.js';
import type { SignerMark } from '../../domain/service-signers.js';
import { serviceSignersOf } from '../service-signers.js';
import { Refusal } from './refusal.js';
import { childrenOf } from './token-transfers.js';
import { readTradeCall, type TradeCall } from './trade-call.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

// Making a decoder takes longer than decoding.
const eventDecoder = getKaratEventDecoder();
const configCreated = getConfigCreatedDecoder();
const keyReplaced = getKeyReplacedDecoder();
const eventSize = eventDecoder.fixedSize;
const eventVersion = 1;
/** First bytes of the instructions that this build knows. */
const knownKinds = new Set(Array.from({ length: 256 }, (_, kind) => kind).filter(isKnown));
const withoutEvent = new Set([EVENT_DISCRIMINATOR, CLOSE_RECEIPT_DISCRIMINATOR]);
/** Calls that have no event when they find everything as they would leave it. */
const quietKinds = new Set([PAUSE_DISCRIMINATOR, SET_MARKET_DISCRIMINATOR, SUSPEND_INTEGRATOR_DISCRIMINATOR]);
/** Their events name a partner, but the configuration counts them. */
const redemptionKinds = new Set([
  REDEEM_DISCRIMINATOR,
  ANNOUNCE_BURN_DISCRIMINATOR,
  CANCEL_BURN_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  RECLAIM_REDEMPTION_DISCRIMINATOR,
]);
const orderKinds = new Set([
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
]);

/** Places of the accounts that have to sign an instruction, by its first byte; none for `applySettings` and `closeReceipt`. */
export const signerPlaces: Readonly<Record<number, readonly number[]>> = {
  [INITIALIZE_DISCRIMINATOR]: [0, 1],
  [PROPOSE_SETTINGS_DISCRIMINATOR]: [0, 1],
  [CANCEL_SETTINGS_DISCRIMINATOR]: [1],
  [PROPOSE_ADMIN_DISCRIMINATOR]: [1],
  [ACCEPT_ADMIN_DISCRIMINATOR]: [1],
  [CANCEL_ADMIN_DISCRIMINATOR]: [1],
  [REPLACE_KEY_DISCRIMINATOR]: [1],
  [ROTATE_ACCOUNTS_DISCRIMINATOR]: [1],
  [PAUSE_DISCRIMINATOR]: [1],
  [RESUME_DISCRIMINATOR]: [1],
  [SET_MARKET_DISCRIMINATOR]: [1],
  [CREATE_INTEGRATOR_DISCRIMINATOR]: [0, 1],
  [UPDATE_INTEGRATOR_DISCRIMINATOR]: [0],
  [SUSPEND_INTEGRATOR_DISCRIMINATOR]: [0],
  [UPDATE_EXECUTIVES_DISCRIMINATOR]: [2],
  [HAND_OVER_AUTHORITY_DISCRIMINATOR]: [2],
  [PROPOSE_AUTHORITY_DISCRIMINATOR]: [2],
  [CANCEL_AUTHORITY_DISCRIMINATOR]: [2],
  [APPLY_AUTHORITY_DISCRIMINATOR]: [2],
  [BUY_DISCRIMINATOR]: [2, 3, 4],
  [SELL_DISCRIMINATOR]: [2, 3, 4],
  [PARTNER_PURCHASE_DISCRIMINATOR]: [2, 15],
  [PARTNER_SALE_DISCRIMINATOR]: [2, 14],
  [PARTNER_WITHDRAW_DISCRIMINATOR]: [2, 7],
  [REDEEM_DISCRIMINATOR]: [0, 2, 3],
  [ANNOUNCE_BURN_DISCRIMINATOR]: [1],
  [CANCEL_BURN_DISCRIMINATOR]: [1],
  [SETTLE_REDEMPTION_DISCRIMINATOR]: [1],
  [RECLAIM_REDEMPTION_DISCRIMINATOR]: [1],
  [SWEEP_ESCROW_DISCRIMINATOR]: [1],
  [TREASURY_WITHDRAW_DISCRIMINATOR]: [1],
  [ATTEST_DISCRIMINATOR]: [1],
  [MINT_GOLD_DISCRIMINATOR]: [1],
  [FREEZE_ACCOUNT_DISCRIMINATOR]: [1],
  [THAW_ACCOUNT_DISCRIMINATOR]: [1],
};

/** One call of the program with its place in the order of execution and, when the transaction succeeded, its event. */
export interface ProgramCall {
  at: number;
  kind: number;
  trade: TradeCall | undefined;
  event: KaratEvent | undefined;
  /** What follows the event, by its kind. */
  body: ReadonlyUint8Array | undefined;
  /** Whether it succeeded without an event, because it found everything as it would leave it. */
  isQuiet: boolean;
  /** The service signers that it gives to the program or takes from it; undefined when it changes none. */
  serviceSigners: SignerMark[] | undefined;
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
    const nothing = { event: undefined, body: undefined, isQuiet: false, serviceSigners: undefined };
    calls.push({ at, kind, trade, ...nothing });
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
 * below itself, unless it may be one that had nothing to do. Nodes that keep no inner instructions, or do not have them yet, return it so.
 */
export function lacksEffects({ error, instructions }: ChainTransaction, programAddress: Address): boolean {
  if (error !== null) return false;
  return instructions.some(
    (instruction, at) =>
      isCall(instruction, programAddress) &&
      knownKinds.has(kindOf(instruction)) &&
      !quietKinds.has(kindOf(instruction)) &&
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
      // One node's word: had it made an event, the numbers of the program would show that it is missing.
      call.isQuiet = events.length === 0 && quietKinds.has(call.kind);
      if (call.isQuiet) continue;
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
  const partnerId = redemptionKinds.has(event.kind) ? configEvents : uuidFromBytes(event.partnerId);
  return { partnerId, seq: event.seq, kind: event.kind, serviceSigners };
}

/** Returns the service signers that came and went by an event. */
function registeredSigners(kind: number, body: ReadonlyUint8Array): SignerMark[] | undefined {
  if (kind === INITIALIZE_DISCRIMINATOR) return serviceSignersOf(configCreated.decode(body).hotKeys);
  if (kind !== REPLACE_KEY_DISCRIMINATOR) return undefined;
  const { role, before, after } = keyReplaced.decode(body);
  if (role !== HotKeyRole.ServiceSigner) return undefined;
  const marks: SignerMark[] = before === noKey ? [] : [`-${before}`];
  return after === noKey ? marks : [...marks, after];
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

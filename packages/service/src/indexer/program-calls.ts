import {
  ATTEST_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  getInitializeInstructionDataDecoder,
  getKaratEventDecoder,
  getUpdateConfigInstructionDataDecoder,
  INITIALIZE_DISCRIMINATOR,
  type KaratEvent,
  MINT_GOLD_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  SETTLE_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  UPDATE_CONFIG_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import type { ChainRecord, ProgramEventFacts } from '../actions/record-trade.js';
import { noKey } from '../chain/wallet.js';
import { uuidFromBytes } from '../domain/ids.js';
import { type LoggedInvocation, readLogs } from './logs.js';
import { Refusal } from './refusal.js';
import { readTradeCall, type TradeCall } from './trade-call.js';
import type { ChainTransaction } from './transaction.js';

const eventSize = 146;
const eventVersion = 1;
/** Instructions that are known to this version: 0 to 6 are those of the admin. */
const knownKinds = new Set([
  ...[0, 1, 2, 3, 4, 5, 6],
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  SETTLE_ESCROW_DISCRIMINATOR,
  ATTEST_DISCRIMINATOR,
  MINT_GOLD_DISCRIMINATOR,
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
  /** The event as it was logged, for what `KaratEvent` has no name for. */
  eventBytes: ReadonlyUint8Array | undefined;
  /** The service signers that it gives the program; undefined when it changes none. */
  serviceSigners: Address[] | undefined;
}

/** Every call of the program, whoever made it, in order of execution. */
export function callsOf(transaction: ChainTransaction, programAddress: Address): ProgramCall[] {
  const calls: ProgramCall[] = [];
  transaction.instructions.forEach((instruction, at) => {
    if (instruction.program !== programAddress) return;
    const kind = instruction.data[0] ?? -1;
    const trade = readTradeCall(instruction);
    calls.push({ at, kind, trade, event: undefined, eventBytes: undefined, serviceSigners: undefined });
  });
  return calls;
}

/** Gives every call its event, and notes the service signers that a call registered. */
export function readEvents(
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
      else call.serviceSigners = registeredSigners(call.kind, data);
      record.serviceSigners.push(...(call.serviceSigners ?? []));
      const invocation = logged[index];
      if (reading.truncated && !invocation?.closed) return;
      call.eventBytes = eventOf(call, invocation);
      call.event = getKaratEventDecoder().decode(call.eventBytes);
    } catch (error) {
      refuse(error);
    }
  });
}

/** The one event that a call logged. */
function eventOf(call: ProgramCall, invocation: LoggedInvocation | undefined): ReadonlyUint8Array {
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
  return bytes;
}

/** What is kept of every event, whatever its kind. */
export function eventFacts(
  event: KaratEvent,
  { serviceSigners }: Pick<ProgramCall, 'serviceSigners'>,
): ProgramEventFacts {
  return { partnerId: uuidFromBytes(event.partnerId), seq: event.seq, kind: event.kind, serviceSigners };
}

function registeredSigners(kind: number, data: ReadonlyUint8Array): Address[] | undefined {
  if (kind !== INITIALIZE_DISCRIMINATOR && kind !== UPDATE_CONFIG_DISCRIMINATOR) return undefined;
  const decoder =
    kind === INITIALIZE_DISCRIMINATOR
      ? getInitializeInstructionDataDecoder()
      : getUpdateConfigInstructionDataDecoder();
  return decoder.decode(data).serviceSigners.filter((key) => key !== noKey);
}

/** Whether an instruction moves a vault or changes who may. */
export function isOrderKind(kind: number): boolean {
  return orderKinds.has(kind);
}

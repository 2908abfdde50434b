import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents, type NewEvent } from '../../db/events/events.js';
import { addDust, type DeadLetter, type Dust, insertDeadLetter } from '../../db/indexing/dead-letters.js';
import { type KeptEffects, keepEffects, type ProgramEventFacts } from '../../db/indexing/keep-effects.js';
import { eventKey, findEventSignatures, lockProgramEvents } from '../../db/indexing/program-events.js';
import { countFees, type FeeSpent, type LandedCost } from '../../db/limits/fee-spending.js';
import { countVelocity, type MovedAmounts } from '../../db/limits/velocity.js';
import type { TreasuryMovementFacts } from '../../db/treasury/treasury-movements.js';
import type { TxSignature } from '../../domain/solana.js';
import {
  confirmOperation,
  failOperation,
  type OperationFacts,
} from '../approvals/record-operator-transaction.js';
import { type OrderFacts, recordLandedOrder } from '../orders/record-landed-order.js';
import { followWallet, type WalletChange } from '../partners/follow-wallet.js';
import { landedStatusEvents, type TermsChange } from '../partners/read-partner-events.js';
import type { Recording } from '../recording.js';
import { type RedemptionFacts, recordLandedRedemption } from '../redemptions/record-landed-redemption.js';
import { type TradeFacts, writeTrades } from '../trades/write-trades.js';
import { reportRecorded } from './report-recorded.js';

/** Everything that one transaction of the chain leaves behind. */
export interface ChainRecord {
  signature: TxSignature;
  slot: bigint;
  trade: TradeFacts | undefined;
  redemption: RedemptionFacts | undefined;
  /** What partners did with their vaults and authorities. */
  orders: OrderFacts[];
  /** What admins did. */
  operations: OperationFacts[];
  /** Wallets of partners that others replaced on chain. */
  wallets: WalletChange[];
  /** New terms of partners. */
  terms: TermsChange[];
  /** Why a transaction that calls the program failed; undefined for any other. */
  failure: string | undefined;
  events: ProgramEventFacts[];
  /** What it moved of the treasury accounts. */
  movements: TreasuryMovementFacts[];
  deadLetters: DeadLetter[];
  /** What it cost the service; undefined where another key paid. */
  cost: LandedCost | undefined;
  /** A small deposit that did not come through the service; it gets no separate dead letter. */
  dust: Dust | undefined;
}

/** Returns the record of a transaction of which nothing is to be written. */
export function emptyRecord(signature: TxSignature, slot: bigint): ChainRecord {
  return {
    signature,
    slot,
    trade: undefined,
    redemption: undefined,
    orders: [],
    operations: [],
    wallets: [],
    terms: [],
    failure: undefined,
    events: [],
    movements: [],
    deadLetters: [],
    cost: undefined,
    dust: undefined,
  };
}

/**
 * Writes what transactions of the chain say, in one database transaction. Doing it again changes nothing, in whatever order
 * they come. What does not fit goes to the dead letters; nothing already written is changed.
 */
export async function recordChain(ctx: Context, given: readonly ChainRecord[]): Promise<void> {
  const records = [...new Map(given.map((record) => [record.signature, record])).values()];
  if (records.length === 0) return;
  const startMs = performance.now();
  const events = await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    if (records.some(({ events }) => events.length > 0)) await lockProgramEvents(tx);
    const written = await writeRecords(ctx, tx, records, at);
    await appendEvents(tx, written.events, at);
    return written.events;
  });
  await reportRecorded(ctx, records, events, startMs);
}

/** What writing records leaves for the end of the database transaction, and for its caller. */
export interface WrittenRecords {
  /** Dead letters that were written. */
  deadLetters: DeadLetter[];
  /** Events for partners: the caller appends them, as the last statement of its transaction. */
  events: NewEvent[];
}

/**
 * Writes one transaction of the chain, for actions that do more in the same database transaction; they call
 * `lockProgramEvents` first.
 */
export function writeRecord(ctx: Context, tx: Tx, record: ChainRecord, at: Date): Promise<WrittenRecords> {
  return writeRecords(ctx, tx, [record], at);
}

/**
 * Writes transactions, each of which is given once. What every trade has is written with a few statements for all of them:
 * its event, what it moved, and its row.
 */
async function writeRecords(ctx: Context, tx: Tx, records: ChainRecord[], at: Date): Promise<WrittenRecords> {
  const events: NewEvent[] = [];
  const deadLetters = records.flatMap((record) => record.deadLetters);
  const { kept, known } = await keepEffects(tx, records, at);
  const { made, conflicting } = await checkEvents(tx, records, kept);
  deadLetters.push(...conflicting);
  for (const record of records) {
    const news = record.movements.length > 0 && !known.has(record.signature);
    if (news && record.dust) await addDust(tx, record, record.dust, at);
  }
  const moved: MovedAmounts[] = [];
  const spent: FeeSpent[] = [];
  const recording = { at, events, moved, spent };
  const trades = records.flatMap(({ trade, ...record }) => (trade ? [{ ...record, trade }] : []));
  deadLetters.push(...(await writeTrades(ctx, tx, trades, recording)));
  for (const record of records) deadLetters.push(...(await writeOthers(ctx, tx, record, recording)));
  for (const change of records.flatMap(({ terms }) => terms))
    if (made.has(eventKey(change.partnerId, change.seq)))
      events.push(...(await landedStatusEvents(ctx, tx, change)));
  for (const deadLetter of deadLetters) await insertDeadLetter(tx, deadLetter, at);
  await countFees(tx, spent, at);
  await countVelocity(tx, moved, at);
  return { deadLetters, events };
}

/** Writes what few transactions have. */
async function writeOthers(
  ctx: Context,
  tx: Tx,
  record: ChainRecord,
  recording: Recording,
): Promise<DeadLetter[]> {
  const { signature, slot } = record;
  const { at } = recording;
  const landed = { signature, slot, cost: record.cost };
  const deadLetters: DeadLetter[] = [];
  if (record.redemption)
    deadLetters.push(...(await recordLandedRedemption(tx, landed, record.redemption, recording)));
  for (const order of record.orders)
    deadLetters.push(...(await recordLandedOrder(ctx, tx, landed, order, recording)));
  for (const operation of record.operations)
    deadLetters.push(...(await confirmOperation(tx, landed, operation, recording)));
  for (const change of record.wallets) await followWallet(ctx, tx, change, at);
  if (record.failure !== undefined) await failOperation(tx, landed, record.failure, at);
  return deadLetters;
}

/**
 * Returns which events were kept now, and dead letters about numbers that another transaction has already: nobody signs a
 * number, so a node may have made it up, here or there.
 */
async function checkEvents(
  tx: Tx,
  records: readonly ChainRecord[],
  kept: KeptEffects['kept'],
): Promise<{ made: Map<string, TxSignature>; conflicting: DeadLetter[] }> {
  const made = new Map<string, TxSignature>();
  const others: { record: ChainRecord; event: ProgramEventFacts }[] = [];
  for (const record of records) {
    for (const event of record.events) {
      if (kept.has(event)) made.set(eventKey(event.partnerId, event.seq), record.signature);
      else others.push({ record, event });
    }
  }
  const stored = await findEventSignatures(
    tx,
    others.map(({ event }) => event),
  );
  const conflicting: DeadLetter[] = [];
  for (const { record, event } of others) {
    const { partnerId, seq } = event;
    const { signature, slot } = record;
    const holder = made.get(eventKey(partnerId, seq)) ?? stored.get(eventKey(partnerId, seq));
    if (holder === signature) continue;
    const detail = { partner_id: partnerId, seq: seq.toString(), holder };
    conflicting.push({ signature, slot, reason: 'conflicting_event', detail });
  }
  return { made, conflicting };
}

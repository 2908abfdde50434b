import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents, type NewEvent } from '../../db/events/events.js';
import {
  addDust,
  type DeadLetter,
  type DeadLetterReason,
  type DeadLetterSubject,
  type Dust,
  insertDeadLetter,
  resolveDeadLettersOf,
} from '../../db/indexing/dead-letters.js';
import { advanceCursors, type Cursor, followAddress } from '../../db/indexing/indexer-cursors.js';
import { type KeptEffects, keepEffects, type ProgramEventFacts } from '../../db/indexing/keep-effects.js';
import {
  configEvents,
  escrowEvents,
  eventKey,
  findEventSignatures,
  lockProgramEvents,
} from '../../db/indexing/program-events.js';
import { countVelocity, type MovedAmounts } from '../../db/limits/velocity.js';
import { findTracesOf } from '../../db/trades/submissions.js';
import {
  asWritten,
  findTradeParties,
  findTradesInTheWay,
  insertTrades,
  type Trade,
  type TradeParties,
  type TradeRecord,
} from '../../db/trades/trades.js';
import type { TreasuryMovementFacts } from '../../db/treasury/treasury-movements.js';
import { type Uuid, uuidOf } from '../../domain/ids.js';
import { parseDecimal } from '../../domain/money.js';
import type { Address, TxSignature, WalletAddress } from '../../domain/solana.js';
import { tradeEvent } from '../../partner-events.js';
import { addToTrace, isRecorded } from '../../tracing/spans.js';
import {
  failOperation,
  type OperationFacts,
  settleOperation,
} from '../approvals/settle-operator-transaction.js';
import { type OrderFacts, settleLandedOrder } from '../orders/settle-landed-order.js';
import { followWallet, type WalletChange } from '../partners/follow-wallet.js';
import { landedStatusEvents, type TermsChange } from '../partners/read-partner-events.js';
import { type RedemptionFacts, settleLandedRedemption } from '../redemptions/settle-landed-redemption.js';
import type { Telling } from '../telling.js';

/** A trade as it is on chain: wallets and accounts, not yet matched to a user. */
export type TradeFacts = Omit<TradeRecord, 'partnerId' | 'userId' | 'txSignature' | 'slot'> & {
  userWallet: WalletAddress;
  /** The integrator account that the call named. */
  integrator: Address;
  /** From the event; undefined for a failed trade, which makes none. */
  partnerId: Uuid | undefined;
};

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
  /** A small deposit that did not come through the service; it gets no separate dead letter. */
  dust: Dust | undefined;
  /** Service signers that the transaction registered with the program; they are followed from now on. */
  serviceSigners: Address[];
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
    dust: undefined,
    serviceSigners: [],
  };
}

/** Dead letters that are moot once the trade of their transaction is written. */
const settledByRecord: DeadLetterReason[] = [
  'transaction_unavailable',
  'unsupported_version',
  'undecodable',
  'unknown_partner',
  'unknown_user',
  'user_partner_mismatch',
  'integrator_mismatch',
  'record_refused',
  'vanished',
];

/**
 * Writes what transactions of the chain say, and how far the indexer has come with them, in one database transaction.
 * Doing it again changes nothing. What does not fit goes to the dead letters; nothing already written is changed.
 */
export async function recordTrades(
  ctx: Context,
  batch: { records: ChainRecord[]; cursors: Cursor[] },
): Promise<void> {
  const records = [...new Map(batch.records.map((record) => [record.signature, record])).values()];
  const startMs = performance.now();
  await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    if (records.some(({ events }) => events.length > 0)) await lockProgramEvents(tx);
    const { events } = await writeRecords(ctx, tx, records, at);
    await advanceCursors(tx, batch.cursors, at);
    await appendEvents(tx, events, at);
  });
  if (isRecorded()) await showInTraces(ctx, records, startMs);
}

/** Adds the recording of transactions to the traces of the requests that sent them. Never rejects: all is written by then. */
async function showInTraces({ db }: Context, records: ChainRecord[], startMs: number): Promise<void> {
  const ids = records.flatMap(({ trade, redemption }) => [trade?.id ?? [], redemption?.id ?? []].flat());
  const sent = await findTracesOf(db, ids.map(uuidOf)).catch(() => []);
  for (const { operationId, traceparent } of sent) {
    const attributes = { 'karat.operation_id': operationId };
    addToTrace(traceparent, 'record transaction', { startMs, attributes });
  }
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
  const found = new Map(records.map((record) => [record, [...record.deadLetters]]));
  const add = (record: ChainRecord, deadLetters: DeadLetter[]) => found.get(record)?.push(...deadLetters);
  const { kept, known } = await keepEffects(tx, records, at);
  const made = await checkEvents(ctx, tx, records, kept, add, at);
  for (const record of records) {
    const news = record.movements.length > 0 && !known.has(record.signature);
    if (news && record.dust) await addDust(tx, record, record.dust, at);
    for (const address of record.serviceSigners) await followAddress(tx, address, at);
  }
  const moved: MovedAmounts[] = [];
  const telling = { at, events, moved };
  await writeTrades(ctx, tx, records, add, telling);
  for (const record of records) add(record, await writeOthers(ctx, tx, record, telling));
  for (const change of records.flatMap(({ terms }) => terms))
    if (made.has(eventKey(change.partnerId, change.seq)))
      events.push(...(await landedStatusEvents(ctx, tx, change)));
  const deadLetters = [...found.values()].flat();
  for (const deadLetter of deadLetters) await insertDeadLetter(tx, deadLetter, at);
  await countVelocity(tx, moved, at);
  return { deadLetters, events };
}

/** Writes what few transactions have. */
async function writeOthers(
  ctx: Context,
  tx: Tx,
  record: ChainRecord,
  telling: Telling,
): Promise<DeadLetter[]> {
  const { signature, slot } = record;
  const { at } = telling;
  const landed = { signature, slot };
  const deadLetters: DeadLetter[] = [];
  if (record.redemption)
    deadLetters.push(...(await settleLandedRedemption(tx, landed, record.redemption, telling)));
  for (const order of record.orders)
    deadLetters.push(...(await settleLandedOrder(ctx, tx, landed, order, telling)));
  for (const operation of record.operations)
    deadLetters.push(...(await settleOperation(tx, landed, operation, telling)));
  for (const change of record.wallets) await followWallet(ctx, tx, change, at);
  if (record.failure !== undefined) await failOperation(tx, landed, record.failure, at);
  return deadLetters;
}

/** Takes the dead letters of a record. */
type Add = (record: ChainRecord, deadLetters: DeadLetter[]) => void;

/**
 * Checks the numbers of events, of which some were kept now, and returns the transactions of the new ones, by number. A number
 * may show a gap before it, close one behind it, or be taken by another transaction.
 */
async function checkEvents(
  ctx: Context,
  tx: Tx,
  records: ChainRecord[],
  kept: KeptEffects['kept'],
  add: Add,
  at: Date,
): Promise<Map<string, TxSignature>> {
  const events = records.flatMap((record) => record.events.map((event) => ({ record, event })));
  if (events.length === 0) return new Map();
  const isNew = ({ event }: (typeof events)[number]) => kept.has(event);
  const made = new Map(
    events.filter(isNew).map(({ record, event }) => [eventKey(event.partnerId, event.seq), record.signature]),
  );
  const neighbours = [...kept].flatMap(({ partnerId, seq }) => [
    { partnerId, seq: seq - 1n },
    { partnerId, seq: seq + 1n },
  ]);
  const looked = [...neighbours, ...events.filter((each) => !isNew(each)).map(({ event }) => event)];
  const stored = await findEventSignatures(
    tx,
    looked.filter(({ partnerId, seq }) => !made.has(eventKey(partnerId, seq))),
  );
  const holderOf = (partnerId: Uuid, seq: bigint) =>
    made.get(eventKey(partnerId, seq)) ?? stored.get(eventKey(partnerId, seq));
  /** What the letters about gaps are about that these events close. */
  const closed: DeadLetterSubject[] = [];
  for (const each of events) {
    const { record, event } = each;
    const { partnerId, seq } = event;
    const { signature, slot } = record;
    const deadLetter = (reason: DeadLetterReason, detail: Record<string, unknown>): DeadLetter[] => [
      { signature, slot, reason, detail: { partner_id: partnerId, seq: seq.toString(), ...detail } },
    ];
    if (!isNew(each)) {
      const holder = holderOf(partnerId, seq);
      if (holder === signature) continue;
      add(record, deadLetter('conflicting_event', { holder }));
      continue;
    }
    if (seq === 1n && partnerId !== configEvents && partnerId !== escrowEvents)
      closed.push(await ctx.chain.program.integratorAddress(partnerId));
    const next = holderOf(partnerId, seq + 1n);
    if (next) closed.push(next);
    if (seq > 1n && !holderOf(partnerId, seq - 1n))
      add(record, deadLetter('sequence_gap', { missing: (seq - 1n).toString() }));
  }
  await resolveDeadLettersOf(tx, closed, ['sequence_gap'], at);
  return made;
}

/**
 * Writes the trades of records whose user and partner are known and whose id and transaction are free. Both are signed, so
 * no node can give them to another trade. It can do that with an event's number, which is why a number decides nothing.
 */
async function writeTrades(
  ctx: Context,
  tx: Tx,
  records: ChainRecord[],
  add: Add,
  { at, events, moved }: Telling,
): Promise<void> {
  const given = records.flatMap((record) => (record.trade ? [{ record, facts: record.trade }] : []));
  if (given.length === 0) return;
  const parties = await findTradeParties(
    tx,
    given.map(({ facts }) => facts.userWallet),
    given.flatMap(({ facts }) => facts.partnerId ?? []),
  );
  const whole: { record: ChainRecord; facts: TradeFacts; trade: TradeRecord }[] = [];
  for (const { record, facts } of given) {
    const trade = await matchTrade(ctx, record, facts, parties);
    if ('detail' in trade) add(record, [trade]);
    else whole.push({ record, facts, trade });
  }
  const written = await insertTrades(
    tx,
    whole.map(({ trade }) => trade),
    at,
  );
  await resolveDeadLettersOf(tx, [...written], settledByRecord, at);
  for (const { record, facts, trade } of whole) {
    if (written.has(record.signature)) continue;
    const inTheWay = await findTradesInTheWay(tx, trade);
    const [other] = inTheWay;
    if (inTheWay.length === 1 && other && sameTrade(other, trade)) continue;
    // Money may have moved without a record: everything that would have been in one.
    const detail = {
      ...shown(facts),
      written: inTheWay.map(({ id, txSignature, status }) => ({ id, tx: txSignature, status })),
    };
    add(record, [tradeLetter(record, facts, 'conflicting_record', detail)]);
  }
  const news = whole.flatMap(({ record, trade }) => (written.has(record.signature) ? [trade] : []));
  events.push(...news.map((trade) => tradeEvent(`trade.${trade.status}`, asWritten(trade, at))));
  moved.push(...news.map(movedBy));
}

/** Returns what counts of a trade against the limits of its user and partner. */
export function movedBy({
  id,
  userId,
  partnerId,
  status,
  usdcAmount,
  goldAmount,
}: TradeRecord): MovedAmounts {
  const [usdc, gold] = status === 'confirmed' ? [usdcAmount, goldAmount] : [0n, 0n];
  return { quoteId: id, userId, partnerId, usdc, gold };
}

function tradeLetter(
  { signature, slot }: ChainRecord,
  { id }: TradeFacts,
  reason: DeadLetterReason,
  detail: Record<string, unknown>,
): DeadLetter {
  return { signature, slot, reason, detail: { trade_id: id, ...detail } };
}

/** Returns a trade of a known user and partner, or the dead letter that says what is wrong with it. */
async function matchTrade(
  ctx: Context,
  record: ChainRecord,
  facts: TradeFacts,
  { users, partners }: TradeParties,
): Promise<TradeRecord | DeadLetter> {
  const { partnerId, userWallet: wallet } = facts;
  const user = users.get(wallet);
  const wrong = (reason: DeadLetterReason, detail: Record<string, unknown>) =>
    tradeLetter(record, facts, reason, detail);
  if (partnerId !== undefined && !partners.has(partnerId))
    return wrong('unknown_partner', { partner_id: partnerId });
  if (!user) return wrong('unknown_user', { wallet });
  if (partnerId !== undefined && partnerId !== user.partnerId)
    return wrong('user_partner_mismatch', { user: user.partnerId, trade: partnerId });
  const integrator = await ctx.chain.program.integratorAddress(user.partnerId);
  if (integrator !== facts.integrator)
    return wrong('integrator_mismatch', { expected: integrator, found: facts.integrator });
  return toRecord(record, facts, user);
}

/** Returns a trade for people, amounts in base units. */
function shown(facts: TradeFacts): Record<string, unknown> {
  const { side, status, usdcAmount, goldAmount, pricePerTroyOz, feeBps, feeUsdc, userWallet } = facts;
  return {
    side,
    status,
    usdc: usdcAmount.toString(),
    gold: goldAmount.toString(),
    price_per_troy_oz: pricePerTroyOz,
    fee_bps: feeBps,
    fee_usdc: feeUsdc.toString(),
    wallet: userWallet,
  };
}

function toRecord(
  { signature, slot }: ChainRecord,
  facts: TradeFacts,
  user: { id: Trade['userId']; partnerId: Uuid },
): TradeRecord {
  const { id, side, status, usdcAmount, goldAmount, pricePerTroyOz, feeBps, feeUsdc, eventSeq } = facts;
  const { failureReason, reason, programErrorName } = facts;
  // Written out: copies without some fields take long, and there is one for each trade.
  return {
    id,
    side,
    status,
    usdcAmount,
    goldAmount,
    pricePerTroyOz,
    feeBps,
    feeUsdc,
    eventSeq,
    failureReason,
    reason,
    programErrorName,
    partnerId: user.partnerId,
    userId: user.id,
    txSignature: signature,
    slot,
  };
}

/**
 * Returns whether a row agrees with the chain, apart from the slot: until it is final, a transaction may move to
 * another.
 */
function sameTrade(row: Trade, record: TradeRecord): boolean {
  const price = (text: string) => parseDecimal(text, 12);
  return (
    row.id === record.id &&
    row.partnerId === record.partnerId &&
    row.userId === record.userId &&
    row.side === record.side &&
    row.status === record.status &&
    row.usdcAmount === record.usdcAmount &&
    row.goldAmount === record.goldAmount &&
    price(row.pricePerTroyOz) === price(record.pricePerTroyOz) &&
    row.feeBps === record.feeBps &&
    row.feeUsdc === record.feeUsdc &&
    row.txSignature === record.txSignature &&
    row.eventSeq === record.eventSeq &&
    row.reason === record.reason &&
    row.programErrorName === record.programErrorName
  );
}

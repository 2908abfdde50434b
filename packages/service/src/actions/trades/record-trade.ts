import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  addDust,
  type DeadLetter,
  type DeadLetterReason,
  type Dust,
  insertDeadLetter,
  resolveDeadLetters,
} from '../../db/indexing/dead-letters.js';
import { advanceCursor, type Cursor, followAddress } from '../../db/indexing/indexer-cursors.js';
import {
  configEvents,
  escrowEvents,
  findEventSignature,
  insertProgramEvent,
  lockProgramEvents,
  type ProgramEvent,
} from '../../db/indexing/program-events.js';
import {
  findTradeParties,
  findTradesInTheWay,
  insertTrade,
  type Trade,
  type TradeRecord,
} from '../../db/trades/trades.js';
import { keepTreasuryMovements, type TreasuryMovementFacts } from '../../db/treasury/treasury-movements.js';
import type { Uuid } from '../../domain/ids.js';
import { parseDecimal } from '../../domain/money.js';
import type { Address, TxSignature, WalletAddress } from '../../domain/solana.js';
import {
  failOperation,
  type OperationFacts,
  settleOperation,
} from '../approvals/settle-operator-transaction.js';
import { type OrderFacts, settleLandedOrder } from '../orders/settle-landed-order.js';
import { followWallet, type WalletChange } from '../partners/follow-wallet.js';
import { type RedemptionFacts, settleLandedRedemption } from '../redemptions/settle-landed-redemption.js';

/** A trade as it is on chain: wallets and accounts, not yet matched to a user. */
export type TradeFacts = Omit<TradeRecord, 'partnerId' | 'userId' | 'txSignature' | 'slot'> & {
  userWallet: WalletAddress;
  /** The integrator account that the call named. */
  integrator: Address;
  /** From the event; undefined for a failed trade, which makes none. */
  partnerId: Uuid | undefined;
};

export type ProgramEventFacts = Omit<ProgramEvent, 'txSignature' | 'slot'>;

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
  await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    if (batch.records.some(({ events }) => events.length > 0)) await lockProgramEvents(tx);
    for (const record of batch.records) await writeRecord(ctx, tx, record, at);
    for (const cursor of batch.cursors) await advanceCursor(tx, cursor, at);
  });
}

/**
 * Writes one transaction of the chain, for actions that do more in the same database transaction; they call
 * `lockProgramEvents` first. Returns the reasons of the dead letters that it wrote.
 */
export async function writeRecord(
  ctx: Context,
  tx: Tx,
  record: ChainRecord,
  at: Date,
): Promise<DeadLetterReason[]> {
  const deadLetters = [...record.deadLetters];
  for (const event of record.events) deadLetters.push(...(await writeEvent(ctx, tx, record, event, at)));
  if (record.movements.length > 0) {
    const news = await keepTreasuryMovements(tx, record, record.movements, at);
    if (news && record.dust) await addDust(tx, record, record.dust, at);
  }
  for (const address of record.serviceSigners) await followAddress(tx, address, at);
  if (record.trade) deadLetters.push(...(await writeTrade(ctx, tx, record, record.trade, at)));
  const { signature, slot } = record;
  const landed = { signature, slot };
  if (record.redemption)
    deadLetters.push(...(await settleLandedRedemption(tx, landed, record.redemption, at)));
  for (const order of record.orders) deadLetters.push(...(await settleLandedOrder(tx, landed, order, at)));
  for (const operation of record.operations)
    deadLetters.push(...(await settleOperation(tx, landed, operation, at)));
  for (const change of record.wallets) await followWallet(ctx, tx, change, at);
  if (record.failure !== undefined) await failOperation(tx, landed, record.failure, at);
  for (const deadLetter of deadLetters) await insertDeadLetter(tx, deadLetter, at);
  return deadLetters.map(({ reason }) => reason);
}

/** Keeps an event. Its number may show a gap before it, close one behind it, or be taken by another transaction. */
async function writeEvent(
  ctx: Context,
  tx: Tx,
  record: ChainRecord,
  event: ProgramEventFacts,
  at: Date,
): Promise<DeadLetter[]> {
  const { signature, slot } = record;
  const { partnerId, seq } = event;
  const deadLetter = (reason: DeadLetterReason, detail: Record<string, unknown>): DeadLetter[] => [
    { signature, slot, reason, detail: { partner_id: partnerId, seq: seq.toString(), ...detail } },
  ];
  if (!(await insertProgramEvent(tx, { ...event, txSignature: signature, slot }, at))) {
    const holder = await findEventSignature(tx, partnerId, seq);
    return holder === signature ? [] : deadLetter('conflicting_event', { holder });
  }
  if (seq === 1n && partnerId !== configEvents && partnerId !== escrowEvents) {
    await resolveDeadLetters(tx, await ctx.chain.program.integratorAddress(partnerId), ['sequence_gap'], at);
  }
  const next = await findEventSignature(tx, partnerId, seq + 1n);
  if (next) await resolveDeadLetters(tx, next, ['sequence_gap'], at);
  if (seq <= 1n || (await findEventSignature(tx, partnerId, seq - 1n))) return [];
  return deadLetter('sequence_gap', { missing: (seq - 1n).toString() });
}

async function writeTrade(
  ctx: Context,
  tx: Tx,
  record: ChainRecord,
  facts: TradeFacts,
  at: Date,
): Promise<DeadLetter[]> {
  const { signature, slot } = record;
  const deadLetter = (reason: DeadLetterReason, detail: Record<string, unknown>): DeadLetter[] => [
    { signature, slot, reason, detail: { trade_id: facts.id, ...detail } },
  ];
  const { user, partnerKnown } = await findTradeParties(tx, facts.userWallet, facts.partnerId);
  if (!partnerKnown) return deadLetter('unknown_partner', { partner_id: facts.partnerId });
  if (!user) return deadLetter('unknown_user', { wallet: facts.userWallet });
  if (facts.partnerId !== undefined && facts.partnerId !== user.partnerId) {
    return deadLetter('user_partner_mismatch', { user: user.partnerId, trade: facts.partnerId });
  }
  const integrator = await ctx.chain.program.integratorAddress(user.partnerId);
  if (integrator !== facts.integrator) {
    return deadLetter('integrator_mismatch', { expected: integrator, found: facts.integrator });
  }
  const trade = toRecord(record, facts, user);
  if (await insertTrade(tx, trade, at)) {
    await resolveDeadLetters(tx, signature, settledByRecord, at);
    return [];
  }
  const inTheWay = await findTradesInTheWay(tx, trade);
  const [written] = inTheWay;
  if (inTheWay.length === 1 && written && sameTrade(written, trade)) return [];
  // Money may have moved without a record: everything that would have been in one.
  return deadLetter('conflicting_record', {
    ...shown(facts),
    written: inTheWay.map(({ id, txSignature, status }) => ({ id, tx: txSignature, status })),
  });
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
  const { userWallet: _wallet, integrator: _integrator, ...amounts } = facts;
  return { ...amounts, partnerId: user.partnerId, userId: user.id, txSignature: signature, slot };
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
    row.failureReason === record.failureReason
  );
}

import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  type DeadLetter,
  type DeadLetterReason,
  insertDeadLetter,
  resolveDeadLettersOf,
} from '../../db/indexing/dead-letters.js';
import type { LandedCost } from '../../db/limits/fee-spending.js';
import type { MovedAmounts } from '../../db/limits/velocity.js';
import {
  asWritten,
  findTradeParties,
  findTradesInTheWay,
  insertTrades,
  type Trade,
  type TradeParties,
  type TradeRecord,
} from '../../db/trades/trades.js';
import type { Uuid } from '../../domain/ids.js';
import { parseDecimal } from '../../domain/money.js';
import type { Address, TxSignature, WalletAddress } from '../../domain/solana.js';
import { tradeEvent } from '../../events/partner-events.js';
import type { Recording } from '../recording.js';

/** A trade as it is on chain: wallets and accounts, not yet matched to a user. */
export type TradeFacts = Omit<TradeRecord, 'partnerId' | 'userId' | 'txSignature' | 'slot'> & {
  userWallet: WalletAddress;
  /** The integrator account that the call named. */
  integrator: Address;
  /** From the event; undefined for a failed trade, which makes none. */
  partnerId: Uuid | undefined;
};

/** A trade with the transaction that carries it. */
export interface LandedTrade {
  signature: TxSignature;
  slot: bigint;
  cost: LandedCost | undefined;
  trade: TradeFacts;
}

/** Dead letters that are moot once the trade of their transaction is written. */
const resolvedByRecord: DeadLetterReason[] = [
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
 * Writes the trades of records whose user and partner are known and whose id and transaction are free. Both are signed, so
 * no node can give them to another trade. It can do that with an event's number, which is why a number decides nothing.
 * Returns dead letters about the others.
 */
export async function writeTrades(
  ctx: Context,
  tx: Tx,
  landed: readonly LandedTrade[],
  { at, events, moved, spent }: Recording,
): Promise<DeadLetter[]> {
  if (landed.length === 0) return [];
  const deadLetters: DeadLetter[] = [];
  const parties = await findTradeParties(
    tx,
    landed.map(({ trade }) => trade.userWallet),
    landed.flatMap(({ trade }) => trade.partnerId ?? []),
  );
  const whole: { landed: LandedTrade; trade: TradeRecord }[] = [];
  for (const each of landed) {
    const trade = await matchTrade(ctx, each, parties);
    if ('detail' in trade) deadLetters.push(trade);
    else whole.push({ landed: each, trade });
  }
  const written = await insertTrades(
    tx,
    whole.map(({ trade }) => trade),
    at,
  );
  await resolveDeadLettersOf(tx, [...written], resolvedByRecord, at);
  const counted: typeof whole = [];
  for (const { landed: each, trade } of whole) {
    if (written.has(each.signature)) continue;
    const inTheWay = await findTradesInTheWay(tx, trade);
    const [other] = inTheWay;
    if (inTheWay.length === 1 && other && sameTrade(other, trade)) continue;
    // Money may have moved without a record: everything that would have been in one.
    const detail = {
      ...shown(each.trade),
      written: inTheWay.map(({ id, txSignature, status }) => ({ id, tx: txSignature, status })),
    };
    const deadLetter = tradeDeadLetter(each, 'conflicting_record', detail);
    deadLetters.push(deadLetter);
    // A second transaction of one quote moved as much again, and cost as much. It counts once, with its dead letter.
    const isSecond = inTheWay.every(({ txSignature }) => txSignature !== each.signature);
    if ((await insertDeadLetter(tx, deadLetter, at)) && isSecond) counted.push({ landed: each, trade });
  }
  for (const { landed: each, trade } of whole) {
    if (!written.has(each.signature)) continue;
    events.push(tradeEvent(`trade.${trade.status}`, asWritten(trade, at)));
    counted.push({ landed: each, trade });
  }
  for (const { landed: each, trade } of counted) {
    moved.push(movedBy(trade));
    const { partnerId, feeUsdc } = trade;
    if (each.cost) spent.push({ ...each.cost, partnerId, feeUsdc });
  }
  return deadLetters;
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

function tradeDeadLetter(
  { signature, slot, trade: { id } }: LandedTrade,
  reason: DeadLetterReason,
  detail: Record<string, unknown>,
): DeadLetter {
  return { signature, slot, reason, detail: { trade_id: id, ...detail } };
}

/** Returns a trade of a known user and partner, or the dead letter that says what is wrong with it. */
async function matchTrade(
  ctx: Context,
  landed: LandedTrade,
  { users, partners }: TradeParties,
): Promise<TradeRecord | DeadLetter> {
  const { trade: facts } = landed;
  const { partnerId, userWallet: wallet } = facts;
  const user = users.get(wallet);
  const wrong = (reason: DeadLetterReason, detail: Record<string, unknown>) =>
    tradeDeadLetter(landed, reason, detail);
  if (partnerId !== undefined && !partners.has(partnerId))
    return wrong('unknown_partner', { partner_id: partnerId });
  if (!user) return wrong('unknown_user', { wallet });
  if (partnerId !== undefined && partnerId !== user.partnerId)
    return wrong('user_partner_mismatch', { user: user.partnerId, trade: partnerId });
  const integrator = await ctx.chain.program.integratorAddress(user.partnerId);
  if (integrator !== facts.integrator)
    return wrong('integrator_mismatch', { expected: integrator, found: facts.integrator });
  return toRecord(landed, user);
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
  { signature, slot, trade: facts }: LandedTrade,
  user: { id: Trade['userId']; partnerId: Uuid },
): TradeRecord {
  const { id, side, status, usdcAmount, goldAmount, pricePerTroyOz, feeBps, feeUsdc, eventSeq } = facts;
  const { failureReason, reason, programErrorName, madeAccount = false } = facts;
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
    madeAccount,
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

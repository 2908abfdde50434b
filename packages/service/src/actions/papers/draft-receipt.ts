import { findBarOf } from '../../db/bars/bars.js';
import type { Db } from '../../db/client.js';
import type { PaperSubject } from '../../db/papers/papers.js';
import type { Partner } from '../../db/partners/partners.js';
import { findHistory, findRedemption } from '../../db/redemptions/redemptions.js';
import { findTrade, type SeenTrade } from '../../db/trades/trades.js';
import { findUser } from '../../db/users.js';
import { asRedemptionId, asTradeId } from '../../domain/ids.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import {
  type RedemptionReceipt,
  receiptFormat,
  type SignedReceipt,
  type TradeReceipt,
} from '../../domain/papers/receipt.js';

const amount = (baseUnits: bigint) => formatDecimal(baseUnits, tokenDecimals);
/** A decimal of the database without the zeros at its end. */
const plain = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);

/** Makes a receipt of the records; undefined while there is none to make. */
export async function draftReceipt(
  db: Db,
  partner: Partner,
  { kind, subject, issuedAt }: Pick<PaperSubject, 'kind' | 'subject'> & { issuedAt: Date },
): Promise<SignedReceipt | undefined> {
  if (kind === 'trade') {
    const id = asTradeId(subject);
    const trade = id && (await findTrade(db, id));
    return trade?.partnerId === partner.id ? tradeReceipt(db, partner, trade, issuedAt) : undefined;
  }
  return redemptionReceipt(db, partner, subject, issuedAt);
}

const headOf = ({ id, name }: Partner, issuedAt: Date) => ({
  format: receiptFormat as typeof receiptFormat,
  issued_at: issuedAt.toISOString(),
  partner_id: id,
  partner_name: name,
});

async function tradeReceipt(
  db: Db,
  partner: Partner,
  trade: SeenTrade,
  issuedAt: Date,
): Promise<TradeReceipt | undefined> {
  if (trade.status !== 'confirmed' || !trade.finalized) return undefined;
  const user = (await findUser(db, trade.userId))?.user;
  if (!user) return undefined;
  return {
    ...headOf(partner, issuedAt),
    kind: 'trade',
    trade_id: trade.id,
    side: trade.side,
    at: trade.createdAt.toISOString(),
    user_id: user.partnerUserId,
    wallet: user.walletAddress,
    gold: amount(trade.goldAmount),
    usdc: amount(trade.usdcAmount),
    fee_usd: amount(trade.feeUsdc),
    price_per_troy_oz: plain(trade.pricePerTroyOz),
    tx_hash: trade.txSignature,
  };
}

async function redemptionReceipt(
  db: Db,
  partner: Partner,
  subject: string,
  issuedAt: Date,
): Promise<RedemptionReceipt | undefined> {
  const id = asRedemptionId(subject);
  const redemption = id && (await findRedemption(db, id));
  if (redemption?.partnerId !== partner.id || redemption.status !== 'collected') return undefined;
  const [bar, history] = await Promise.all([findBarOf(db, redemption.id), findHistory(db, redemption.id)]);
  const timeOf = (status: string) => history.find(({ to }) => to === status)?.at.toISOString();
  const { txSignature } = redemption;
  if (txSignature === null) return undefined;
  return {
    ...headOf(partner, issuedAt),
    kind: 'redemption',
    redemption_id: redemption.id,
    wallet: redemption.userWallet,
    denomination: redemption.denomination,
    weight_g: plain(redemption.weightG),
    city: redemption.city,
    bar: bar
      ? {
          refiner: bar.refiner,
          serial: bar.serial,
          fineness: plain(bar.fineness),
          weight_g: plain(bar.weightG),
        }
      : null,
    gold: amount(redemption.tokensRequired),
    gold_value_usd: amount(redemption.goldValueUsd),
    fee_usd: amount(redemption.feeUsd),
    paid_at: timeOf('submitted') ?? redemption.createdAt.toISOString(),
    collected_at: timeOf('collected') ?? redemption.updatedAt.toISOString(),
    tx_hash: txSignature,
  };
}

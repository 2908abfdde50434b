import type { Db, Tx } from '../../db/client.js';
import { findWalletsOf, type PartnerWallet } from '../../db/partners/partner-wallets.js';
import { findPartner, lockPartner, type Partner } from '../../db/partners/partners.js';
import { asUuid } from '../../domain/ids.js';
import { formatDecimal, parseDecimal } from '../../domain/money.js';
import { AppError } from '../../errors.js';

/** A partner with its wallets, active and revoked. */
export interface KnownPartner {
  partner: Partner;
  wallets: PartnerWallet[];
}

/** Returns the partner of an id. Throws `partner_not_found`. */
export async function getPartner(db: Db | Tx, text: string): Promise<Partner> {
  const id = asUuid(text);
  return found(id && (await findPartner(db, id)));
}

/** Returns the partner of an id, whom only this transaction changes until it ends. Throws `partner_not_found`. */
export async function getPartnerForChange(tx: Tx, text: string): Promise<Partner> {
  const id = asUuid(text);
  return found(id && (await lockPartner(tx, id)));
}

function found(partner: Partner | undefined): Partner {
  if (partner) return partner;
  throw new AppError('partner_not_found', 'There is no partner with this id.');
}

/** Partners with their wallets, by one query. */
export async function withWallets(db: Db | Tx, partners: Partner[]): Promise<KnownPartner[]> {
  const wallets = await findWalletsOf(
    db,
    partners.map(({ id }) => id),
  );
  return partners.map((partner) => ({
    partner,
    wallets: wallets.filter(({ partnerId }) => partnerId === partner.id),
  }));
}

/** Returns a partner as the audit log stores it. */
export function toAuditedPartner({ name, status, feePercentage, feeBudgetLamports, minTradeUsdc }: Partner) {
  return {
    name,
    status,
    fee_percentage: formatDecimal(parseDecimal(feePercentage, 6) ?? 0n, 6),
    fee_budget_lamports_per_hour: feeBudgetLamports.toString(),
    min_trade_usdc: formatDecimal(minTradeUsdc, 6),
  };
}

import type { Context } from '../../context.js';
import { insertPartner } from '../../db/partners/partners.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import { formatDecimal, parseNumber } from '../../domain/money.js';
import { invalidField } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { readPartnerWallet, registerWallet, requireAllowedWallet } from './add-partner-wallet.js';
import { type KnownPartner, toAuditedPartner } from './get-partner.js';

export interface NewPartner {
  /** Default: a new one. */
  id?: Uuid | undefined;
  name: string;
  /** Redemption fee as a fraction, a number as it came: 0.015 is 1.5 %. */
  feePercentage: number;
  walletAddress?: string | undefined;
}

/** Half, in millionths. */
const maxFee = 500_000n;

/**
 * Takes a partner on, active, with a first wallet if one is named. Throws `invalid_request` for a fee that is none,
 * `invalid_wallet`, `wallet_not_allowed`, `wallet_already_registered`.
 */
export async function createPartner(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  input: NewPartner,
): Promise<KnownPartner> {
  const feePercentage = readFee(input.feePercentage);
  const walletAddress =
    input.walletAddress === undefined ? undefined : readPartnerWallet(ctx, input.walletAddress);
  const { id = newUuid() } = input;
  if (walletAddress !== undefined) await requireAllowedWallet(ctx, walletAddress, null);
  const status = 'active' as const;
  const row = { id, name: input.name, status, feePercentage, createdAt: at, updatedAt: at };
  const partner = await insertPartner(tx, row);
  const wallets = walletAddress ? [await registerWallet(tx, { partnerId: id, walletAddress, at })] : [];
  const after = { ...toAuditedPartner(partner), wallets: wallets.map((each) => each.walletAddress) };
  await recordChange(tx, by, { action: 'partner.create', objectId: id, after }, at);
  return { partner, wallets };
}

/** Reads a fee as plain decimal text. Throws `invalid_request`, field `fee_percentage`. */
export function readFee(value: number): string {
  const fee = parseNumber(value, 6);
  if (fee !== undefined && fee <= maxFee) return formatDecimal(fee, 6);
  throw invalidField(
    'fee_percentage',
    `fee_percentage must be from 0 to ${formatDecimal(maxFee, 6)}, with at most 6 decimals.`,
  );
}

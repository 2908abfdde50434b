import type { ApiKey } from '../../db/keys/api-keys.js';
import {
  findPartnerWallet,
  markWalletRevoked,
  type PartnerWallet,
} from '../../db/partners/partner-wallets.js';
import { updatePartner } from '../../db/partners/partners.js';
import { asAddress } from '../../domain/solana.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { revokeKeysOfWallet } from '../keys/revoke-api-key.js';
import { getPartnerForChange } from './get-partner.js';

export interface RevokedWallet {
  wallet: PartnerWallet;
  /** Those that were active, of both APIs. */
  keys: ApiKey[];
}

/**
 * Revokes a wallet for good, and with it the keys that it minted: it is given no challenge and no key from now on, and a challenge
 * that it has is worth nothing. Throws `partner_not_found`, `wallet_not_found`, `already_revoked`.
 */
export async function revokePartnerWallet(
  { tx, by, at }: ChangeTx,
  {
    partnerId,
    walletAddress,
    reason,
  }: { partnerId: string; walletAddress: string; reason?: string | undefined },
): Promise<RevokedWallet> {
  const partner = await getPartnerForChange(tx, partnerId);
  const address = asAddress(walletAddress);
  const found = address && (await findPartnerWallet(tx, partner.id, address));
  if (!found) throw new AppError('wallet_not_found', 'This is not a wallet of this partner.');
  if (!(await markWalletRevoked(tx, found, at))) {
    throw new AppError('already_revoked', 'This wallet is already revoked.');
  }
  await updatePartner(tx, { ...partner, updatedAt: at });
  const wallet = { ...found, status: 'revoked' as const, revokedAt: at };
  const change = { action: 'partner.revoke_wallet' as const, objectId: partner.id, reason };
  const before = { wallet_address: walletAddress, status: found.status };
  await recordChange(tx, by, { ...change, before, after: { ...before, status: wallet.status } }, at);
  return { wallet, keys: await revokeKeysOfWallet({ tx, by, at }, found, reason) };
}

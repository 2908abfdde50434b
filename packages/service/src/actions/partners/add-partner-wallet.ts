import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  findWalletHolder,
  insertPartnerWallet,
  type PartnerWallet,
} from '../../db/partners/partner-wallets.js';
import { updatePartner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import { type Address, asWalletAddress, type WalletAddress, walletFault } from '../../domain/solana.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';
import { isOwnWallet } from '../treasury/own-wallets.js';
import { getPartnerForChange } from './get-partner.js';

/**
 * Registers a wallet of a partner: it may mint keys and co-sign trades from now on. A wallet is one partner's for ever.
 * Throws `partner_not_found`, `wallet_already_registered`.
 * @param input its wallet as `readPartnerWallet` returns it.
 */
export async function addPartnerWallet(
  { tx, by, at }: ChangeTx,
  input: { partnerId: string; walletAddress: WalletAddress },
): Promise<PartnerWallet> {
  const { walletAddress } = input;
  const partner = await getPartnerForChange(tx, input.partnerId);
  const wallet = await registerWallet(tx, { partnerId: partner.id, walletAddress, at });
  await updatePartner(tx, { ...partner, updatedAt: at });
  const after = { wallet_address: walletAddress, status: wallet.status };
  await recordChange(tx, by, { action: 'partner.add_wallet', objectId: partner.id, after }, at);
  return wallet;
}

/**
 * Reads the address of a wallet that a partner may have. Throws `invalid_wallet` for anything else, and for one of our
 * own keys.
 */
export function readPartnerWallet(ctx: Context, text: string): WalletAddress {
  const address = asWalletAddress(text);
  if (!address) throw invalidWallet(`wallet_address is not a valid public key: ${walletFault(text)}.`);
  if (!isOwnWallet(ctx, address)) return address;
  throw invalidWallet('wallet_address is a key of the service, which cannot be a partner.');
}

/** Screens a wallet before it becomes a partner's. Throws `wallet_not_allowed`. */
export async function requireAllowedWallet(
  ctx: Context,
  wallet: Address,
  partnerId: Uuid | null,
  field = 'wallet_address',
): Promise<void> {
  const screened = { wallets: [wallet], stage: 'registration', partnerId, field } as const;
  await requireAllowedWallets(ctx, screened);
}

function invalidWallet(message: string): AppError {
  return new AppError('invalid_wallet', message, { field: 'wallet_address' });
}

/** Writes a wallet down. Throws `wallet_already_registered` when it is any partner's, revoked or not. */
export async function registerWallet(
  tx: Tx,
  { at, ...input }: { partnerId: Uuid; walletAddress: WalletAddress; at: Date },
): Promise<PartnerWallet> {
  const wallet = { ...input, status: 'active' as const, createdAt: at, revokedAt: null };
  if (await insertPartnerWallet(tx, wallet)) return wallet;
  throw walletIsRegistered(await findWalletHolder(tx, wallet.walletAddress));
}

/** Returns the refusal of a wallet that is some partner's already. */
export function walletIsRegistered(holder: PartnerWallet | undefined): AppError {
  const state = holder?.status === 'revoked' ? ', and is revoked' : '';
  return new AppError(
    'wallet_already_registered',
    `This wallet already belongs to partner ${holder?.partnerId}${state}.`,
    { field: 'wallet_address' },
  );
}

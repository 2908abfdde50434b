import { asWalletAddress } from '../chain/wallet.js';
import type { Context } from '../context.js';
import { findPartner } from '../db/partners.js';
import { asUuid, tradebookChallengeMessage } from '../domain/index.js';
import { AppError, invalidField } from '../errors.js';
import { findTradebookScopes } from './find-tradebook-scopes.js';
import { giveOut, type MintedChallenge } from './mint-challenge.js';

export interface TradebookChallengeInput {
  walletAddress: string;
  /** `PARTNER`: for the roles that the wallet has at a partner; `ADMIN`: for that of the program's admin. */
  keyType: 'ADMIN' | 'PARTNER';
  /** Needed for `PARTNER`, and without a meaning for `ADMIN`. */
  partnerId: string | undefined;
}

/**
 * Gives out a challenge for a wallet that has a role on chain. Throws, in this order: `invalid_request` for a partner's key
 * without a partner, `invalid_wallet`, `service_unavailable` while the chain is not known, and `wallet_not_found` for a
 * wallet without a role, and for a partner that does not exist.
 */
export async function mintTradebookChallenge(
  ctx: Context,
  input: TradebookChallengeInput,
): Promise<MintedChallenge> {
  if (input.keyType === 'PARTNER' && input.partnerId === undefined) {
    throw invalidField('partnerId', 'partnerId is required for a key of type PARTNER.');
  }
  const walletAddress = asWalletAddress(input.walletAddress);
  if (!walletAddress) {
    throw new AppError('invalid_wallet', 'walletAddress is not a valid public key.', {
      field: 'walletAddress',
    });
  }
  const partnerId = input.keyType === 'ADMIN' ? null : asUuid(input.partnerId ?? '');
  if (partnerId === undefined) throw withoutRole(input.keyType);
  if (findTradebookScopes(ctx, { walletAddress, partnerId }).length === 0) throw withoutRole(input.keyType);
  const challenge = await giveOut(ctx, { surface: 'tradebook', partnerId, walletAddress }, async (tx) => {
    if (partnerId !== null && !(await findPartner(tx, partnerId))) throw withoutRole(input.keyType);
  });
  return { ...challenge, message: tradebookChallengeMessage(challenge.id) };
}

/** The refusal of a wallet that has no role, or none any more. */
export function withoutRole(keyType: TradebookChallengeInput['keyType']): AppError {
  return new AppError(
    'wallet_not_found',
    keyType === 'ADMIN'
      ? "This wallet is not the admin of Karat's program."
      : 'This wallet has no role on chain at this partner.',
  );
}

import type { Context } from '../../context.js';
import { findCountry, findIdTypePattern } from '../../db/catalogue/countries.js';
import type { Tx } from '../../db/client.js';
import { appendEvents } from '../../db/events/events.js';
import { findUserConflicts, insertUser, insertUserKyc, type User } from '../../db/users.js';
import { isStorable } from '../../domain/encoding.js';
import { checkNumbers } from '../../domain/free-json.js';
import { matchesIdPattern } from '../../domain/id-pattern.js';
import {
  isCountryCode,
  type Kyc,
  newId,
  type Principal,
  parseVerifiedAt,
  type UserId,
} from '../../domain/index.js';
import { asWalletAddress, type WalletAddress, walletFault } from '../../domain/solana.js';
import { AppError, invalidField } from '../../errors.js';
import { userEvent } from '../../events/partner-events.js';
import { type PartnerRequest, recordMemberChange } from '../members/record-member-change.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';
import { isOwnWallet } from '../treasury/own-wallets.js';

export interface NewUser {
  userId: string;
  walletAddress: string;
  kyc: {
    country: string;
    fullName: string;
    kycProvider: string;
    kycLevel: string;
    kycVerifiedAt: string;
    kycData: Record<string, unknown> | undefined;
  };
  /** Null for the seed of a sandbox. */
  requestId: string | null;
}

export interface CreatedUser {
  id: UserId;
  userId: string;
  walletAddress: WalletAddress;
  createdAt: Date;
}

/** A user who may be registered, as far as the database is not needed to know that. */
export interface CheckedUser {
  user: User;
  kyc: Kyc;
  request: PartnerRequest;
}

/**
 * Checks an end-user who is to be registered. Throws `invalid_wallet`, `wallet_not_allowed`, `invalid_request` with the field,
 * or `kyc_level_insufficient`.
 */
export async function checkNewUser(ctx: Context, principal: Principal, input: NewUser): Promise<CheckedUser> {
  const { partnerId } = principal;
  if (!isStorable(input.userId))
    throw invalidField('user_id', 'user_id contains characters that are not allowed.');
  const walletAddress = asWalletAddress(input.walletAddress);
  if (!walletAddress)
    throw invalidWallet(`wallet_address is not a valid public key: ${walletFault(input.walletAddress)}.`);
  if (isOwnWallet(ctx, walletAddress)) {
    throw invalidWallet('wallet_address is a key of the service, which cannot be a user.');
  }
  const wallets = [walletAddress];
  await requireAllowedWallets(ctx, { wallets, stage: 'registration', partnerId, field: 'wallet_address' });
  const now = new Date(ctx.clock.now());
  const kyc = checkKyc(input.kyc, now.getTime());
  const user: User = {
    id: newId('gu'),
    partnerId,
    partnerUserId: input.userId,
    walletAddress,
    status: 'active',
    createdAt: now,
    updatedAt: now,
  };
  return { user, kyc, request: { principal, requestId: input.requestId } };
}

/**
 * Registers an end-user with a KYC record. Throws `invalid_request` with the field, or `user_already_exists` when the wallet
 * is taken (by anybody) or the id is (within the partner).
 */
export async function createUser(
  ctx: Context,
  tx: Tx,
  { user, kyc, request }: CheckedUser,
): Promise<CreatedUser> {
  if (!isCountryCode(kyc.country) || !(await findCountry(tx, kyc.country))?.active) {
    throw invalidField('kyc.country', 'kyc.country is not a country of the service.');
  }
  await checkIdNumber(tx, kyc);
  if (!(await insertUser(tx, user))) throw alreadyExists(user, await findUserConflicts(tx, user));
  await insertUserKyc(tx, await ctx.kyc.seal(tx, user, kyc));
  const { id, partnerUserId: userId, walletAddress, createdAt } = user;
  await recordMemberChange(tx, request, { operation: 'createUser', service_user_id: id }, createdAt);
  await appendEvents(tx, [userEvent('user.created', { user, kyc }, request.requestId)], createdAt);
  return { id, userId, walletAddress, createdAt };
}

function invalidWallet(message: string): AppError {
  return new AppError('invalid_wallet', message, { field: 'wallet_address' });
}

function checkKyc(kyc: NewUser['kyc'], nowMs: number): Kyc {
  const kycVerifiedAt = parseVerifiedAt(kyc.kycVerifiedAt, nowMs);
  if (kyc.kycData) checkNumbers(kyc.kycData, 'kyc.kyc_data');
  if (kyc.kycLevel !== 'full') {
    throw new AppError('kyc_level_insufficient', 'Only users with kyc_level full can be registered.', {
      field: 'kyc.kyc_level',
    });
  }
  return { ...kyc, country: kyc.country.toUpperCase(), kycVerifiedAt, kycData: kyc.kycData ?? null };
}

/** Advisory: enforced only where a pattern is registered for that country and kind of document. */
async function checkIdNumber(tx: Tx, kyc: Kyc): Promise<void> {
  const { id_type: idType, id_number: idNumber } = kyc.kycData ?? {};
  if (typeof idType !== 'string' || idNumber === undefined) return;
  const found = await findIdTypePattern(tx, kyc.country, idType);
  if (!found) return;
  const { pattern, example } = found;
  const field = 'kyc.kyc_data.id_number';
  if (typeof idNumber !== 'string') throw invalidField(field, `${field} must be a string.`);
  if (!matchesIdPattern(pattern, idNumber)) {
    const format = example === null ? `: it must match ${pattern}` : `, such as ${example}`;
    const kind = `a ${idType.slice(0, 64)} of ${kyc.country}`;
    throw invalidField(field, `${field} does not have the format of ${kind}${format}.`);
  }
}

function alreadyExists(wanted: { partnerId: string; partnerUserId: string }, conflicts: User[]): AppError {
  const own = conflicts.filter((user) => user.partnerId === wanted.partnerId);
  const sameId = own.find((user) => user.partnerUserId === wanted.partnerUserId);
  const existing = sameId ?? own[0];
  return new AppError(
    'user_already_exists',
    sameId ? 'This user_id is already registered.' : 'This wallet is already registered.',
    {
      field: sameId ? 'user_id' : 'wallet_address',
      ...(existing ? { extra: { service_user_id: existing.id } } : {}),
    },
  );
}

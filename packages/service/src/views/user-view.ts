import { Type } from '@fastify/type-provider-typebox';
import type { User, UserLevel } from '../db/users.js';
import type { Kyc } from '../domain/kyc.js';
import { field } from './fields.js';
import { choice, freeObject, titled } from './schemas.js';
import { viewOf } from './view.js';

/** A KYC record as it is shown to the user's partner, and to operators who may read it. */
export const KycView = titled('Kyc', {
  country: Type.String(field.country),
  full_name: Type.String(field.fullName),
  kyc_provider: Type.String(field.kycProvider),
  kyc_level: Type.String(field.kycLevel),
  kyc_verified_at: Type.String(field.kycVerifiedAt),
  kyc_data: Type.Optional(freeObject(field.kycData)),
});

/** A user as lists show it to its partner, where the level of its KYC record stands for the record. */
export const ListedUserView = titled('User', {
  service_user_id: Type.String(field.serviceUserId),
  user_id: Type.String(field.userId),
  wallet_address: Type.String(field.userWallet),
  status: choice(['active', 'suspended'], field.userStatus),
  country: Type.Optional(Type.String(field.country)),
  kyc_level: Type.Optional(Type.String(field.kycLevel)),
  created_at: Type.String(field.createdAt),
});

/** A user as it is shown to its partner. */
export const UserView = titled('UserWithKyc', {
  ...ListedUserView.properties,
  kyc: Type.Optional(KycView),
});

const kycView = viewOf(KycView);
const listedView = viewOf(ListedUserView);
const userView = viewOf(UserView);

export function toKycView({ kycData, ...kyc }: Kyc) {
  return kycView({ ...kyc, kycData: kycData ?? undefined });
}

const partsOf = (user: User, level?: UserLevel) => ({
  ...user,
  serviceUserId: user.id,
  userId: user.partnerUserId,
  country: level?.country,
  kycLevel: level?.kycLevel,
});

/** A user without what identifies a person; its events have no level. */
export const toListedUserView = (user: User, level?: UserLevel) => listedView(partsOf(user, level));

export function toUserView(user: User, kyc: Kyc | null) {
  return userView({ ...partsOf(user), kyc: kyc ? toKycView(kyc) : undefined });
}

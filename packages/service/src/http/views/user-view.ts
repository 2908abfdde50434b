import { Type } from '@fastify/type-provider-typebox';
import type { UserKyc } from '../../db/users.js';
import { field } from '../partner/fields.js';
import { freeObject, titled } from '../server/schemas.js';
import { viewOf } from '../server/view.js';

/** A KYC record as it is shown to the user's partner, and to operators who may read it. */
export const KycView = titled('Kyc', {
  country: Type.String(field.country),
  full_name: Type.String(field.fullName),
  kyc_provider: Type.String(field.kycProvider),
  kyc_level: Type.String(field.kycLevel),
  kyc_verified_at: Type.String(field.kycVerifiedAt),
  kyc_data: Type.Optional(freeObject(field.kycData)),
});

const kycView = viewOf(KycView);

export function toKycView({ kycData, ...kyc }: UserKyc) {
  return kycView({ ...kyc, kycData: kycData ?? undefined });
}

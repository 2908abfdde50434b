import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type CreatedUser, createUser } from '../../actions/create-user.js';
import type { Settle } from '../../actions/settle-idempotency-key.js';
import type { Context } from '../../context.js';
import { findUser, type User, type UserKyc } from '../../db/users.js';
import { asId, requireOwn } from '../../domain/index.js';
import { AppError } from '../../errors.js';
import { answerOnce } from '../idempotency.js';
import { FreeObject, Label, Reference, Timestamp } from '../schemas.js';

const createSchema = {
  body: Type.Object({
    user_id: Label(255),
    wallet_address: Reference,
    kyc: Type.Object({
      country: Reference,
      full_name: Label(255),
      kyc_provider: Label(255),
      kyc_level: Reference,
      kyc_verified_at: Reference,
      kyc_data: Type.Optional(FreeObject),
    }),
  }),
  response: {
    201: Type.Object({
      service_user_id: Type.String(),
      user_id: Type.String(),
      wallet_address: Type.String(),
      created_at: Timestamp,
    }),
  },
};

const getSchema = {
  params: Type.Object({ service_user_id: Type.String() }),
  response: {
    200: Type.Object({
      service_user_id: Type.String(),
      user_id: Type.String(),
      wallet_address: Type.String(),
      status: Type.String(),
      created_at: Timestamp,
      kyc: Type.Optional(
        Type.Object({
          country: Type.String(),
          full_name: Type.String(),
          kyc_provider: Type.String(),
          kyc_level: Type.String(),
          kyc_verified_at: Timestamp,
          kyc_data: Type.Optional(FreeObject),
        }),
      ),
    }),
  },
};

/** End-users of the caller's partner. */
export function userRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/users',
      { config: { auth: 'partner', idempotent: true }, schema: createSchema },
      async (request, reply) => {
        const { user_id, wallet_address, kyc } = request.body;
        const input = {
          userId: user_id,
          walletAddress: wallet_address,
          kyc: {
            country: kyc.country,
            fullName: kyc.full_name,
            kycProvider: kyc.kyc_provider,
            kycLevel: kyc.kyc_level,
            kycVerifiedAt: kyc.kyc_verified_at,
            kycData: kyc.kyc_data,
          },
        };
        const create = (settle: Settle<CreatedUser>) => createUser(ctx, request.principal, input, settle);
        return answerOnce(reply, 201, create, toCreatedView);
      },
    );

    app.get(
      '/v1/users/:service_user_id',
      { config: { auth: 'partner' }, schema: getSchema },
      async (request) => {
        const id = asId('gu', request.params.service_user_id);
        const found = id && (await findUser(ctx.db, id));
        if (!found) throw new AppError('user_not_found', 'There is no such user.');
        requireOwn(request.principal, found.user, 'user');
        return toUserView(found.user, found.kyc);
      },
    );
  };
}

function toCreatedView(user: CreatedUser) {
  return {
    service_user_id: user.id,
    user_id: user.userId,
    wallet_address: user.walletAddress,
    created_at: user.createdAt.toISOString(),
  };
}

function toUserView(user: User, kyc: UserKyc | null) {
  return {
    service_user_id: user.id,
    user_id: user.partnerUserId,
    wallet_address: user.walletAddress,
    status: user.status,
    created_at: user.createdAt.toISOString(),
    ...(kyc
      ? {
          kyc: {
            country: kyc.country,
            full_name: kyc.fullName,
            kyc_provider: kyc.kycProvider,
            kyc_level: kyc.kycLevel,
            kyc_verified_at: kyc.kycVerifiedAt.toISOString(),
            ...(kyc.kycData ? { kyc_data: kyc.kycData } : {}),
          },
        }
      : {}),
  };
}

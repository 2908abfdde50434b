import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type CreatedUser, checkNewUser, createUser } from '../../actions/users/create-user.js';
import type { Context } from '../../context.js';
import { findUser, findUserLevels, findUsers } from '../../db/users.js';
import { asUserId, requireOwn } from '../../domain/index.js';
import { AppError } from '../../errors.js';
import { field } from '../../views/fields.js';
import { choice, freeObject, Name, reference, titled } from '../../views/schemas.js';
import { ListedUserView, toListedUserView, toUserView, UserView } from '../../views/user-view.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { cursorBehind, filterBy, pageOf, pageQuery, readPage, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { reading, trading } from './settings.js';

const CreatedView = titled('CreatedUser', {
  service_user_id: Type.String(field.serviceUserId),
  user_id: Type.String(field.userId),
  wallet_address: Type.String(field.userWallet),
  created_at: Type.String(field.createdAt),
});

const createRoute = route({ ...trading, idempotent: true } as const, {
  operationId: 'createUser',
  summary: 'Register a user',
  description: 'Registers a customer, with the KYC record that the partner vouches for.',
  errors: codes('invalid_wallet', 'wallet_not_allowed', 'kyc_level_insufficient', 'user_already_exists'),
  body: Type.Object({
    user_id: Type.String({ ...field.userId, minLength: 1, maxLength: 255 }),
    wallet_address: reference(field.userWallet),
    kyc: Type.Object({
      country: reference(field.country),
      full_name: Name(255, field.fullName),
      kyc_provider: Type.String(field.kycProvider),
      kyc_level: reference(field.kycLevel),
      kyc_verified_at: reference(field.kycVerifiedAt),
      kyc_data: Type.Optional(freeObject(field.kycData)),
    }),
  }),
  response: { 201: CreatedView },
});

const getRoute = route(reading, {
  operationId: 'getUser',
  summary: 'Get a user',
  description: 'Returns one of your users, with the KYC record.',
  errors: codes('user_not_found', 'partner_mismatch'),
  params: Type.Object({ service_user_id: Type.String(field.serviceUserId) }),
  response: { 200: UserView },
});

const listRoute = route(reading, {
  operationId: 'listUsers',
  summary: 'List the users',
  description:
    'Newest first. Of KYC records, only country and level. A filter for an unknown value gives an empty list. Paging from the first page to the last shows every user that existed at the start exactly once.',
  querystring: pageQuery(
    {
      status: choice(['active', 'suspended'], {
        ...field.userStatus,
        description: 'Only users with this status.',
      }),
      user_id: Type.String({ ...field.userId, description: 'Only the user with this `user_id`.' }),
      service_user_id: Type.String({ ...field.serviceUserId, description: 'Only this user.' }),
    },
    cursorBehind(field.serviceUserId.examples[0] ?? ''),
  ),
  response: { 200: pageOf('users', ListedUserView) },
});

/** Routes of the users of the caller's partner. */
export function userRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Users');
    app.post('/v1/users', createRoute, async ({ principal, body, id: requestId }, reply) => {
      const { user_id, wallet_address, kyc } = body;
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
        requestId,
      };
      const checked = await checkNewUser(ctx, principal, input);
      return ctx.db.transaction(async (tx) => {
        const created = await createUser(ctx, tx, checked);
        return completeOnce(tx, reply, 201, toCreatedView(created));
      });
    });

    app.get('/v1/users/:service_user_id', getRoute, async (request) => {
      const id = asUserId(request.params.service_user_id);
      const found = id && (await findUser(ctx.db, id));
      if (!found) throw new AppError('user_not_found', 'There is no such user.');
      requireOwn(request.principal, found.user, 'user');
      return toUserView(found.user, found.kyc && (await ctx.kyc.open(found.kyc)));
    });

    app.get('/v1/users', listRoute, async (request) => {
      const { query, principal } = request;
      const { partnerId } = principal;
      const { rows, nextCursor } = await readPage(query, asUserId, (page) => {
        const partnerUserId = filterBy(query.user_id, storable);
        const id = filterBy(query.service_user_id, asUserId);
        return findUsers(ctx.db, { partnerId, status: query.status, partnerUserId, id }, page);
      });
      const levels = await findUserLevels(
        ctx.db,
        rows.map(({ id }) => id),
      );
      return {
        users: rows.map((user) => toListedUserView(user, levels.get(user.id))),
        next_cursor: nextCursor,
      };
    });
  };
}

const createdView = viewOf(CreatedView);

const toCreatedView = (user: CreatedUser) => createdView({ ...user, serviceUserId: user.id });

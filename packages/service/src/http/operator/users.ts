import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { readUser, type SeenUser } from '../../actions/users/read-user.js';
import { type FoundCustomer, searchCustomers } from '../../actions/users/search-customers.js';
import { type LevelledUser, setKycLevel } from '../../actions/users/set-kyc-level.js';
import { setUserStatus } from '../../actions/users/set-user-status.js';
import type { Context } from '../../context.js';
import { findUsers, type User } from '../../db/users.js';
import { asUserId, asUuid } from '../../domain/ids.js';
import { idDocumentOf, maskedNumber } from '../../domain/kyc.js';
import { asAddress } from '../../domain/solana.js';
import { choice, closed, closedOrAbsent, Nullable, titled } from '../../views/schemas.js';
import { KycView, toKycView } from '../../views/user-view.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, filterBy } from '../server/lists.js';
import { route } from '../server/route.js';
import { changedBy } from './auth.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { actOnce } from './operations.js';
import { recordField } from './record-fields.js';
import { comply, Reason, read } from './shapes.js';

const statuses = ['active', 'suspended'] as const;

/** A user without the KYC record. */
const UserView = titled('User', {
  service_user_id: Type.String(field.serviceUserId),
  partner_id: Type.String(field.partnerId),
  user_id: Type.String(field.userId),
  wallet_address: Type.String(field.userWallet),
  status: choice(statuses, field.userStatus),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
});
const SeenView = titled('UserWithKyc', { ...UserView.properties, kyc: Type.Optional(KycView) });
const LevelledView = titled('UserWithLevel', {
  ...UserView.properties,
  kyc_level: Type.String(field.kycLevelNow),
});

const FoundView = titled('FoundCustomer', {
  ...UserView.properties,
  full_name: Nullable(Type.String(), recordField.foundName),
  country: Nullable(Type.String(), recordField.foundCountry),
  id_type: Nullable(Type.String(), recordField.idType),
  id_number_masked: Nullable(Type.String(), recordField.idNumberMasked),
});

const params = Type.Object({ service_user_id: Type.String(field.serviceUserId) });

const listRoute = route(read, {
  operationId: 'listUsers',
  summary: 'List the users',
  description:
    'Lists the users of all partners, newest first, without KYC records. A filter for an unknown value gives an empty list.',
  querystring: listQuery(
    {
      q: searchFor("beginning of an id, wallet, or beginning of the partner's own id", 'customer-10'),

      partner_id: Type.String(recordField.ofPartner),
      status: choice(statuses, { ...field.userStatus, description: 'Only users with this status.' }),
      wallet_address: Type.String(field.ofUserWallet),
    },
    cursorBehind(field.serviceUserId.examples[0] ?? ''),
  ),
  response: { 200: countedPageOf('users', UserView) },
});

const getRoute = route(read, {
  operationId: 'getUser',
  summary: 'Get a user',
  description:
    'Only `compliance` and `admin` see `kyc`, and each such response writes a `user.read_kyc` entry to the audit log.',
  errors: codes('user_not_found'),
  params,
  response: { 200: SeenView },
});

/** Not idempotent: the response is never stored. */
const searchRoute = route(
  { auth: 'operator', permission: 'read_kyc' },
  {
    operationId: 'searchCustomers',
    summary: 'Search the customers by their KYC records',
    description:
      'Finds users of all partners by the words of a name, a whole number of an identity document, or both; at most 20, newest first. Upper and lower case, accents, the order of the words and the punctuation of a number do not matter. Words and numbers must be whole: there is no search for parts of them. What is searched for is in the body, because URLs are kept in logs and histories. The audit log has a `user.search_kyc` entry with the reason, and a `user.read_kyc` entry for each user in the response, and nothing of the text. Takes no `Idempotency-Key`, because KYC data is not stored again.',
    body: closed({
      full_name: Type.Optional(Type.String({ ...recordField.searchedName, minLength: 1, maxLength: 255 })),
      id_number: Type.Optional(Type.String({ ...recordField.searchedNumber, minLength: 1, maxLength: 255 })),
      reason: Reason,
    }),
    response: {
      200: Type.Object({
        users: Type.Array(FoundView),
        has_more: Type.Boolean(recordField.moreFound),
      }),
    },
  },
);

const suspendSchema = {
  operationId: 'suspendUser',
  summary: 'Suspend a user',
  description:
    'Takes effect immediately: requests for quotes get 403 `user_suspended`, and so does submitting a transaction that was quoted before. Such a transaction can still land if it is sent to a node directly, until its blockhash expires. Redemptions in progress continue.',
  errors: codes('user_not_found', 'transition_not_allowed'),
  params,
  body: closed({ reason: Reason }),
  response: { 200: UserView },
};

const resumeSchema = {
  operationId: 'resumeUser',
  summary: 'Resume a user',
  description: 'Lifts a suspension: the user gets quotes again.',
  errors: codes('user_not_found', 'transition_not_allowed'),
  params,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: UserView },
};

const kycLevelRoute = route(comply, {
  operationId: 'setKycLevel',
  summary: 'Set the KYC level of a user',
  description:
    'For KYC that has lapsed or was restored. With any level other than `full`, requests for quotes get 400 `kyc_level_insufficient`.',
  errors: codes('user_not_found', 'transition_not_allowed'),
  params,
  body: closed({
    kyc_level: Type.String({
      ...field.newKycLevel,
      minLength: 1,
      maxLength: 32,
      pattern: '^(?:[a-z][a-z0-9_]*)?$',
    }),
    reason: Reason,
  }),
  response: { 200: LevelledView },
});

/** Users of all partners: who they are, and whether they may trade. */
export function userRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Users');
    app.get('/users', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(
        query,
        asUserId,
        (page) =>
          findUsers(
            ctx.db,
            {
              partnerId: filterBy(query.partner_id, asUuid),
              status: query.status,
              walletAddress: filterBy(query.wallet_address, asAddress),
            },
            page,
          ),
        'users',
      );
      return { users: rows.map(toUserView), ...endOf(end) };
    });

    app.get('/users/:service_user_id', getRoute, async (request) =>
      toSeenView(await readUser(ctx, request.operator, changedBy(request), request.params.service_user_id)),
    );

    app.post('/users/search', searchRoute, async (request) => {
      const { full_name: fullName, id_number: idNumber, reason } = request.body;
      const search = { fullName, idNumber, reason };
      const { found, hasMore } = await searchCustomers(ctx, changedBy(request), search);
      return { users: found.map(toFoundView), has_more: hasMore };
    });

    for (const [act, status, schema] of [
      ['suspend', 'suspended', suspendSchema],
      ['resume', 'active', resumeSchema],
    ] as const) {
      app.post(`/users/:service_user_id/${act}`, { config: comply, schema }, async (request, reply) => {
        const step = { userId: request.params.service_user_id, status, reason: request.body?.reason };
        return actOnce(ctx, reply, setUserStatus, step, toUserView);
      });
    }

    app.post('/users/:service_user_id/kyc-level', kycLevelRoute, async (request, reply) => {
      const { kyc_level: kycLevel, reason } = request.body;
      const step = { userId: request.params.service_user_id, kycLevel, reason };
      return actOnce(ctx, reply, setKycLevel, step, toLevelledView);
    });
  };
}

const userView = viewOf(UserView);
const seenView = viewOf(SeenView);
const foundView = viewOf(FoundView);
const levelledView = viewOf(LevelledView);

const partsOf = (user: User) => ({ ...user, serviceUserId: user.id, userId: user.partnerUserId });

const toUserView = (user: User) => userView(partsOf(user));

const toLevelledView = (user: LevelledUser) => levelledView({ ...partsOf(user), kycLevel: user.kycLevel });

function toSeenView({ user, kyc }: SeenUser) {
  return seenView({ ...partsOf(user), kyc: kyc ? toKycView(kyc) : undefined });
}

function toFoundView({ user, kyc }: FoundCustomer) {
  const { idType, idNumber } = idDocumentOf(kyc?.kycData ?? null);
  return foundView({
    ...partsOf(user),
    fullName: kyc?.fullName ?? null,
    country: kyc?.country ?? null,
    idType,
    idNumberMasked: idNumber === null ? null : maskedNumber(idNumber),
  });
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type RevokedApiKey, revokeApiKey } from '../../actions/revoke-api-key.js';
import type { Settle } from '../../actions/settle-idempotency-key.js';
import type { Context } from '../../context.js';
import { type ApiKey, findApiKeys } from '../../db/api-keys.js';
import { asUuid } from '../../domain/index.js';
import { answerOnce } from '../idempotency.js';
import type { KeyUse } from '../key-use.js';
import { PageQuery, parsePage, readPage } from '../lists.js';
import { Nullable, Timestamp } from '../schemas.js';

const ApiKeyView = Type.Object({
  key_id: Type.String(),
  key_name: Type.String(),
  scope: Type.String(),
  status: Type.String(),
  wallet_address: Type.String(),
  last_used_at: Nullable(Timestamp),
  created_at: Timestamp,
  revoked_at: Nullable(Timestamp),
});

const listSchema = {
  querystring: Type.Object(PageQuery),
  response: {
    200: Type.Object({ api_keys: Type.Array(ApiKeyView), next_cursor: Nullable(Type.String()) }),
  },
};

const revokeSchema = {
  params: Type.Object({ key_id: Type.String() }),
  response: {
    200: Type.Object({ key_id: Type.String(), status: Type.Literal('revoked'), revoked_at: Timestamp }),
  },
};

/** The keys of the caller's partner: list and revoke. */
export function apiKeyRoutes(ctx: Context, keyUse: KeyUse): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/partner/api-keys', { config: { auth: 'partner' }, schema: listSchema }, async (request) => {
      const page = parsePage(request.query, (id) => asUuid(id) === id);
      await keyUse.flush();
      const { rows, nextCursor } = await readPage(
        page,
        (wanted) => findApiKeys(ctx.db, request.principal.partnerId, wanted),
        (key) => key,
      );
      return { api_keys: rows.map(toApiKeyView), next_cursor: nextCursor };
    });

    app.post(
      '/v1/partner/api-keys/:key_id/revoke',
      { config: { auth: 'partner', idempotent: true }, schema: revokeSchema },
      async (request, reply) => {
        const revoke = (settle: Settle<RevokedApiKey>) =>
          revokeApiKey(ctx, request.principal, request.params.key_id, settle);
        return answerOnce(reply, 200, revoke, toRevokedView);
      },
    );
  };
}

function toRevokedView({ keyId, revokedAt }: RevokedApiKey) {
  return { key_id: keyId, status: 'revoked' as const, revoked_at: revokedAt.toISOString() };
}

function toApiKeyView(key: ApiKey) {
  return {
    key_id: key.id,
    key_name: key.name,
    scope: key.scope,
    status: key.status,
    wallet_address: key.walletAddress,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

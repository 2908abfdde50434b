import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type RevokedApiKey, revokeApiKey } from '../../actions/keys/revoke-api-key.js';
import type { Context } from '../../context.js';
import { findApiKeys, type KeyOwner } from '../../db/keys/api-keys.js';
import { asUuid, type Principal } from '../../domain/index.js';
import { ApiKeyView, toApiKeyView } from '../../views/api-key-view.js';
import { field } from '../../views/fields.js';
import type { KeyUse } from '../auth/key-use.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { pageOf, pageQuery, readPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { managingKeys } from './settings.js';

const listRoute = route(managingKeys, {
  operationId: 'listApiKeys',
  summary: 'List the API keys',
  description:
    'Active and revoked keys of the partner, newest first. The keys themselves are never shown again.',
  querystring: pageQuery({}),
  response: { 200: pageOf('api_keys', ApiKeyView) },
});

const revokeRoute = route({ ...managingKeys, idempotent: true, confirmed: true } as const, {
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'Takes effect immediately and permanently: the next request with the key is 401. A key may revoke itself. Takes no body.',
  errors: codes('key_not_found', 'already_revoked'),
  params: Type.Object({ key_id: Type.String(field.keyId) }),
  response: {
    200: Type.Object({
      key_id: Type.String(field.keyId),
      status: Type.Literal('revoked'),
      revoked_at: Type.String(field.revokedAt),
    }),
  },
});

/** Routes to list and revoke the keys of the caller's partner. */
export function apiKeyRoutes(ctx: Context, keyUse: KeyUse): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'API keys');
    app.get('/v1/partner/api-keys', listRoute, async (request) => {
      const { rows, nextCursor } = await readPage(request.query, asUuid, async (page) => {
        await keyUse.flush();
        return findApiKeys(ctx.db, keysOf(request.principal), page);
      });
      return { api_keys: rows.map(toApiKeyView), next_cursor: nextCursor };
    });

    app.post('/v1/partner/api-keys/:key_id/revoke', revokeRoute, async (request, reply) => {
      const { principal, params, id: requestId } = request;
      const wanted = { keyId: params.key_id, requestId, principal };
      return ctx.db.transaction(async (tx) => {
        const revoked = await revokeApiKey(ctx, tx, keysOf(principal), wanted);
        return completeOnce(tx, reply, 200, toRevokedView(revoked));
      });
    });
  };
}

const keysOf = ({ partnerId }: Principal): KeyOwner => ({ surface: 'partner', partnerId });

function toRevokedView({ keyId, revokedAt }: RevokedApiKey) {
  return { key_id: keyId, status: 'revoked' as const, revoked_at: revokedAt.toISOString() };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type RevokedApiKey, revokeApiKey } from '../../actions/keys/revoke-api-key.js';
import type { Context } from '../../context.js';
import { findApiKeys, type KeyOwner } from '../../db/keys/api-keys.js';
import { asUuid, type TradebookCaller } from '../../domain/index.js';
import { TradebookApiKeyView, toTradebookApiKeyView } from '../../views/api-key-view.js';
import { field } from '../../views/tradebook-fields.js';
import type { KeyUse } from '../auth/key-use.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { NextCursor, PageQuery, readPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { DataEnvelope, success } from './envelope.js';

const config = { auth: 'tradebook', scope: ['PARTNER_UPDATE_AUTHORITY', 'ADMIN'] } as const;

const listRoute = route(config, {
  operationId: 'listTradebookApiKeys',
  summary: 'List the API keys',
  description:
    "Lists the tradebook keys of your partner, whatever their status, newest first. A key of the admin lists the admin's keys, or with `partnerId` the keys of that partner. For a partner other than your own the list is empty. The keys themselves are never shown again.",
  querystring: Type.Object({
    ...PageQuery,
    partnerId: Type.Optional(
      Type.String({
        ...field.partnerId,
        description: 'Lists the keys of this partner; only for a key of the admin.',
      }),
    ),
  }),
  response: {
    200: DataEnvelope({
      apiKeys: Type.Array(TradebookApiKeyView),
      nextCursor: NextCursor,
    }),
  },
});

const revoking = { ...config, idempotent: true } as const;
const revokeRoute = route(revoking, {
  operationId: 'revokeTradebookApiKey',
  summary: 'Revoke an API key',
  description:
    'Takes effect immediately and permanently: the next request with the key is 401. A key may revoke itself. A key of the admin may revoke any key of the tradebook API. Takes no body.',
  errors: codes('key_not_found', 'already_revoked'),
  params: Type.Object({ keyId: Type.String(field.keyId) }),
  response: {
    200: DataEnvelope({
      keyId: Type.String(field.keyId),
      keyName: Type.String(field.keyName),
      revokedAt: Type.String(field.revokedAt),
    }),
  },
});

/** Keys of the tradebook API: list and revoke. */
export function tradebookApiKeyRoutes(ctx: Context, keyUse: KeyUse): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'API keys');
    app.get('/api/auth/api-keys', listRoute, async ({ query, tradebookCaller }) => {
      const { rows, nextCursor } = await readPage(query, asUuid, async (page) => {
        const owner = listedBy(tradebookCaller, query.partnerId);
        if (!owner) return [];
        await keyUse.flush();
        return findApiKeys(ctx.db, owner, page);
      });
      const now = ctx.clock.now();
      return success({ apiKeys: rows.map((key) => toTradebookApiKeyView(key, now)), nextCursor });
    });

    app.post('/api/auth/api-keys/:keyId/revoke', revokeRoute, async (request, reply) => {
      const { partnerId } = request.tradebookCaller;
      const owner: KeyOwner = { surface: 'tradebook', partnerId: partnerId ?? 'any' };
      const wanted = { keyId: request.params.keyId, requestId: request.id };
      return ctx.db.transaction(async (tx) => {
        const revoked = await revokeApiKey(ctx, tx, owner, wanted);
        return completeOnce(tx, reply, 200, toRevokedView(revoked));
      });
    });
  };
}

/** Returns the owner whose keys a caller may list; undefined if there is none, or if it is not the caller's own. */
function listedBy({ partnerId }: TradebookCaller, wanted: string | undefined): KeyOwner | undefined {
  if (wanted === undefined) return { surface: 'tradebook', partnerId };
  const id = asUuid(wanted);
  if (!id || (partnerId !== null && partnerId !== id)) return undefined;
  return { surface: 'tradebook', partnerId: id };
}

function toRevokedView({ keyId, keyName, revokedAt }: RevokedApiKey) {
  return success({ keyId, keyName, revokedAt: revokedAt.toISOString() });
}

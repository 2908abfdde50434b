import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import { revokeAnyApiKey } from '../../actions/keys/revoke-api-key.js';
import { getPartner } from '../../actions/partners/get-partner.js';
import type { Context } from '../../context.js';
import { type ApiKey, findApiKeys, type KeyOwner, keyStatusAt } from '../../db/keys/api-keys.js';
import { asUuid } from '../../domain/ids.js';
import { choice, closedOrAbsent, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { actOnce } from './operations.js';
import { comply, Reason, read } from './shapes.js';

const surfaces = ['partner', 'tradebook'] as const;

const ApiKeyView = titled('ApiKey', {
  key_id: Type.String(field.keyId),
  key_name: Type.String(field.keyName),
  surface: choice(surfaces, field.keySurface),
  scope: Type.String(field.keyScope),
  status: choice(['active', 'revoked', 'expired'], field.anyKeyStatus),
  partner_id: Nullable(Type.String(), field.keyPartnerId),
  wallet_address: Type.String(field.keyWallet),
  last_used_at: Nullable(Type.String(), field.lastUsedAt),
  created_at: Type.String(field.createdAt),
  expires_at: Nullable(Type.String(), field.keyExpiresAt),
  revoked_at: Nullable(Type.String(), { ...field.revokedAt, examples: [null] }),
});

const apiKeyView = viewOf(ApiKeyView);

const keysQuery = listQuery({
  q: searchFor('beginning of an id, wallet, or part of a name', 'production'),

  surface: choice(surfaces, { ...field.keySurface, description: 'Only those for this API.' }),
});
const Listed = titled('ApiKeyList', countedPageOf('api_keys', ApiKeyView).properties);

const listRoute = route(read, {
  operationId: 'listApiKeys',
  summary: 'List the API keys',
  description:
    "Lists the keys of all partners and of the program's admin, for both APIs, whatever their status, newest first. The keys themselves are never shown.",
  querystring: keysQuery,
  response: { 200: Listed },
});

const listOfPartnerRoute = route(read, {
  operationId: 'listPartnerApiKeys',
  summary: 'List the API keys of a partner',
  description:
    'Lists its keys for both APIs, whatever their status, newest first. The keys themselves are never shown.',
  errors: codes('partner_not_found'),
  params: Type.Object({ partner_id: Type.String(field.partnerId) }),
  querystring: keysQuery,
  response: { 200: Listed },
});

const revokeRoute = route(comply, {
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'Works for keys of either API. Takes effect immediately and permanently: the next request with the key is 401.',
  errors: codes('key_not_found', 'already_revoked'),
  params: Type.Object({ key_id: Type.String(field.keyId) }),
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: ApiKeyView },
});

/** Keys of partners for both of their APIs: list and revoke. */
export function apiKeyRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  async function readKeys(query: Static<typeof keysQuery>, ownerOf: () => Promise<KeyOwner['partnerId']>) {
    const { rows, ...end } = await readList(
      query,
      asUuid,
      async (page) =>
        findApiKeys(ctx.db, { surface: query.surface ?? 'any', partnerId: await ownerOf() }, page),
      'apiKeys',
    );
    return { api_keys: rows.map(toApiKeyView), ...endOf(end) };
  }

  const toApiKeyView = (key: ApiKey) =>
    apiKeyView({ ...key, keyId: key.id, keyName: key.name, status: keyStatusAt(key, ctx.clock.now()) });

  return async (app) => {
    tagRoutes(app, 'API keys');
    app.get('/api-keys', listRoute, async ({ query }) => readKeys(query, async () => 'any'));

    app.get('/partners/:partner_id/api-keys', listOfPartnerRoute, async ({ params, query }) =>
      readKeys(query, async () => (await getPartner(ctx.db, params.partner_id)).id),
    );

    app.post('/api-keys/:key_id/revoke', revokeRoute, async (request, reply) => {
      const input = { keyId: request.params.key_id, reason: request.body?.reason };
      return actOnce(ctx, reply, revokeAnyApiKey, input, toApiKeyView);
    });
  };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getPartnerTerms } from '../../actions/partners/get-partner-terms.js';
import type { Context } from '../../context.js';
import { findApiKey } from '../../db/keys/api-keys.js';
import { unavailable } from '../../errors.js';
import { field } from '../../views/fields.js';
import { partnerTermsShape, toPartnerTermsView } from '../../views/partner-terms-view.js';
import { Nullable, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const KeyView = titled('OwnKey', {
  key_id: Type.String(field.keyId),
  key_name: Type.String(field.keyName),
  created_at: Type.String(field.createdAt),
});
const MeView = titled('Me', {
  ...partnerTermsShape,
  key: Nullable(KeyView, { description: 'The key of the request; null for a session of the portal.' }),
});

const meRoute = route(reading, {
  operationId: 'getMe',
  summary: 'Get your partner and key',
  description: 'Returns the partner that the key acts for, its fees and limits, and the key itself.',
  response: { 200: MeView },
});

/** Route of the caller. */
export function meRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Discovery');
    app.get('/v1/me', meRoute, async ({ principal }) => {
      const { partnerId } = principal;
      const keyId = 'keyId' in principal ? principal.keyId : undefined;
      // Without it, a partner that is not on chain looks like a chain that was not read.
      if (!ctx.chain.program.lastConfig())
        throw unavailable('The accounts of the program have not been read yet.');
      const [terms, key] = await Promise.all([
        getPartnerTerms(ctx, ctx.db, partnerId),
        keyId && findApiKey(ctx.db, { surface: 'partner', partnerId }, keyId),
      ]);
      if (!terms || (keyId && !key)) throw new Error('a caller without a partner was let in');
      return {
        ...toPartnerTermsView(terms),
        key: key ? { key_id: key.id, key_name: key.name, created_at: key.createdAt.toISOString() } : null,
      };
    });
  };
}

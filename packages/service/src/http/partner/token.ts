import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { tokenDocumentReader } from '../../actions/reserves/read-token-metadata.js';
import type { Context } from '../../context.js';
import { goldLogo } from '../../domain/gold-logo.js';
import { about } from '../../views/fields.js';
import { titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';

const open = { auth: 'none' } as const;

const documentRoute = route(open, {
  operationId: 'getGoldMetadata',
  summary: 'Get the metadata of GOLD',
  description:
    'Returns what wallets and explorers read at the `uri` of the GOLD mint: name and symbol as they are on the chain, a description and a logo. Needs no key; pages of any site may read it.',
  response: {
    200: titled('TokenMetadata', {
      name: Type.String(about('Name of the token, as on the chain.', 'Karat Gold')),
      symbol: Type.String(about('Symbol of the token, as on the chain.', 'GOLD')),
      description: Type.String(
        about(
          'What one token stands for.',
          'One GOLD stands for one troy ounce (31.1034768 g) of fine gold in a vault.',
        ),
      ),
      image: Type.String(about('Address of the logo.', 'https://api.example.com/token/gold.svg')),
    }),
  },
});
const logoRoute = { config: open, schema: { hide: true } };

/** The document that the mint of GOLD names, and its logo: wallets fetch both, from pages of any site. */
export function tokenRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const readDocument = tokenDocumentReader(ctx);
  return async (app) => {
    tagRoutes(app, 'Discovery');
    app.get('/token/gold.json', documentRoute, async (_request, reply) => {
      const document = await readDocument();
      openToAll(reply, 'public, max-age=300');
      return document;
    });
    app.get('/token/gold.svg', logoRoute, async (_request, reply) => {
      openToAll(reply, 'public, max-age=86400');
      return reply.type('image/svg+xml').send(goldLogo);
    });
  };
}

function openToAll(reply: FastifyReply, cache: string): void {
  reply.headers({
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': cache,
  });
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { mintApiKey } from '../../actions/mint-api-key.js';
import { mintChallenge } from '../../actions/mint-challenge.js';
import type { Context } from '../../context.js';
import { Label, Reference, Timestamp } from '../schemas.js';

const config = { auth: 'none', limit: 'auth' } as const;

const challengeSchema = {
  body: Type.Object({ wallet_address: Reference, partner_id: Reference }),
  response: {
    200: Type.Object({ challenge_id: Type.String(), message: Type.String(), expires_at: Timestamp }),
  },
};

const apiKeySchema = {
  body: Type.Object({ challenge_id: Reference, signature: Reference, key_name: Label(100) }),
  response: {
    201: Type.Object({
      api_key: Type.String(),
      key_id: Type.String(),
      scope: Type.String(),
      key_name: Type.String(),
      wallet_address: Type.String(),
      created_at: Timestamp,
    }),
  },
};

/** Minting a key: a challenge, then its signature by the partner wallet. */
export function authRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/auth/challenge', { config, schema: challengeSchema }, async ({ body }) => {
      const challenge = await mintChallenge(ctx, {
        walletAddress: body.wallet_address,
        partnerId: body.partner_id,
      });
      return {
        challenge_id: challenge.id,
        message: challenge.message,
        expires_at: challenge.expiresAt.toISOString(),
      };
    });

    app.post('/v1/auth/api-key', { config, schema: apiKeySchema }, async ({ body }, reply) => {
      const key = await mintApiKey(ctx, {
        challengeId: body.challenge_id,
        signature: body.signature,
        keyName: body.key_name,
      });
      return reply.code(201).send({
        api_key: key.apiKey,
        key_id: key.keyId,
        scope: key.scope,
        key_name: key.keyName,
        wallet_address: key.walletAddress,
        created_at: key.createdAt.toISOString(),
      });
    });
  };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { mintApiKey } from '../../actions/keys/mint-api-key.js';
import { mintChallenge } from '../../actions/keys/mint-challenge.js';
import type { Context } from '../../context.js';
import { field } from '../../views/fields.js';
import { Name, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { logOf } from '../server/request-log.js';
import { route } from '../server/route.js';

const config = { auth: 'none', limit: 'auth' } as const;

const ChallengeView = titled('Challenge', {
  challenge_id: Type.String(field.challengeId),
  message: Type.String(field.challengeMessage),
  expires_at: Type.String(field.challengeExpiresAt),
});
const MintedKeyView = titled('MintedApiKey', {
  api_key: Type.String(field.apiKey),
  key_id: Type.String(field.keyId),
  scope: Type.String(field.scope),
  key_name: Type.String(field.keyName),
  wallet_address: Type.String(field.partnerWallet),
  created_at: Type.String(field.createdAt),
});
const challengeView = viewOf(ChallengeView);
const mintedKeyView = viewOf(MintedKeyView);

const challengeRoute = route(config, {
  operationId: 'createChallenge',
  summary: 'Request a challenge',
  description:
    'Step 1 of minting a key. Sign `message` with the partner wallet and call `POST /v1/auth/api-key` within 2 minutes.',
  errors: codes('invalid_wallet', 'wallet_revoked', 'wallet_not_found'),
  body: Type.Object({
    wallet_address: reference(field.partnerWallet),
    partner_id: reference(field.partnerId),
  }),
  response: { 200: ChallengeView },
});

const apiKeyRoute = route(config, {
  operationId: 'createApiKey',
  summary: 'Mint an API key',
  description:
    'Step 2: the signature proves that the caller holds the partner wallet. A wrong signature does not use up the challenge; a correct one does.',
  errors: codes(
    'invalid_challenge',
    'challenge_expired',
    'wallet_revoked',
    'invalid_signature',
    'partner_suspended',
    'wallet_not_allowed',
  ),
  body: Type.Object({
    challenge_id: reference(field.challengeId),
    signature: reference(field.signature),
    key_name: Name(100, field.keyName),
  }),
  response: { 201: MintedKeyView },
});

/** Routes for minting a key: a challenge, then its signature by the partner wallet. */
export function authRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Authentication');
    app.post('/v1/auth/challenge', challengeRoute, async (request) => {
      const { body } = request;
      const challenge = await mintChallenge(ctx, {
        walletAddress: body.wallet_address,
        partnerId: body.partner_id,
      });
      logOf(request).note({ partner_id: challenge.partnerId });
      return challengeView({ ...challenge, challengeId: challenge.id });
    });

    app.post('/v1/auth/api-key', apiKeyRoute, async (request, reply) => {
      const { body } = request;
      const key = await mintApiKey(
        ctx,
        { address: request.ip, requestId: request.id },
        {
          challengeId: body.challenge_id,
          signature: body.signature,
          keyName: body.key_name,
        },
      );
      logOf(request).note({ partner_id: key.partnerId, key_id: key.keyId });
      return reply.code(201).send(mintedKeyView(key));
    });
  };
}

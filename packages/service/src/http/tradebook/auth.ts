import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { mintTradebookKey } from '../../actions/keys/mint-api-key.js';
import { mintTradebookChallenge } from '../../actions/keys/mint-challenge.js';
import type { Context } from '../../context.js';
import { maxKeyDays } from '../../domain/api-key.js';
import { choice, Name, Nullable, reference, titled } from '../../views/schemas.js';
import { field } from '../../views/tradebook-fields.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { logOf } from '../server/request-log.js';
import { route } from '../server/route.js';
import { Envelope, success } from './envelope.js';

const config = { auth: 'none', limit: 'tradebook_auth' } as const;

const ChallengeView = titled('Challenge', {
  challengeId: Type.String(field.challengeId),
  message: Type.String(field.challengeMessage),
  expiresAt: Type.String(field.challengeExpiresAt),
});
const MintedKeyView = titled('MintedApiKey', {
  apiKey: Type.String(field.apiKey),
  id: Type.String(field.keyId),
  scope: Type.Array(Type.String(field.scope)),
  name: Type.String(field.keyName),
  walletAddress: Type.String(field.roleWallet),
  createdAt: Type.String(field.createdAt),
  expiresAt: Nullable(Type.String(), field.keyExpiresAt),
});
const challengeView = viewOf(ChallengeView);
const mintedKeyView = viewOf(MintedKeyView);

const challengeRoute = route(config, {
  operationId: 'createTradebookChallenge',
  summary: 'Request a challenge',
  description:
    'Step 1 of minting a key. Sign `message` with the wallet and call `POST /api/auth/api-key` within 2 minutes.',
  errors: codes('invalid_wallet', 'wallet_not_found'),
  body: Type.Object({
    walletAddress: reference(field.roleWallet),
    keyType: choice(['ADMIN', 'PARTNER'], field.keyType),
    partnerId: Type.Optional(reference(field.challengePartnerId)),
  }),
  response: {
    200: Envelope(ChallengeView),
  },
});

const apiKeyRoute = route(config, {
  operationId: 'createTradebookApiKey',
  summary: 'Mint an API key',
  description:
    'Step 2: the signature proves that the caller holds the wallet. The key gets every role that the wallet has on chain: all of its roles at the partner, or the role of the admin. A wrong signature does not use up the challenge; a correct one does.',
  errors: codes(
    'invalid_challenge',
    'challenge_expired',
    'wallet_not_found',
    'invalid_signature',
    'partner_suspended',
    'wallet_not_allowed',
  ),
  body: Type.Object({
    challengeId: reference(field.challengeId),
    signature: reference(field.signature),
    keyName: Name(100, field.keyName),
    expirationDays: Type.Optional(Type.Integer({ ...field.expirationDays, minimum: 1, maximum: maxKeyDays })),
  }),
  response: {
    201: Envelope(MintedKeyView),
  },
});

/** Minting a key: a challenge, then its signature by a wallet that has a role on chain. */
export function tradebookAuthRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Authentication');
    app.post('/api/auth/challenge', challengeRoute, async (request) => {
      const challenge = await mintTradebookChallenge(ctx, request.body);
      logOf(request).note({ partner_id: challenge.partnerId });
      return success(challengeView({ ...challenge, challengeId: challenge.id }));
    });

    app.post('/api/auth/api-key', apiKeyRoute, async (request, reply) => {
      const key = await mintTradebookKey(ctx, { address: request.ip, requestId: request.id }, request.body);
      logOf(request).note({ partner_id: key.partnerId, key_id: key.keyId });
      reply.code(201);
      return success(
        mintedKeyView({ ...key, id: key.keyId, scope: key.scope.split(' '), name: key.keyName }),
      );
    });
  };
}

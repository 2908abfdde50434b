import { monthOf } from '../../../src/domain/papers/month.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { givenMember, page } from '../../members.js';
import { denominations, givenRedemption, seedDenominations } from '../../redeeming.js';
import { describeAnyRequest } from './any-request.js';
import type { Known } from './arbitrary-request.js';
import { partner } from './surfaces.js';

/** What only people may do, in a session: not what ends it, or is refused to nearly everyone. */
const bySession =
  /^(getSession|getSecondFactor|challengeSecondFactor|startPasskey|addPasskey|renamePasskey|removePasskey|startTotp|confirmTotp|removeTotp|renewRecoveryCodes|(list|change|remove)Members?|listMemberAudit|listInvitations|inviteMember|withdrawInvitation)$/;
const isCookie = (secret: string) => secret.startsWith('karat_portal=');
const surface = {
  ...partner,
  credentials: (secret: string): Record<string, string> =>
    isCookie(secret) ? { ...page, cookie: secret } : partner.credentials(secret),
};

describeAnyRequest(surface, {
  requests: [50, 4_000],
  atOnce: () => 25,
  async start() {
    const world = await startKarat({
      config: { authRateLimitPerMinute: 1_000_000, webhooksAllowLocal: true, secondFactor: 'optional' },
      logLevel: 'error',
    });
    const indexer = startIndexer(world.service.ctx);
    await seedDenominations(world.service);
    const owner = await givenMember(world.service, world.partner.partnerId, 'owner');
    return {
      app: world.service.app,
      known: { ...(await knownValues(world)), ...(await reservesOf(world)) },
      secretFor: (operation) => (bySession.test(operation) ? owner.cookie : world.partner.apiKey),
      async stop() {
        await indexer.stop();
        await world.stop();
      },
    };
  },
  hardToPlease:
    /^(createApiKey|submitBuy|submitSell|submitRedemption|revokeApiKey|cancelRedemption|getTrade|get(Trade|Redemption)Receipt|\w+Webhook(Endpoint|Secret|Deliver(y|ies)|Events)|sign(In|Out)|finishSignIn|createSessionChallenge|confirmSession(WithWallet)?|changePassword|acceptInvitation|challengeSecondFactor|(start|add|rename|remove)Passkey|(start|confirm|remove)Totp|renewRecoveryCodes|(change|remove|invite)Member|withdrawInvitation)$/,
  refusesMost:
    /^(sign(In|Out)|finishSignIn|createSessionChallenge|confirmSession(WithWallet)?|changePassword|acceptInvitation)$/,
});

/** A statement of the reserves with a bar. */
async function reservesOf(world: Karat): Promise<Known> {
  await world.given.bars(1);
  const { id } = await world.given.statement();
  return { statement_id: [id], refiner: ['Valcambi'], serial: ['AA0'] };
}

const someTimes = ['2026-03-01T00:00:00Z', '2025-03-01T12:00:00+05:00', '2025-02-30T00:00:00Z'];

/** What there is: users, quotes, redemptions, keys and denominations, of the caller and of another partner. */
async function knownValues({ service, partner, user, buy, signed }: Karat): Promise<Known> {
  const other = await service.givenPartner();
  const foreign = await service.givenUser(other.partnerId);
  const suspended = await service.givenUser(partner.partnerId, { status: 'suspended' });
  const { tradeId, transaction } = await buy.quoted();
  const redemptions = await Promise.all(
    (['submitted', 'ready', 'failed', 'quoted'] as const).map((status) =>
      givenRedemption(service, { partner, user }, { status }),
    ),
  );
  const foreignRedemption = await givenRedemption(service, { partner: other, user: foreign });
  const spare = await service.mintKey(partner);
  const challenge = await service.anonymous.post('/v1/auth/challenge', {
    wallet_address: partner.wallet.address,
    partner_id: partner.partnerId,
  });
  expectStatus(challenge, 200);
  const nowhere = 'http://127.0.0.1:1024/';
  const endpoints = await Promise.all(
    Array.from({ length: 5 }, () => partner.client.post('/v1/webhook-endpoints', { url: nowhere })),
  );
  return {
    // Often enough one who may trade.
    service_user_id: [user.id, user.id, user.id, user.id, suspended.id, foreign.id],
    user_id: Array.from({ length: 300 }, (_, at) => `customer-${at}`),
    wallet_address: [
      // Often enough for challenges; the others are for users.
      ...Array.from({ length: 100 }, () => partner.wallet.address),
      user.wallet.address,
      ...Array.from({ length: 300 }, () => newWallet().address),
    ],
    partner_id: [partner.partnerId, other.partnerId],
    challenge_id: [challenge.body.challenge_id],
    signature: [other.wallet.sign(challenge.body.message)],
    key_id: [spare.response.body.key_id, other.keyId],
    trade_id: [tradeId],
    redemption_id: [...redemptions, foreignRedemption],
    operation_id: [tradeId, ...redemptions, foreignRedemption],
    wait: ['0', '31'],
    signed_tx: [
      Buffer.from(transaction).toString('base64'),
      Buffer.from(signed(transaction).subarray(0, 200)).toString('base64'),
    ],
    endpoint_id: endpoints.map(({ body }) => body.endpoint_id),
    url: [nowhere, 'https://10.0.0.1/'],
    transaction: [Buffer.from(transaction).toString('base64')],
    denomination_id: denominations.map(({ id }) => id),
    city: ['Karachi', 'lahore', 'Nowhere'],
    // Often enough one that a user may be of.
    country: ['PK', 'PK', 'PK', 'ae', 'FR'],
    kyc_level: ['full'],
    kyc_verified_at: ['2025-03-01T12:00:00+05:00', '2025-02-30T00:00:00Z'],
    month: [monthOf(new Date(service.clock.now()))],
    limit: ['1', '100', '101', '0'],
    cursor: ['MTc3MjM2NjQwMDAwMC5ndV8w'],
    slippage_bps: [50, 10_000],
    ...{ from: someTimes, to: someTimes, created_from: someTimes, created_to: someTimes },
  };
}

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describePartnerApi } from '../../src/http/app.js';
import type { OpenApiDocument } from '../../src/http/openapi/conventions.js';
import { startIndexer } from '../../src/indexer/index.js';
import { anyRequest, type Known } from '../any-request.js';
import { expanded } from '../expanded.js';
import { newWallet } from '../harness.js';
import { denominations, givenRedemption, seedDenominations } from '../redeeming.js';
import { expectStatus, startTrading, type Trading } from '../trading.js';

/** Requests per route, so many at a time. */
const requests = 2_000;
const atOnce = 25;

const { paths } = expanded((await describePartnerApi()) as OpenApiDocument);
const routes = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);

let world: Trading;
let known: Known;
let indexer: ReturnType<typeof startIndexer>;
beforeAll(async () => {
  world = await startTrading({ config: { authRateLimitPerMinute: 1_000_000 }, logLevel: 'error' });
  indexer = startIndexer(world.service.ctx);
  await seedDenominations(world.service);
  known = await knownValues(world);
});
afterAll(async () => {
  await indexer?.stop();
  await world?.stop();
});

describe(`${requests} requests of every kind to each route: none is answered with 500 or more, all in JSON`, () => {
  // So many requests may take a busy machine a while.
  test.each(routes)('$method $path', { timeout: 120_000 }, async (route) => {
    const { app } = world.service;
    const statuses = new Map<number, number>();
    const batch = fc.array(anyRequest(route, known, world.partner.apiKey), {
      minLength: atOnce,
      maxLength: atOnce,
    });
    const property = fc.asyncProperty(batch, async (all) => {
      const answers = await Promise.all(all.map((one) => app.inject(one)));
      // Requests that wait for nothing leave no turn to the readers of the chain, who then take the node for silent.
      await new Promise(setImmediate);
      for (const [at, answer] of answers.entries()) {
        const shown = `${JSON.stringify(all[at])} was answered ${answer.statusCode}: ${answer.body}`;
        if (answer.statusCode >= 500) throw new Error(shown);
        if (!/^application\/json/.test(String(answer.headers['content-type']))) throw new Error(shown);
        JSON.parse(answer.body);
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      }
    });
    await fc.assert(property, { numRuns: requests / atOnce, endOnFailure: true });
    // Requests that are all refused at the door would prove nothing.
    const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0);
    const past = [...statuses].filter(([status]) => ![401, 413, 415].includes(status));
    expect(past.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(requests / 2);
    if (!hardToPlease.has(route.operation.operationId ?? '')) expect(good).toBeGreaterThan(10);
  });
});

/** Routes whose good requests need a signature that chance does not find. */
const hardToPlease = new Set([
  'createApiKey',
  'submitBuy',
  'submitSell',
  'submitRedemption',
  'revokeApiKey',
  'cancelRedemption',
  'getTrade',
]);

/** What there is: users, quotes, redemptions, keys and denominations, of the caller and of another partner. */
async function knownValues({ service, partner, user, quoted, signed }: Trading): Promise<Known> {
  const other = await service.givenPartner();
  const foreign = await service.givenUser(other.partnerId);
  const suspended = await service.givenUser(partner.partnerId, { status: 'suspended' });
  const { tradeId, transaction } = await quoted();
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
  return {
    service_user_id: [user.id, suspended.id, foreign.id],
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
    key_id: [spare.answer.body.key_id, other.keyId],
    trade_id: [tradeId],
    redemption_id: [...redemptions, foreignRedemption],
    signed_tx: [
      Buffer.from(transaction).toString('base64'),
      Buffer.from(signed(transaction).subarray(0, 200)).toString('base64'),
    ],
    denomination_id: denominations.map(({ id }) => id),
    city: ['Karachi', 'lahore', 'Nowhere'],
    // Often enough one that a user may be of.
    country: ['PK', 'PK', 'PK', 'ae', 'FR'],
    kyc_level: ['full'],
    kyc_verified_at: ['2025-03-01T12:00:00+05:00', '2025-02-30T00:00:00Z'],
    limit: ['1', '100', '101', '0'],
    cursor: ['MTc3MjM2NjQwMDAwMC5ndV8w'],
    slippage_bps: [50, 10_000],
  };
}

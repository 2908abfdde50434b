import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeTradebookApi } from '../../../src/http/app.js';
import type { OpenApiDocument } from '../../../src/http/openapi/conventions.js';
import { anyRequest, type Known } from '../../any-request.js';
import { expanded } from '../../expanded.js';
import { newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import {
  base64,
  givenKey,
  givenVaultPartner,
  type Ordering,
  ordered,
  paths as orderPaths,
  signedBy,
  startOrdering,
  transactionOf,
} from '../../ordering.js';
import { expectStatus } from '../../trading.js';

/** Requests per route, so many at a time. */
const requests = 500;
const atOnce = 25;

const { paths } = expanded((await describeTradebookApi()) as OpenApiDocument);
const routes = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);

let t: Ordering;
let known: Known;
beforeAll(async () => {
  t = await startOrdering({
    config: { authRateLimitPerMinute: 1_000_000, submitWaitSeconds: 2 },
    logLevel: 'error',
  });
  known = await knownValues();
});
afterAll(() => t.stop());

/** A key of the role that an operation is for. */
function keyOf(operationId: string): string {
  const { executive, update, withdrawal } = t.partner;
  if (operationId === 'createWithdrawal') return withdrawal.apiKey;
  return /ApiKey|changeExecutives/.test(operationId) ? update.apiKey : executive.apiKey;
}

describe(`${requests} requests of every kind to each route: none is answered with 500, all in the envelope`, () => {
  // So many requests may take a busy machine a while.
  test.each(routes)('$method $path', { timeout: 120_000 }, async (route) => {
    const { app } = t.service;
    const id = route.operation.operationId ?? '';
    const statuses = new Map<number, number>();
    const batch = fc.array(anyRequest(route, known, keyOf(id)), { minLength: atOnce, maxLength: atOnce });
    const property = fc.asyncProperty(batch, async (all) => {
      const answers = await Promise.all(all.map((one) => app.inject(one)));
      // Requests that wait for nothing leave no turn to the readers of the chain, who then take the node for silent.
      await new Promise(setImmediate);
      for (const [at, answer] of answers.entries()) {
        const shown = `${JSON.stringify(all[at])} was answered ${answer.statusCode}: ${answer.body}`;
        if (answer.statusCode >= 500) throw new Error(shown);
        const { success, data, error } = JSON.parse(answer.body);
        const good = answer.statusCode < 300;
        if (success !== good || (data !== undefined) !== good || (error !== undefined) === good) {
          throw new Error(shown);
        }
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      }
    });
    await fc.assert(property, { numRuns: requests / atOnce, endOnFailure: true });
    // Requests that are all refused at the door would prove nothing.
    const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0);
    const past = [...statuses].filter(([status]) => ![401, 413, 415].includes(status));
    expect(past.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(requests / 2);
    if (!hardToPlease.has(id)) expect(good).toBeGreaterThan(10);
  });
});

/** Routes whose good requests need a signature that chance does not find, or a key that is there to be revoked. */
const hardToPlease = new Set(['createTradebookApiKey', 'revokeTradebookApiKey']);

/** What there is: orders, keys and partners, of the caller and of another partner. */
async function knownValues(): Promise<Known> {
  const { partner, service, chain } = t;
  const { partnerId: otherId } = await service.givenPartner();
  const other = await givenVaultPartner(service, chain, otherId);
  await eventually(() => expect(service.ctx.chain.program.integrator(otherId)).toBeDefined(), 10_000);
  const bought = await ordered(partner.executive, orderPaths.purchases, {
    goldAmount: 1,
    maxUsdcAmount: 5_000,
  });
  const sold = await ordered(partner.executive, orderPaths.sales, { goldAmount: 1, minimumUsdcAmount: 0 });
  const taken = await ordered(partner.withdrawal, orderPaths.withdrawals, { amount: 1, tokenType: 'usdc' });
  const foreign = await ordered(other.executive, orderPaths.purchases, {
    goldAmount: 1,
    maxUsdcAmount: 5_000,
  });
  // It has landed: submitted again it has an answer for good.
  expectStatus(await t.submit(taken.signed), 200);
  // Several executives, so that chance finds some that may be removed.
  const added = [newWallet().address, newWallet().address, newWallet().address];
  const { update, partnerId } = partner;
  const change = expectStatus(await update.put(orderPaths.executives(partnerId), { add: added }), 200);
  expectStatus(await t.submit(signedBy(transactionOf(change), update.wallet)), 200);
  const { wallet } = partner.executive;
  const spare = await givenKey(service, {
    partnerId: partner.partnerId,
    wallet,
    scope: 'PARTNER_EXECUTIVE_AUTHORITY',
  });
  const wish = { keyType: 'PARTNER', partnerId: partner.partnerId };
  const { address: walletAddress } = partner.update.wallet;
  const asked = await t.open.post('/api/auth/challenge', { ...wish, walletAddress });
  const challenge = expectStatus(asked, 200).body.data;
  const { purchaseId } = bought.answer.body.data;
  return {
    walletAddress: [partner.update.wallet.address, wallet.address, chain.admin.address, newWallet().address],
    keyType: ['PARTNER', 'PARTNER', 'ADMIN'],
    // Often enough for changes of executives, which need a good body too.
    partnerId: [...Array.from({ length: 8 }, () => partner.partnerId), otherId],
    challengeId: [challenge.challengeId],
    signature: [other.update.wallet.sign(challenge.message)],
    keyId: [spare.keyId, other.update.keyId],
    purchaseId: [purchaseId, foreign.answer.body.data.purchaseId],
    sellId: [sold.answer.body.data.sellId, purchaseId],
    withdrawalId: [taken.answer.body.data.withdrawalId, purchaseId],
    goldAmount: [1, 0.5, 0.000001, 1e6, 2.25],
    maxUsdcAmount: [1_000_000, 10],
    minimumUsdcAmount: [0, 1],
    amount: [1, 0.000001, 2_000_000],
    tokenType: ['usdc', 'GOLD', 'Usdc', 'sol'],
    add: Array.from({ length: 20 }, () => newWallet().address),
    remove: [wallet.address, ...added],
    signedTransaction: [base64(taken.signed), base64(bought.signed.subarray(0, 200))],
    signedTransactions: [base64(taken.signed), base64(sold.signed.subarray(0, 200))],
    limit: ['1', '100', '101', '0'],
    cursor: ['MTc3MjM2NjQwMDAwMC5ndV8w'],
    expirationDays: [1, 365],
  };
}
